//! What one source file says.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Query, QueryMatch};

use crate::graph::{ImportFacts, SymbolKind};

use super::grammar::Grammar;
use super::guard::{Guards, one_line};
use super::parse::{Deadline, Source, parse};
use super::search::{Lexical, Search};
use super::strip::strip;

/// Imports of one file that are kept: only a forged file has more.
pub(super) const MAX_IMPORTS: usize = 2000;

/// Definitions of one file that are kept: what a header or a module offers first.
const MAX_DEFINITIONS: usize = 2000;

/// Lines count from 1.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::graph) struct Reading {
    pub(in crate::graph) imports: Vec<(u32, ImportFacts)>,
    pub(in crate::graph) main: Option<u32>,
    pub(in crate::graph) script: Option<u32>,
    pub(in crate::graph) tests: usize,
    pub(in crate::graph) first_test: Option<(u32, String)>,
    pub(in crate::graph) definitions: Vec<(u32, SymbolKind, String)>,
    /// Why it is not complete.
    pub(in crate::graph) trouble: Option<String>,
}

/// What is asked of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::graph) struct Want {
    pub(in crate::graph) imports: bool,
    /// Tests and entry points: of third-party code they are not the project's, while what it includes is needed
    /// all the same.
    pub(in crate::graph) own: bool,
    pub(in crate::graph) definitions: bool,
}

impl Want {
    /// As a number that is not zero.
    pub(in crate::graph) fn bits(self) -> u64 {
        1 | u64::from(self.imports) << 1
            | u64::from(self.own) << 2
            | u64::from(self.definitions) << 3
    }

    pub(in crate::graph) fn of_bits(bits: u64) -> Self {
        Self {
            imports: bits & 2 != 0,
            own: bits & 4 != 0,
            definitions: bits & 8 != 0,
        }
    }
}

/// A search with the part of the text where it can match.
type Part<'a> = Option<(&'a Search, &'a Query, Range<usize>)>;

/// Runs a grammar's queries over a text.
pub(super) fn read_source(grammar: &Grammar, text: &str, want: Want) -> Reading {
    let mut reading = Reading::default();
    let mut import_search = grammar.imports.as_ref().filter(|_| want.imports);
    let mut own = want.own;
    match import_search.and_then(|search| search.reader) {
        Some(Lexical::Preprocessor) => {
            reading.imports = super::preprocessor::imports(grammar.name, text);
            import_search = None;
        }
        Some(Lexical::PythonLines) => {
            reading = super::python_lines::read(grammar.name, text, want);
            (import_search, own) = (None, false);
        }
        None => {}
    }
    let due = Due {
        imports: part(import_search, text),
        entry: part(grammar.entry.as_ref().filter(|_| own), text),
        tests: part(grammar.tests.as_ref().filter(|_| own), text),
        definitions: part(
            grammar.definitions.as_ref().filter(|_| want.definitions),
            text,
        ),
    };
    if let Some(size) = due.size(text) {
        let read = text.get(..size).unwrap_or(text);
        reading.search(grammar, &due, read);
    }
    reading
}

/// The searches that a text gives reason for.
struct Due<'a> {
    imports: Part<'a>,
    entry: Part<'a>,
    tests: Part<'a>,
    definitions: Part<'a>,
}

impl Due<'_> {
    /// Bytes of the text that have to be parsed; `None` when there is nothing to look for.
    fn size(&self, text: &str) -> Option<usize> {
        let all = [&self.imports, &self.entry, &self.tests, &self.definitions];
        all.into_iter()
            .flatten()
            .map(|part| needed(part, text))
            .max()
    }
}

fn part<'a>(search: Option<&'a Search>, text: &str) -> Part<'a> {
    let search = search?;
    let span = search.span(text)?;
    Some((search, search.query()?, span))
}

/// Bytes of the text that have to be parsed for a search: all, or up to the end of the line of its last hint.
fn needed((search, _, span): &(&Search, &Query, Range<usize>), text: &str) -> usize {
    if !search.cut {
        return text.len();
    }
    let rest = text.as_bytes().get(span.end..).unwrap_or_default();
    let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    span.end + line
}

