//! Grammars with their queries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;
use tree_sitter::Language;

use crate::scan::languages::GRAMMARS;

use super::search::{Bounds, Search, compiled};

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
    /// `definitions.scm`: `@function`, `@type`.
    pub(super) definitions: Option<Search>,
    /// Text that the parser takes for an error: the first group of each match is hidden from it.
    opaque: Vec<Regex>,
    /// The parser is given ASCII only.
    ascii: bool,
}

/// The part of `language.toml` that is for parsing (the other part is `scan::languages::Names`).
#[derive(Default, Deserialize)]
struct Settings {
    #[serde(default)]
    opaque: Vec<String>,
    #[serde(default)]
    ascii: bool,
    #[serde(default)]
    search: HashMap<String, Bounds>,
}

impl Grammar {
    /// The text with everything opaque replaced by `_`, byte by byte, so that positions stay.
    pub(super) fn parsable<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = match self.ascii {
            true => super::ascii(text),
            false => Cow::Borrowed(text),
        };
        for regex in &self.opaque {
            let hidden = regex
                .captures_iter(text.as_bytes())
                .filter_map(|found| Some(found.get(1)?.range()));
            let hidden: Vec<Range<usize>> = hidden.collect();
            for range in hidden {
                let is_whole =
                    text.is_char_boundary(range.start) && text.is_char_boundary(range.end);
                if is_whole {
                    let blank = "_".repeat(range.len());
                    text.to_mut().replace_range(range, &blank);
                }
            }
        }
        text
    }

    /// Whether imports are found without a tree, in next to no time.
    pub(super) fn reads_lines(&self) -> bool {
        let imports = self.imports.as_ref();
        imports.is_some_and(|search| search.reader.is_some())
    }

    /// Whether the definitions of the file at `path` are what a project offers.
    pub(super) fn is_api(&self, path: &str) -> bool {
        let api = self
            .definitions
            .as_ref()
            .and_then(|search| search.api.as_ref());
        api.is_some_and(|api| api.is_match(path.as_bytes()))
    }
}

/// The parsers that are linked in, by the name of their folder under `grammars/`; `build.rs` writes the table.
fn parser(name: &str) -> Option<Language> {
    include!(concat!(env!("OUT_DIR"), "/parsers.rs"))
}

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

/// Whether there is a parser for a language, without loading it.
pub(super) fn is_known(name: &str) -> bool {
    ALL.contains_key(name)
}

fn load(name: &'static str) -> Option<Grammar> {
    let language = parser(name)?;
    let file = GRAMMARS.get_file(format!("{name}/language.toml"));
    let settings = file.and_then(|file| file.contents_utf8());
    let settings: Settings = toml::from_str(settings.unwrap_or_default()).unwrap_or_default();
    let search = |stem: &str| {
        let text = text(name, &format!("{stem}.scm"), INHERITED)?;
        let bounds = settings.search.get(stem).cloned().unwrap_or_default();
        Some(Search::new(&language, text, &bounds))
    };
    let opaque = settings.opaque.iter();
    Some(Grammar {
        name,
        imports: search("imports"),
        guards: search("guards"),
        tests: search("tests"),
        entry: search("entry"),
        definitions: search("definitions"),
        opaque: opaque
            .filter_map(|pattern| compiled(pattern).ok())
            .collect(),
        ascii: settings.ascii,
        language,
    })
}

/// Steps of inheritance that are followed.
const INHERITED: usize = 4;

/// A query's text. A line `; inherits: c` at its head puts that language's query of the same name before it, as
/// editors do for the same purpose: C++ looks for all that C does.
fn text(name: &str, file: &str, steps: usize) -> Option<String> {
    let own = GRAMMARS
        .get_file(format!("{name}/{file}"))?
        .contents_utf8()?;
    let parent = own
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("; inherits:"))
        .map(str::trim)
        .filter(|_| steps > 0);
    let inherited = parent.and_then(|parent| text(parent, file, steps - 1));
    Some(format!("{}\n{own}", inherited.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree_sitter::Query;

    #[test]
    fn every_folder_has_a_parser_and_every_query_compiles() {
        let mut wrong = Vec::new();
        for dir in GRAMMARS.dirs() {
            let name = dir.path().to_str().unwrap();
            let language =
                parser(name).unwrap_or_else(|| panic!("no parser is linked for grammars/{name}"));
            for file in dir.files() {
                let stem = file
                    .path()
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap();
                if stem == "language.toml" {
                    let settings: Settings = toml::from_str(file.contents_utf8().unwrap())
                        .unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
                    settings.search.values().for_each(Search::patterns_compile);
                    for pattern in settings.opaque {
                        let groups = compiled(&pattern).unwrap().captures_len();
                        assert!(groups > 1, "{pattern} needs a group");
                    }
                }
                if stem.ends_with(".scm")
                    && let Err(error) = Query::new(&language, &text(name, stem, INHERITED).unwrap())
                {
                    wrong.push(format!("{name}/{stem}: {error}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
