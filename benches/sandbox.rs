//! What a sandbox costs: snapshot and rollback of an environment of one gigabyte, beside `docker commit` in the same
//! run; the way to a first command; each further command, beside a plain `fork` and `exec`. Prints Markdown.
//!
//!     cargo bench --bench sandbox
//!
//! `ENVC_TEST_ROOTFS` names a root file system to start over; without it, and without an engine, those rows are missing
//! and the output says so.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use envc::sandbox::{
    Backend, Base, CommandSpec, Limits, Network, Options, Sandbox, create, docker_engine,
};

/// Makes the environment: 2,048 files of half a megabyte, of bytes that no file system can leave out.
const FILL: &str = "mkdir -p /srv/env && cd /srv/env && head -c 524288 /dev/urandom > 0 && \
    for d in $(seq 32); do mkdir $d; for f in $(seq 64); do { echo $d $f; cat 0; } > $d/$f; done; done";

/// What happens between two snapshots: a few files change.
const CHANGE: &str = "cd /srv/env && for f in 1 2 3 4 5 6 7 8; do echo changed >> 1/$f; done";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = tempfile::Builder::new().prefix("envc-bench-").tempdir()?;
    let mut options = Options::new()?;
    options.helper = env!("CARGO_BIN_EXE_envc").into();
    options.store = Some(store.path().to_path_buf());
    println!("| what | over | median | 90 % | runs |");
    println!("| --- | --- | ---: | ---: | ---: |");
    let rootfs = std::env::var_os("ENVC_TEST_ROOTFS").map(|path| Base::Rootfs(path.into()));
    if rootfs.is_none() {
        println!("| (no row over a root file system: ENVC_TEST_ROOTFS is not set) | | | | |");
    }
    let bases: Vec<Base> = std::iter::once(Base::Host).chain(rootfs).collect();
    for base in &bases {
        first_command(base, &options)?;
        each_command(base, &options)?;
    }
    plain_command()?;
    for base in &bases {
        states(Backend::Overlay, base, &options, 50)?;
    }
    let image = Base::Image("debian:bookworm".into());
    match docker_engine().and_then(|engine| engine.image_id("debian:bookworm")) {
        Ok(_) => states(Backend::Docker, &image, &options, 3)?,
        Err(error) => println!("| (no row for `docker commit`: {error}) | | | | |"),
    }
    Ok(())
}

fn command(script: &str) -> CommandSpec {
    CommandSpec {
        argv: ["sh", "-c", script].map(String::from).to_vec(),
        dir: "/".into(),
        env: Vec::new(),
        limits: Limits::default(),
        network: Network::Full,
    }
}

fn run(sandbox: &mut dyn Sandbox, spec: &CommandSpec) -> Result<(), Box<dyn std::error::Error>> {
    let mut output = Vec::new();
    let finished = sandbox.run(spec, &mut |bytes| output.extend_from_slice(bytes))?;
    if finished.outcome.ok() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output).into_owned();
    Err(format!("{:?}: {text}", finished.outcome).into())
}

fn row(what: &str, over: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| {
        let index = ((times.len() - 1) as f64 * part).round() as usize;
        times.get(index).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    let count = times.len();
    println!(
        "| {what} | {over} | {:.2} ms | {:.2} ms | {count} |",
        at(0.5),
        at(0.9)
    );
}

fn name(backend: Backend, base: &Base) -> String {
    let base = match base {
        Base::Host => "host",
        Base::Rootfs(_) => "root file system",
        Base::Image(_) => "image",
        Base::Tar(_) | Base::Oci(_) | Base::Registry(_) | Base::Made(_) => "unpacked image",
    };
    format!("{}, {base}", backend.name())
}

/// From nothing to the first byte that a command prints.
fn first_command(base: &Base, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for _ in 0..40 {
        let start = Instant::now();
        let mut first = None;
        let mut sandbox = create(Backend::Overlay, base, options)?;
        sandbox.run(&command("echo"), &mut |_| {
            first.get_or_insert(start.elapsed());
        })?;
        times.push(first.ok_or("no output")?);
    }
    row(
        "start to first output",
        &name(Backend::Overlay, base),
        times,
    );
    Ok(())
}

fn each_command(base: &Base, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut sandbox = create(Backend::Overlay, base, options)?;
    let mut spec = command("");
    spec.argv = vec!["/bin/true".into()];
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        run(&mut *sandbox, &spec)?;
        times.push(start.elapsed());
    }
    row(
        "`/bin/true` in a sandbox",
        &name(Backend::Overlay, base),
        times,
    );
    Ok(())
}

fn plain_command() -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        let mut command = Command::new("/bin/true");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.status()?;
        times.push(start.elapsed());
    }
    row("`/bin/true` by fork and exec", "this machine", times);
    Ok(())
}

/// Snapshot, change, rollback; and the command after it, as work that a rollback put off would show there.
fn states(
    backend: Backend,
    base: &Base,
    options: &Options,
    rounds: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut sandbox = create(backend, base, options)?;
    run(&mut *sandbox, &command(FILL))?;
    let [mut snapshot, mut rollback, mut both, mut after] = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        run(&mut *sandbox, &command(CHANGE))?;
        let start = Instant::now();
        let state = sandbox.snapshot()?;
        let snapped = start.elapsed();
        run(&mut *sandbox, &command(CHANGE))?;
        let start = Instant::now();
        sandbox.rollback(&state)?;
        let rolled = start.elapsed();
        let start = Instant::now();
        run(&mut *sandbox, &command("test -s /srv/env/32/64"))?;
        after.push(start.elapsed());
        snapshot.push(snapped);
        rollback.push(rolled);
        both.push(snapped + rolled);
    }
    let over = name(backend, base);
    row("snapshot, 1 GB", &over, snapshot);
    row("rollback, 1 GB", &over, rollback);
    row("snapshot and rollback, 1 GB", &over, both);
    row("first command after a rollback", &over, after);
    Ok(())
}
