//! Expressions of GitHub Actions ("Evaluate expressions in workflows and actions"), as far as they are known before a
//! run: what a context holds only at run time is [`Value::Unknown`], and so is what depends on it.

mod parser;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::graph::Os;

use super::matrix::{Row, get};
use crate::graph::ci::os_of_label;

static EXPRESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{\{\s*(.*?)\s*\}\}").expect("a literal pattern"));

static SYSTEM: LazyLock<Regex> = LazyLock::new(|| {
    const SUBJECT: &str = r"(?:runner|matrix|inputs|env)\.[\w.-]+";
    let pattern = format!(
        r"(?:(!?)\s*(?:startsWith|contains)\(\s*{SUBJECT}\s*,|{SUBJECT}\s*(==|!=))\s*'([^']*)'"
    );
    Regex::new(&pattern).expect("a literal pattern")
});

/// What expressions may name.
pub(super) struct Known<'a> {
    pub(super) row: &'a Row,
    pub(super) env: &'a BTreeMap<String, String>,
    /// Inputs of the action or workflow that the expression stands in; `None` where it has none.
    pub(super) inputs: Option<&'a BTreeMap<String, String>>,
    pub(super) os: Option<Os>,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Unknown,
    Null,
    Bool(bool),
    Text(String),
}

impl Value {
    fn truth(&self) -> Option<bool> {
        match self {
            Value::Unknown => None,
            Value::Null => Some(false),
            Value::Bool(value) => Some(*value),
            Value::Text(text) => Some(!matches!(text.as_str(), "" | "0" | "false")),
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Value::Unknown => None,
            Value::Null => Some(String::new()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Text(text) => Some(text.clone()),
        }
    }

    fn from_truth(truth: Option<bool>) -> Value {
        truth.map_or(Value::Unknown, Value::Bool)
    }
}

impl Known<'_> {
    /// Replaces what is known; the rest stays as written and is returned beside.
    pub(super) fn fill(&self, text: &str) -> (String, Vec<String>) {
        let mut unresolved = Vec::new();
        let filled = EXPRESSION.replace_all(text, |found: &Captures| {
            let whole = found.get(0).map_or("", |found| found.as_str());
            let inner = found.get(1).map_or("", |found| found.as_str());
            self.value(inner).text().unwrap_or_else(|| {
                unresolved.push(whole.to_owned());
                whole.to_owned()
            })
        });
        (filled.into_owned(), unresolved)
    }

    /// Whether an `if:` is known to be false.
    pub(super) fn is_false(&self, condition: &str) -> bool {
        let condition = condition.trim();
        if condition.is_empty() {
            return false;
        }
        let inner = condition
            .strip_prefix("${{")
            .and_then(|inner| inner.strip_suffix("}}"))
            .filter(|inner| !inner.contains("${{"));
        // `${{ a }} && b` is a text, which GitHub takes apart in ways of its own.
        if inner.is_none() && condition.contains("${{") {
            return false;
        }
        self.value(inner.unwrap_or(condition)).truth() == Some(false)
    }

    fn value(&self, expression: &str) -> Value {
        parser::evaluate(expression, self)
    }

