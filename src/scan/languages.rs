//! The language of a file, by its name, extension or first line. What selects a language is data: a folder
//! `grammars/<language>/language.toml` where there is a grammar, a table of `grammars/names.toml` where not.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::FileEntry;

/// Everything under `grammars/`.
pub(crate) static GRAMMARS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/grammars");

/// What files of a language are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    #[default]
    Code,
    /// Tells a tool what to build: Makefile, CMakeLists.txt.
    Build,
    Markup,
    Data,
    Prose,
}

/// What selects a language.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Names {
    pub(crate) role: Role,
    /// Without the dot; compared without regard to case, except where an upper-case form is listed.
    pub(crate) extensions: Vec<String>,
    /// Whole names.
    pub(crate) filenames: Vec<String>,
    /// Programs of a `#!` line, without version digits.
    pub(crate) interpreters: Vec<String>,
    /// Extensions of another language that are taken over in a repository where that language has no other file
    /// (`.h` among C++ sources).
    pub(crate) shares: Vec<String>,
}

#[derive(Default)]
struct Tables {
    roles: HashMap<String, Role>,
    extensions: HashMap<String, String>,
    filenames: HashMap<String, String>,
    interpreters: HashMap<String, String>,
    shares: Vec<(String, Vec<String>)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables::default();
    for (language, names) in all() {
        tables.add(&language, names);
    }
    tables
});

#[derive(Deserialize)]
struct LanguageFile {
    names: Names,
}

/// Every language with what selects it. A file of the program's own that does not parse is left out; a test
/// proves that there is none.
fn all() -> Vec<(String, Names)> {
    let mut found = Vec::new();
    for dir in GRAMMARS.dirs() {
        let language = dir.path().to_string_lossy().into_owned();
        let text = GRAMMARS
            .get_file(format!("{language}/language.toml"))
            .and_then(|file| file.contents_utf8());
        if let Some(file) = text.and_then(|text| toml::from_str::<LanguageFile>(text).ok()) {
            found.push((language, file.names));
        }
    }
    let text = GRAMMARS
        .get_file("names.toml")
        .and_then(|file| file.contents_utf8())
        .unwrap_or_default();
    let others: HashMap<String, Names> = toml::from_str(text).unwrap_or_default();
    found.extend(others);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

impl Tables {
    fn add(&mut self, language: &str, names: Names) {
        let owned = || language.to_owned();
        self.roles.insert(owned(), names.role);
        for extension in names.extensions {
            self.extensions.insert(extension, owned());
        }
        for name in names.filenames {
            self.filenames.insert(name, owned());
        }
        for interpreter in names.interpreters {
            self.interpreters.insert(interpreter, owned());
        }
        if !names.shares.is_empty() {
            self.shares.push((owned(), names.shares));
        }
    }
}

pub(crate) fn role(language: &str) -> Role {
    TABLES.roles.get(language).copied().unwrap_or(Role::Data)
}

/// The language of a text file by its path and first bytes.
pub(super) fn language(path: &str, head: &[u8]) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let tables = &*TABLES;
    if let Some(language) = tables.filenames.get(name) {
        return Some(language);
    }
    if let Some(language) = extension(name).and_then(|extension| {
        let lower = || tables.extensions.get(&extension.to_ascii_lowercase());
        tables.extensions.get(extension).or_else(lower)
    }) {
        return Some(language);
    }
    // `Dockerfile.test`, `Makefile.am` and `Makefile.linux` are of the language of their stem.
    if let Some(language) = name
        .split_once('.')
        .and_then(|(stem, _)| tables.filenames.get(stem))
    {
        return Some(language);
    }
    tables
        .interpreters
        .get(&interpreter(head)?)
        .map(String::as_str)
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, extension)| extension)
}

/// `python` of `#!/usr/bin/env -S python3.11 -u`.
fn interpreter(head: &[u8]) -> Option<String> {
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line =
        String::from_utf8_lossy(line.get(..line.len().min(200)).unwrap_or(line)).into_owned();
    let mut words = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let program = if first == "env" {
        words.find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        first
    };
    Some(
        program
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .to_owned(),
    )
}

/// Gives shared extensions to the language that the repository is written in (see [`Names::shares`]).
pub(super) fn settle_shared(files: &mut [FileEntry]) {
    for (language, shares) in &TABLES.shares {
        let is_shared = |entry: &FileEntry| {
            extension(&entry.path)
                .is_some_and(|extension| shares.iter().any(|share| share == extension))
        };
        let owners: HashSet<String> = shares
            .iter()
            .filter_map(|share| TABLES.extensions.get(share).cloned())
            .collect();
        let spoken = |entry: &FileEntry, wanted: &str| {
            !entry.vendored && entry.language.as_deref() == Some(wanted) && !is_shared(entry)
        };
        let has_own = files.iter().any(|entry| spoken(entry, language));
        let has_owner = owners
            .iter()
            .any(|owner| files.iter().any(|entry| spoken(entry, owner)));
        if !has_own || has_owner {
            continue;
        }
        for entry in files.iter_mut().filter(|entry| entry.language.is_some()) {
            if is_shared(entry) {
                entry.language = Some(language.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_parses_and_no_name_is_claimed_twice() {
        for dir in GRAMMARS.dirs() {
            let path = dir.path().join("language.toml");
            let text = GRAMMARS
                .get_file(&path)
                .and_then(|file| file.contents_utf8())
                .unwrap();
            toml::from_str::<LanguageFile>(text)
                .unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        }
        let text = GRAMMARS
            .get_file("names.toml")
            .and_then(|file| file.contents_utf8())
            .unwrap();
        toml::from_str::<HashMap<String, Names>>(text).unwrap();
        let mut seen = HashSet::new();
        for (language, names) in all() {
            let keys = names.extensions.iter().map(|x| format!(".{x}"));
            let keys = keys
                .chain(names.filenames)
                .chain(names.interpreters.iter().map(|x| format!("#!{x}")));
            for key in keys {
                assert!(
                    seen.insert(key.clone()),
                    "{key} of {language} is claimed twice"
                );
            }
        }
    }

    #[test]
    fn languages_by_name_extension_and_first_line() {
        for (path, head, expected) in [
            ("src/a.c", "", Some("c")),
            ("a.C", "", Some("cpp")),
            ("x/CMakeLists.txt", "", Some("cmake")),
            ("README.md", "", Some("markdown")),
            ("Makefile.am", "", Some("automake")),
            ("Makefile.linux", "", Some("make")),
            ("Dockerfile.dev", "", Some("dockerfile")),
            (
                "bin/tool",
                "#!/usr/bin/env -S python3.11 -u\n",
                Some("python"),
            ),
            ("bin/run", "#!/bin/sh\n", Some("bash")),
            ("bin/odd", "#!", None),
            (".gitignore", "", None),
            ("data.bin", "", None),
        ] {
            assert_eq!(language(path, head.as_bytes()), expected, "{path}");
        }
    }
}
