//! The directory of one sandbox in the store, and what dead runs left there.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::contract::{Result, SandboxError};

/// What the name of a claim's locked file adds to that of its directory.
const LOCK: &str = ".lock";

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

/// A sandbox's directory, and a locked file beside it that says that its owner lives: a process id alone means
/// nothing to a run in another container that shares the store.
#[derive(Debug)]
pub struct Claim {
    pub dir: PathBuf,
    lock: PathBuf,
    _locked: File,
}

/// The locked file of a sandbox's directory.
pub fn lock_of(dir: &Path) -> PathBuf {
    let mut name = dir.as_os_str().to_owned();
    name.push(LOCK);
    name.into()
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.lock);
    }
}

/// A store that cannot be written to. A full disk is told apart: that may be another tomorrow.
fn unusable(root: &Path, error: io::Error) -> SandboxError {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => {
            SandboxError::NoSpace(format!("write to {}", root.display()))
        }
        _ => SandboxError::Store(root.display().to_string(), error.to_string()),
    }
}

/// The same as [`claim`] for what lasts as long as this process or is removed by its maker; the locked file is left to
/// the next run.
pub fn create_dir(helper: &Path, root: &Path, kind: &str, id: &str) -> Result<PathBuf> {
    let claim = claim(helper, root, kind, id)?;
    let dir = claim.dir.clone();
    // Not dropped: its lock is held until this process ends.
    std::mem::forget(claim);
    Ok(dir)
}

/// Creates `kind/id` below the store's root, first removing what dead runs left in `kind`.
pub fn claim(helper: &Path, root: &Path, kind: &str, id: &str) -> Result<Claim> {
    let parent = root.join(kind);
    fs::create_dir_all(&parent).map_err(|error| unusable(root, error))?;
    reap(helper, &parent);
    // The helper enters by this path; a link or a relative path would mean something else there.
    let parent =
        fs::canonicalize(&parent).map_err(io_error(format!("find {}", parent.display())))?;
    let dir = parent.join(id);
    let lock = lock_of(&dir);
    let locked = File::create(&lock).map_err(|error| unusable(root, error))?;
    // A file system without locks leaves the process id to tell.
    let _ = flock(&locked, FlockOperation::NonBlockingLockExclusive);
    let claim = Claim {
        dir,
        lock,
        _locked: locked,
    };
    fs::create_dir(&claim.dir).map_err(io_error(format!("create {}", claim.dir.display())))?;
    Ok(claim)
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
    let names: BTreeSet<String> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| name.trim_end_matches(LOCK).to_owned())
        .collect();
    for name in names.iter().filter(|name| is_orphan(name)) {
        let dir = parent.join(name);
        let lock = lock_of(&dir);
        if File::open(&lock).as_ref().is_ok_and(is_locked) {
            continue;
        }
        // What cannot be removed stays for a run that can.
        if !dir.exists() || super::process::remove(helper, &dir).is_ok() {
            let _ = fs::remove_file(&lock);
        }
    }
}

fn is_locked(file: &File) -> bool {
    flock(file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
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
        let claim = claim(Path::new("/none"), root.path(), "sandboxes", &new_id()).unwrap();
        assert!(claim.dir.is_dir());
        let lock = claim.lock.clone();
        assert!(is_locked(&File::open(&lock).unwrap()));
        // The helper is another program: see the tests of whole sandboxes for what it removes.
        assert!(dead.exists());
        assert!(root.path().join("sandboxes/mine").exists());
        drop(claim);
        assert!(!lock.exists());
    }

    /// The process id is that of a dead run, but somebody holds the lock: a run in another container.
    #[test]
    fn what_is_locked_is_alive() {
        let root = tempfile::tempdir().unwrap();
        let parent = root.path().join("sandboxes");
        fs::create_dir_all(parent.join("1-1-0")).unwrap();
        let lock = parent.join("1-1-0.lock");
        let file = File::create(&lock).unwrap();
        flock(&file, FlockOperation::LockExclusive).unwrap();
        fs::write(parent.join("1-2-0.lock"), "").unwrap();
        reap(Path::new("/none"), &parent);
        assert!(lock.exists());
        assert!(!parent.join("1-2-0.lock").exists());
    }
}
