//! Makes an index from a distribution's own data.
//!
//! File: 8 bytes of magic, the length of a JSON directory (u32, little endian), the directory, then one zstd frame
//! a section. `packages`, `standard` and one section a [`Kind`] are unpacked separately, so that asking for a
//! command never pays for the headers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use super::contents::{self, Kind};
use super::control;

/// Sources that build with a package without files, from which on it is kept.
const METAPACKAGE: u32 = 5;

pub(super) const MAGIC: &[u8; 8] = b"ENVCIDX1";

/// What an index could not be made from.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("cannot read the distribution's package data: {0}")]
    Read(#[from] io::Error),
    #[error("no useful path in the Contents files of {0}: are they for this architecture?")]
    Empty(String),
    #[error("cannot write the search tree: {0}")]
    Tree(#[from] fst::Error),
    #[error("cannot write the directory of sections: {0}")]
    Directory(#[from] serde_json::Error),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Directory {
    /// `bookworm`.
    pub release: String,
    /// `amd64`: of the packages.
    #[serde(default)]
    pub architecture: String,
    /// SHA-256 of everything after the directory, in hexadecimal digits.
    #[serde(default)]
    pub checksum: String,
    pub sections: Vec<Section>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Section {
    pub name: String,
    /// From the first byte after the directory.
    pub offset: usize,
    pub packed: usize,
    pub unpacked: usize,
}

/// Collects the data of one release. Order of the calls does not matter, and neither does repeating one.
#[derive(Default)]
pub struct Builder {
    ids: HashMap<String, u32>,
    names: Vec<String>,
    paths: BTreeMap<Kind, HashMap<String, BTreeSet<u32>>>,
    /// Headers that a C and C++ compiler gives without any further package.
    standard: BTreeSet<String>,
    depends: Vec<control::Depends>,
    usage: HashMap<String, u32>,
}

impl Builder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `Contents-<arch>` file. Lines that are not UTF-8 are read lossily.
    pub fn add_contents(&mut self, mut reader: impl BufRead) -> Result<(), BuildError> {
        let mut raw = Vec::new();
        loop {
            raw.clear();
            if reader.read_until(b'\n', &mut raw)? == 0 {
                return Ok(());
            }
            let line = String::from_utf8_lossy(&raw);
            if let Some((path, owners)) = contents::split_line(&line) {
                self.add_path(path, owners);
            }
        }
    }

    fn add_path<'a>(&mut self, path: &str, owners: impl Iterator<Item = &'a str>) {
        let standard = super::standard::name_in_path(path);
        let kept = contents::classify(path);
        if standard.is_none() && kept.is_none() {
            return;
        }
        for owner in owners {
            if let Some(name) = standard
                && super::standard::is_toolchain_package(owner)
            {
                self.standard.insert(name.to_owned());
            }
            let Some((kind, kept)) = &kept else { continue };
            if !contents::is_useful_package(owner) {
                continue;
            }
            let id = self.id(owner);
            let paths = self.paths.entry(*kind).or_default();
            match paths.get_mut(kept.as_ref()) {
                Some(set) => set.insert(id),
                None => paths.entry(kept.to_string()).or_default().insert(id),
            };
        }
    }

    /// Adds a `Packages` file: which unversioned package stands for which versioned one.
    pub fn add_packages(&mut self, reader: impl BufRead) -> Result<(), BuildError> {
        self.depends.extend(control::read_depends(reader)?);
        Ok(())
    }

    /// Adds a `Sources` file: how many source packages build with each package, a measure of what is usual.
    pub fn add_sources(&mut self, reader: impl BufRead) -> Result<(), BuildError> {
        for (name, count) in control::count_build_depends(reader)? {
            *self.usage.entry(name).or_default() += count;
        }
        Ok(())
    }

    fn id(&mut self, name: &str) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.ids.insert(name.to_owned(), id);
        self.names.push(name.to_owned());
        id
    }

    /// The index of `release` (a code name such as `bookworm`).
    pub fn finish(mut self, release: &str) -> Result<Vec<u8>, BuildError> {
        if self.paths.values().all(HashMap::is_empty) {
            return Err(BuildError::Empty(release.to_owned()));
        }
        self.add_metapackages();
        let mut sections = vec![
            ("packages".to_owned(), self.package_table().into_bytes()),
            (
                "standard".to_owned(),
                join_lines(&self.standard).into_bytes(),
            ),
        ];
        for kind in Kind::ALL {
            let mut paths = self.paths.remove(&kind).unwrap_or_default();
            if kind == Kind::Python {
                drop_submodules(&mut paths);
            }
            sections.push((kind.name().to_owned(), tree(paths)?));
        }
        write(release, sections)
    }

    /// Packages without a file of their own that many sources build with: metapackages, which stand for others.
    fn add_metapackages(&mut self) {
        let mut names: Vec<String> = self
            .usage
            .iter()
            .filter(|(name, count)| **count >= METAPACKAGE && !self.ids.contains_key(*name))
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        for name in names {
            self.id(&name);
        }
    }

    /// One line a package: name, times used, and the package that stands for it (often none).
    fn package_table(&self) -> String {
        let defaults = control::defaults(&self.depends, &self.usage);
        let mut out = String::new();
        for name in &self.names {
            let usage = self.usage.get(name).copied().unwrap_or(0);
            let default = defaults.get(name).map_or("", |x| x.package.as_str());
            let default_usage = self.usage.get(default).copied().unwrap_or(0).max(usage);
            out.push_str(&format!("{name}\t{default_usage}\t{default}\n"));
        }
        out
    }
}

