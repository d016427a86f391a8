//! One suite for every sandbox: what holds for one holds for all. Each kind of sandbox runs it as one test; where a
//! kind is not available the test says so loudly.

mod sandbox_support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use envc::sandbox::{Backend, Base, Network, Outcome, REPOSITORY_DIR, Sandbox, create, reopen};
use sandbox_support::*;

/// A kind of sandbox under test.
struct Kind {
    backend: Backend,
    base: Base,
    store: tempfile::TempDir,
}

impl Kind {
    fn new(backend: Backend, base: Base) -> Self {
        let store = tempfile::Builder::new()
            .prefix("envc-test-")
            .tempdir()
            .unwrap();
        Self {
            backend,
            base,
            store,
        }
    }

    fn make(&self) -> Box<dyn Sandbox> {
        make(self.backend, &self.base, self.store.path())
    }

    /// A user's sandbox over this machine cannot change what belongs to root.
    fn system_changes(&self) -> bool {
        let root = unsafe { libc::geteuid() } == 0;
        self.isolated() && (root || self.base != Base::Host)
    }

    fn isolated(&self) -> bool {
        self.backend != Backend::Host
    }
}

fn suite(kind: &Kind) {
    let mut sandbox = kind.make();
    ends(&mut *sandbox);
    input_and_terminal(&mut *sandbox);
    environment(&mut *sandbox);
    limits(&mut *sandbox);
    daemon_that_holds_the_output(&mut *sandbox);
    files(&mut *sandbox, kind);
    snapshots(&mut *sandbox);
    if kind.isolated() {
        fork_bomb(&mut *sandbox);
        network(&mut *sandbox);
    }
    drop(sandbox);
    interruption(kind);
    keep_and_reopen(kind);
    times(kind);
    nothing_left(kind);
}

fn ends(sandbox: &mut dyn Sandbox) {
    assert_eq!(
        run(sandbox, &command(&["true"])).0.outcome,
        Outcome::Exited(0)
    );
    assert_eq!(run(sandbox, &shell("exit 7")).0.outcome, Outcome::Exited(7));
    let (finished, _) = run(sandbox, &shell("kill -SEGV $$"));
    assert_eq!(finished.outcome, Outcome::Signalled(libc::SIGSEGV));
    let (finished, output) = run(sandbox, &command(&["no-such-program-at-all"]));
    assert_eq!(finished.outcome, Outcome::Exited(127), "{output}");
    let (finished, output) = run(sandbox, &shell("echo out; echo err >&2"));
    assert_eq!((output.as_str(), finished.output_bytes), ("out\nerr\n", 8));
    // Arguments are data, whatever is in them.
    let odd = "a 'b' \"c\" $(id) `id`\n\\ *";
    let (_, output) = run(sandbox, &command(&["printf", "%s", odd]));
    assert_eq!(output, odd);
}

fn input_and_terminal(sandbox: &mut dyn Sandbox) {
    assert_eq!(ok(sandbox, "cat; echo end"), "end");
    let start = Instant::now();
    let (finished, _) = run(sandbox, &shell("read x < /dev/tty"));
    assert!(matches!(finished.outcome, Outcome::Exited(code) if code != 0));
    assert!(start.elapsed() < Duration::from_secs(10));
}

fn environment(sandbox: &mut dyn Sandbox) {
    // Set for this whole test process before any thread was started: see `main` of each test.
    let output = ok(sandbox, "env");
    assert!(!output.contains("canary-value"), "{output}");
    assert!(output.contains("PATH=/usr/local/sbin:"), "{output}");
    let mut with = shell("echo \"$GREETING\"; pwd; id -u");
    with.env.push(("GREETING".into(), "hello there".into()));
    with.dir = "/tmp".into();
    let (_, output) = run(sandbox, &with);
    assert!(output.starts_with("hello there\n/tmp\n"), "{output}");
}

fn limits(sandbox: &mut dyn Sandbox) {
    let time = unique_sleep();
    let mut slow = shell(&format!(
        "sleep {time} & sleep {time} & (sleep {time}; true); wait"
    ));
    slow.limits.wall = Duration::from_millis(700);
    let (finished, _) = run(sandbox, &slow);
    assert_eq!(finished.outcome, Outcome::TimedOut);
    assert!(finished.wall < Duration::from_secs(8), "{finished:?}");
    gone(&time);

    let mut silent = shell("echo one; sleep 60");
    silent.limits.silence = Some(Duration::from_millis(700));
    let (finished, output) = run(sandbox, &silent);
    assert_eq!(
        (finished.outcome, output.as_str()),
        (Outcome::Silent, "one\n")
    );

    let mut flood = shell("while :; do echo 0123456789012345678901234567890123456789; done");
    flood.limits.output = 100_000;
    let (finished, output) = run(sandbox, &flood);
    assert_eq!(finished.outcome, Outcome::OutputLimit);
    assert_eq!(output.len(), 100_000);
}

