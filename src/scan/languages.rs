//! The language of a file: by its name, extension or first line, then by what stands in it (see `heuristics`). What selects a language is data: a folder
//! `grammars/<language>/language.toml` where there is a grammar, a table of `grammars/names.toml` where not.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::FileEntry;
use super::heuristics::{self, Verdict};

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
    /// Other names that editors know it by, in lower case.
    pub(crate) aliases: Vec<String>,
    /// The language that its files are counted with: TSX with TypeScript.
    pub(crate) group: Option<String>,
}

#[derive(Default)]
struct Tables {
    roles: HashMap<String, Role>,
    extensions: HashMap<String, String>,
    filenames: HashMap<String, String>,
    interpreters: HashMap<String, String>,
    shares: Vec<(String, Vec<String>)>,
    aliases: HashMap<String, String>,
    groups: HashMap<String, String>,
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
        for alias in names.aliases {
            self.aliases.insert(alias, owned());
        }
        if let Some(group) = names.group {
            self.groups.insert(owned(), group);
        }
        if !names.shares.is_empty() {
            self.shares.push((owned(), names.shares));
        }
    }
}

pub(crate) fn role(language: &str) -> Role {
    TABLES.roles.get(language).copied().unwrap_or(Role::Data)
}

/// The name of a language as it is kept for the life of the program; `None` for one that is not known.
pub(crate) fn named(language: &str) -> Option<&'static str> {
    TABLES
        .roles
        .get_key_value(language)
        .map(|(name, _)| name.as_str())
}

/// The language that the files of a language are counted with.
pub(crate) fn group(language: &str) -> &str {
    TABLES.groups.get(language).map_or(language, String::as_str)
}

#[cfg(test)]
pub(super) fn is_language(name: &str) -> bool {
    TABLES.roles.contains_key(name)
}

/// The language of a text file of `size` bytes by its path and first bytes: by name, extension, `#!` line, modeline,
/// then by its content where several languages have its extension.
pub(super) fn language(path: &str, head: &[u8], size: u64) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let tables = &*TABLES;
    if let Some(language) = tables.filenames.get(name) {
        return Some(language);
    }
    let extension = extension(name).unwrap_or_default();
    let lower = extension.to_ascii_lowercase();
    // `.C` is C++ although `.c` is not: an upper-case form that is listed is settled.
    let exact = tables.extensions.get(extension);
    let claimed = exact.or_else(|| tables.extensions.get(&lower));
    if heuristics::is_ambiguous(&lower) && !(exact.is_some() && extension != lower) {
        let settled = || match heuristics::judge(&lower, head) {
            Verdict::Language(language) => Some(language),
            Verdict::None => None,
            Verdict::Open => claimed.map(String::as_str),
        };
        let told = by_first_line(head).or_else(|| by_modeline(head, size));
        return told.or_else(settled);
    }
    if let Some(language) = claimed {
        return Some(language);
    }
    // `Dockerfile.test`, `Makefile.am` and `Makefile.linux` are of the language of their stem.
    if let Some(language) = name
        .split_once('.')
        .and_then(|(stem, _)| tables.filenames.get(stem))
    {
        return Some(language);
    }
    let is_xml = || head.starts_with(b"<?xml ").then_some("xml");
    by_first_line(head)
        .or_else(|| by_modeline(head, size))
        .or_else(is_xml)
}

fn by_first_line(head: &[u8]) -> Option<&'static str> {
    let program = interpreter(head)?;
    TABLES.interpreters.get(&program).map(String::as_str)
}

fn by_modeline(head: &[u8], size: u64) -> Option<&'static str> {
    let mode = heuristics::modeline(head, head.len() as u64 == size)?;
    let tables = &*TABLES;
    let named = || tables.roles.get_key_value(&mode).map(|(name, _)| name);
    let known = tables.aliases.get(&mode).or_else(named);
    let by_extension = || tables.extensions.get(&mode);
    let by_program = || tables.interpreters.get(&mode);
    known
        .or_else(by_program)
        .or_else(by_extension)
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
            ("a.h", "class Thing {\npublic:\n", Some("cpp")),
            ("a.h", "@interface A\n", Some("objective-c")),
            ("a.h", "/* -*- C++ -*- */\nint x;\n", Some("cpp")),
            ("a.h", "int f(void);\n", Some("c")),
            ("a.ts", "<?xml version=\"1.0\"?><TS>", Some("xml")),
            ("a.ts", "const a: number = 1;", Some("typescript")),
            ("t/a.t", "#!/bin/sh\n", Some("bash")),
            ("t/a.t", "use Test::More;\n", Some("perl")),
            ("a.v", "module a(x);\n", Some("verilog")),
            ("a.v", "Theorem x : True.\nProof.\n", Some("coq")),
            ("out/a.d", "a.o: a.c\n", None),
            ("ls.1", ".TH ls 1\n", Some("roff")),
            ("data.1", "1 2 3\n", None),
            ("vector", "// -*- C++ -*-\n", Some("cpp")),
            ("tool", "# vim: ft=ruby\n", Some("ruby")),
            ("feed", "<?xml version=\"1.0\"?>\n", Some("xml")),
        ] {
            let size = head.len() as u64;
            assert_eq!(language(path, head.as_bytes(), size), expected, "{path}");
        }
    }
}
