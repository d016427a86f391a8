//! What the files of a repository said the last time, so that only files that changed are read and parsed again.
//!
//! One store a repository, in the user's cache directory: a base table, and an addition with what changed since. A
//! file whose stamp (size, times, inode) is the same is not even opened; else its content's hash decides, so that a
//! fresh checkout of the same files is parsed by nobody. A table that is damaged, of another version of envc, or of
//! another directory counts as empty.

mod blob;
mod codec;
mod file;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::scan::languages::{GRAMMARS, named};
use crate::scan::{FileEntry, Head, Repository, Stamp};

use super::syntax::{Reading, Want};
use table::{Entry, Header, Key, Table, encode_entry};

/// Clocks of file systems tick this coarsely at worst (a timer tick of a slow kernel), in nanoseconds: a file
/// touched this shortly before it was read may be written again without a new time.
const TICK: i64 = 20_000_000;

/// An addition with more entries than this part of its base is merged into it.
const MERGED_AT: usize = 16;

/// Changes with what they say: path and the entry's bytes.
type Changes = BTreeMap<String, Vec<u8>>;

/// Readings of one repository, from an earlier run and from this one.
#[derive(Default)]
pub struct Cache {
    /// Where the base table is kept; `None`: nowhere.
    place: Option<PathBuf>,
    root: PathBuf,
    /// The addition before the base.
    tables: Vec<Table>,
    /// Nanoseconds since 1970 at which this run began to look at files.
    begun: i64,
    changes: Mutex<Changes>,
    by_content: OnceLock<HashMap<Key, (usize, std::ops::Range<usize>)>>,
    /// Files of which [`Cache::head`] knew nothing.
    unknown: AtomicUsize,
    parsed: AtomicUsize,
    opened: AtomicUsize,
}

/// What a cache saved, for a person and for tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Files that were opened for their content.
    pub opened: usize,
    /// Files that were parsed.
    pub parsed: usize,
}

/// What settles how files are read: this program's version and all of its grammars' data.
static VERSION: LazyLock<u128> = LazyLock::new(|| {
    let mut all = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    all.extend(env!("ENVC_SOURCES").as_bytes());
    collect(&GRAMMARS, &mut all);
    content_hash(&all)
});

fn collect(dir: &include_dir::Dir, all: &mut Vec<u8>) {
    for file in dir.files() {
        all.extend(file.path().as_os_str().as_encoded_bytes());
        all.extend(file.contents());
    }
    dir.dirs().for_each(|dir| collect(dir, all));
}

impl Cache {
    /// Keeps nothing and knows nothing.
    pub fn disabled() -> Self {
        Self::default()
    }

    /// The store of the repository at `root`. Never fails: whatever is wrong with it, it is empty then.
    /// `ENVC_CACHE=off` in the environment switches it off; so does a missing home directory.
    pub fn open(root: &Path) -> Self {
        match file::directory() {
            Some(directory) => Self::open_in(root, &directory),
            None => Self::disabled(),
        }
    }

    /// The same with the directory that holds the stores.
    pub fn open_in(root: &Path, directory: &Path) -> Self {
        let begun = now();
        let Ok(root) = root.canonicalize() else {
            return Self::disabled();
        };
        let place = file::place(directory, &root);
        let load = |path: &Path| Table::decode(file::read(path)?, *VERSION, &root);
        let base = load(&place);
        let addition = load(&addition_of(&place)).filter(|addition| {
            base.as_ref()
                .is_some_and(|base| base.identity == addition.base)
        });
        Self {
            tables: addition.into_iter().chain(base).collect(),
            place: Some(place),
            root,
            begun,
            ..Self::default()
        }
    }

    /// The newest entry of a path, with its table.
    fn entry(&self, path: &str) -> Option<(&Table, Entry)> {
        let (table, at) = self
            .tables
            .iter()
            .find_map(|table| Some((table, table.find(path)?)))?;
        Some((table, table.entry(at)?))
    }