/// Killed processes may take a moment to vanish from `/proc`.
fn gone(mark: &str) {
    for _ in 0..50 {
        if processes_with(mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("still running: {:?}", processes_with(mark));
}

fn daemon_that_holds_the_output(sandbox: &mut dyn Sandbox) {
    let time = unique_sleep();
    let start = Instant::now();
    let (finished, output) = run(
        sandbox,
        &shell(&format!("setsid sleep {time} & echo started")),
    );
    assert_eq!(
        (finished.outcome, output.as_str()),
        (Outcome::Exited(0), "started\n")
    );
    assert!(start.elapsed() < Duration::from_secs(10));
    gone(&time);
}

fn fork_bomb(sandbox: &mut dyn Sandbox) {
    let mut bomb = shell("f() { f | f & }; f; sleep 30");
    bomb.limits.processes = 200;
    bomb.limits.wall = Duration::from_secs(3);
    let (finished, _) = run(sandbox, &bomb);
    assert!(!finished.outcome.ok(), "{finished:?}");
    assert!(finished.wall < Duration::from_secs(15), "{finished:?}");
    assert_eq!(ok(sandbox, "echo alive"), "alive");
}

fn files(sandbox: &mut dyn Sandbox, kind: &Kind) {
    let from = tempfile::tempdir().unwrap();
    let names = repository(from.path());
    let repository = repository_dir(sandbox, kind);
    sandbox
        .copy_in(from.path(), &names, REPOSITORY_DIR)
        .unwrap();
    let mut listing =
        shell("find . -type f -exec sh -c 'cat \"$1\"' _ {} \\; | sort | tr '\\n' ' '");
    listing.dir = repository.clone();
    assert_eq!(run(sandbox, &listing).1.trim(), "1 2 3 4 5");
    let mut odd = shell("test -x 'run me' && readlink escape && cat \"$(printf 'new\\nline')\"");
    odd.dir = repository.clone();
    assert_eq!(run(sandbox, &odd).1, "/etc/passwd\n3\n");

    let path = format!("{REPOSITORY_DIR}/made/by hand.sh");
    sandbox
        .write_file(&path, b"#!/bin/sh\necho \"$0\"\n", 0o755)
        .unwrap();
    assert_eq!(
        sandbox.read_file(&path).unwrap(),
        b"#!/bin/sh\necho \"$0\"\n"
    );
    let mut made = command(&["./made/by hand.sh"]);
    made.dir = repository.clone();
    assert_eq!(run(sandbox, &made).1, "./made/by hand.sh\n");
    assert!(
        sandbox
            .read_file(&format!("{REPOSITORY_DIR}/none"))
            .is_err()
    );
    if kind.isolated() {
        hostile_links(sandbox, &repository);
    }
}

/// A link made by the repository leads at most to a place in the sandbox.
fn hostile_links(sandbox: &mut dyn Sandbox, repository: &str) {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "host").unwrap();
    let place = outside.path().display();
    ok(sandbox, &format!("ln -sfn {place} {repository}/out"));
    let path = format!("{REPOSITORY_DIR}/out/secret");
    assert!(sandbox.read_file(&path).is_err());
    let _ = sandbox.write_file(&path, b"changed", 0o644);
    assert_eq!(std::fs::read(&secret).unwrap(), b"host");
}

fn repository_dir(sandbox: &mut dyn Sandbox, kind: &Kind) -> String {
    if kind.isolated() {
        return REPOSITORY_DIR.into();
    }
    let mut command = command(&["pwd"]);
    command.dir = REPOSITORY_DIR.into();
    run(sandbox, &command).1.trim().into()
}

fn repository(dir: &Path) -> Vec<PathBuf> {
    let names: [&[u8]; 5] = [
        b"plain",
        b"run me",
        b"new\nline",
        b"q'uo\"te $(id)",
        b"sub/\xff\xfe",
    ];
    std::fs::create_dir(dir.join("sub")).unwrap();
    let mut files = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let name = PathBuf::from(OsStr::from_bytes(name));
        std::fs::write(dir.join(&name), format!("{}\n", number + 1)).unwrap();
        files.push(name);
    }
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(dir.join("run me"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.join("escape")).unwrap();
    files.push("escape".into());
    files
}

fn snapshots(sandbox: &mut dyn Sandbox) {
    let path = format!("{REPOSITORY_DIR}/state");
    let get = |sandbox: &mut dyn Sandbox| {
        let text = sandbox.read_file(&path).ok();
        text.map(|t| String::from_utf8(t).unwrap())
    };
    sandbox.write_file(&path, b"one", 0o644).unwrap();
    let one = sandbox.snapshot().unwrap();
    sandbox.write_file(&path, b"two", 0o644).unwrap();
    let two = sandbox.snapshot().unwrap();
    sandbox.rollback(&one).unwrap();
    assert_eq!(get(sandbox).as_deref(), Some("one"));
    // A branch from the first state; the second stays valid.
    sandbox.write_file(&path, b"three", 0o644).unwrap();
    let three = sandbox.snapshot().unwrap();
    sandbox.rollback(&two).unwrap();
    assert_eq!(get(sandbox).as_deref(), Some("two"));
    sandbox.rollback(&three).unwrap();
    assert_eq!(get(sandbox).as_deref(), Some("three"));
    sandbox.rollback(&one).unwrap();
    sandbox.rollback(&one).unwrap();
    assert_eq!(get(sandbox).as_deref(), Some("one"));
    sandbox.reset().unwrap();
    assert_eq!(get(sandbox), None);
    assert!(
        sandbox
            .rollback(&envc::sandbox::SnapshotId("nonsense".into()))
            .is_err()
    );
}

fn network(sandbox: &mut dyn Sandbox) {
    let mut command = shell("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' \\n'");
    command.network = Network::None;
    assert_eq!(run(sandbox, &command).1, "lo");
}

fn interruption(kind: &Kind) {
    let time = unique_sleep();
    let mut options = options(kind.store.path());
    let flag = Arc::new(AtomicBool::new(false));
    options.interrupted = Arc::clone(&flag);
    let mut sandbox = create(kind.backend, &kind.base, &options).unwrap();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        flag.store(true, Ordering::Relaxed);
    });
    let (finished, _) = run(&mut *sandbox, &shell(&format!("sleep {time}")));
    setter.join().unwrap();
    assert_eq!(finished.outcome, Outcome::Interrupted);
    assert!(finished.wall < Duration::from_secs(8), "{finished:?}");
    gone(&time);
}

