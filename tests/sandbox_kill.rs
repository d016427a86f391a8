//! A run of envc that is killed outright leaves nothing mounted and nothing running.

mod sandbox_support;

use std::process::{Command, Stdio};
use std::time::Duration;

use envc::sandbox::{Backend, Base};
use sandbox_support::*;

const TIME: &str = "ENVC_TEST_KILLED_TIME";
const STORE: &str = "ENVC_TEST_KILLED_STORE";

/// Not a test by itself: the process that the test below kills.
#[test]
#[ignore = "run by the test of a killed run"]
fn victim() {
    let Some(store) = std::env::var_os(STORE) else {
        return;
    };
    let mut sandbox = make(Backend::Overlay, &Base::Host, store.as_ref());
    sandbox.write_file("/repo/x", b"x", 0o644).unwrap();
    let time = std::env::var(TIME).unwrap();
    run(
        &mut *sandbox,
        &shell(&format!("setsid sleep {time} & exec sleep {time}")),
    );
}

#[test]
fn a_killed_run_leaves_nothing() {
    let store = tempfile::tempdir().unwrap();
    let time = unique_sleep();
    let sleep = format!("sleep\u{0}{time}");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "victim"])
        .env(STORE, store.path())
        .env(TIME, &time)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(
        || processes_with(&sleep).len() == 2,
        "the sandbox's processes start",
    );
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait_for(
        || processes_with(&sleep).is_empty(),
        "the sandbox's processes end",
    );
    let sandboxes = store.path().join("sandboxes");
    let left = || std::fs::read_dir(&sandboxes).map_or(0, Iterator::count);
    wait_for(|| left() == 0, "the store is empty");
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
    assert!(!mounts.contains(store.path().to_str().unwrap()));
    wait_for(|| helpers_in(store.path()).is_empty(), "the holder ends");
}

/// What even the holder's death leaves is removed by the next run.
#[test]
fn orphans_are_removed_by_the_next_run() {
    let store = tempfile::tempdir().unwrap();
    let dead = store.path().join("sandboxes/1-1-0/l/1/root");
    std::fs::create_dir_all(&dead).unwrap();
    drop(make(Backend::Overlay, &Base::Host, store.path()));
    assert!(!dead.exists());
}

fn wait_for(condition: impl Fn() -> bool, what: &str) {
    for _ in 0..200 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("did not happen: {what}");
}
