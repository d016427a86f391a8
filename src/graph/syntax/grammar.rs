//! Grammars with their compiled queries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use tree_sitter::{Language, Query};

use crate::scan::languages::GRAMMARS;

/// A language's parser and what to look for with it.
pub(super) struct Grammar {
    pub(super) name: &'static str,
    pub(super) language: Language,
    /// `imports.scm`: `@system`, `@local`; `@declared`, a module of the file itself.
    pub(super) imports: Option<Search>,
    /// `guards.scm`: `@scope`, `@except`, `@condition`, with `#set! form`.
    pub(super) guards: Option<Search>,
    /// `tests.scm`: `@test`, the test's name.
    pub(super) tests: Option<Search>,
    /// `entry.scm`: `@main`, `@script`.
    pub(super) entry: Option<Search>,
    /// Text that the parser takes for an error: the first group of each match is hidden from it.
    opaque: Vec<Regex>,
}

/// A query with what bounds its work.
pub(super) struct Search {
    pub(super) query: Query,
    /// Text that must occur where the query can match.
    hint: Option<Regex>,
    /// Hints that match this do not count.
    not: Option<Regex>,
    /// Levels of the tree that are looked at.
    pub(super) depth: Option<u32>,
}

impl Search {
    /// The part of a text where matches can be; `None` when there is none.
    pub(super) fn span(&self, text: &str) -> Option<Range<usize>> {
        let Some(hint) = &self.hint else {
            return Some(0..text.len());
        };
        let counts = |found: &regex::Match| {
            self.not
                .as_ref()
                .is_none_or(|not| !not.is_match(found.as_str()))
        };
        let mut found = hint.find_iter(text).filter(counts);
        let first = found.next()?;
        let last = found.last().unwrap_or(first);
        Some(first.start()..last.end())
    }
}

/// `[search.tests]` of `language.toml`: most of the time of a scan goes into walking trees, so that a search is
/// told where not to look.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    hint: Option<String>,
    not: Option<String>,
    depth: Option<u32>,
}

/// The part of `language.toml` that is for parsing (the other part is `scan::languages::Names`).
#[derive(Default, Deserialize)]
struct Settings {
    #[serde(default)]
    opaque: Vec<String>,
    #[serde(default)]
    search: HashMap<String, Bounds>,
}

impl Grammar {
    /// The text with everything opaque replaced by `_`, byte by byte, so that positions stay.
    pub(super) fn parsable<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = match self.name {
            "bash" => super::ascii(text),
            _ => Cow::Borrowed(text),
        };
        for regex in &self.opaque {
            let hidden = regex
                .captures_iter(&text)
                .filter_map(|found| Some(found.get(1)?.range()));
            let hidden: Vec<Range<usize>> = hidden.collect();
            for range in hidden {
                let blank = "_".repeat(range.len());
                text.to_mut().replace_range(range, &blank);
            }
        }
        text
    }
}

/// The parsers that are linked in, by the name of their folder under `grammars/`.
fn parser(name: &str) -> Option<Language> {
    Some(match name {
        "bash" => tree_sitter_bash::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        _ => return None,
    })
}

/// Compiled at first use: a C++ query takes some milliseconds, which a Python repository need not spend.
type Lazy = LazyLock<Option<Grammar>, Box<dyn FnOnce() -> Option<Grammar> + Send>>;

static ALL: LazyLock<HashMap<&'static str, Lazy>> = LazyLock::new(|| {
    let mut all: HashMap<&'static str, Lazy> = HashMap::new();
    for name in GRAMMARS.dirs().filter_map(|dir| dir.path().to_str()) {
        all.insert(name, LazyLock::new(Box::new(move || load(name))));
    }
    all
});

/// The grammar of a language; `None` where there is no parser for it.
pub(super) fn grammar(name: &str) -> Option<&'static Grammar> {
    LazyLock::force(ALL.get(name)?).as_ref()
}

fn load(name: &'static str) -> Option<Grammar> {
    let language = parser(name)?;
    let file = GRAMMARS.get_file(format!("{name}/language.toml"));
    let settings = file.and_then(|file| file.contents_utf8());
    let settings: Settings = toml::from_str(settings.unwrap_or_default()).unwrap_or_default();
    let search = |stem: &str| {
        let text = text(name, &format!("{stem}.scm"))?;
        let bounds = settings.search.get(stem);
        let regex = |text: Option<&String>| text.and_then(|text| Regex::new(text).ok());
        Some(Search {
            // A query of the program's own that does not compile is left out; a test proves that there is none.
            query: Query::new(&language, &text).ok()?,
            hint: regex(bounds.and_then(|bounds| bounds.hint.as_ref())),
            not: regex(bounds.and_then(|bounds| bounds.not.as_ref())),
            depth: bounds.and_then(|bounds| bounds.depth),
        })
    };
    let opaque = settings.opaque.iter();
    Some(Grammar {
        name,
        imports: search("imports"),
        guards: search("guards"),
        tests: search("tests"),
        entry: search("entry"),
        opaque: opaque
            .filter_map(|pattern| Regex::new(pattern).ok())
            .collect(),
        language,
    })
}

/// A query's text. A line `; inherits: c` at its head puts that language's query of the same name before it, as
/// editors do for the same purpose: C++ looks for all that C does.
fn text(name: &str, file: &str) -> Option<String> {
    let own = GRAMMARS
        .get_file(format!("{name}/{file}"))?
        .contents_utf8()?;
    let parent = own
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("; inherits:"))
        .map(str::trim);
    let inherited = parent
        .and_then(|parent| GRAMMARS.get_file(format!("{parent}/{file}")))
        .and_then(|file| file.contents_utf8());
    Some(format!("{}\n{own}", inherited.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_has_a_parser_and_every_query_compiles() {
        for dir in GRAMMARS.dirs() {
            let name = dir.path().to_str().unwrap();
            let language =
                parser(name).unwrap_or_else(|| panic!("no parser is linked for grammars/{name}"));
            for file in dir
                .files()
                .filter_map(|file| file.path().file_name()?.to_str())
            {
                if file == "language.toml" {
                    let text = dir
                        .get_file(dir.path().join(file))
                        .unwrap()
                        .contents_utf8()
                        .unwrap();
                    let settings: Settings = toml::from_str(text).unwrap();
                    for bounds in settings.search.values() {
                        assert!(
                            bounds
                                .hint
                                .as_deref()
                                .is_none_or(|hint| Regex::new(hint).is_ok())
                        );
                    }
                    for pattern in settings.opaque {
                        assert!(
                            Regex::new(&pattern).unwrap().captures_len() > 1,
                            "{pattern} needs a group"
                        );
                    }
                }
                if file.ends_with(".scm") {
                    let text = text(name, file).unwrap();
                    Query::new(&language, &text)
                        .unwrap_or_else(|wrong| panic!("{name}/{file}: {wrong}"));
                }
            }
        }
    }
}