fn keep_and_reopen(kind: &Kind) {
    let dir = kind.store.path().join("kept");
    let path = format!("{REPOSITORY_DIR}/kept file");
    let mut sandbox = kind.make();
    sandbox.write_file(&path, b"first", 0o640).unwrap();
    sandbox.snapshot().unwrap();
    sandbox.write_file(&path, b"second", 0o640).unwrap();
    if kind.system_changes() {
        ok(
            &mut *sandbox,
            "rm -rf /usr/share/base-files; mkdir /var/tmp/new; touch /var/tmp/new/x",
        );
    }
    let kept = sandbox.keep(&dir).unwrap();
    drop(sandbox);
    for _ in 0..2 {
        let mut again = reopen(&kept, &options(kind.store.path())).unwrap();
        assert_eq!(again.read_file(&path).unwrap(), b"second");
        again.write_file(&path, b"third", 0o640).unwrap();
        if kind.system_changes() {
            ok(
                &mut *again,
                "test ! -e /usr/share/base-files && test -e /var/tmp/new/x",
            );
        }
    }
    envc::sandbox::forget(&kept, &options(kind.store.path())).unwrap();
    assert!(reopen(&kept, &options(kind.store.path())).is_err());
}

fn times(kind: &Kind) {
    let mut sandbox = kind.make();
    let mut snapshot = Vec::new();
    let mut rollback = Vec::new();
    let mut empty_run = Vec::new();
    for round in 0..5 {
        let path = format!("{REPOSITORY_DIR}/{round}");
        sandbox.write_file(&path, b"x", 0o644).unwrap();
        let start = Instant::now();
        let id = sandbox.snapshot().unwrap();
        snapshot.push(start.elapsed());
        sandbox.write_file(&path, b"y", 0o644).unwrap();
        let start = Instant::now();
        sandbox.rollback(&id).unwrap();
        rollback.push(start.elapsed());
        let start = Instant::now();
        run(&mut *sandbox, &command(&["true"]));
        empty_run.push(start.elapsed());
    }
    for (name, times) in [
        ("snapshot", &mut snapshot),
        ("rollback", &mut rollback),
        ("empty run", &mut empty_run),
    ] {
        times.sort();
        println!(
            "{:?} {:?}: median {name} {:?}",
            kind.backend,
            kind.base,
            times[times.len() / 2]
        );
    }
}

fn nothing_left(kind: &Kind) {
    let before = std::fs::read_to_string("/proc/mounts").unwrap();
    let mut sandbox = kind.make();
    ok(&mut *sandbox, "echo");
    let during = std::fs::read_to_string("/proc/mounts").unwrap();
    drop(sandbox);
    let store = kind.store.path().to_str().unwrap();
    assert!(
        !before.contains(store) && !during.contains(store),
        "{during}"
    );
    assert_eq!(helpers_in(kind.store.path()), [] as [u32; 0]);
    let left = std::fs::read_dir(kind.store.path().join("sandboxes"));
    assert_eq!(
        left.map_or(0, Iterator::count),
        0,
        "sandboxes are still in the store"
    );
}

