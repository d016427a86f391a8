//! What the docker sandbox makes in an engine: labelled, bounded, and gone after a kill.

mod sandbox_support;

use std::process::{Command, Stdio};
use std::time::Duration;

use envc::sandbox::{Backend, Base, docker_engine, forget, reopen};
use sandbox_support::*;

const STORE: &str = "ENVC_TEST_ENGINE_STORE";

fn image() -> Option<String> {
    let image = std::env::var("ENVC_TEST_IMAGE").unwrap_or_else(|_| "debian:bookworm".into());
    match docker_engine().and_then(|engine| engine.image_id(&image)) {
        Ok(_) => Some(image),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

/// What `docker COMMAND` prints.
fn engine(arguments: &[&str]) -> String {
    let output = docker_engine()
        .unwrap()
        .client()
        .unwrap()
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Ids of everything of this machine's runs that has the label.
fn labelled(label: &str) -> Vec<String> {
    let filter = format!("label={label}");
    let containers = engine(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
    let images = engine(&["images", "-aq", "--no-trunc", "--filter", &filter]);
    let bare = |id: &str| id.trim_start_matches("sha256:").to_owned();
    let ids: std::collections::BTreeSet<String> =
        containers.lines().chain(images.lines()).map(bare).collect();
    ids.into_iter().collect()
}

fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..200 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("did not happen: {what}");
}

/// Not a test by itself: the process that the test below kills.
#[test]
#[ignore = "run by the test of a killed run"]
fn victim() {
    let Some(store) = std::env::var_os(STORE) else {
        return;
    };
    let base = Base::Image(image().unwrap());
    let mut sandbox = make(Backend::Docker, &base, store.as_ref());
    sandbox.write_file("/repo/x", b"x", 0o644).unwrap();
    sandbox.snapshot().unwrap();
    sandbox
        .keep(&std::path::Path::new(&store).join("kept"))
        .unwrap();
    std::fs::write(std::path::Path::new(&store).join("ready"), "").unwrap();
    run(&mut *sandbox, &shell("sleep 600"));
}

#[test]
fn the_next_start_reaps_what_a_killed_run_left() {
    let Some(image) = image() else { return };
    let store = tempfile::tempdir().unwrap();
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "victim"])
        .env(STORE, store.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("the run is at work", || store.path().join("ready").exists());
    let own = |name: &str| {
        let start = std::fs::read_to_string(format!("/proc/{}/stat", victim.id())).unwrap();
        let start = start
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .nth(19)
            .unwrap()
            .to_owned();
        format!("{name}={}-{start}-0", victim.id())
    };
    let (owner, keeper) = (own("envc.owner"), own("envc.kept-by"));
    let made = labelled(&owner);
    assert_eq!(made.len(), 2, "a container and a snapshot: {made:?}");
    assert_eq!(labelled(&keeper).len(), 1, "a kept state");
    victim.kill().unwrap();
    victim.wait().unwrap();

    let base = Base::Image(image);
    drop(make(Backend::Docker, &base, store.path()));
    assert_eq!(labelled(&owner), [] as [String; 0]);
    assert_eq!(labelled(&keeper).len(), 1, "what was kept stays");
    // The user removed the directory that it was kept for.
    std::fs::remove_dir_all(store.path().join("kept")).unwrap();
    drop(make(Backend::Docker, &base, store.path()));
    assert_eq!(labelled(&keeper), [] as [String; 0]);
}

#[test]
fn containers_are_bounded_and_see_no_socket() {
    let Some(image) = image() else { return };
    let store = tempfile::tempdir().unwrap();
    let mut sandbox = make(Backend::Docker, &Base::Image(image), store.path());
    assert_eq!(
        ok(&mut *sandbox, "grep NoNewPrivs /proc/self/status | cut -f2"),
        "1"
    );
    assert_eq!(
        ok(
            &mut *sandbox,
            "find / -xdev -type s 2>/dev/null; ls /var/run/docker.sock 2>/dev/null || true"
        ),
        ""
    );
    let mounts = ok(&mut *sandbox, "cat /proc/self/mounts");
    assert!(
        !mounts.contains("docker.sock") && !mounts.contains("podman.sock"),
        "{mounts}"
    );
    assert!(ok(&mut *sandbox, "ulimit -n").parse::<u64>().unwrap() <= 65_536);
    let mut eater = shell("x=$(head -c 600000000 /dev/zero | tr '\\0' x); echo ${#x}");
    eater.limits.memory = 200 << 20;
    let (finished, output) = run(&mut *sandbox, &eater);
    assert!(!finished.outcome.ok(), "{finished:?} {output}");
    assert_eq!(ok(&mut *sandbox, "echo alive"), "alive");
}

#[test]
fn output_comes_while_the_command_runs() {
    let Some(image) = image() else { return };
    let store = tempfile::tempdir().unwrap();
    let mut sandbox = make(Backend::Docker, &Base::Image(image), store.path());
    let start = std::time::Instant::now();
    let mut first = None;
    let slow = shell("echo one; sleep 2; echo two");
    sandbox
        .run(&slow, &mut |_| {
            first.get_or_insert_with(|| start.elapsed());
        })
        .unwrap();
    assert!(first.unwrap() + Duration::from_secs(1) < start.elapsed());
}

#[test]
fn a_kept_state_is_replaced_by_the_next() {
    let Some(image) = image() else { return };
    let store = tempfile::tempdir().unwrap();
    let dir = store.path().join("kept");
    let mut sandbox = make(Backend::Docker, &Base::Image(image), store.path());
    let mut kept = Vec::new();
    for text in ["one", "two"] {
        sandbox
            .write_file("/repo/x", text.as_bytes(), 0o644)
            .unwrap();
        kept.push(sandbox.keep(&dir).unwrap());
    }
    drop(sandbox);
    let mut again = reopen(&kept[1], &options(store.path())).unwrap();
    assert_eq!(again.read_file("/repo/x").unwrap(), b"two");
    drop(again);
    for kept in &kept {
        let _ = forget(kept, &options(store.path()));
    }
}
