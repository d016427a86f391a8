//! Headers that the sources ask of the system: those that neither the repository nor the compiler has.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::evidence::Place;
use crate::packages::is_standard_header;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::preprocess::{Include, includes};

/// Sources that are read; a repository with more is read in part, shallow directories first.
const MAX_SOURCES: usize = 40_000;
const MAX_SOURCE: u64 = 2 << 20;

/// A header of the system, and where it is included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub header: String,
    /// `<…>` in at least one place.
    pub system: bool,
    /// Some include of it stands under no condition that is not known.
    pub sure: bool,
    /// Included by a source outside of tests, examples and the like.
    pub product: bool,
    pub guard: String,
    pub place: Place,
    /// Files that include it.
    pub files: usize,
}

/// Every header that the sources below `dir` include and that the repository does not hold, by name.
pub fn wanted(repository: &Repository, dir: &str) -> Vec<Wanted> {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    let sources: Vec<&FileEntry> = repository
        .files
        .iter()
        .filter(|entry| {
            entry.path.starts_with(&prefix) && entry.kind == FileKind::Text && !entry.vendored
        })
        .filter(|entry| entry.size <= MAX_SOURCE && language(&entry.path).is_some())
        .take(MAX_SOURCES)
        .collect();
    let read: Vec<(&FileEntry, Vec<Include>)> = sources
        .par_iter()
        .filter_map(|entry| {
            let text = read_text(repository, &entry.path)?;
            Some((*entry, includes(&text, language(&entry.path) == Some(true))))
        })
        .collect();
    let own = Own::of(repository);
    let mut found: BTreeMap<String, Wanted> = BTreeMap::new();
    for (entry, list) in &read {
        for include in list {
            if !own.holds(include, &entry.path) && !is_standard_header(&include.target) {
                note(&mut found, entry, include);
            }
        }
    }
    found.into_values().collect()
}

fn note(found: &mut BTreeMap<String, Wanted>, entry: &FileEntry, include: &Include) {
    let product = !is_aside(&entry.path);
    let place = Place::new(&entry.path, include.line);
    let wanted = found
        .entry(include.target.clone())
        .or_insert_with(|| Wanted {
            header: include.target.clone(),
            system: include.system,
            sure: include.sure,
            product,
            guard: include.guard.clone(),
            place: place.clone(),
            files: 0,
        });
    wanted.files += 1;
    wanted.system |= include.system;
    // The strongest place speaks for it: product before others, certain before conditional.
    if (product, include.sure) > (wanted.product, wanted.sure) {
        wanted.product = product;
        wanted.sure = include.sure;
        wanted.guard.clone_from(&include.guard);
        wanted.place = place;
    }
}

/// Whether a path is a C or C++ file; `Some(true)`: C++ (a `.h` may be either).
fn language(path: &str) -> Option<bool> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "c" | "m" => Some(false),
        "cc" | "cpp" | "cxx" | "C" | "c++" | "h" | "hh" | "hpp" | "hxx" | "H" | "h++" | "inl"
        | "tcc" | "ipp" | "mm" | "y" | "l" | "yy" | "ll" | "ypp" | "lpp" | "xs" | "moc" => {
            Some(true)
        }
        _ => None,
    }
}

/// Directories that a default build does not compile, and those of tests.
pub fn is_aside(path: &str) -> bool {
    let dir = path
        .rsplit_once('/')
        .map_or("", |(dir, _)| dir)
        .to_ascii_lowercase();
    dir.split('/').any(|part| {
        ASIDE.contains(&part)
            || [
                "example",
                "test",
                "sample",
                "demo",
                "benchmark",
                "win",
                "msvc",
            ]
            .iter()
            .any(|start| {
                part.strip_prefix(start).is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with(|c: char| !c.is_ascii_lowercase())
                })
            })
            || ["example", "examples", "test", "tests"].iter().any(|end| {
                part.strip_suffix(end)
                    .is_some_and(|rest| rest.ends_with(|c: char| !c.is_ascii_alphanumeric()))
            })
    })
}

const ASIDE: &[&str] = &[
    "examples",
    "tests",
    "testing",
    "unittest",
    "unittests",
    "testsuite",
    "samples",
    "demos",
    "fuzz",
    "fuzzing",
    "fuzzers",
    "bench",
    "benchmarks",
    "contrib",
    "doc",
    "docs",
    "win32",
    "win64",
    "windows",
    "macos",
    "macosx",
    "osx",
    "mac",
    "darwin",
    "cocoa",
    "android",
    "ios",
    "vms",
    "os2",
    "dos",
    "amiga",
    "beos",
    "wince",
    "symbian",
    "nacl",
    "emscripten",
    "wasm",
    "swig",
    "python",
    "perl",
    "ruby",
    "php",
    "java",
    "jni",
    "tcl",
    "lua",
    "csharp",
    "bindings",
    "third_party",
    "thirdparty",
    "3rdparty",
    "extern",
    "external",
    "externals",
    "deps",
    "vendor",
    "old",
    "obsolete",
    "attic",
    "unused",
    "experimental",
    "tutorial",
    "tutorials",
    "playground",
    "misc",
    "uwp",
    "xcode",
    "visualstudio",
    "vs",
    "vc",
    "delphi",
    "borland",
    "dotnet",
    "templates",
    "template",
];

/// Files of the repository by the ends of their paths.
struct Own {
    paths: HashSet<String>,
    by_name: HashMap<String, Vec<String>>,
}

impl Own {
    fn of(repository: &Repository) -> Self {
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        let mut paths = HashSet::new();
        for entry in &repository.files {
            // A template becomes the file it is named after.
            let path = entry.path.as_str();
            let made = [
                ".in",
                ".cmake",
                ".cmakein",
                ".meson",
                ".am",
                ".tmpl",
                ".template",
                ".h_in",
                ".pre",
                ".dist",
                ".def",
            ]
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(path);
            let name = made.rsplit('/').next().unwrap_or(made).to_ascii_lowercase();
            by_name
                .entry(name)
                .or_default()
                .push(made.to_ascii_lowercase());
            paths.insert(made.to_owned());
        }
        Self { paths, by_name }
    }

    /// Whether the repository holds what is included: beside the includer, or below some directory that an include
    /// path may name.
    fn holds(&self, include: &Include, includer: &str) -> bool {
        let dir = includer.rsplit_once('/').map_or("", |(dir, _)| dir);
        if !include.system
            && normal(dir, &include.target).is_some_and(|path| self.paths.contains(&path))
        {
            return true;
        }
        let target = include.target.trim_start_matches("./").to_ascii_lowercase();
        let target = target.trim_start_matches("../");
        let name = target.rsplit('/').next().unwrap_or(target);
        let Some(paths) = self.by_name.get(name) else {
            return false;
        };
        // A quoted include of a file that is somewhere means that file; `<x/y.h>` has to stand in a directory x.
        !include.system && !target.contains('/')
            || paths.iter().any(|path| {
                path.strip_suffix(target)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            })
    }
}

fn normal(dir: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}
