//! What the store holds, and making it smaller.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use super::lock::Lock;
use super::{CACHES, KINDS, SHARED, apt};

/// File of a scope: its time is when it was last used, its text how many bytes it had then.
pub const USED: &str = "used";

/// A part of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// `packages` (of the distribution, shared), a tool's name, or another directory of the store.
    pub name: String,
    pub bytes: u64,
    pub files: u64,
}

/// Bytes and files of each part of the store.
pub fn overview(root: &Path) -> Vec<Part> {
    let mut parts = vec![part(
        "packages",
        &[root.join(CACHES).join(SHARED).join("apt")],
    )];
    let scopes = scopes(root);
    for kind in &KINDS {
        let dirs: Vec<PathBuf> = scopes.iter().map(|scope| scope.join(kind.name)).collect();
        parts.push(part(kind.name, &dirs));
    }
    let mut others: Vec<PathBuf> = children(root);
    others.retain(|dir| !dir.ends_with(CACHES) && dir.is_dir());
    others.sort();
    for dir in others {
        let name = dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        parts.push(part(&name, std::slice::from_ref(&dir)));
    }
    parts.retain(|part| part.files > 0);
    parts
}

fn part(name: &str, dirs: &[PathBuf]) -> Part {
    let (mut bytes, mut files) = (0, 0);
    for dir in dirs {
        let (b, f) = size(dir);
        bytes += b;
        files += f;
    }
    Part {
        name: name.to_owned(),
        bytes,
        files,
    }
}

/// Bytes and files below a directory.
fn size(dir: &Path) -> (u64, u64) {
    let entries = walkdir::WalkDir::new(dir).into_iter().flatten();
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    files.fold((0, 0), |(bytes, files), entry| {
        (
            bytes + entry.metadata().map_or(0, |meta| meta.len()),
            files + 1,
        )
    })
}

fn children(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// Directories of the scopes.
fn scopes(root: &Path) -> Vec<PathBuf> {
    let mut scopes = children(&root.join(CACHES));
    scopes.retain(|dir| dir.is_dir() && !dir.ends_with(SHARED));
    scopes
}

/// Makes the caches smaller than `most` bytes: first the scopes that were not used for longest, then packages of the
/// distribution. What a run uses now stays. Gives the bytes freed.
pub fn evict(root: &Path, most: u64) -> io::Result<u64> {
    let mut scopes: Vec<(SystemTime, PathBuf, u64)> = scopes(root)
        .into_iter()
        .map(|dir| {
            let used = fs::metadata(dir.join(USED)).and_then(|meta| meta.modified());
            let noted = fs::read_to_string(dir.join(USED)).ok();
            let bytes = noted.and_then(|text| text.trim().parse().ok());
            let bytes = bytes.unwrap_or_else(|| size(&dir).0);
            (used.unwrap_or(SystemTime::UNIX_EPOCH), dir, bytes)
        })
        .collect();
    scopes.sort();
    let shared = root.join(CACHES).join(SHARED).join("apt");
    let mut total = size(&shared).0 + scopes.iter().map(|(_, _, bytes)| bytes).sum::<u64>();
    let mut freed = 0;
    for (_, dir, bytes) in scopes {
        if total <= most {
            return Ok(freed);
        }
        if empty(&dir)? {
            total -= bytes;
            freed += bytes;
        }
    }
    if total > most {
        let packages = size(&shared).0;
        freed += apt::evict(&shared, packages.saturating_sub(total - most))?;
    }
    Ok(freed)
}

/// Empties a scope that nobody uses. Its lock stays: another run may be about to take it.
fn empty(scope: &Path) -> io::Result<bool> {
    let Some(_lock) = Lock::alone(&scope.join("lock"))? else {
        return Ok(false);
    };
    for path in children(scope) {
        if path.is_dir() {
            crate::sandbox::helper::remove_tree(&path);
        } else if !path.ends_with("lock") {
            fs::remove_file(&path)?;
        }
    }
    Ok(true)
}

/// Removes scopes that were not used since `before`, then makes the rest smaller than `most` bytes. Gives the bytes
/// freed.
pub fn prune(root: &Path, most: u64, before: Option<SystemTime>) -> io::Result<u64> {
    let mut freed = 0;
    for scope in scopes(root) {
        let used = fs::metadata(scope.join(USED)).and_then(|meta| meta.modified());
        let old = before.is_some_and(|before| used.is_ok_and(|used| used < before));
        let (bytes, _) = size(&scope);
        if old && empty(&scope)? {
            freed += bytes;
        }
    }
    Ok(freed + evict(root, most)?)
}

#[cfg(test)]
mod tests {
    use super::super::Caches;
    use super::*;

    #[test]
    fn the_scope_not_used_for_longest_goes_first() {
        let store = tempfile::tempdir().unwrap();
        let root = store.path();
        let open = |scope: &str| Caches::open(root, scope, &root.join("own"), u64::MAX).unwrap();
        for scope in ["old", "new"] {
            let caches = open(scope);
            let pip = caches.dirs.iter().find(|dir| dir.name == "pip").unwrap();
            fs::write(pip.source.join("x"), vec![0; 100_000]).unwrap();
            drop(caches);
            crate::sandbox::helper::remove_tree(&root.join("own"));
        }
        let hour = std::time::Duration::from_secs(3600);
        let used = fs::File::options()
            .write(true)
            .open(root.join("caches/of-old/used"))
            .unwrap();
        used.set_modified(SystemTime::now() - hour).unwrap();
        let sum = |name: &str| {
            overview(root)
                .iter()
                .find(|part| part.name == name)
                .map_or(0, |part| part.bytes)
        };
        assert_eq!(sum("pip"), 200_000);
        assert!(evict(root, 150_000).unwrap() >= 100_000);
        assert!(root.join("caches/of-new/pip/x").exists());
        assert!(!root.join("caches/of-old/pip").exists());
        // In use: stays, whatever the limit.
        let caches = open("new");
        evict(root, 0).unwrap();
        assert!(root.join("caches/of-new/pip/x").exists());
        drop(caches);
        prune(root, u64::MAX, Some(SystemTime::now() + hour)).unwrap();
        assert!(!root.join("caches/of-new/pip").exists());
    }
}