    /// What the last run saw at the head of a file, if it is the same file by its stamp.
    pub fn head(&self, path: &str, stamp: &Stamp) -> Option<Head> {
        let found = self
            .entry(path)
            .and_then(|(table, entry)| table.is_same(&entry.stamp, stamp).then_some(entry.head)?);
        if found.is_none() {
            self.unknown.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    pub fn usage(&self) -> CacheUse {
        CacheUse {
            opened: self.opened.load(Ordering::Relaxed),
            parsed: self.parsed.load(Ordering::Relaxed),
        }
    }

    /// What a file said, if it is the same by its stamp.
    pub(super) fn by_stamp(&self, file: &FileEntry, want: Want) -> Option<Reading> {
        let (table, entry) = self.entry(&file.path)?;
        let (key, at) = entry.reading.as_ref()?;
        let asked = key.want == want && Some(key.language) == file.language.as_deref();
        if !asked || !table.is_same(&entry.stamp, &file.seen.stamp) {
            return None;
        }
        table.reading(key, at)
    }

    /// What a file with this content said, wherever it stood. Called for every file that is opened.
    pub(super) fn by_content(
        &self,
        file: &FileEntry,
        content: u128,
        want: Want,
    ) -> Option<Reading> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        if self.tables.is_empty() {
            return None;
        }
        let key = key(file, content, want)?;
        let (number, at) = self.by_content.get_or_init(|| self.index()).get(&key)?;
        let table = self.tables.get(*number)?;
        let reading = table.reading(&key, at)?;
        self.note(file, Some((&key, table.raw(at))));
        Some(reading)
    }

    fn index(&self) -> HashMap<Key, (usize, std::ops::Range<usize>)> {
        let mut index = HashMap::new();
        for (number, table) in self.tables.iter().enumerate() {
            for (_, at) in table.paths() {
                if let Some((key, at)) = table.entry(at).and_then(|entry| entry.reading) {
                    index.entry(key).or_insert((number, at));
                }
            }
        }
        index
    }

    /// Keeps what a file said that was parsed.
    pub(super) fn keep(&self, file: &FileEntry, content: u128, want: Want, reading: &Reading) {
        self.parsed.fetch_add(1, Ordering::Relaxed);
        // What went wrong this time need not go wrong the next.
        if self.place.is_some()
            && reading.trouble.is_none()
            && let Some(key) = key(file, content, want)
        {
            self.note(file, Some((&key, &blob::encode(reading))));
        }
    }

    fn note(&self, file: &FileEntry, reading: Option<(&Key, &[u8])>) {
        let bytes = encode_entry(&file.seen.stamp, file.seen.head.as_ref(), reading);
        if let Ok(mut changes) = self.changes.lock() {
            changes.insert(file.path.clone(), bytes);
        }
    }

    /// Writes down what is new, if anything is.
    pub fn save(&self, repository: &Repository) {
        let Some(place) = &self.place else { return };
        self.note_heads(repository);
        let Ok(changes) = self.changes.lock() else {
            return;
        };
        if changes.is_empty() {
            return;
        }
        match self.tables.last() {
            Some(base) if changes.len() + self.added() <= base.len() / MERGED_AT => {
                self.add_to(base, repository, &changes, place);
            }
            _ => self.replace(repository, &changes, place),
        }
    }

    /// Entries of the addition.
    fn added(&self) -> usize {
        match self.tables.as_slice() {
            [addition, _] => addition.len(),
            _ => 0,
        }
    }

    /// Files without a reading whose head was read anew.
    fn note_heads(&self, repository: &Repository) {
        if self.unknown.load(Ordering::Relaxed) == 0 {
            return;
        }
        for file in &repository.files {
            let noted = || {
                let changes = self.changes.lock();
                changes.is_ok_and(|changes| changes.contains_key(&file.path))
            };
            let known =
                file.seen.head.is_none() || self.head(&file.path, &file.seen.stamp).is_some();
            if !known && !noted() {
                self.note(file, None);
            }
        }
    }

    fn add_to(&self, base: &Table, repository: &Repository, changes: &Changes, place: &Path) {
        let mut entries: BTreeMap<&str, &[u8]> = BTreeMap::new();
        if let [addition, _] = self.tables.as_slice() {
            let files = addition
                .paths()
                .filter_map(|(path, _)| repository.file(path));
            entries.extend(files.filter_map(|file| self.trusted(file)));
        }
        self.write(&mut entries, changes, base.identity, &addition_of(place));
    }

    /// A new base with the files that are still there.
    fn replace(&self, repository: &Repository, changes: &Changes, place: &Path) {
        let mut entries: BTreeMap<&str, &[u8]> = BTreeMap::new();
        entries.extend(
            repository
                .files
                .iter()
                .filter_map(|file| self.trusted(file)),
        );
        self.write(&mut entries, changes, 0, place);
        if let Some(directory) = place.parent() {
            file::evict(directory, &[place.to_owned()]);
        }
    }

    /// A file's entry that holds today: copied into a new table, it would be trusted for that table's time.
    fn trusted<'a>(&'a self, file: &'a FileEntry) -> Option<(&'a str, &'a [u8])> {
        let of = |table: &'a Table| Some((table, table.find(&file.path)?));
        let (table, at) = self.tables.iter().find_map(of)?;
        let stamp = table.entry(at)?.stamp;
        let same = table.is_same(&stamp, &file.seen.stamp);
        same.then(|| (file.path.as_str(), table.raw(at)))
    }

    fn write<'a>(
        &self,
        entries: &mut BTreeMap<&'a str, &'a [u8]>,
        changes: &'a Changes,
        base: u128,
        place: &Path,
    ) {
        entries.extend(
            changes
                .iter()
                .map(|(path, bytes)| (path.as_str(), bytes.as_slice())),
        );
        let entries: Vec<(&str, &[u8])> = entries
            .iter()
            .map(|(path, bytes)| (*path, *bytes))
            .collect();
        let header = Header {
            version: *VERSION,
            root: &self.root,
            base,
            written: self.begun,
        };
        // A cache that cannot be written is no error: the next run reads again.
        let _ = file::write(place, &table::encode(&header, &entries));
    }
}

fn addition_of(place: &Path) -> PathBuf {
    place.with_extension("new")
}

fn key(file: &FileEntry, content: u128, want: Want) -> Option<Key> {
    Some(Key {
        content,
        language: named(file.language.as_deref()?)?,
        want,
    })
}

/// A content's identity: 128 bits of XXH3. Not for adversaries: who forges two files of one hash fools the cache of
/// his own repository.
pub(super) fn content_hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0))
}
