//! Conditions of `if()` (cmake-commands(7)), over three values: true, false and not known before CMake runs.

use super::lexer::{Arg, ArgKind};

/// What a condition amounts to, and the options whose defaults made it so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// `None`: not known.
    pub value: Option<bool>,
    /// Names of options that took part.
    pub options: Vec<String>,
}

/// What names in a condition stand for.
pub trait Names {
    /// `None` for an unknown variable, `Some(None)` for one whose value cannot be told.
    fn truth(&self, name: &str) -> Option<bool>;
    fn text(&self, name: &str) -> Option<String>;
    fn is_option(&self, name: &str) -> bool;
    fn target(&self, name: &str) -> Option<bool>;
    /// Whether a variable is set at all.
    fn defined(&self, name: &str) -> Option<bool>;
    /// `${…}` in an argument expanded; `None` where something in it is not known.
    fn expand(&self, text: &str) -> Option<String>;
}

pub fn evaluate(args: &[Arg], names: &dyn Names) -> Verdict {
    let mut parser = Parser {
        args,
        at: 0,
        names,
        options: Vec::new(),
    };
    let value = parser.or(0);
    Verdict {
        value,
        options: parser.options,
    }
}

struct Parser<'a> {
    args: &'a [Arg],
    at: usize,
    names: &'a dyn Names,
    options: Vec<String>,
}

const MAX_DEPTH: u8 = 40;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Arg> {
        self.args.get(self.at)
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = self
            .peek()
            .is_some_and(|arg| arg.kind == ArgKind::Unquoted && arg.text == word);
        self.at += usize::from(found);
        found
    }

    fn or(&mut self, depth: u8) -> Option<bool> {
        let mut value = self.and(depth);
        while self.keyword("OR") {
            value = match (value, self.and(depth)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        value
    }

    fn and(&mut self, depth: u8) -> Option<bool> {
        let mut value = self.not(depth);
        while self.keyword("AND") {
            value = match (value, self.not(depth)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        value
    }

    fn not(&mut self, depth: u8) -> Option<bool> {
        let mut negate = false;
        while self.keyword("NOT") {
            negate = !negate;
        }
        let value = self.primary(depth);
        if negate {
            value.map(|value| !value)
        } else {
            value
        }
    }

    fn primary(&mut self, depth: u8) -> Option<bool> {
        let arg = self.peek()?;
        self.at += 1;
        if arg.kind == ArgKind::Paren {
            if depth >= MAX_DEPTH {
                self.at = self.args.len();
                return None;
            }
            let value = self.or(depth + 1);
            self.at += usize::from(self.peek().is_some_and(|arg| arg.text == ")"));
            return value;
        }
        if arg.kind == ArgKind::Unquoted
            && let Some(value) = self.unary(&arg.text)
        {
            return value;
        }
        if let Some(operator) = self
            .peek()
            .filter(|next| BINARY.contains(&next.text.as_str()))
        {
            self.at += 1;
            let right = self.peek();
            self.at += 1;
            return self.compare(arg, &operator.text, right?);
        }
        self.truth(arg)
    }

    /// `Some(value)` where the word is a unary operator.
    fn unary(&mut self, word: &str) -> Option<Option<bool>> {
        if !UNARY.contains(&word) {
            return None;
        }
        let operand = self.peek()?;
        self.at += 1;
        Some(match word {
            "DEFINED" => {
                self.note(&operand.text);
                self.names.defined(&operand.text)
            }
            "COMMAND" | "POLICY" => Some(true),
            "TARGET" => self.names.target(&operand.text),
            _ => None,
        })
    }

    fn compare(&mut self, left: &Arg, operator: &str, right: &Arg) -> Option<bool> {
        let value = |arg: &Arg| {
            let text = self.names.expand(&arg.text)?;
            match arg.kind {
                ArgKind::Unquoted => Some(self.names.text(&text).unwrap_or(text)),
                _ => Some(text),
            }
        };
        let (left_value, right_value) = (value(left)?, value(right)?);
        self.note(&left.text);
        match operator {
            "STREQUAL" | "EQUAL" | "VERSION_EQUAL" | "PATH_EQUAL" => {
                Some(left_value == right_value)
            }
            "MATCHES" => {
                let pattern = regex::RegexBuilder::new(&right_value)
                    .size_limit(1 << 16)
                    .build()
                    .ok()?;
                Some(pattern.is_match(&left_value))
            }
            _ => None,
        }
    }

    fn note(&mut self, name: &str) {
        let name = name.trim_start_matches("${").trim_end_matches('}');
        if self.names.is_option(name) && !self.options.iter().any(|known| known == name) {
            self.options.push(name.to_owned());
        }
    }

    fn truth(&mut self, arg: &Arg) -> Option<bool> {
        let text = self.names.expand(&arg.text)?;
        self.note(&arg.text);
        if let Some(constant) = constant(&text) {
            return Some(constant);
        }
        self.note(&text);
        if arg.kind == ArgKind::Quoted && text == arg.text {
            return Some(false);
        }
        self.names.truth(&text)
    }
}

const UNARY: &[&str] = &[
    "DEFINED",
    "EXISTS",
    "TARGET",
    "TEST",
    "COMMAND",
    "POLICY",
    "IS_DIRECTORY",
    "IS_ABSOLUTE",
    "IS_SYMLINK",
];
const BINARY: &[&str] = &[
    "STREQUAL",
    "EQUAL",
    "VERSION_EQUAL",
    "PATH_EQUAL",
    "MATCHES",
    "LESS",
    "GREATER",
    "LESS_EQUAL",
    "GREATER_EQUAL",
    "STRLESS",
    "STRGREATER",
    "VERSION_LESS",
    "VERSION_GREATER",
    "VERSION_LESS_EQUAL",
    "VERSION_GREATER_EQUAL",
    "IN_LIST",
    "IS_NEWER_THAN",
    "STRLESS_EQUAL",
    "STRGREATER_EQUAL",
];

/// The constants of `if()`: `None` where the text names a variable.
pub fn constant(text: &str) -> Option<bool> {
    let upper = text.to_ascii_uppercase();
    match upper.as_str() {
        "1" | "ON" | "YES" | "TRUE" | "Y" => Some(true),
        "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND" | "" => Some(false),
        _ if upper.ends_with("-NOTFOUND") => Some(false),
        _ => upper
            .parse::<f64>()
            .ok()
            .filter(|_| upper.starts_with(|c: char| c.is_ascii_digit()))
            .map(|number| number != 0.0),
    }
}
