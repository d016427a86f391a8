//! Which sources a build compiles: those that its build files name, or gather by a pattern.
//!
//! A name counts for the directory of the build file and everything below it. Where no build file names any source
//! (a generator that is not understood), every source counts.

use std::collections::{HashMap, HashSet};

use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::conditional::{Automake, ObjectRule};

/// Larger build files are generated; `Makefile.in` of Automake is the largest that matters.
const MAX_BUILD_FILE: u64 = 1 << 20;

/// Names of sources in the build files, by directory.
#[derive(Debug, Default)]
pub struct Compiled {
    by_dir: HashMap<String, Mentions>,
    /// Directories that Automake enters under a condition only.
    maybe_dirs: HashSet<String>,
    always_dirs: HashSet<String>,
    any: bool,
}

#[derive(Debug, Default)]
struct Mentions {
    /// Base names without extension.
    stems: HashSet<String>,
    /// Those of them that stand under a condition of Automake everywhere.
    maybe: HashSet<String>,
    /// Sources are gathered by a pattern.
    pattern: bool,
}

impl Compiled {
    pub fn of(repository: &Repository) -> Self {
        let mut all = Self::default();
        let has_am: HashSet<&str> = repository
            .files
            .iter()
            .filter_map(|entry| entry.path.strip_suffix("Makefile.am"))
            .collect();
        for entry in &repository.files {
            let made = entry
                .path
                .strip_suffix("Makefile.in")
                .is_some_and(|dir| has_am.contains(dir));
            if is_build_file(entry) && !made {
                all.read(repository, entry);
            }
        }
        all.lift(repository);
        all.any = true;
        // Where hardly any source is named, the build files are of a kind that is not understood.
        let sources = || repository.files.iter().filter(|entry| is_source(entry));
        let held = sources().filter(|entry| all.holds(&entry.path)).count();
        all.any = held * 5 > sources().count();
        all
    }

    /// What a build file names in a directory without sources (`build/`, `mk/`, `unix/`) counts for the whole tree.
    fn lift(&mut self, repository: &Repository) {
        let mut with_sources: HashSet<&str> = HashSet::new();
        for entry in repository.files.iter().filter(|entry| is_source(entry)) {
            let mut dir = entry.path.as_str();
            while let Some((parent, _)) = dir.rsplit_once('/') {
                with_sources.insert(parent);
                dir = parent;
            }
        }
        let bare: Vec<String> = self
            .by_dir
            .keys()
            .filter(|dir| !dir.is_empty() && !with_sources.contains(dir.as_str()))
            .cloned()
            .collect();
        for dir in bare {
            if let Some(mentions) = self.by_dir.remove(&dir) {
                let root = self.by_dir.entry(String::new()).or_default();
                root.maybe.extend(mentions.maybe);
                root.stems.extend(mentions.stems);
            }
        }
    }

    fn read(&mut self, repository: &Repository, entry: &FileEntry) {
        let Some(text) = read_text(repository, &entry.path) else {
            return;
        };
        let dir = entry.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let mentions = self.by_dir.entry(dir.to_owned()).or_default();
        let mut automake = Automake::of(&entry.path);
        let below = |word: &str| {
            if dir.is_empty() {
                word.to_owned()
            } else {
                format!("{dir}/{word}")
            }
        };
        let mut rule = ObjectRule::of(&entry.path);
        for line in text.lines() {
            let line = line.split_once('#').map_or(line, |(code, _)| code);
            if automake.skips(line) || rule.skips(line) {
                continue;
            }
            let conditional = automake.is_conditional();
            if automake.enters() {
                for word in line.split_whitespace() {
                    let sub = below(word.trim_end_matches('/'));
                    if conditional {
                        self.maybe_dirs.insert(sub);
                    } else {
                        self.always_dirs.insert(sub);
                    }
                }
            }
            mentions.pattern |= is_pattern(line);
            for word in line.split(|c: char| {
                c.is_whitespace()
                    || matches!(
                        c,
                        '"' | '\''
                            | '('
                            | ')'
                            | ','
                            | '='
                            | ';'
                            | ':'
                            | '['
                            | ']'
                            | '\\'
                            | '{'
                            | '}'
                    )
            }) {
                if let Some(stem) = source_stem(word) {
                    let new = mentions.stems.insert(stem.to_owned());
                    if !conditional {
                        mentions.maybe.remove(stem);
                    } else if new {
                        mentions.maybe.insert(stem.to_owned());
                    }
                }
            }
        }
    }

