//! The directory of one sandbox in the store, and what dead runs left there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::contract::{Result, SandboxError};

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A fresh name: process id, its start time and a counter. The first two tell whether the owner still lives.
pub fn new_id() -> String {
    let pid = std::process::id();
    let start = start_time(pid).unwrap_or(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{pid}-{start}-{number}")
}

/// Whether the run that made `id` is over. Names that are not ours count as alive.
pub fn is_orphan(id: &str) -> bool {
    let mut parts = id.split('-');
    let (Some(pid), Some(start)) = (parts.next(), parts.next()) else {
        return false;
    };
    match (pid.parse::<u32>(), start.parse::<u64>()) {
        (Ok(pid), Ok(start)) => start_time(pid) != Some(start),
        _ => false,
    }
}

/// Start of a process in clock ticks since boot: field 22 of proc(5)'s `stat`.
fn start_time(pid: u32) -> Option<u64> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name, field 2, may hold spaces and parentheses: count from its last parenthesis.
    let rest = text.rsplit_once(')')?.1;
    rest.split_whitespace().nth(19)?.parse().ok()
}

pub fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> SandboxError {
    let what = what.into();
    move |source| from_io(what, source)
}

/// An I/O failure, with a full disk and missing permission told apart.
pub fn from_io(what: String, source: io::Error) -> SandboxError {
    match source.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => SandboxError::NoSpace(what),
        Some(libc::EACCES | libc::EPERM) => SandboxError::Permission(what),
        _ => SandboxError::Io { what, source },
    }
}

/// Creates `kind/id` below the store's root, first removing what dead runs left in `kind`.
pub fn create_dir(helper: &Path, root: &Path, kind: &str, id: &str) -> Result<PathBuf> {
    let parent = root.join(kind);
    fs::create_dir_all(&parent).map_err(io_error(format!("create {}", parent.display())))?;
    reap(helper, &parent);
    let dir = parent.join(id);
    fs::create_dir(&dir).map_err(io_error(format!("create {}", dir.display())))?;
    // The helper enters by this path; a link or a relative path would mean something else there.
    fs::canonicalize(&dir).map_err(io_error(format!("find {}", dir.display())))
}

/// Whether a run that lives has a directory below `root`.
pub fn in_use(root: &Path) -> bool {
    ["sandboxes", "containers", "hosts"].iter().any(|kind| {
        let entries = fs::read_dir(root.join(kind))
            .into_iter()
            .flatten()
            .flatten();
        let mut names = entries.map(|entry| entry.file_name());
        names.any(|name| name.to_str().is_some_and(|name| !is_orphan(name)))
    })
}

/// Removes directories of dead runs. Their holders have ended, so nothing is mounted on them any more.
fn reap(helper: &Path, parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_orphan) {
            // What cannot be removed stays for a run that can.
            let _ = super::process::remove(helper, &entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_run_is_alive_and_a_past_one_is_not() {
        let id = new_id();
        assert!(!is_orphan(&id));
        let pid = std::process::id();
        assert!(is_orphan(&format!("{pid}-1-0")));
        assert!(!is_orphan("notes"));
    }

    #[test]
    fn creating_leaves_what_it_does_not_know() {
        let root = tempfile::tempdir().unwrap();
        let dead = root.path().join("sandboxes/1-1-0/l");
        fs::create_dir_all(&dead).unwrap();
        fs::create_dir_all(root.path().join("sandboxes/mine")).unwrap();
        let dir = create_dir(Path::new("/none"), root.path(), "sandboxes", &new_id()).unwrap();
        assert!(dir.is_dir());
        // The helper is another program: see the tests of whole sandboxes for what it removes.
        assert!(dead.exists());
        assert!(root.path().join("sandboxes/mine").exists());
    }
}
