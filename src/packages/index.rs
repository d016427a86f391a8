//! Reading an index: sections are unpacked when first asked for, and once.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use fst::{IntoStreamer, Streamer};

use super::base::BaseFacts;
use super::build::{ARCHITECTURE, Directory, MAGIC, checksum};
use super::contents::{Kind, reverse};

/// Debian bookworm, amd64, component main. `examples/build_index.rs` makes it anew.
static EMBEDDED: &[u8] = include_bytes!("../../data/debian-bookworm.idx");

/// A name that more paths than this end in says nothing (`version.h`), and reading on would cost time.
const MOST_PATHS: usize = 4096;

/// Why an index file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{0}: {1}")]
    Read(PathBuf, std::io::Error),
    #[error(
        "not a sound index of this version of envc ({0}): make it anew with `envc index build`"
    )]
    Format(&'static str),
    #[error(
        "the index is for {0:?}, and envc reads amd64 only: make it anew with `envc index build`"
    )]
    Architecture(String),
}

/// Which packages hold which headers, libraries, commands and so on, in one release of a distribution.
#[derive(Clone)]
pub struct Index {
    data: Arc<Data>,
    /// The index is of another release than the base: apt must confirm each package at run time.
    pub(super) approximate: bool,
}

struct Data {
    bytes: std::borrow::Cow<'static, [u8]>,
    directory: Directory,
    body: usize,
    packages: OnceLock<Packages>,
    trees: [OnceLock<Option<Tree>>; Kind::ALL.len()],
}

/// Text of the package table, and where each line starts.
#[derive(Default)]
struct Packages {
    rows: Vec<Package>,
    by_name: std::collections::HashMap<String, u32>,
}

/// One package of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub name: String,
    /// Source packages of the distribution that build with it.
    pub usage: u32,
    /// The package that stands for it; empty where there is none.
    pub default: String,
}

struct Tree {
    map: fst::Map<Vec<u8>>,
    sets: Vec<Vec<u32>>,
}

/// A path and the numbers of the packages that hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub path: String,
    pub packages: Vec<u32>,
}

impl Index {
    /// The index that is part of this program.
    pub fn embedded() -> Self {
        static INDEX: LazyLock<Index> = LazyLock::new(|| {
            Index::from_bytes(std::borrow::Cow::Borrowed(EMBEDDED))
                .expect("the embedded index is checked by a test")
        });
        INDEX.clone()
    }

    /// Unpacks the sections that planning asks first, so that a look-up finds them ready.
    pub fn prepare() {
        let index = Self::embedded();
        let _ = index.providers(&super::Capability::Command("cc".to_owned()));
        let _ = index.providers(&super::Capability::Header("stdio.h".to_owned()));
        let _ = super::bases();
    }

    /// Reads an index that [`super::Builder`] made.
    pub fn from_file(path: &Path) -> Result<Self, IndexError> {
        let bytes = std::fs::read(path).map_err(|e| IndexError::Read(path.to_owned(), e))?;
        let index = Self::from_bytes(bytes.into())?;
        index.check()?;
        Ok(index)
    }

    /// Refuses what is cut off, altered or of another architecture.
    pub(super) fn check(&self) -> Result<(), IndexError> {
        let directory = &self.data.directory;
        if directory.architecture != ARCHITECTURE {
            return Err(IndexError::Architecture(directory.architecture.clone()));
        }
        let body = self.data.bytes.get(self.data.body..).unwrap_or_default();
        let expected: usize = directory
            .sections
            .iter()
            .map(|section| section.packed)
            .sum();
        if body.len() != expected {
            return Err(IndexError::Format("cut off, or longer than it says"));
        }
        if checksum(body) != directory.checksum {
            return Err(IndexError::Format("its checksum is wrong"));
        }
        Ok(())
    }

