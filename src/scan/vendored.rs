//! Third-party and generated files: kept in the tree, not the project's own. The rules are data.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};
use serde::Deserialize;

use super::languages::GRAMMARS;

/// `grammars/vendored.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(rename = "path")]
    paths: Vec<Rule>,
    #[serde(rename = "head")]
    heads: Vec<Rule>,
    /// Prose about the project and its examples: not counted in the primary language.
    #[serde(rename = "documentation")]
    documents: Vec<Rule>,
    /// Text without line breaks, which no person wrote: extensions, and bytes a line on average from which on.
    minified: Minified,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Minified {
    extensions: Vec<String>,
    line: usize,
}

/// A pattern with what it must and must not match (checked by a test).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct Rule {
    pattern: String,
    matches: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = GRAMMARS
        .get_file("vendored.toml")
        .and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

static PATHS: LazyLock<RegexSet> = LazyLock::new(|| set(&RULES.paths));

static DOCUMENTS: LazyLock<RegexSet> = LazyLock::new(|| set(&RULES.documents));

/// Bytes, not characters: `\b` of Unicode would keep the fast engines of `regex` from running.
fn set(rules: &[Rule]) -> RegexSet {
    RegexSetBuilder::new(rules.iter().map(|rule| &rule.pattern))
        .unicode(false)
        .build()
        .unwrap_or_else(|_| RegexSet::empty())
}

static HEADS: LazyLock<RegexSet> = LazyLock::new(|| set(&RULES.heads));

/// Bytes at the start of a file where a generator leaves its mark, after a licence perhaps.
const MARK: usize = 2048;

/// Whether a path is one that third-party or generated files have.
pub(crate) fn is_vendored(path: &str) -> bool {
    PATHS.is_match(path.as_bytes())
}

pub(super) fn is_documentation(path: &str) -> bool {
    DOCUMENTS.is_match(path.as_bytes())
}

/// Whether the first bytes say that a program wrote the file.
pub(super) fn is_generated(path: &str, head: &[u8]) -> bool {
    HEADS.is_match(head.get(..MARK).unwrap_or(head)) || is_minified(path, head)
}

fn is_minified(path: &str, head: &[u8]) -> bool {
    let rule = &RULES.minified;
    let extension = path.rsplit('.').next().unwrap_or_default();
    let lines = || memchr::memchr_iter(b'\n', head).count() + 1;
    rule.extensions.iter().any(|known| known == extension)
        && head.len() > rule.line
        && head.len() / lines() > rule.line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_matches_its_examples_and_not_its_near_misses() {
        assert!(!RULES.paths.is_empty() && !RULES.heads.is_empty());
        for rule in RULES
            .paths
            .iter()
            .chain(&RULES.heads)
            .chain(&RULES.documents)
        {
            let regex = set(std::slice::from_ref(rule));
            assert_eq!(regex.len(), 1, "{} does not compile", rule.pattern);
            assert!(!rule.matches.is_empty(), "{} has no example", rule.pattern);
            for text in &rule.matches {
                assert!(
                    regex.is_match(text.as_bytes()),
                    "{} must match {text}",
                    rule.pattern
                );
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

    #[test]
    fn minified_scripts_have_long_lines() {
        let packed = "var a=1;".repeat(200);
        assert!(is_generated("a.js", packed.as_bytes()));
        assert!(!is_generated("a.py", packed.as_bytes()));
        let plain = "var alpha = 1;\n".repeat(200);
        assert!(!is_generated("a.js", plain.as_bytes()));
        assert!(!is_generated("one.js", b"export default 1;"));
    }
}
