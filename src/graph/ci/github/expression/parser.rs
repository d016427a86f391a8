//! The grammar of expressions: a value at once, no tree.

use super::{Known, Value};

/// Operators and brackets within each other that are followed.
const MAX_DEPTH: usize = 40;

/// The value of an expression; unknown where the text is none.
pub(super) fn evaluate(expression: &str, known: &Known) -> Value {
    let mut parser = Parser {
        tokens: tokens(expression).unwrap_or_default(),
        at: 0,
        known,
    };
    let value = parser.any(0);
    if parser.at == parser.tokens.len() && !parser.tokens.is_empty() {
        value
    } else {
        Value::Unknown
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
            let (value, after) = quoted(rest)?;
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

/// A text in quotes, a doubled one of which stands for one, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut after = text.get(1..)?;
    loop {
        let (part, next) = after.split_once('\'')?;
        value.push_str(part);
        after = next;
        match after.strip_prefix('\'') {
            Some(next) => {
                value.push('\'');
                after = next;
            }
            None => return Some((value, after)),
        }
    }
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