    pub(super) fn from_bytes(bytes: std::borrow::Cow<'static, [u8]>) -> Result<Self, IndexError> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(IndexError::Format("wrong first bytes"))?;
        let (size, rest) = rest
            .split_first_chunk::<4>()
            .ok_or(IndexError::Format("too short"))?;
        let size = u32::from_le_bytes(*size) as usize;
        let head = rest.get(..size).ok_or(IndexError::Format("cut off"))?;
        let directory: Directory =
            serde_json::from_slice(head).map_err(|_| IndexError::Format("bad directory"))?;
        Ok(Self {
            data: Arc::new(Data {
                body: MAGIC.len() + 4 + size,
                directory,
                bytes,
                packages: OnceLock::new(),
                trees: Default::default(),
            }),
            approximate: false,
        })
    }

    /// The index for a base: its own release's from the user's cache, where one was made, else the embedded one.
    /// In the second case names may differ, and the script's adapter has apt confirm that a package exists.
    pub fn for_base(base: &BaseFacts) -> Self {
        let mut index = Self::embedded();
        if index.release() == base.release {
            return index;
        }
        if let Some(path) = cache_path(&base.distro, &base.release)
            && let Ok(own) = Self::from_file(&path)
        {
            return own;
        }
        index.approximate = true;
        index
    }

    /// Code name of the release that the data is of.
    pub fn release(&self) -> &str {
        &self.data.directory.release
    }

    /// True where the data is of another release than the base that was asked for.
    pub fn is_approximate(&self) -> bool {
        self.approximate
    }

    fn section(&self, name: &str) -> Option<Vec<u8>> {
        let section = self
            .data
            .directory
            .sections
            .iter()
            .find(|s| s.name == name)?;
        let start = self.data.body.checked_add(section.offset)?;
        let packed = self
            .data
            .bytes
            .get(start..start.checked_add(section.packed)?)?;
        zstd::bulk::decompress(packed, section.unpacked).ok()
    }

    fn packages(&self) -> &Packages {
        self.data.packages.get_or_init(|| {
            let text = self.section("packages").unwrap_or_default();
            let text = String::from_utf8(text).unwrap_or_default();
            let rows: Vec<Package> = text.lines().map(read_package).collect();
            let by_name = rows
                .iter()
                .enumerate()
                .map(|(at, row)| (row.name.clone(), at as u32))
                .collect();
            Packages { rows, by_name }
        })
    }

    pub(super) fn package(&self, id: u32) -> Option<&Package> {
        self.packages().rows.get(id as usize)
    }

    /// Source packages of the distribution that build with this package, or with one that it stands for.
    pub fn usage(&self, name: &str) -> u32 {
        let packages = self.packages();
        let own = packages
            .by_name
            .get(name)
            .and_then(|at| packages.rows.get(*at as usize));
        own.map_or_else(
            || {
                packages
                    .rows
                    .iter()
                    .filter(|row| row.default == name)
                    .map(|row| row.usage)
                    .max()
                    .unwrap_or(0)
            },
            |row| row.usage,
        )
    }

    /// Whether some file of the package is in the index.
    pub fn knows_package(&self, name: &str) -> bool {
        let packages = self.packages();
        packages.by_name.contains_key(name) || packages.rows.iter().any(|row| row.default == name)
    }

    fn tree(&self, kind: Kind) -> Option<&Tree> {
        let at = Kind::ALL.iter().position(|k| *k == kind)?;
        self.data
            .trees
            .get(at)?
            .get_or_init(|| read_tree(self.section(kind.name())?))
            .as_ref()
    }

