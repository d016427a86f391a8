//! Help for the tests of sandboxes.

#![allow(dead_code)]

pub mod users;

use std::path::{Path, PathBuf};
use std::time::Duration;

use envc::sandbox::{
    Backend, Base, CommandSpec, Finished, Limits, Network, Options, Sandbox, create,
};

/// Options with this build's `envc` as helper and a store of the test's own.
pub fn options(store: &Path) -> Options {
    let mut options = Options::new().unwrap();
    options.helper = PathBuf::from(env!("CARGO_BIN_EXE_envc"));
    options.store = Some(store.to_path_buf());
    options
}

pub fn command(argv: &[&str]) -> CommandSpec {
    CommandSpec {
        argv: argv.iter().map(|a| (*a).to_string()).collect(),
        dir: "/".into(),
        env: Vec::new(),
        limits: Limits {
            wall: Duration::from_secs(60),
            ..Limits::default()
        },
        network: Network::Full,
    }
}

pub fn shell(script: &str) -> CommandSpec {
    command(&["sh", "-c", script])
}

/// Runs and gives the end and the whole output.
pub fn run(sandbox: &mut dyn Sandbox, command: &CommandSpec) -> (Finished, String) {
    let mut output = Vec::new();
    let finished = sandbox
        .run(command, &mut |bytes| output.extend_from_slice(bytes))
        .unwrap();
    (finished, String::from_utf8_lossy(&output).into_owned())
}

/// Output of a script that must succeed, trimmed.
pub fn ok(sandbox: &mut dyn Sandbox, script: &str) -> String {
    let mut command = shell(script);
    command.limits.wall = Duration::from_secs(400);
    let (finished, output) = run(sandbox, &command);
    assert!(finished.outcome.ok(), "{script}: {finished:?}\n{output}");
    output.trim().to_string()
}

pub fn make(backend: Backend, base: &Base, store: &Path) -> Box<dyn Sandbox> {
    create(backend, base, &options(store)).unwrap()
}

/// Process ids whose command line or environment holds `mark`.
pub fn processes_with(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else {
            continue;
        };
        let text = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if pid != std::process::id() && String::from_utf8_lossy(&text).contains(mark) {
            found.push(pid);
        }
    }
    found
}

/// Helpers that stand in a store: the holder of each of its sandboxes does.
pub fn helpers_in(store: &Path) -> Vec<u32> {
    let store = std::fs::canonicalize(store).unwrap();
    processes_with("__sandbox")
        .into_iter()
        .filter(|pid| {
            std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&store))
        })
        .collect()
}

/// A time to sleep, in seconds, that no other test uses: tests run side by side.
pub fn unique_sleep() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}{number:03}", 1_000_000 + std::process::id())
}
