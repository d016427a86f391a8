//! Headers that the sources ask of the system: those that neither the repository nor the compiler has.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::evidence::Place;
use crate::packages::is_standard_header;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::aside::is_aside;
use super::compiled::Compiled;
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

/// `parts`: directories with a `configure` of their own that the project's runs.
///
/// Every header that the compiled sources below `dir` include, themselves or through the repository's own headers, and
/// that the repository does not hold, by name.
pub fn wanted(
    repository: &Repository,
    dir: &str,
    parts: &[String],
    compiled: &Compiled,
) -> Vec<Wanted> {
    let sources = read(repository, dir, parts);
    let own = Own::of(repository);
    let reached = reach(&sources, &own, compiled);
    let stems: HashSet<&str> = sources
        .iter()
        .map(|source| stem(&source.entry.path))
        .collect();
    let installed = own.installed(&sources);
    let mut found: BTreeMap<String, Wanted> = BTreeMap::new();
    for (source, sure) in sources.iter().zip(reached) {
        let Some(sure) = sure else {
            continue;
        };
        for include in &source.includes {
            let target = include.target.as_str();
            // A quoted name that a source has as well is a header that the build makes of it.
            let made = !include.system && stems.contains(stem(target));
            if !made
                && !is_standard_header(target)
                && own.resolve(include, &source.entry.path).is_empty()
                && (include.system || !own.is_inside(target))
                && !folder(target).is_some_and(|folder| installed.contains(folder))
            {
                note(&mut found, source.entry, include, sure);
            }
        }
    }
    found.into_values().collect()
}

/// A source with what it includes.
struct Source<'r> {
    entry: &'r FileEntry,
    includes: Vec<Include>,
}