    pub(super) fn standard_headers(&self) -> HashSet<String> {
        let text = self.section("standard").unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// All paths that end in the components of `name`, e.g. `SDL2/SDL.h`.
    pub(super) fn ending_in(&self, kind: Kind, name: &str) -> Vec<Hit> {
        let Some(tree) = self.tree(kind) else {
            return Vec::new();
        };
        let mut low = reverse(name).into_bytes();
        low.push(b'/');
        let mut high = low.clone();
        // `0` follows `/` in ASCII: the end of the range of keys that start with `low`.
        if let Some(last) = high.last_mut() {
            *last = b'0';
        }
        let mut stream = tree.map.range().ge(&low).lt(&high).into_stream();
        let mut hits = Vec::new();
        while let Some((key, value)) = stream.next() {
            if let Ok(key) = std::str::from_utf8(key) {
                hits.push(Hit {
                    path: reverse(key),
                    packages: tree.owners(value),
                });
            }
            if hits.len() == MOST_PATHS {
                break;
            }
        }
        hits
    }

    /// Paths whose last component starts with `prefix`, at most `most`.
    pub(super) fn starting_with(&self, kind: Kind, prefix: &str, most: usize) -> Vec<Hit> {
        let Some(tree) = self.tree(kind) else {
            return Vec::new();
        };
        let mut stream = tree.map.range().ge(prefix).into_stream();
        let mut hits = Vec::new();
        while let Some((key, value)) = stream.next() {
            let Ok(key) = std::str::from_utf8(key) else {
                continue;
            };
            if !key.starts_with(prefix) || hits.len() == most {
                break;
            }
            hits.push(Hit {
                path: reverse(key),
                packages: tree.owners(value),
            });
        }
        hits
    }

    /// Last components of paths that begin like `name` and are of about its length: candidates for a closer look.
    pub(super) fn similar(&self, kind: Kind, name: &str, slack: usize) -> Vec<String> {
        let Some(tree) = self.tree(kind) else {
            return Vec::new();
        };
        let first = name.chars().next().map(String::from).unwrap_or_default();
        let mut stream = tree.map.range().ge(&first).into_stream();
        let mut names: Vec<String> = Vec::new();
        while let Some((key, _)) = stream.next() {
            let Ok(key) = std::str::from_utf8(key) else {
                continue;
            };
            if !key.starts_with(&first) {
                break;
            }
            let last = key.split('/').next().unwrap_or(key);
            if last.len().abs_diff(name.len()) <= slack
                && names.last().is_none_or(|known| known != last)
            {
                names.push(last.to_owned());
            }
        }
        names
    }

    /// Paths in the index by kind, for `doctor` and tests.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        Kind::ALL
            .iter()
            .map(|kind| {
                (
                    kind.name(),
                    self.tree(*kind).map_or(0, |tree| tree.map.len()),
                )
            })
            .collect()
    }
}

impl Tree {
    fn owners(&self, value: u64) -> Vec<u32> {
        let number = value >> 1;
        if value & 1 == 0 {
            return u32::try_from(number).into_iter().collect();
        }
        usize::try_from(number)
            .ok()
            .and_then(|at| self.sets.get(at))
            .cloned()
            .unwrap_or_default()
    }
}

fn read_package(line: &str) -> Package {
    let mut fields = line.split('\t');
    let name = fields.next().unwrap_or_default().to_owned();
    let usage = fields.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let default = fields.next().unwrap_or_default().to_owned();
    Package {
        name,
        usage,
        default,
    }
}

fn read_tree(mut section: Vec<u8>) -> Option<Tree> {
    let size = u32::from_le_bytes(*section.first_chunk::<4>()?) as usize;
    let end = size.checked_add(4)?;
    let sets = std::str::from_utf8(section.get(end..)?)
        .ok()?
        .lines()
        .map(|line| line.split(',').filter_map(|id| id.parse().ok()).collect())
        .collect();
    section.truncate(end);
    section.drain(..4);
    let map = fst::Map::new(section).ok()?;
    Some(Tree { map, sets })
}

/// Where the index of another release is kept: `$XDG_CACHE_HOME/envc/index/debian-trixie.idx`.
pub fn cache_path(distro: &str, release: &str) -> Option<PathBuf> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if !plain(distro) || !plain(release) {
        return None;
    }
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(
        cache
            .join("envc/index")
            .join(format!("{distro}-{release}.idx")),
    )
}
