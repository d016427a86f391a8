//! Downloads that are kept between runs and are no part of any result.
//!
//! What a tool keeps is shared by all attempts and runs of one repository, in a *scope*; a user whose repositories
//! trust each other may give them one scope (`[cache] scope` of `envc.toml`). Between scopes only packages of the
//! distribution are shared (see [`apt`]): a hostile build can write anything into its own caches, and most tools
//! believe what they find there.

mod apt;
mod kinds;
mod lock;
mod manifest;
mod overview;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::contract::Result;
use super::spec::LENT_DIR;
use super::store::io_error;
use apt::Archives;
pub use kinds::KINDS;
use lock::Lock;
use manifest::{Manifest, sweep};
pub use overview::{Part, evict, overview, prune};

/// Directory of all caches in the store.
pub const CACHES: &str = "caches";
/// Scope of what all share.
const SHARED: &str = "shared";
/// Bytes of all caches together, unless `envc.toml` says otherwise.
pub const DEFAULT_LIMIT: u64 = 20 << 30;

/// A directory lent to commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheDir {
    pub name: String,
    /// On the host.
    pub source: PathBuf,
    /// In the sandbox.
    pub target: String,
    pub writable: bool,
}

/// The caches of one sandbox, in use until it is dropped.
#[derive(Debug)]
pub struct Caches {
    pub dirs: Vec<CacheDir>,
    pub env: Vec<(String, String)>,
    archives: Archives,
    scope: PathBuf,
    root: PathBuf,
    limit: u64,
    lock: Lock,
    /// A command was stopped: what is new cannot be vouched for.
    doubtful: AtomicBool,
}

impl Caches {
    /// Opens the caches of `scope` below the store's `root`. `own` is a directory of the sandbox.
    pub fn open(root: &Path, scope: &str, own: &Path, limit: u64) -> Result<Self> {
        let caches = root.join(CACHES);
        let scope = caches.join(safe(scope));
        let what = || format!("prepare the caches in {}", scope.display());
        let path = scope.join("lock");
        let lock = match Lock::alone(&path).map_err(io_error(what()))? {
            Some(lock) => {
                sweep_all(&scope);
                lock.share()
            }
            // Others are at work in it; what is new there is theirs.
            None => Lock::shared(&path),
        }
        .map_err(io_error(what()))?;
        let archives = Archives::open(caches.join(SHARED).join("apt"), own.join("apt"))?;
        let mut dirs = vec![
            lent("apt", own.join("apt"), None, true),
            lent("apt-store", archives.files(), None, false),
        ];
        // A cache on another file system cannot be linked to.
        let mut env = vec![("UV_LINK_MODE".to_owned(), "copy".to_owned())];
        for kind in &KINDS {
            let source = scope.join(kind.name);
            fs::create_dir_all(&source).map_err(io_error(what()))?;
            let dir = lent(kind.name, source, kind.at, true);
            let pointed = kind.variables.iter().map(|name| (*name).to_owned());
            env.extend(pointed.map(|name| (name, dir.target.clone())));
            dirs.push(dir);
        }
        Ok(Self {
            dirs,
            env,
            archives,
            scope,
            root: root.to_path_buf(),
            limit,
            lock,
            doubtful: AtomicBool::new(false),
        })
    }

    /// Configuration of apt.
    pub fn apt_configuration(&self) -> String {
        format!(
            "Dir::Cache::archives \"{LENT_DIR}/cache/apt\";\nAPT::Keep-Downloaded-Packages \"true\";\n"
        )
    }

    /// What was written since the caches were opened may be half-written: it is dropped by the next run.
    pub fn doubt(&self) {
        self.doubtful.store(true, Ordering::Relaxed);
    }

    /// Lets other repositories have the packages that were downloaded so far; nothing of this one may have run yet.
    pub fn share(&self) {
        // What cannot be shared is downloaded again.
        let _ = self.archives.share();
    }
}

impl Drop for Caches {
    fn drop(&mut self) {
        // With others still at work it is not known which files are whole: the last one to leave says it.
        if self.doubtful.load(Ordering::Relaxed) || !self.lock.become_alone() {
            return;
        }
        let mut bytes = 0;
        for kind in &KINDS {
            let manifest = Manifest::of(&self.scope.join(kind.name));
            bytes += manifest.bytes();
            let _ = manifest.save(&manifest_path(&self.scope, kind.name));
        }
        let _ = fs::write(self.scope.join(overview::USED), bytes.to_string());
        let _ = evict(&self.root, self.limit);
    }
}

fn manifest_path(scope: &Path, kind: &str) -> PathBuf {
    scope.join(format!("{kind}.json"))
}

/// Drops what no run left in good order. Needs the scope alone.
fn sweep_all(scope: &Path) {
    for kind in &KINDS {
        let dir = scope.join(kind.name);
        if dir.is_dir() {
            let manifest = Manifest::load(&manifest_path(scope, kind.name)).unwrap_or_default();
            sweep(&dir, &manifest, kind.unit);
        }
    }
}

fn lent(name: &str, source: PathBuf, at: Option<&str>, writable: bool) -> CacheDir {
    CacheDir {
        name: name.to_owned(),
        source,
        target: at.map_or_else(|| format!("{LENT_DIR}/cache/{name}"), str::to_owned),
        writable,
    }
}

/// A scope's directory: a name that can neither leave the caches nor meet the shared one.
fn safe(scope: &str) -> String {
    let plain: String = scope
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("of-{plain}")
}

/// The scope's caches that a finished environment needs: directory on the host, and where its tool looks for it.
pub fn needed(root: &Path, scope: &str) -> Vec<(PathBuf, &'static str)> {
    let scope = root.join(CACHES).join(safe(scope));
    KINDS
        .iter()
        .filter_map(|kind| Some((scope.join(kind.name), kind.needed_at?)))
        .filter(|(dir, _)| fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(root: &Path, own: &str) -> Caches {
        Caches::open(root, "a/b", &root.join(own), u64::MAX).unwrap()
    }

    #[test]
    fn what_a_killed_run_left_is_dropped_and_what_a_good_one_left_stays() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let first = open(root, "one");
        let pip = first
            .dirs
            .iter()
            .find(|dir| dir.name == "pip")
            .unwrap()
            .source
            .clone();
        assert!(
            pip.starts_with(root.join("caches/of-a_b")),
            "{}",
            pip.display()
        );
        fs::write(pip.join("good"), "good").unwrap();
        // A second run beside it neither drops its files nor vouches for them.
        let second = open(root, "two");
        assert!(pip.join("good").exists());
        drop(second);
        drop(first);
        drop(open(root, "three"));
        assert!(pip.join("good").exists());
        let killed = open(root, "four");
        fs::write(pip.join("half"), "ha").unwrap();
        let lock = root.join("caches/of-a_b/lock");
        std::mem::forget(killed);
        // The kernel would have freed the dead process's lock; here its file is another one.
        fs::remove_file(lock).unwrap();
        drop(open(root, "five"));
        assert!(pip.join("good").exists() && !pip.join("half").exists());
    }

    #[test]
    fn a_spoilt_entry_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let first = open(root, "one");
        let wheel = first
            .dirs
            .iter()
            .find(|dir| dir.name == "pip")
            .unwrap()
            .source
            .join("x.whl");
        fs::write(&wheel, "wheel").unwrap();
        drop(first);
        fs::write(&wheel, "whxxl").unwrap();
        drop(open(root, "two"));
        assert!(!wheel.exists());
    }
}
