//! A query with what bounds its work.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use tree_sitter::{Language, Query};

/// `[search.tests]` of `language.toml`: most of the time of a scan goes into parsing and walking trees, so that a
/// search is told where not to look.
#[derive(Default, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bounds {
    /// Text that must occur where the query can match.
    hint: Option<String>,
    /// Hints that match this do not count.
    not: Option<String>,
    /// What stands before a hint on its line must match this, or the hint does not count.
    before: Option<String>,
    /// Levels of the tree that are looked at.
    depth: Option<u32>,
    /// Nothing after the last hint has influence on what is found: it is not parsed.
    #[serde(default)]
    cut: bool,
    /// Reads without a tree, in place of the query: see [`Lexical`].
    reader: Option<Lexical>,
    /// Paths of the files whose definitions are what a project offers (for `definitions`).
    api: Option<String>,
}

/// A reader of one construct that is written in lines, of which a tree is not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Lexical {
    /// `#include` and `#if` of C's family.
    Preprocessor,
    /// Imports, tests and the entry point of Python.
    PythonLines,
}

/// A query, compiled at first use: a C++ query takes some milliseconds, which a Python repository need not spend.
pub(super) struct Search {
    language: Language,
    text: String,
    query: OnceLock<Option<Query>>,
    hint: Option<Regex>,
    not: Option<Regex>,
    before: Option<Regex>,
    pub(super) api: Option<Regex>,
    pub(super) depth: Option<u32>,
    pub(super) cut: bool,
    pub(super) reader: Option<Lexical>,
}

/// Bytes rather than characters: hints are ASCII, and `\b` of Unicode is several times slower.
fn regex(pattern: Option<&String>) -> Option<Regex> {
    compiled(pattern?).ok()
}

pub(super) fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).build()
}

impl Search {
    pub(super) fn new(language: &Language, text: String, bounds: &Bounds) -> Self {
        Self {
            language: language.clone(),
            text,
            query: OnceLock::new(),
            hint: regex(bounds.hint.as_ref()),
            not: regex(bounds.not.as_ref()),
            before: regex(bounds.before.as_ref()),
            api: regex(bounds.api.as_ref()),
            depth: bounds.depth,
            cut: bounds.cut,
            reader: bounds.reader,
        }
    }

    /// A query of the program's own that does not compile finds nothing; a test proves that there is none.
    pub(super) fn query(&self) -> Option<&Query> {
        self.query
            .get_or_init(|| Query::new(&self.language, &self.text).ok())
            .as_ref()
    }

    /// The part of a text where matches can be; `None` when there is none.
    pub(super) fn span(&self, text: &str) -> Option<Range<usize>> {
        let Some(hint) = &self.hint else {
            return Some(0..text.len());
        };
        let bytes = text.as_bytes();
        let mut found = hint
            .find_iter(bytes)
            .filter(|found| self.counts(bytes, found));
        let first = found.next()?;
        let last = found.last().unwrap_or(first);
        Some(first.start()..last.end())
    }

    fn counts(&self, text: &[u8], found: &regex::bytes::Match) -> bool {
        if self
            .not
            .as_ref()
            .is_some_and(|not| not.is_match(found.as_bytes()))
        {
            return false;
        }
        let Some(before) = &self.before else {
            return true;
        };
        let head = text.get(..found.start()).unwrap_or_default();
        // A line longer than this is no code that a person wrote.
        let near = head
            .get(head.len().saturating_sub(400)..)
            .unwrap_or_default();
        let line = near
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        before.is_match(line)
    }

    #[cfg(test)]
    pub(super) fn patterns_compile(bounds: &Bounds) {
        let all = [&bounds.hint, &bounds.not, &bounds.before, &bounds.api];
        for pattern in all.into_iter().flatten() {
            compiled(pattern).unwrap_or_else(|wrong| panic!("{pattern}: {wrong}"));
        }
    }
}
