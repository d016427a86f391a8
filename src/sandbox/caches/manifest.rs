//! What a cache held when it was last left in good order. Whatever differs later was half-written by a run that was
//! killed, or changed by something else, and is dropped before anyone uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::kinds::{Unit, unit_of};

/// A file as it was left. The change time betrays what a restored modification time would hide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    size: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    changed: i128,
}

impl Entry {
    pub fn of(meta: &fs::Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: meta.size(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        }
    }
}

/// Files by their path below the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Manifest(pub BTreeMap<String, Entry>);

impl Manifest {
    /// `None` where there is none that can be read: then nothing is known to be good.
    pub fn load(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    pub fn save(&self, path: &Path) -> io::Result<()> {
        let fresh = path.with_extension("new");
        let mut file = fs::File::create(&fresh)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    }

    /// What stands below `dir` now. Links are entries too; directories are not.
    pub fn of(dir: &Path) -> Self {
        let mut found = BTreeMap::new();
        for entry in walkdir::WalkDir::new(dir).into_iter().flatten() {
            if entry.file_type().is_dir() {
                continue;
            }
            let (Ok(meta), Ok(relative)) = (entry.metadata(), entry.path().strip_prefix(dir))
            else {
                continue;
            };
            found.insert(relative.to_string_lossy().into_owned(), Entry::of(&meta));
        }
        Self(found)
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|entry| entry.size).sum()
    }

    /// Units that are not as they were left.
    pub fn strange(&self, now: &Self, unit: Unit) -> BTreeSet<String> {
        let differs = |a: &Self, b: &Self| -> Vec<String> {
            a.0.iter()
                .filter(|(path, entry)| b.0.get(*path) != Some(entry))
                .map(|(path, _)| unit_of(unit, path))
                .collect()
        };
        let mut units: BTreeSet<String> = differs(now, self).into_iter().collect();
        if unit != Unit::File {
            // A file that is gone leaves the rest of its unit useless.
            units.extend(differs(self, now));
        }
        units
    }
}

/// Drops from `dir` whatever is not as `manifest` says. Gives the number of units dropped.
pub fn sweep(dir: &Path, manifest: &Manifest, unit: Unit) -> usize {
    let units = manifest.strange(&Manifest::of(dir), unit);
    for unit in &units {
        let path = dir.join(unit);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()) {
            crate::sandbox::helper::remove_tree(&path);
        } else {
            let _ = fs::remove_file(&path);
        }
    }
    let _ = fs::create_dir_all(dir);
    units.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path, names: &[&str]) {
        for name in names {
            fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
            fs::write(dir.join(name), name).unwrap();
        }
    }

    #[test]
    fn new_and_changed_files_go() {
        let dir = tempfile::tempdir().unwrap();
        files(dir.path(), &["a/one", "a/two", "b/three"]);
        let manifest = Manifest::of(dir.path());
        assert_eq!(sweep(dir.path(), &manifest, Unit::File), 0);
        // Same length, and the old modification time put back.
        let old = fs::metadata(dir.path().join("a/one"))
            .unwrap()
            .modified()
            .unwrap();
        let file = fs::File::options()
            .write(true)
            .open(dir.path().join("a/one"))
            .unwrap();
        (&file).write_all(b"x").unwrap();
        file.set_times(fs::FileTimes::new().set_modified(old))
            .unwrap();
        files(dir.path(), &["b/half"]);
        assert_eq!(sweep(dir.path(), &manifest, Unit::File), 2);
        assert!(!dir.path().join("a/one").exists() && !dir.path().join("b/half").exists());
        assert!(dir.path().join("a/two").exists() && dir.path().join("b/three").exists());
    }

    #[test]
    fn a_unit_goes_as_a_whole() {
        for (unit, left) in [(Unit::Depth(1), vec!["b"]), (Unit::Whole, vec![])] {
            let dir = tempfile::tempdir().unwrap();
            files(dir.path(), &["a/one", "a/two", "b/three"]);
            let manifest = Manifest::of(dir.path());
            fs::remove_file(dir.path().join("a/two")).unwrap();
            assert_eq!(sweep(dir.path(), &manifest, unit), 1);
            let names: Vec<String> = fs::read_dir(dir.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            assert_eq!(names, left);
        }
    }

    #[test]
    fn without_a_manifest_nothing_is_known() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("m"), "{\"half").unwrap();
        assert_eq!(Manifest::load(&dir.path().join("m")), None);
        let manifest = Manifest::of(dir.path());
        manifest.save(&dir.path().join("m")).unwrap();
        assert_eq!(Manifest::load(&dir.path().join("m")), Some(manifest));
    }
}