fn canary() {
    // SAFETY: nextest or cargo's harness runs tests in threads, but all set the same value before making sandboxes.
    unsafe { std::env::set_var("ENVC_TEST_CANARY", "canary-value") };
}

#[test]
fn overlay_over_the_host() {
    canary();
    suite(&Kind::new(Backend::Overlay, Base::Host));
}

#[test]
fn overlay_over_a_root_file_system() {
    canary();
    match std::env::var_os("ENVC_TEST_ROOTFS") {
        Some(path) => suite(&Kind::new(Backend::Overlay, Base::Rootfs(path.into()))),
        None => eprintln!("SKIPPED: set ENVC_TEST_ROOTFS to a root file system to test over"),
    }
}

#[test]
fn docker() {
    canary();
    if let Some(image) = image_under_test() {
        suite(&Kind::new(Backend::Docker, Base::Image(image)));
    }
}

/// The same suite against Podman's socket, in a process of its own: an engine is chosen by the environment.
#[test]
fn podman() {
    let socket =
        std::env::var("ENVC_TEST_PODMAN").unwrap_or_else(|_| "/run/podman/podman.sock".into());
    if !Path::new(&socket).exists() {
        eprintln!("SKIPPED: no Podman at {socket} (ENVC_TEST_PODMAN names another socket)");
        return;
    }
    let image = std::env::var("ENVC_TEST_PODMAN_IMAGE")
        .unwrap_or_else(|_| "localhost/debian:bookworm".into());
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "docker", "--nocapture"])
        .env("DOCKER_HOST", format!("unix://{socket}"))
        .env("ENVC_TEST_IMAGE", image)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !text.contains("SKIPPED"),
        "{text}"
    );
    print!("{text}");
}

#[test]
fn overlay_over_an_image() {
    canary();
    if let Some(image) = image_under_test() {
        let kind = Kind::new(Backend::Overlay, Base::Image(image));
        suite(&kind);
        let facts = kind.make().facts().clone();
        assert!(
            facts
                .digest
                .is_some_and(|digest| digest.starts_with("sha256:"))
        );
    }
}

/// The image to test with, where an engine has it.
fn image_under_test() -> Option<String> {
    let image = std::env::var("ENVC_TEST_IMAGE").unwrap_or_else(|_| "debian:bookworm".into());
    match envc::sandbox::docker_engine().and_then(|engine| engine.image_id(&image)) {
        Ok(_) => Some(image),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

/// Over this machine the user's compiler is there though the user's home is not.
#[test]
fn toolchains_of_the_user_are_lent() {
    let kind = Kind::new(Backend::Overlay, Base::Host);
    let mut sandbox = kind.make();
    assert_eq!(ok(&mut *sandbox, "ls -A /root; ls -A /home"), "");
    let rustup =
        std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".rustup/settings.toml"));
    if rustup.is_some_and(|path| path.exists()) {
        let version = ok(&mut *sandbox, "rustc --version && cargo --version");
        assert!(version.starts_with("rustc 1."), "{version}");
    }
}

/// A hundred and more snapshots: layers are merged, whatever was deleted stays deleted, every state stays reachable.
#[test]
fn many_snapshots() {
    let kind = Kind::new(Backend::Overlay, Base::Host);
    let mut sandbox = kind.make();
    sandbox.write_file("/repo/gone/early", b"x", 0o644).unwrap();
    let first = sandbox.snapshot().unwrap();
    if kind.system_changes() {
        ok(
            &mut *sandbox,
            "rm -r /usr/share/base-files && mkdir /usr/share/base-files && touch /usr/share/base-files/new",
        );
    }
    ok(&mut *sandbox, "rm -r /repo/gone");
    let mut middle = None;
    for round in 0..130 {
        sandbox
            .write_file("/repo/round", round.to_string().as_bytes(), 0o644)
            .unwrap();
        let snapshot = sandbox.snapshot().unwrap();
        if round == 60 {
            middle = Some(snapshot);
        }
    }
    assert_eq!(sandbox.read_file("/repo/round").unwrap(), b"129");
    ok(&mut *sandbox, "test ! -e /repo/gone");
    if kind.system_changes() {
        assert_eq!(ok(&mut *sandbox, "ls /usr/share/base-files"), "new");
    }
    sandbox.rollback(&middle.unwrap()).unwrap();
    assert_eq!(sandbox.read_file("/repo/round").unwrap(), b"60");
    sandbox.rollback(&first).unwrap();
    assert_eq!(sandbox.read_file("/repo/gone/early").unwrap(), b"x");
}

#[test]
fn host() {
    canary();
    suite(&Kind::new(Backend::Host, Base::Host));
}
