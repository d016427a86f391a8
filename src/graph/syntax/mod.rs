//! What source files say by themselves: imports with their guards, tests, `main`. What to look for stands in the
//! queries under `grammars/<language>/`; this module only runs them.

mod ascii;
mod grammar;
mod guard;
mod parse;
mod reading;
#[cfg(test)]
mod tests;

pub use ascii::ascii;

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::{EdgeKind, EntryKind, Facts, KnowledgeGraph, NodeId, SymbolKind};
use reading::{Reading, read_source};

/// Bytes of a file that is parsed; what is longer is data or generated.
const MAX_PARSED: u64 = 1024 * 1024;

/// For all files together: ten thousand files that are each as slow as they may be must not hold up a build.
const PATIENCE: Duration = Duration::from_secs(60);

/// Parses every source file, in parallel, and adds what they say in order of path.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let wanted: Vec<&FileEntry> = repository
        .files
        .iter()
        .filter(|entry| entry.kind == FileKind::Text && entry.size <= MAX_PARSED)
        .filter(|entry| {
            entry
                .language
                .as_deref()
                .is_some_and(|name| grammar::grammar(name).is_some())
        })
        .collect();
    let end = Instant::now() + PATIENCE;
    let readings: Vec<Option<Reading>> = wanted
        .par_iter()
        .map(|entry| {
            if Instant::now() > end {
                return None;
            }
            let grammar = grammar::grammar(entry.language.as_deref()?)?;
            let text = read_text(repository, &entry.path)?;
            Some(read_source(grammar, &text, !entry.vendored))
        })
        .collect();
    for (entry, reading) in wanted.iter().zip(readings) {
        if let (Some(file), Some(reading)) = (graph.file(&entry.path), reading) {
            let language = entry.language.clone().unwrap_or_default();
            add_reading(graph, file, &entry.path, &language, reading);
        }
    }
}

/// Tests and documents are run by hand at most: their `__main__` is no way into the program.
fn is_beside(path: &str) -> bool {
    const BESIDE: &[&str] = &["test", "tests", "testing", "doc", "docs"];
    path.to_ascii_lowercase()
        .split('/')
        .any(|part| BESIDE.contains(&part) || part.starts_with("test_"))
}

fn add_reading(
    graph: &mut KnowledgeGraph,
    file: NodeId,
    path: &str,
    language: &str,
    reading: Reading,
) {
    for (line, import) in reading.imports {
        let node = graph.add(
            import.target.clone(),
            Some(Place::new(path, line)),
            Facts::Import(import),
        );
        graph.link(file, node, EdgeKind::Imports);
    }
    if let Some(line) = reading.main {
        let facts = Facts::Symbol {
            symbol: SymbolKind::Main,
            language: language.to_owned(),
        };
        let node = graph.add("main", Some(Place::new(path, line)), facts);
        graph.link(file, node, EdgeKind::Contains);
    }
    if let Some(line) = reading.script.filter(|_| !is_beside(path)) {
        let facts = Facts::EntryPoint {
            entry: EntryKind::Script,
        };
        let node = graph.add(path, Some(Place::new(path, line)), facts);
        graph.link(file, node, EdgeKind::Provides);
    }
    // One node a file with the count in its name: a project has thousands of tests, and no stage names one.
    if let Some((line, first)) = reading.first_test {
        let name = match reading.tests {
            1 => first,
            count => format!("{first} and {} more", count - 1),
        };
        let facts = Facts::Symbol {
            symbol: SymbolKind::Test,
            language: language.to_owned(),
        };
        let node = graph.add(name, Some(Place::new(path, line)), facts);
        graph.link(file, node, EdgeKind::Contains);
    }
}

/// The tree of a piece of shell.
pub(super) fn parse_bash(text: &str) -> Option<tree_sitter::Tree> {
    parse::parse(grammar::grammar("bash")?, &ascii(text), parse::deadline())
}