    /// The value of a context's property, `matrix.os`.
    fn named(&self, name: &str) -> Value {
        let text = |text: &str| Value::Text(text.to_owned());
        if let Some(name) = name.strip_prefix("matrix.") {
            // What a row does not set is empty; without a row the matrix is not known.
            let absent = if self.row.is_empty() {
                Value::Unknown
            } else {
                Value::Null
            };
            return get(self.row, name).map_or(absent, text);
        }
        if let Some(name) = name.strip_prefix("env.") {
            return self
                .env
                .get(name)
                .map_or(Value::Unknown, |value| text(value));
        }
        if let Some(name) = name
            .strip_prefix("inputs.")
            .or_else(|| name.strip_prefix("github.event.inputs."))
        {
            let known = self.inputs.and_then(|inputs| inputs.get(name));
            return match known {
                Some(value) => text(value),
                None => Value::Unknown,
            };
        }
        match name {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "github.workspace" => text("."),
            // Some directory for what is thrown away.
            "runner.temp" => text("/tmp"),
            "runner.os" => text(match self.os {
                Some(Os::Macos) => "macOS",
                Some(Os::Windows) => "Windows",
                _ => "Linux",
            }),
            "runner.arch" => text("X64"),
            _ => Value::Unknown,
        }
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
            ("${{ ! startsWith(matrix.os, 'windows-') }}", None),
            ("github.event_name == 'push'", None),
            (
                "!contains(github.event.head_commit.message, 'ci/linux skip')",
                None,
            ),
        ] {
            assert_eq!(os(condition), expected, "{condition}");
        }
    }

    fn with_known(test: impl Fn(&Known)) {
        let row = vec![
            ("cc".to_owned(), "gcc".to_owned()),
            ("python".to_owned(), "3.10".to_owned()),
            ("x.y".to_owned(), "z".to_owned()),
        ];
        let env = BTreeMap::from([("A".to_owned(), "b".to_owned())]);
        let inputs = BTreeMap::from([("path".to_owned(), "sub".to_owned())]);
        test(&Known {
            row: &row,
            env: &env,
            inputs: Some(&inputs),
            os: Some(Os::Linux),
        });
    }

    #[test]
    fn conditions_are_false_only_where_that_is_known() {
        with_known(|known| {
            for (condition, expected) in [
                ("matrix.cc == 'clang'", true),
                ("${{ matrix.cc != 'gcc' }}", true),
                ("always() && matrix.cc == 'clang'", true),
                ("matrix.cc == 'gcc'", false),
                ("matrix.cc == 'GCC'", false),
                ("matrix.cc == 'x' || true", false),
                ("matrix.other == 'x'", true),
                ("matrix.other != 'x'", false),
                ("matrix.other", true),
                ("failure()", true),
                ("!cancelled()", false),
                ("github.event_name == 'push'", false),
                ("github.event_name == 'push' && matrix.cc == 'clang'", true),
                ("github.event_name == 'push' || matrix.cc == 'clang'", false),
                ("startsWith(matrix.x.y, 'q')", true),
                ("matrix['cc'] == 'tcc'", true),
                ("runner.os == 'Windows'", true),
                ("contains(fromJSON('[\"a\"]'), matrix.cc)", false),
                (
                    "(matrix.cc == 'clang' && true) || (matrix.python == '3.11')",
                    true,
                ),
                ("matrix.python < 3.9", false),
                ("hashFiles('x') != ''", false),
                ("${{ matrix.cc }} == 'x'", false),
                ("it's no expression (", false),
                ("", false),
            ] {
                assert_eq!(known.is_false(condition), expected, "{condition}");
            }
        });
    }

    #[test]
    fn texts_are_filled() {
        with_known(|known| {
            let text = "make CC=${{ matrix.cc }} ${{env.A}} ${{ secrets.T }} -C ${{ inputs.path }} ${{ matrix.python == '3.10' && '--cov' || '' }} ${{ format('x-{0}', matrix.cc) }} ${{ matrix.none }}.";
            let (text, unresolved) = known.fill(text);
            assert_eq!(text, "make CC=gcc b ${{ secrets.T }} -C sub --cov x-gcc .");
            assert_eq!(unresolved, ["${{ secrets.T }}"]);
        });
        let (empty, env) = (Row::new(), BTreeMap::new());
        let unknown = Known {
            row: &empty,
            env: &env,
            inputs: None,
            os: None,
        };
        assert!(!unknown.is_false("matrix.other == 'x'") && !unknown.is_false("inputs.x"));
    }

    #[test]
    fn depth_is_bounded() {
        with_known(|known| {
            for text in [
                "(".repeat(100_000),
                "!".repeat(100_000),
                "f(".repeat(50_000),
            ] {
                assert!(!known.is_false(&text));
            }
        });
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z.]{1,3}|[!(),&|='<> é\\[\\]]){0,60}") {
            with_known(|known| {
                known.is_false(&text);
                known.fill(&format!("${{{{ {text} }}}}"));
            });
        }
    }
}
