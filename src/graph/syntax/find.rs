//! Where a name is defined, asked of the whole repository: only files that hold the name are parsed.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::evidence::Place;
use crate::graph::SymbolKind;
use crate::scan::{FileEntry, FileKind, Repository, decode, read_source_bytes};

use super::MAX_PARSED;
use super::grammar::{grammar, is_known};
use super::reading::{Want, read_source};

/// A function or type with the place of its name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Definition {
    pub name: String,
    pub kind: SymbolKind,
    pub language: String,
    pub place: Place,
}

/// Definitions that are given.
const MAX_FOUND: usize = 500;

/// Files that are parsed for one question: a name that more files hold is an everyday word.
const MAX_FILES: usize = 4000;

/// Functions and types with exactly this name, by path and line; the project's own before third-party ones. At most
/// 500. Files that cannot be read are passed over.
pub fn find_definitions(repository: &Repository, name: &str) -> Vec<Definition> {
    if name.trim().is_empty() {
        return Vec::new();
    }
    let finder = memchr::memmem::Finder::new(name.as_bytes());
    let source = |entry: &&FileEntry| {
        let known = entry.language.as_deref().is_some_and(is_known);
        known && entry.kind == FileKind::Text && entry.size <= MAX_PARSED
    };
    let mut files: Vec<&FileEntry> = repository.files.iter().filter(source).collect();
    files.sort_by_key(|entry| entry.vendored);
    let parsed = AtomicUsize::new(0);
    let found: Vec<Vec<Definition>> = files
        .par_iter()
        .filter_map(|entry| {
            let text = decode(read_source_bytes(repository, entry).ok()?.bytes);
            finder.find(text.as_bytes())?;
            let room = parsed.fetch_add(1, Ordering::Relaxed) < MAX_FILES;
            room.then(|| defined(entry, &text, name))
        })
        .collect();
    found.into_iter().flatten().take(MAX_FOUND).collect()
}

fn defined(entry: &FileEntry, text: &str, name: &str) -> Vec<Definition> {
    let Some(grammar) = entry.language.as_deref().and_then(grammar) else {
        return Vec::new();
    };
    let want = Want {
        imports: false,
        own: false,
        definitions: true,
    };
    let reading = read_source(grammar, text, want);
    let mut found = Vec::new();
    for (line, kind, defined) in reading.definitions {
        if defined == name {
            found.push(Definition {
                name: defined,
                kind,
                language: grammar.name.to_owned(),
                place: Place::new(entry.path.clone(), line),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{ScanOptions, scan};

    #[test]
    fn a_name_is_found_where_it_is_defined_and_not_where_it_is_used() {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("a.c", "int area(int x) { return x; }\n"),
            ("b.c", "int use(void) { return area(1); }\n"),
            ("m.go", "package m\n\ntype area struct{}\n"),
            ("lib.rb", "\ndef area\nend\n"),
            ("vendor/v.py", "def area(): pass\n"),
        ] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let repository = scan(dir.path(), &ScanOptions::default()).unwrap();
        let found: Vec<String> = find_definitions(&repository, "area")
            .iter()
            .map(|found| format!("{} {:?} {}", found.place, found.kind, found.language))
            .collect();
        assert_eq!(
            found,
            [
                "a.c:1 Function c",
                "lib.rb:2 Function ruby",
                "m.go:3 Type go",
                "vendor/v.py:1 Function python"
            ]
        );
        assert!(find_definitions(&repository, "").is_empty());
    }
}