/// Modules below a package that has code of its own are its matter; those below a namespace are kept.
fn drop_submodules(paths: &mut HashMap<String, BTreeSet<u32>>) {
    let inside: Vec<String> = paths
        .keys()
        .filter(|path| {
            path.rsplit_once('/')
                .is_some_and(|(dir, _)| paths.contains_key(dir))
        })
        .cloned()
        .collect();
    for path in inside {
        paths.remove(&path);
    }
}

fn join_lines(set: &BTreeSet<String>) -> String {
    let mut out = String::new();
    for line in set {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The section of one kind: length of the tree (u32), the tree, then the package sets, one a line.
/// A value with the lowest bit clear is a package's number; with it set, the number of a set.
fn tree(paths: HashMap<String, BTreeSet<u32>>) -> Result<Vec<u8>, BuildError> {
    let mut sorted: Vec<(String, BTreeSet<u32>)> = paths
        .into_iter()
        .map(|(path, set)| (contents::reverse(&path), set))
        .collect();
    sorted.sort();
    sorted.dedup_by(|a, b| a.0 == b.0);
    let mut sets: BTreeMap<BTreeSet<u32>, u64> = BTreeMap::new();
    let mut lines = String::new();
    let mut builder = fst::MapBuilder::memory();
    for (key, set) in sorted {
        let value = match (set.len(), set.first()) {
            (1, Some(only)) => u64::from(*only) << 1,
            _ => {
                let next = sets.len() as u64;
                let number = *sets.entry(set.clone()).or_insert(next);
                if number == next {
                    let ids: Vec<String> = set.iter().map(u32::to_string).collect();
                    lines.push_str(&ids.join(","));
                    lines.push('\n');
                }
                number << 1 | 1
            }
        };
        builder.insert(key, value)?;
    }
    let tree = builder.into_inner()?;
    let mut out = (tree.len() as u32).to_le_bytes().to_vec();
    out.extend(tree);
    out.extend(lines.into_bytes());
    Ok(out)
}

/// The architecture whose lists are read.
pub(super) const ARCHITECTURE: &str = "amd64";

pub(super) fn checksum(body: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write(release: &str, sections: Vec<(String, Vec<u8>)>) -> Result<Vec<u8>, BuildError> {
    let mut directory = Directory {
        release: release.to_owned(),
        architecture: ARCHITECTURE.to_owned(),
        checksum: String::new(),
        sections: Vec::new(),
    };
    let mut body = Vec::new();
    for (name, data) in sections {
        let packed = zstd::bulk::compress(&data, 19)?;
        directory.sections.push(Section {
            name,
            offset: body.len(),
            packed: packed.len(),
            unpacked: data.len(),
        });
        body.extend(packed);
    }
    directory.checksum = checksum(&body);
    let head = serde_json::to_vec(&directory)?;
    let mut out = MAGIC.to_vec();
    out.extend((head.len() as u32).to_le_bytes());
    out.extend(head);
    out.extend(body);
    Ok(out)
}
