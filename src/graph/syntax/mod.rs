//! What source files say by themselves: imports with their guards, tests, `main`, what they define. What to look
//! for stands in the queries under `grammars/<language>/`; this module only runs them.

mod ascii;
mod conditions;
#[cfg(test)]
mod differential;
mod find;
#[cfg(test)]
mod fuzz;
mod grammar;
mod guard;
mod logical;
mod nodes;
mod parse;
mod preprocessor;
mod python_lines;
mod quoted;
mod reading;
mod search;
mod strip;
#[cfg(test)]
mod tests;

pub use ascii::ascii;
pub use find::{Definition, find_definitions};

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::scan::{FileEntry, FileKind, Repository, decode, read_source_bytes};

use super::KnowledgeGraph;
use super::cache::{Cache, content_hash};
use reading::read_source;
pub(super) use reading::{Reading, Want};

/// Bytes of a file that is parsed; what is longer is data or generated.
const MAX_PARSED: u64 = 1024 * 1024;

/// For all files together: ten thousand files that are each as slow as they may be must not hold up a build.
const PATIENCE: Duration = Duration::from_secs(600);

/// Files of one graph whose definitions are kept: the project's entry and API files, those near the root first.
const MAX_API_FILES: usize = 200;

/// Reads every source file, in parallel, and adds what they say in order of path. Files that `cache` knows are not
/// read again.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph, cache: &Cache) {
    let wanted: Vec<(&FileEntry, Want)> = repository
        .files
        .iter()
        .filter_map(|entry| Some((entry, wanted(entry)?)))
        .collect();
    let end = Instant::now() + PATIENCE;
    let readings: Vec<Reading> = wanted
        .par_iter()
        .map(|(entry, want)| read(repository, cache, entry, *want, end))
        .collect();
    for ((entry, _), reading) in wanted.iter().zip(readings) {
        if let Some(file) = graph.file(&entry.path) {
            nodes::add(graph, file, entry, reading);
        }
    }
}

/// What is asked of a file. What third-party code includes is needed like the project's own includes; what it
/// imports otherwise is not worth a tree.
fn wanted(entry: &FileEntry) -> Option<Want> {
    let grammar = source(entry)?;
    (!entry.vendored || grammar.reads_lines()).then_some(Want {
        imports: true,
        own: !entry.vendored,
        definitions: false,
    })
}

/// The grammar of a file that is text.
fn source(entry: &FileEntry) -> Option<&'static grammar::Grammar> {
    let language = entry
        .language
        .as_deref()
        .filter(|_| entry.kind == FileKind::Text)?;
    grammar::grammar(language)
}

/// Adds what the project's entry and API files define, as far as a graph can be looked at: some thousands of
/// functions and types. No stage needs them, so that [`crate::graph::build`] leaves them out;
/// [`find_definitions`] finds any.
pub fn add_definitions(repository: &Repository, graph: &mut KnowledgeGraph) {
    let is_api = |entry: &&FileEntry| {
        let own = !entry.vendored && !nodes::is_beside(&entry.path);
        own && source(entry).is_some_and(|grammar| grammar.is_api(&entry.path))
    };
    let mut files: Vec<&FileEntry> = repository.files.iter().filter(is_api).collect();
    files.sort_by_key(|entry| entry.path.matches('/').count());
    files.truncate(MAX_API_FILES);
    let want = Want {
        imports: false,
        own: false,
        definitions: true,
    };
    let (cache, end) = (Cache::disabled(), Instant::now() + PATIENCE);
    let readings: Vec<Reading> = files
        .par_iter()
        .map(|entry| read(repository, &cache, entry, want, end))
        .collect();
    let mut room = nodes::MAX_OF_ALL;
    for (entry, reading) in files.iter().zip(readings) {
        if let Some(file) = graph.file(&entry.path) {
            nodes::add_definitions(graph, file, entry, reading, &mut room);
        }
    }
}

/// What one file says; where it cannot be read, that.
fn read(
    repository: &Repository,
    cache: &Cache,
    entry: &FileEntry,
    want: Want,
    end: Instant,
) -> Reading {
    let trouble = |why: String| Reading {
        trouble: Some(why),
        ..Reading::default()
    };
    if entry.size > MAX_PARSED && !want.own {
        return Reading::default();
    }
    if entry.size > MAX_PARSED {
        return trouble(format!("{} bytes: too long to parse", entry.size));
    }
    if let Some(reading) = cache.by_stamp(entry, want) {
        return reading;
    }
    if Instant::now() > end {
        return trouble("no time was left to parse it".to_owned());
    }
    let Some(grammar) = entry.language.as_deref().and_then(grammar::grammar) else {
        return Reading::default();
    };
    let source = match read_source_bytes(repository, entry) {
        Ok(source) => source,
        Err(why) => return trouble(why),
    };
    let content = content_hash(&source.bytes);
    if source.remark.is_none()
        && let Some(reading) = cache.by_content(entry, content, want)
    {
        return reading;
    }
    let mut reading = read_source(grammar, &decode(source.bytes), want);
    reading.trouble = reading.trouble.or(source.remark);
    cache.keep(entry, content, want, &reading);
    reading
}

/// The tree of a piece of shell.
pub(super) fn parse_bash(text: &str) -> Option<tree_sitter::Tree> {
    parse::parse(grammar::grammar("bash")?, &ascii(text))
}
