//! What source files say by themselves: imports with their guards, tests, `main`, what they define. What to look
//! for stands in the queries under `grammars/<language>/`; this module only runs them.

mod ascii;
mod conditions;
mod find;
mod grammar;
mod guard;
mod logical;
mod nodes;
mod parse;
mod preprocessor;
mod python_lines;
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
const PATIENCE: Duration = Duration::from_secs(60);

/// Files of one graph whose definitions are kept: the project's entry and API files, those near the root first.
const MAX_API_FILES: usize = 200;

/// Reads every source file, in parallel, and adds what they say in order of path.
/// Files that `cache` knows are not read again.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph, cache: &Cache) {
    let wanted = wanted(repository);
    let end = Instant::now() + PATIENCE;
    let readings: Vec<Reading> = wanted
        .par_iter()
        .map(|(entry, want)| read(repository, cache, entry, *want, end))
        .collect();
    let mut budget = nodes::Budget::default();
    for ((entry, want), reading) in wanted.iter().zip(readings) {
        if let Some(file) = graph.file(&entry.path) {
            nodes::add(graph, file, entry, want, reading, &mut budget);
        }
    }
}

/// The files that are read, with what is asked of each.
fn wanted(repository: &Repository) -> Vec<(&FileEntry, Want)> {
    let source = |entry: &&FileEntry| {
        entry.kind == FileKind::Text && entry.language.as_deref().is_some_and(grammar::is_known)
    };
    let mut wanted: Vec<(&FileEntry, Want)> = repository
        .files
        .iter()
        .filter(source)
        .map(|entry| {
            let want = Want {
                imports: true,
                own: !entry.vendored,
                definitions: false,
            };
            (entry, want)
        })
        .collect();
    let mut api: Vec<(usize, usize)> = Vec::new();
    for (at, (entry, want)) in wanted.iter().enumerate() {
        let grammar = entry.language.as_deref().and_then(grammar::grammar);
        let beside = nodes::is_beside(&entry.path);
        if want.own && !beside && grammar.is_some_and(|grammar| grammar.is_api(&entry.path)) {
            api.push((entry.path.matches('/').count(), at));
        }
    }
    api.sort_unstable();
    for (_, at) in api.into_iter().take(MAX_API_FILES) {
        if let Some((_, want)) = wanted.get_mut(at) {
            want.definitions = true;
        }
    }
    wanted
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
    parse::parse(grammar::grammar("bash")?, &ascii(text), parse::deadline())
}
