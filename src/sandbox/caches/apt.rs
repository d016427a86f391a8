//! Packages of the distribution, shared by all repositories.
//!
//! Each sandbox has an archive directory of its own, so that no two of apt wait for each other's lock; what the store
//! has stands in it as links into a read-only view. A package enters the store only when everything that had run by
//! then was the script's base layer: apt itself, which checks each against the signed lists, and nothing of a
//! repository. A repository that changes its archives later changes only its own.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::lock::Lock;
use super::manifest::{Entry, Manifest};
use crate::sandbox::contract::Result;
use crate::sandbox::spec::LENT_DIR;
use crate::sandbox::store::io_error;

const MANIFEST: &str = "manifest.json";
/// Largest package that is kept, in bytes.
const LARGEST: u64 = 2 << 30;

/// The archives of one sandbox.
#[derive(Debug)]
pub struct Archives {
    pool: PathBuf,
    own: PathBuf,
    /// While it is held nothing is evicted that a link leads to.
    _users: Lock,
}

impl Archives {
    /// Makes `own` with links to what `pool` has in good order.
    pub fn open(pool: PathBuf, own: PathBuf) -> Result<Self> {
        let what = || format!("prepare {}", own.display());
        let files = pool.join("files");
        for dir in [&files, &own] {
            fs::create_dir_all(dir).map_err(io_error(what()))?;
        }
        let users = Lock::shared(&pool.join("users")).map_err(io_error(what()))?;
        let manifest = {
            let _lock = Lock::wait(&pool.join("lock")).map_err(io_error(what()))?;
            checked(&pool)
        };
        for name in manifest.0.keys() {
            let target = Path::new(LENT_DIR).join("cache/apt-store").join(name);
            symlink(target, own.join(name)).map_err(io_error(what()))?;
        }
        Ok(Self {
            pool,
            own,
            _users: users,
        })
    }

    /// Where the packages stand, to be lent read-only as `cache/apt-store`.
    pub fn files(&self) -> PathBuf {
        self.pool.join("files")
    }

    /// Adds what apt downloaded.
    pub fn share(&self) -> io::Result<()> {
        let _lock = Lock::wait(&self.pool.join("lock"))?;
        let mut manifest = checked(&self.pool);
        let files = self.files();
        for entry in fs::read_dir(&self.own)? {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            // Links lead to what is there already.
            let new = entry.file_type()?.is_file() && name.ends_with(".deb");
            if !new || manifest.0.contains_key(&name) {
                continue;
            }
            let fresh = files.join(".new");
            let copied = copy(&entry.path(), &fresh)?;
            if !copied {
                continue;
            }
            fs::rename(&fresh, files.join(&name))?;
            let meta = fs::symlink_metadata(files.join(&name))?;
            manifest.0.insert(name, Entry::of(&meta));
        }
        manifest.save(&self.pool.join(MANIFEST))
    }
}

/// The manifest without what is not as it says; files that it does not know are removed. Needs the lock.
fn checked(pool: &Path) -> Manifest {
    let files = pool.join("files");
    let mut manifest = Manifest::load(&pool.join(MANIFEST)).unwrap_or_default();
    let now = Manifest::of(&files);
    for name in manifest.strange(&now, super::kinds::Unit::File) {
        let _ = fs::remove_file(files.join(name));
    }
    manifest
        .0
        .retain(|name, entry| now.0.get(name) == Some(entry));
    manifest
}

/// Copies a regular file without following a link; `false`: it is not worth keeping.
fn copy(from: &Path, to: &Path) -> io::Result<bool> {
    let mut source = crate::scan::open_regular(from)?;
    let size = source.metadata()?.len();
    if size == 0 || size > LARGEST {
        return Ok(false);
    }
    let _ = fs::remove_file(to);
    let mut target = File::create(to)?;
    io::copy(&mut io::Read::take(&mut source, LARGEST), &mut target)?;
    target.sync_all()?;
    Ok(true)
}

/// Removes packages, those first that came first, until at most `most` bytes are left. Does nothing while a sandbox
/// uses them. Gives the bytes freed.
pub fn evict(pool: &Path, most: u64) -> io::Result<u64> {
    if !pool.join("files").is_dir() {
        return Ok(0);
    }
    let Some(_users) = Lock::alone(&pool.join("users"))? else {
        return Ok(0);
    };
    let _lock = Lock::wait(&pool.join("lock"))?;
    let mut manifest = checked(pool);
    let mut entries: Vec<(i64, u64, String)> = Vec::new();
    for name in manifest.0.keys() {
        use std::os::unix::fs::MetadataExt;
        let meta = fs::symlink_metadata(pool.join("files").join(name))?;
        entries.push((meta.ctime(), meta.len(), name.clone()));
    }
    entries.sort();
    let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
    let mut freed = 0;
    for (_, size, name) in entries {
        if total <= most {
            break;
        }
        fs::remove_file(pool.join("files").join(&name))?;
        manifest.0.remove(&name);
        total -= size;
        freed += size;
    }
    manifest.save(&pool.join(MANIFEST))?;
    Ok(freed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn packages_are_shared_and_spoilt_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let pool = dir.path().join("pool");
        let open = |name: &str| Archives::open(pool.clone(), dir.path().join(name)).unwrap();
        let one = open("one");
        fs::write(dir.path().join("one/a_1_all.deb"), "aaaa").unwrap();
        fs::write(dir.path().join("one/b_1_all.deb"), "bbbb").unwrap();
        fs::write(dir.path().join("one/lock"), "").unwrap();
        symlink("/etc/passwd", dir.path().join("one/c_1_all.deb")).unwrap();
        // Another sandbox at the same time is not in the way.
        let two = open("two");
        assert_eq!(names(&dir.path().join("two")), [] as [String; 0]);
        one.share().unwrap();
        two.share().unwrap();
        drop(open("three"));
        assert_eq!(
            names(&dir.path().join("three")),
            ["a_1_all.deb", "b_1_all.deb"]
        );
        let link = fs::read_link(dir.path().join("three/a_1_all.deb")).unwrap();
        assert_eq!(link, Path::new("/run/envc/cache/apt-store/a_1_all.deb"));
        // Spoilt, and left half-written by a killed run.
        fs::write(pool.join("files/a_1_all.deb"), "aaxa").unwrap();
        fs::write(pool.join("files/.new"), "half").unwrap();
        drop(open("four"));
        assert_eq!(names(&dir.path().join("four")), ["b_1_all.deb"]);
        assert_eq!(names(&pool.join("files")), ["b_1_all.deb"]);
        assert_eq!(evict(&pool, 0).unwrap(), 0, "in use");
        drop((one, two));
        assert_eq!(evict(&pool, 0).unwrap(), 4);
        assert_eq!(names(&pool.join("files")), [] as [String; 0]);
    }
}
