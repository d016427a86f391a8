//! The language of a file whose name does not settle it: by what editors are told in it (modelines), and by its
//! content where several languages share an extension. The rules are data, `grammars/heuristics.toml`, in the manner
//! of GitHub's linguist (`lib/linguist/heuristics.yml` there).

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::languages::GRAMMARS;

/// `grammars/heuristics.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    ambiguous: Vec<Ambiguous>,
}

/// Extensions that several languages use. The first rule that matches wins; else the language that claims the
/// extension in its `names`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ambiguous {
    extensions: Vec<String>,
    rule: Vec<Rule>,
}

/// What a text of the language holds, with examples (checked by a test).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct Rule {
    /// Empty: no language of its own (data, a table, a list).
    language: String,
    pattern: String,
    matches: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

fn file() -> File {
    let text = GRAMMARS
        .get_file("heuristics.toml")
        .and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
}

/// A rule with its pattern, compiled when a file first needs it.
struct Lazy {
    language: &'static str,
    regex: LazyLock<Option<Regex>, Box<dyn FnOnce() -> Option<Regex> + Send>>,
}

type Rules = Vec<Lazy>;

static RULES: LazyLock<(Vec<Rules>, HashMap<String, usize>)> = LazyLock::new(|| {
    let mut rules = Vec::new();
    let mut by_extension = HashMap::new();
    for ambiguous in file().ambiguous {
        for extension in ambiguous.extensions {
            by_extension.insert(extension, rules.len());
        }
        rules.push(ambiguous.rule.into_iter().map(lazy).collect());
    }
    (rules, by_extension)
});

fn lazy(rule: Rule) -> Lazy {
    Lazy {
        // A few dozen names, kept for the life of the program.
        language: String::leak(rule.language),
        regex: LazyLock::new(Box::new(move || compiled(&rule.pattern).ok())),
    }
}

/// Lines and bytes, not characters: all patterns are ASCII.
fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .multi_line(true)
        .build()
}

/// What a text's content says about its language.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Language(&'static str),
    /// Not of any language that uses the extension.
    None,
    /// Nothing: the extension decides.
    Open,
}

/// Judges a file with an ambiguous extension (lower case, without the dot) by its first bytes.
pub(super) fn judge(extension: &str, head: &[u8]) -> Verdict {
    let (rules, by_extension) = &*RULES;
    let Some(rules) = by_extension.get(extension).and_then(|at| rules.get(*at)) else {
        return Verdict::Open;
    };
    let wins = |rule: &&Lazy| {
        rule.regex
            .as_ref()
            .is_some_and(|regex| regex.is_match(head))
    };
    match rules.iter().find(wins) {
        Some(rule) if rule.language.is_empty() => Verdict::None,
        Some(rule) => Verdict::Language(rule.language),
        None => Verdict::Open,
    }
}

pub(super) fn is_ambiguous(extension: &str) -> bool {
    RULES.1.contains_key(extension)
}

/// Emacs (`-*- mode: c++ -*-`, `-*- C++ -*-`) and Vim (`vim: set ft=cpp:`), as their manuals have it.
static MODELINE: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r"-\*-[ \t]*(?:(?:[^\n]*?;)?[ \t]*mode[ \t]*:[ \t]*([\w+#-]+)[^\n]*?|([\w+#-]+)[ \t]*)-\*-|\b(?:vi|vim|ex)\d*:[^\n]*?\b(?:ft|filetype|syntax)=([\w+#-]+)",
    )
    .unicode(false)
    .case_insensitive(true)
    .build()
    .expect("a literal pattern")
});

/// Lines at the head of a file in which editors look for a modeline.
const LINES: usize = 5;

/// The mode that the first lines, or the last ones where the whole text is at hand, name; in lower case.
pub(super) fn modeline(head: &[u8], whole: bool) -> Option<String> {
    let first = nth_line(head.iter(), LINES).unwrap_or(head.len());
    let last = nth_line(head.iter().rev(), LINES + 1).filter(|_| whole);
    let tail = last.and_then(|size| head.get(head.len() - size..));
    let parts = [head.get(..first), tail];
    let found = parts
        .into_iter()
        .flatten()
        .find_map(|part| MODELINE.captures(part))?;
    let name = found.iter().skip(1).flatten().next()?;
    Some(String::from_utf8_lossy(name.as_bytes()).to_ascii_lowercase())
}

/// Bytes up to the end of the `count`th line.
fn nth_line<'a>(bytes: impl Iterator<Item = &'a u8>, count: usize) -> Option<usize> {
    bytes
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(count - 1)
        .map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_matches_its_examples_and_not_its_near_misses() {
        let text = GRAMMARS
            .get_file("heuristics.toml")
            .unwrap()
            .contents_utf8()
            .unwrap();
        let file: File = toml::from_str(text).unwrap();
        for ambiguous in &file.ambiguous {
            for (at, rule) in ambiguous.rule.iter().enumerate() {
                let regex = compiled(&rule.pattern).unwrap_or_else(|wrong| panic!("{wrong}"));
                let languages = super::super::languages::is_language(&rule.language);
                assert!(rule.language.is_empty() || languages, "{}", rule.language);
                assert!(!rule.matches.is_empty(), "{} has no example", rule.pattern);
                for text in &rule.matches {
                    assert!(
                        regex.is_match(text.as_bytes()),
                        "{} must match {text}",
                        rule.pattern
                    );
                    let first = ambiguous.rule.iter().position(|rule| {
                        compiled(&rule.pattern).unwrap().is_match(text.as_bytes())
                    });
                    assert_eq!(first, Some(at), "{text} is won by an earlier rule");
                }
                for text in &rule.not {
                    assert!(
                        !regex.is_match(text.as_bytes()),
                        "{} must not match {text}",
                        rule.pattern
                    );
                }
            }
        }
    }

    #[test]
    fn modelines_of_emacs_and_vim() {
        for (text, mode) in [
            ("// -*- C++ -*-\n", Some("c++")),
            ("# -*- mode: Python; coding: utf-8 -*-\n", Some("python")),
            ("/* -*- tab-width: 4; mode: c++ -*- */", Some("c++")),
            ("# vim: set ft=sh :\n", Some("sh")),
            ("# vim:ts=4:filetype=ruby\n", Some("ruby")),
            ("# -*- coding: utf-8 -*-\n", None),
            ("a\nb\nc\nd\ne\nf\n# vim: ft=sh\ng\nh\ni\nj\nk\nl\n", None),
            ("a\nb\nc\nd\ne\nf\n# vim: ft=sh\n", Some("sh")),
            ("print('-*-')", None),
        ] {
            assert_eq!(modeline(text.as_bytes(), true).as_deref(), mode, "{text}");
        }
    }
}