impl Reading {
    /// Parses a text and runs what is due over it.
    fn search(&mut self, grammar: &Grammar, due: &Due, text: &str) {
        let Some(tree) = parse(grammar, &grammar.parsable(text)) else {
            self.trouble = Some("takes too long to parse".to_owned());
            return;
        };
        let tree = &tree;
        let source = Source {
            tree,
            text,
            deadline: Deadline::new(),
        };
        if let Some((search, query, span)) = &due.imports {
            self.imports = find_imports(grammar, search, query, &source, span.clone());
        }
        if let Some((search, query, span)) = &due.entry {
            source.search(search, query, span.clone(), |found| {
                self.add_entry(query, found, text)
            });
        }
        if let Some((search, query, span)) = &due.tests {
            source.search(search, query, span.clone(), |found| {
                self.add_test(query, found, text)
            });
        }
        if let Some((search, query, span)) = &due.definitions {
            source.search(search, query, span.clone(), |found| {
                self.add_definition(query, found, text)
            });
            self.sort_definitions();
        }
        // What was found so far is true, and not all.
        if source.deadline.passed() {
            self.trouble = Some("takes too long to search".to_owned());
        }
    }

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

    fn add_definition(&mut self, query: &Query, found: &QueryMatch, text: &str) {
        for (name, line, text) in captures(query, found, text) {
            let kind = match name {
                "function" => SymbolKind::Function,
                "type" => SymbolKind::Type,
                _ => continue,
            };
            if self.definitions.len() < MAX_DEFINITIONS {
                self.definitions.push((line, kind, one_line(text)));
            }
        }
    }

    /// In order of lines, each name once a line: `typedef struct a {…} a;`.
    fn sort_definitions(&mut self) {
        let mut seen = HashSet::new();
        self.definitions
            .retain(|(line, _, name)| !name.is_empty() && seen.insert((*line, name.clone())));
        self.definitions.sort_by_key(|(line, _, _)| *line);
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
pub(super) fn find_imports(
    grammar: &Grammar,
    search: &Search,
    query: &Query,
    source: &Source,
    span: Range<usize>,
) -> Vec<(u32, ImportFacts)> {
    let text = source.text;
    let guards = Guards::find(grammar, source, span.clone());
    let mut kept = Imports::new(grammar.name);
    let mut declared: HashSet<&str> = HashSet::new();
    source.search(search, query, span, |found| {
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
            let target = text.get(range.clone()).unwrap_or_default();
            let target = strip(query, found.pattern_index, capture.index, target);
            let line = capture.node.start_position().row as u32 + 1;
            kept.add(line, unquoted(&target), system, guards.at(range.start));
        }
    });
    let mut found = kept.found;
    for (_, import) in &mut found {
        let first = import.target.split("::").next().unwrap_or_default();
        import.system &= !declared.contains(first);
    }
    found.sort_by_key(|(line, _)| *line);
    found
}

/// Imports of one file as they are found.
pub(super) struct Imports {
    language: &'static str,
    seen: HashSet<(String, String)>,
    pub(super) found: Vec<(u32, ImportFacts)>,
}

impl Imports {
    pub(super) fn new(language: &'static str) -> Self {
        Self {
            language,
            seen: HashSet::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, line: u32, target: String, system: bool, guard: String) {
        let full = self.found.len() >= MAX_IMPORTS;
        if full || target.is_empty() || !self.seen.insert((target.clone(), guard.clone())) {
            return;
        }
        let language = self.language.to_owned();
        let facts = ImportFacts {
            language,
            target,
            system,
            guard,
        };
        self.found.push((line, facts));
    }
}

/// `zlib.h` of `<zlib.h>` or `"zlib.h"`.
fn unquoted(text: &str) -> String {
    let pairs = [("<", ">"), ("\"", "\""), ("'", "'"), ("`", "`")];
    let text = text.trim();
    let inner = pairs
        .iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    one_line(inner.unwrap_or(text).trim())
}
