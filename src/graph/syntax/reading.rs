//! What one source file says.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Query, QueryMatch};

use crate::graph::ImportFacts;

use super::grammar::{Grammar, Search};
use super::guard::{Guards, one_line};
use super::parse::{Source, deadline, parse};

/// Imports of one file that are kept: only a forged file has more.
const MAX_IMPORTS: usize = 2000;

/// Lines count from 1.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reading {
    pub(super) imports: Vec<(u32, ImportFacts)>,
    pub(super) main: Option<u32>,
    pub(super) script: Option<u32>,
    pub(super) tests: usize,
    pub(super) first_test: Option<(u32, String)>,
}

/// Runs a grammar's queries over a text; `own` is false for third-party code, whose tests and programs are not
/// the project's, while what it includes is needed all the same.
pub(super) fn read_source(grammar: &Grammar, text: &str, own: bool) -> Reading {
    let mut reading = Reading::default();
    let span = |search: &Option<Search>| search.as_ref().and_then(|search| search.span(text));
    let import_span = span(&grammar.imports);
    let entry_span = span(&grammar.entry).filter(|_| own);
    let test_span = span(&grammar.tests).filter(|_| own);
    if import_span.is_none() && entry_span.is_none() && test_span.is_none() {
        return reading;
    }
    let end = deadline();
    let Some(tree) = parse(grammar, &grammar.parsable(text), end) else {
        return reading;
    };
    let tree = &tree;
    let source = Source { tree, text, end };
    if let (Some(search), Some(span)) = (&grammar.imports, import_span) {
        reading.imports = imports(grammar, search, &source, span);
    }
    if let (Some(search), Some(span)) = (&grammar.entry, entry_span) {
        source.search(search, span, |found| {
            reading.add_entry(&search.query, found, text)
        });
    }
    if let (Some(search), Some(span)) = (&grammar.tests, test_span) {
        source.search(search, span, |found| {
            reading.add_test(&search.query, found, text)
        });
    }
    reading
}

impl Reading {
    fn add_entry(&mut self, query: &Query, found: &QueryMatch, text: &str) {
        for (name, line, _) in captures(query, found, text) {
            match name {
                "main" => self.main = self.main.or(Some(line)),
                "script" => self.script = self.script.or(Some(line)),
                _ => {}
            }
        }
    }

    fn add_test(&mut self, query: &Query, found: &QueryMatch, text: &str) {
        for (name, line, text) in captures(query, found, text) {
            if name == "test" {
                self.tests += 1;
                self.first_test
                    .get_or_insert_with(|| (line, one_line(text)));
            }
        }
    }
}

/// Name, line and text of each capture of a match.
fn captures<'a>(
    query: &'a Query,
    found: &'a QueryMatch,
    text: &'a str,
) -> impl Iterator<Item = (&'a str, u32, &'a str)> {
    found.captures().iter().filter_map(move |capture| {
        let name = query.capture_names().get(capture.index as usize)?;
        let line = capture.node.start_position().row as u32 + 1;
        Some((*name, line, text.get(capture.node.byte_range())?))
    })
}

/// Imports in order of appearance; one that is repeated under the same guard is given once.
fn imports(
    grammar: &Grammar,
    search: &Search,
    source: &Source,
    span: Range<usize>,
) -> Vec<(u32, ImportFacts)> {
    let (query, text) = (&search.query, source.text);
    let guards = Guards::find(grammar, source, span.clone());
    let mut seen = HashSet::new();
    let mut found_imports: Vec<(u32, ImportFacts)> = Vec::new();
    let mut declared: HashSet<&str> = HashSet::new();
    source.search(search, span, |found| {
        for capture in found.captures() {
            let system = match query.capture_names().get(capture.index as usize).copied() {
                Some("system") => true,
                Some("local") => false,
                Some("declared") => {
                    declared.extend(text.get(capture.node.byte_range()));
                    continue;
                }
                _ => continue,
            };
            let range = capture.node.byte_range();
            let target = text.get(range.clone()).map(unquoted).unwrap_or_default();
            let guard = guards.at(range.start);
            let key = (target.clone(), guard.clone());
            if target.is_empty() || found_imports.len() >= MAX_IMPORTS || !seen.insert(key) {
                continue;
            }
            let line = capture.node.start_position().row as u32 + 1;
            let language = grammar.name.to_owned();
            found_imports.push((
                line,
                ImportFacts {
                    language,
                    target,
                    system,
                    guard,
                },
            ));
        }
    });
    for (_, import) in &mut found_imports {
        let first = import.target.split("::").next().unwrap_or_default();
        import.system &= !declared.contains(first);
    }
    found_imports.sort_by_key(|(line, _)| *line);
    found_imports
}

/// `zlib.h` of `<zlib.h>` or `"zlib.h"`.
fn unquoted(text: &str) -> String {
    let pairs = [("<", ">"), ("\"", "\""), ("'", "'")];
    let text = text.trim();
    let inner = pairs
        .iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    one_line(inner.unwrap_or(text).trim())
}
