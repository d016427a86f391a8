//! Where stores are kept, and how they get there.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::scan::open_regular;

/// Bytes of one store that is read or written: the readings of a million files.
const MAX_STORE: u64 = 512 * 1024 * 1024;

/// Bytes of all stores; beyond it those that were not used for the longest time go.
const MAX_ALL: u64 = 1024 * 1024 * 1024;

/// `$XDG_CACHE_HOME/envc/graph`, else `~/.cache/envc/graph`. `None` where neither is known, or the cache is switched
/// off by `ENVC_CACHE=off` (or `0`, `no`, `false`).
pub(super) fn directory() -> Option<PathBuf> {
    let off = std::env::var("ENVC_CACHE").unwrap_or_default();
    if matches!(
        off.to_ascii_lowercase().as_str(),
        "off" | "0" | "no" | "false"
    ) {
        return None;
    }
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("envc/graph"))
}

/// The store of a root: its name tells nothing of the path.
pub(super) fn place(directory: &Path, root: &Path) -> PathBuf {
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name: String = hash
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    directory.join(name)
}

/// The bytes of a store's file; `None` when there is none that can be read.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let file = open_regular(path).ok()?;
    let size = file.metadata().ok()?.len();
    if size > MAX_STORE {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()? + 1);
    file.take(MAX_STORE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Puts a file in place whole or not at all, whoever else does the same. Without success there is no cache, which is
/// no error.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Option<()> {
    let directory = path.parent()?;
    if bytes.len() as u64 > MAX_STORE {
        return None;
    }
    fs::create_dir_all(directory).ok()?;
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(directory)
        .ok()?;
    file.write_all(bytes).ok()?;
    file.persist(path).ok()?;
    Some(())
}

/// Removes what was not used for the longest time until the rest is small enough, `keep` excepted; and temporary
/// files that a killed run left.
pub(super) fn evict(directory: &Path, keep: &[PathBuf]) {
    evict_beyond(directory, keep, MAX_ALL);
}

fn evict_beyond(directory: &Path, keep: &[PathBuf], limit: u64) {
    let Ok(listed) = fs::read_dir(directory) else {
        return;
    };
    let mut files: Vec<_> = listed
        .flatten()
        .filter_map(|entry| {
            let data = entry.metadata().ok().filter(|data| data.is_file())?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (modified, size, path) in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let day_old = modified.elapsed().is_ok_and(|age| age.as_secs() > 86_400);
        let abandoned = name.starts_with(".new-") && day_old;
        if (total > limit || abandoned) && !keep.contains(&path) && fs::remove_file(&path).is_ok() {
            total -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stores_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for (at, name) in ["a", "b", "c"].iter().enumerate() {
            fs::write(path(name), [0; 100]).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1000 + at as u64);
            fs::File::options()
                .write(true)
                .open(path(name))
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        evict_beyond(dir.path(), &[path("a")], 250);
        assert!(path("a").exists() && !path("b").exists() && path("c").exists());
        evict_beyond(&dir.path().join("missing"), &[], 0);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_no_error() {
        assert_eq!(write(Path::new("/proc/no/such/store"), b"x"), None);
        assert_eq!(read(Path::new("/proc/no/such/store")), None);
        assert_eq!(read(Path::new("/dev/zero")), None);
    }
}