    /// Whether the build compiles a source that it holds under every condition of Automake.
    pub fn always_holds(&self, path: &str) -> bool {
        let (mut dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        loop {
            if self.maybe_dirs.contains(dir) && !self.always_dirs.contains(dir)
                || self
                    .by_dir
                    .get(dir)
                    .is_some_and(|mentions| mentions.maybe.contains(stem))
            {
                return false;
            }
            if dir.is_empty() {
                return true;
            }
            dir = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }

    /// Whether some build file at or above the source's directory names it.
    pub fn holds(&self, path: &str) -> bool {
        if !self.any {
            return true;
        }
        let (mut dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        loop {
            if let Some(mentions) = self.by_dir.get(dir)
                && (mentions.pattern || mentions.stems.contains(stem))
            {
                return true;
            }
            if dir.is_empty() {
                return false;
            }
            dir = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
}

fn is_source(entry: &FileEntry) -> bool {
    let extension = entry
        .path
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    !entry.vendored
        && matches!(extension, "c" | "cc" | "cpp" | "cxx" | "C")
        && !super::aside::is_aside(&entry.path)
}

fn is_build_file(entry: &FileEntry) -> bool {
    if entry.kind != FileKind::Text || entry.size > MAX_BUILD_FILE || entry.vendored {
        return false;
    }
    let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
    let by_name = [
        "CMakeLists.txt",
        "meson.build",
        "configure.ac",
        "configure.in",
        "SConstruct",
        "SConscript",
        "wscript",
        "Imakefile",
        "BUILD",
        "BUILD.bazel",
        "xmake.lua",
        "premake4.lua",
        "premake5.lua",
        "configure",
        "setup.py",
        "Jamfile",
        "Jamroot",
    ];
    let lower = name.to_ascii_lowercase();
    by_name.contains(&name)
        || lower.starts_with("makefile")
            && !lower.contains("win")
            && !lower.contains("msc")
            && !lower.contains("vc")
        || lower.starts_with("gnumakefile")
        || [
            ".am", ".mk", ".mak", ".make", ".cmake", ".pro", ".pri", ".gyp", ".gypi", ".gn", ".qbs",
        ]
        .iter()
        .any(|end| lower.ends_with(end))
        || lower == "sources"
        || lower == "sources.list"
}

/// `$(wildcard *.c)`, `file(GLOB …)`, `aux_source_directory`, `glob("*.cc")`.
fn is_pattern(line: &str) -> bool {
    let gathers = [
        "wildcard",
        "GLOB",
        "aux_source_directory",
        "Glob(",
        "glob(",
        "ant_glob",
        "files(",
    ];
    gathers.iter().any(|word| line.contains(word)) && line.contains('*')
        || line.contains("aux_source_directory")
        || line.contains("GLOB_RECURSE")
}

/// The stem of a word that names a source or an object.
fn source_stem(word: &str) -> Option<&str> {
    let name = word.rsplit('/').next().unwrap_or(word);
    // `main$(OBJ)`, cut at the parenthesis.
    if let Some(stem) = name.strip_suffix('$')
        && stem.len() > 1
        && stem
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    {
        return Some(stem);
    }
    let (stem, extension) = name.rsplit_once('.')?;
    let known = matches!(
        extension,
        "c" | "cc"
            | "cpp"
            | "cxx"
            | "C"
            | "c++"
            | "m"
            | "mm"
            | "y"
            | "l"
            | "yy"
            | "ll"
            | "ypp"
            | "lpp"
            | "o"
            | "lo"
            | "obj"
            | "h"
            | "hpp"
            | "hh"
            | "hxx"
            | "vala"
            | "gob"
            | "h_in"
            | "in"
            | "ui"
            | "xs"
    );
    let stem = stem.split('.').next().unwrap_or(stem);
    let stem = stem.trim_start_matches(['$', '@', '%', '+', '-']);
    (known && !stem.is_empty()).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_under_a_condition_of_automake_may_be_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "Makefile.am",
            "bin_PROGRAMS = a\na_SOURCES = main.c both.c\nif X\na_SOURCES += extra.c both.c\nSUBDIRS = gui\nelse\n\
             a_SOURCES += \\\n  other.c\nendif\nEXTRA_DIST = shipped.c\nEXTRA_a_SOURCES = chosen.c\n",
        );
        write("gui/Makefile.am", "b_SOURCES = window.c\n");
        for name in ["main", "both", "extra", "other", "shipped", "chosen"] {
            write(&format!("{name}.c"), "");
        }
        write("gui/window.c", "");
        let repository = crate::scan::scan(dir.path(), &Default::default()).unwrap();
        let compiled = Compiled::of(&repository);
        let of = |path: &str| (compiled.holds(path), compiled.always_holds(path));
        assert_eq!(of("main.c"), (true, true));
        assert_eq!(of("both.c"), (true, true));
        assert_eq!(of("extra.c"), (true, false));
        assert_eq!(of("other.c"), (true, false));
        assert_eq!(of("chosen.c"), (true, false));
        assert_eq!(of("gui/window.c"), (true, false));
        assert!(!compiled.holds("shipped.c"));
    }

    #[test]
    fn rules_of_objects_are_no_list_of_sources() {
        let mut rule = ObjectRule::of("Makefile.in");
        assert!(rule.skips("x.lo x.o: $(srcdir)/x.c \\") && rule.skips("  config.h"));
        assert!(!rule.skips("OBJ = x.o") && !rule.skips("prog: main.o"));
        assert!(!ObjectRule::of("Makefile").skips("x.o: x.c"));
    }

    #[test]
    fn words_that_name_sources() {
        assert_eq!(source_stem("src/main.c"), Some("main"));
        assert_eq!(source_stem("$(OBJ)/main.o"), Some("main"));
        assert_eq!(source_stem("%.o"), None);
        assert_eq!(source_stem("README"), None);
        assert!(is_pattern("SRC := $(wildcard src/*.c)"));
        assert!(is_pattern("file(GLOB SRC *.cpp)"));
        assert!(!is_pattern("%.o: %.c"));
    }
}
