//! Expressions of GitHub Actions, as far as they are known before a run.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::graph::Os;

use super::matrix::{Row, get};
use super::os_of_label;

static EXPRESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{\{\s*(.*?)\s*\}\}").expect("a literal pattern"));

static COMPARISON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*matrix\.([\w.-]+)\s*(==|!=)\s*'([^']*)'\s*$").expect("a literal pattern")
});

static SYSTEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:(!?)(?:startsWith|contains)\(\s*[\w.]+\s*,|[\w.]+\s*(==|!=))\s*'([^']*)'")
        .expect("a literal pattern")
});

/// What expressions may name.
pub(super) struct Known<'a> {
    pub(super) row: &'a Row,
    pub(super) env: &'a BTreeMap<String, String>,
}

impl Known<'_> {
    /// Replaces what is known; the rest stays as written and is returned beside.
    pub(super) fn fill(&self, text: &str) -> (String, Vec<String>) {
        let mut unresolved = Vec::new();
        let filled = EXPRESSION.replace_all(text, |found: &Captures| {
            let whole = found.get(0).map_or("", |found| found.as_str());
            let inner = found.get(1).map_or("", |found| found.as_str());
            self.value(inner).unwrap_or_else(|| {
                unresolved.push(whole.to_owned());
                whole.to_owned()
            })
        });
        (filled.into_owned(), unresolved)
    }

    fn value(&self, expression: &str) -> Option<String> {
        if let Some(name) = expression.strip_prefix("matrix.") {
            return get(self.row, name).map(str::to_owned);
        }
        if let Some(name) = expression.strip_prefix("env.") {
            return self.env.get(name).cloned();
        }
        match expression {
            "github.workspace" => Some(".".to_owned()),
            "runner.os" => Some("Linux".to_owned()),
            "runner.arch" => Some("X64".to_owned()),
            _ => None,
        }
    }

    /// Whether an `if:` is false for the row; anything but a comparison with the matrix may be true.
    pub(super) fn is_false(&self, condition: &str) -> bool {
        let inner = condition
            .trim()
            .trim_start_matches("${{")
            .trim_end_matches("}}");
        let terms: Vec<&str> = inner.split("&&").collect();
        !inner.contains("||")
            && terms.iter().any(|term| {
                let Some(found) = COMPARISON.captures(term) else {
                    return false;
                };
                let part = |at: usize| found.get(at).map_or("", |found| found.as_str());
                // What a row does not set is empty; without a row the matrix is not known.
                let value = get(self.row, part(1));
                let Some(value) = value.or((!self.row.is_empty()).then_some("")) else {
                    return false;
                };
                (value == part(3)) != (part(2) == "==")
            })
    }
}

/// The system an `if:` asks for: `runner.os == 'Windows'`, `startsWith(matrix.os, 'macos')`.
pub(super) fn os(condition: &str) -> Option<Os> {
    let mut wanted = None;
    for found in SYSTEM.captures_iter(condition) {
        let part = |at: usize| found.get(at).map_or("", |found| found.as_str());
        let negative = part(1) == "!" || part(2) == "!=";
        match (os_of_label(part(3)), negative) {
            (Some(Os::Linux), true) => return Some(Os::Other),
            (Some(os), false) if wanted.is_none_or(|known| known == os) => wanted = Some(os),
            // Two systems joined by `||`: Linux if it is one of them, else neither.
            (Some(os), false) if os == Os::Linux || wanted == Some(Os::Linux) => {
                wanted = Some(Os::Linux)
            }
            (Some(_), false) => wanted = Some(Os::Other),
            _ => {}
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_conditions() {
        for (condition, expected) in [
            ("runner.os == 'Windows'", Some(Os::Windows)),
            ("${{ startsWith(matrix.os, 'macos-') }}", Some(Os::Macos)),
            ("runner.os != 'Linux'", Some(Os::Other)),
            ("runner.os != 'Windows'", None),
            (
                "runner.os == 'Linux' || runner.os == 'macOS'",
                Some(Os::Linux),
            ),
            ("!startsWith(matrix.os, 'windows')", None),
            ("github.event_name == 'push'", None),
        ] {
            assert_eq!(os(condition), expected, "{condition}");
        }
    }

    #[test]
    fn comparisons_with_the_row() {
        let row = vec![("cc".to_owned(), "gcc".to_owned())];
        let env = BTreeMap::from([("A".to_owned(), "b".to_owned())]);
        let known = Known {
            row: &row,
            env: &env,
        };
        assert!(
            known.is_false("matrix.cc == 'clang'") && known.is_false("${{ matrix.cc != 'gcc' }}")
        );
        assert!(known.is_false("always() && matrix.cc == 'clang'"));
        assert!(
            !known.is_false("matrix.cc == 'gcc'") && !known.is_false("matrix.cc == 'x' || true")
        );
        assert!(known.is_false("matrix.other == 'x'") && !known.is_false("matrix.other != 'x'"));
        let empty = Row::new();
        let unknown = Known {
            row: &empty,
            env: &env,
        };
        assert!(!unknown.is_false("matrix.other == 'x'"));
        let (text, unresolved) = known.fill("make CC=${{ matrix.cc }} ${{env.A}} ${{ secrets.T }}");
        assert_eq!(text, "make CC=gcc b ${{ secrets.T }}");
        assert_eq!(unresolved, ["${{ secrets.T }}"]);
    }
}
