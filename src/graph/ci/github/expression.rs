//! Expressions of GitHub Actions ("Evaluate expressions in workflows and actions"), as far as they are known before a
//! run: what a context holds only at run time is [`Value::Unknown`], and so is what depends on it.

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

/// Operators and brackets within each other that are followed.
const MAX_DEPTH: usize = 40;

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
        let mut parser = Parser {
            tokens: tokens(expression).unwrap_or_default(),
            at: 0,
            known: self,
        };
        let value = parser.any(0);
        if parser.at == parser.tokens.len() && !parser.tokens.is_empty() {
            value
        } else {
            Value::Unknown
        }
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

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Text(String),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 12] = [
    "==", "!=", "&&", "||", "<=", ">=", "<", ">", "!", "(", ")", ",",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let mut value = String::new();
            let mut after = rest.get(1..)?;
            loop {
                let (part, next) = after.split_once('\'')?;
                value.push_str(part);
                after = next;
                // A doubled quote stands for one.
                match after.strip_prefix('\'') {
                    Some(next) => {
                        value.push('\'');
                        after = next;
                    }
                    None => break,
                }
            }
            tokens.push(Token::Text(value));
            rest = after.trim_start();
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            rest = rest.get(sign.len()..)?.trim_start();
        } else {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '*');
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let mut name = rest.get(..end).filter(|name| !name.is_empty())?.to_owned();
            rest = rest.get(end..)?;
            // `matrix['os']` is `matrix.os`.
            while let Some((key, after)) = rest
                .strip_prefix("['")
                .and_then(|inner| inner.split_once("']"))
            {
                name = format!("{name}.{key}");
                rest = after;
            }
            if rest.starts_with('[') {
                return None;
            }
            tokens.push(Token::Name(name));
            rest = rest.trim_start();
        }
    }
    Some(tokens)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    known: &'a Known<'a>,
}

impl Parser<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Value {
        let mut left = self.all(depth);
        while self.take("||") {
            let right = self.all(depth);
            left = match left.truth() {
                Some(true) => left,
                Some(false) => right,
                None if right.truth() == Some(true) => Value::Unknown,
                None => Value::Unknown,
            };
        }
        left
    }

    fn all(&mut self, depth: usize) -> Value {
        let mut left = self.compared(depth);
        while self.take("&&") {
            let right = self.compared(depth);
            left = match (left.truth(), right.truth()) {
                (Some(false), _) => left,
                (Some(true), _) => right,
                // Whatever the left is, the whole is false.
                (None, Some(false)) => Value::Bool(false),
                (None, _) => Value::Unknown,
            };
        }
        left
    }

    fn compared(&mut self, depth: usize) -> Value {
        let left = self.unary(depth);
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.take(sign) {
                let right = self.unary(depth);
                return compare(sign, &left, &right);
            }
        }
        left
    }

    fn unary(&mut self, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            self.at = self.tokens.len() + 1;
            return Value::Unknown;
        }
        if self.take("!") {
            let value = self.unary(depth + 1);
            return Value::from_truth(value.truth().map(|truth| !truth));
        }
        if self.take("(") {
            let value = self.any(depth + 1);
            return if self.take(")") {
                value
            } else {
                Value::Unknown
            };
        }
        match self.tokens.get(self.at).cloned() {
            Some(Token::Text(text)) => {
                self.at += 1;
                Value::Text(text)
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.take("(") {
                    let arguments = self.arguments(depth + 1);
                    return call(&name, &arguments);
                }
                if name.starts_with(|c: char| c.is_ascii_digit()) {
                    return Value::Text(name);
                }
                self.known.named(&name)
            }
            _ => {
                // Not an expression: nothing of it is known.
                self.at = self.tokens.len() + 1;
                Value::Unknown
            }
        }
    }

    fn arguments(&mut self, depth: usize) -> Vec<Value> {
        let mut arguments = Vec::new();
        while self.at < self.tokens.len() && !self.take(")") {
            arguments.push(self.any(depth));
            self.take(",");
        }
        arguments
    }
}

/// Texts are compared without regard to case; numbers as numbers.
fn compare(sign: &str, left: &Value, right: &Value) -> Value {
    let (Some(a), Some(b)) = (left.text(), right.text()) else {
        return Value::Unknown;
    };
    let numbers = a.parse::<f64>().ok().zip(b.parse::<f64>().ok());
    let equal = a.eq_ignore_ascii_case(&b) || numbers.is_some_and(|(a, b)| a == b);
    let ordered = |test: fn(f64, f64) -> bool| Value::from_truth(numbers.map(|(a, b)| test(a, b)));
    match sign {
        "==" => Value::Bool(equal),
        "!=" => Value::Bool(!equal),
        "<" => ordered(|a, b| a < b),
        ">" => ordered(|a, b| a > b),
        "<=" => ordered(|a, b| a <= b),
        _ => ordered(|a, b| a >= b),
    }
}

/// The functions whose results do not depend on a run. A step is looked at in a job that goes well.
fn call(name: &str, arguments: &[Value]) -> Value {
    let text = |at: usize| arguments.get(at).and_then(Value::text);
    let both = |test: fn(&str, &str) -> bool| {
        let lower = |at| text(at).map(|text| text.to_lowercase());
        Value::from_truth(lower(0).zip(lower(1)).map(|(a, b)| test(&a, &b)))
    };
    match name.to_ascii_lowercase().as_str() {
        "always" | "success" => Value::Bool(true),
        "failure" | "cancelled" => Value::Bool(false),
        "startswith" => both(|a, b| a.starts_with(b)),
        "endswith" => both(|a, b| a.ends_with(b)),
        "contains" => both(|a, b| a.contains(b)),
        "format" => {
            let Some(mut result) = text(0) else {
                return Value::Unknown;
            };
            for at in 1..arguments.len() {
                match text(at) {
                    Some(value) => result = result.replace(&format!("{{{}}}", at - 1), &value),
                    None => return Value::Unknown,
                }
            }
            Value::Text(result)
        }
        "fromjson" | "tojson" => match text(0) {
            Some(text) if !text.trim_start().starts_with(['[', '{']) => Value::Text(text),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
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