fn read<'r>(repository: &'r Repository, dir: &str, parts: &[String]) -> Vec<Source<'r>> {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    // What has a `configure` of its own is another project, kept here.
    let nested: Vec<&str> = repository
        .files
        .iter()
        .filter_map(|entry| {
            entry
                .path
                .strip_suffix("/configure.ac")
                .or(entry.path.strip_suffix("/configure.in"))
        })
        .filter(|other| {
            *other != dir
                && !parts.iter().any(|part| part == other)
                && repository.has(&format!("{prefix}configure.ac"))
        })
        .collect();
    // What the project's own `configure` runs is part of it.
    let is_nested = |path: &str| {
        nested.iter().any(|other| {
            path.strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let entries: Vec<&FileEntry> = repository
        .files
        .iter()
        .filter(|entry| !is_nested(&entry.path))
        .filter(|entry| {
            entry.path.starts_with(&prefix) && entry.kind == FileKind::Text && !entry.vendored
        })
        .filter(|entry| entry.size <= MAX_SOURCE && language(&entry.path).is_some())
        .take(MAX_SOURCES)
        .collect();
    entries
        .par_iter()
        .filter_map(|entry| {
            let text = read_text(repository, &entry.path)?;
            let includes = includes(&text, language(&entry.path) == Some(true));
            Some(Source { entry, includes })
        })
        .collect()
}

/// For each source, whether the build reaches it: `Some(true)` under no unknown condition. Headers are reached from
/// the sources that include them; circles end where a file was reached before.
fn reach(sources: &[Source<'_>], own: &Own, compiled: &Compiled) -> Vec<Option<bool>> {
    let by_path: HashMap<&str, usize> = sources
        .iter()
        .enumerate()
        .map(|(at, source)| (source.entry.path.as_str(), at))
        .collect();
    let mut reached: Vec<Option<bool>> = vec![None; sources.len()];
    for sure in [true, false] {
        let mut queue: Vec<usize> = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let path = &source.entry.path;
            let starts =
                !is_header(path) && compiled.holds(path) && (!sure || compiled.always_holds(path));
            let again = !sure && reached.get(at) == Some(&Some(true));
            if reached.get(at) == Some(&None) && starts || again {
                queue.push(at);
            }
        }
        while let Some(at) = queue.pop() {
            if let Some(state) = reached.get_mut(at).filter(|state| state.is_none()) {
                *state = Some(sure);
            }
            let Some(source) = sources.get(at) else {
                continue;
            };
            for include in source
                .includes
                .iter()
                .filter(|include| include.sure || !sure)
            {
                for path in own.resolve(include, &source.entry.path) {
                    if let Some(&next) = by_path.get(path.as_str())
                        && reached.get(next) == Some(&None)
                    {
                        if let Some(state) = reached.get_mut(next) {
                            *state = Some(sure);
                        }
                        queue.push(next);
                    }
                }
            }
        }
    }
    reached
}

fn is_header(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "h" | "hh" | "hpp" | "hxx" | "H" | "h++" | "inl" | "tcc" | "ipp" | "moc"
    ) || path.ends_with(".h.in")
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn note(found: &mut BTreeMap<String, Wanted>, entry: &FileEntry, include: &Include, reached: bool) {
    let sure = include.sure && reached;
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
    if (product, sure) > (wanted.product, wanted.sure) {
        wanted.product = product;
        wanted.sure = sure;
        wanted.guard.clone_from(&include.guard);
        wanted.place = place;
    }
}

/// Whether a path is a C or C++ file; `Some(true)`: C++ (a `.h` may be either).
fn language(path: &str) -> Option<bool> {
    let (_, extension) = path.strip_suffix(".in").unwrap_or(path).rsplit_once('.')?;
    match extension {
        "c" | "m" => Some(false),
        "cc" | "cpp" | "cxx" | "C" | "c++" | "h" | "hh" | "hpp" | "hxx" | "H" | "h++" | "inl"
        | "tcc" | "ipp" | "mm" | "y" | "l" | "yy" | "ll" | "ypp" | "lpp" | "xs" | "moc" => {
            Some(true)
        }
        _ => None,
    }
}

fn folder(target: &str) -> Option<&str> {
    target.rsplit_once('/').map(|(folder, _)| folder)
}

/// Files of the repository by the ends of their paths.
struct Own {
    /// Folders, whole and by up to four last components.
    folders: HashSet<String>,
    by_name: HashMap<String, Vec<String>>,
    paths: HashSet<String>,
    /// Directories that hold headers, by their last component, with how many.
    dirs: HashMap<String, usize>,
}

impl Own {
    fn of(repository: &Repository) -> Self {
        let mut own = Self {
            folders: HashSet::new(),
            by_name: HashMap::new(),
            paths: HashSet::new(),
            dirs: HashMap::new(),
        };
        for entry in &repository.files {
            let path = entry.path.as_str();
            // A template becomes the file that it is named after.
            let made = [
                ".in",
                ".cmake",
                ".cmakein",
                ".meson",
                ".am",
                ".tmpl",
                ".template",
                "_in",
                ".pre",
                ".dist",
                ".def",
            ]
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(path);
            for name in [path, made] {
                let base = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
                let known = own.by_name.entry(base).or_default();
                if known.last().is_none_or(|last| last != path) {
                    known.push(path.to_owned());
                }
            }
            own.paths.insert(path.to_owned());
            let mut above = folder(path);
            // A folder that is known has its parents known as well.
            while let Some(known) = above.filter(|known| !own.folders.contains(*known)) {
                let starts = known.rmatch_indices('/').map(|(at, _)| at + 1).take(3);
                for start in starts {
                    let end = known.get(start..).unwrap_or_default();
                    own.folders.insert(end.to_owned());
                }
                own.folders.insert(known.to_owned());
                above = folder(known);
            }
            if is_header(path)
                && let Some((dir, _)) = path.rsplit_once('/')
            {
                let last = dir.rsplit('/').next().unwrap_or(dir);
                *own.dirs.entry(last.to_owned()).or_default() += 1;
            }
        }
        own
    }

    /// Files of the repository that an include may mean: beside the includer, or below some directory that an include
    /// path may name.
    fn resolve(&self, include: &Include, includer: &str) -> Vec<String> {
        let dir = includer.rsplit_once('/').map_or("", |(dir, _)| dir);
        if !include.system
            && let Some(path) =
                normal(dir, &include.target).filter(|path| self.paths.contains(path))
        {
            return vec![path];
        }
        let target = include
            .target
            .trim_start_matches("./")
            .trim_start_matches("../")
            .to_ascii_lowercase();
        let name = target.rsplit('/').next().unwrap_or(&target);
        let Some(paths) = self.by_name.get(name) else {
            return Vec::new();
        };
        let ends = |path: &&String| {
            let lower = path.to_ascii_lowercase();
            let lower = lower.strip_suffix(".in").unwrap_or(&lower);
            lower
                .strip_suffix(target.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let found: Vec<String> = paths.iter().filter(ends).take(8).cloned().collect();
        if found.is_empty() && !include.system {
            // Installed under a directory of another name, or made from a template.
            return paths.iter().take(4).cloned().collect();
        }
        found
    }

    /// Whether a path starts in a directory of headers that is the repository's own, so that the file is made there.
    fn is_inside(&self, target: &str) -> bool {
        let Some((dir, _)) = target.rsplit_once('/') else {
            return false;
        };
        let last = dir.rsplit('/').next().unwrap_or(dir);
        self.dirs.get(last).is_some_and(|count| *count >= 3)
            && !is_standard_header(target)
            && self.folders.contains(dir)
    }

    /// Folders of `<folder/name.h>` that the repository's own headers are installed under: most names that the sources
    /// include below such a folder are in the tree, and the build makes the rest (`<foo/foo-enumtypes.h>`).
    fn installed(&self, sources: &[Source<'_>]) -> HashSet<String> {
        let mut counts: HashMap<&str, (HashSet<&str>, HashSet<&str>)> = HashMap::new();
        for source in sources {
            for include in source.includes.iter().filter(|include| include.system) {
                if let Some(folder) = folder(&include.target) {
                    let (held, missing) = counts.entry(folder).or_default();
                    if self.resolve(include, &source.entry.path).is_empty() {
                        missing.insert(&include.target);
                    } else {
                        held.insert(&include.target);
                    }
                }
            }
        }
        let own = counts
            .into_iter()
            .filter(|(_, (held, missing))| held.len() >= 3 && held.len() > 2 * missing.len());
        own.map(|(folder, _)| folder.to_owned()).collect()
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
