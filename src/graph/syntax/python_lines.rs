//! What Python says line by line: imports with the suites around them, tests, `if __name__ == "__main__"`. It is
//! what the queries under `grammars/python/` find, at a twentieth of a parser's time (a test compares the two).

use std::sync::LazyLock;

use regex::Regex;

use super::guard::{MAX_DEPTH, one_line};
use super::logical::{Lines, Logical, is_word};
use super::reading::{Imports, MAX_IMPORTS, Reading, Want};

/// Suites that are open at once; deeper ones count as part of these.
const MAX_OPEN: usize = 1000;

/// Handlers for a module that is not there.
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^except\s*\*?\s*(:|.*(ImportError|ModuleNotFoundError|Exception))")
        .expect("a literal pattern")
});

static SUPPRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"suppress\((?s:.*)(ImportError|ModuleNotFoundError|Exception)")
        .expect("a literal pattern")
});

static MAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^__name__\s*==\s*("__main__"|'__main__')$"#).expect("a literal pattern")
});

#[derive(Debug, Clone, PartialEq)]
enum Guard {
    Text(String),
    /// The body of a `try`, by its number: a guard if a handler takes a missing module.
    Try(usize),
}

/// What the clauses that may follow at the same column belong to.
#[derive(Debug, Clone, PartialEq)]
enum Chain {
    If(String),
    Try(usize),
    Other,
}

/// A line that opens a suite.
struct Header {
    indent: usize,
    chain: Chain,
    guard: Option<Guard>,
}

/// An import as it is found: its guards are settled at the end.
struct Found {
    line: u32,
    target: String,
    system: bool,
    guards: Vec<Guard>,
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    open: Vec<Header>,
    /// Whether each `try` has a handler for a missing module.
    tries: Vec<bool>,
    found: Vec<Found>,
    reading: Reading,
}

/// Reads a text to its end, whatever it holds.
pub(super) fn read(language: &'static str, text: &str, want: Want) -> Reading {
    let mut reader = Reader {
        text,
        ..Reader::default()
    };
    let mut lines = Lines::new(text);
    while let Some(logical) = lines.next() {
        reader.line(&logical);
    }
    let mut kept = Imports::new(language);
    for found in &reader.found {
        let guard = reader.guard_text(&found.guards);
        kept.add(found.line, one_line(&found.target), found.system, guard);
    }
    let mut reading = match want.own {
        true => reader.reading,
        false => Reading::default(),
    };
    if want.imports {
        reading.imports = kept.found;
    }
    reading
}

impl<'a> Reader<'a> {
    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn line(&mut self, logical: &Logical) {
        while self
            .open
            .last()
            .is_some_and(|header| header.indent > logical.indent)
        {
            self.open.pop();
        }
        let before = match self.open.last() {
            Some(header) if header.indent == logical.indent => self.open.pop(),
            _ => None,
        };
        let text = self.slice(logical.start, logical.end);
        let mut word = first_word(text);
        if word == "async" {
            word = first_word(text.get(word.len()..).unwrap_or_default().trim_start());
        }
        let header = logical
            .colon
            .and_then(|colon| self.header(word, logical, colon, before.as_ref()));
        let mut from = logical.start;
        if let Some(header) = header
            && self.open.len() < MAX_OPEN
        {
            self.open.push(header);
            from = logical.colon.map_or(from, |colon| colon + 1);
        }
        if from != logical.start || logical.colon.is_none() || !is_compound(word) {
            self.statements(logical, from);
        }
        self.calls(logical);
    }

    /// The header that a line with a colon is, by its keyword; `before`: the suite that ended above it.
    fn header(
        &mut self,
        word: &str,
        logical: &Logical,
        colon: usize,
        before: Option<&Header>,
    ) -> Option<Header> {
        let clause = self.slice(logical.start, colon);
        let rest = clause.get(word.len()..).unwrap_or_default();
        let inherited = || before.map_or(Chain::Other, |header| header.chain.clone());
        let text = |text: String| Some(Guard::Text(text));
        let (chain, guard) = match word {
            "if" => {
                let condition = one_line(rest);
                self.note_main(logical, &condition);
                (
                    Chain::If(condition.clone()),
                    text(format!("if {condition}")),
                )
            }
            "elif" => (inherited(), text(format!("if {}", one_line(rest)))),
            "else" => match inherited() {
                Chain::If(condition) => (Chain::Other, text(format!("else of if {condition}"))),
                chain => (chain, None),
            },
            "try" => {
                self.tries.push(false);
                let number = self.tries.len() - 1;
                (Chain::Try(number), Some(Guard::Try(number)))
            }
            "except" => {
                let missing = MISSING.is_match(self.slice(logical.start, colon + 1));
                self.note_handler(&inherited(), missing);
                (
                    inherited(),
                    missing.then(|| Guard::Text("except".to_owned())),
                )
            }
            "finally" => (inherited(), None),
            "class" | "for" | "while" | "match" | "case" => (Chain::Other, None),
            "with" => {
                let suppressed = SUPPRESS.is_match(rest);
                (
                    Chain::Other,
                    suppressed.then(|| Guard::Text("try".to_owned())),
                )
            }
            "def" => (Chain::Other, Some(self.function(logical, clause))),
            _ => return None,
        };
        Some(Header {
            indent: logical.indent,
            chain,
            guard,
        })
    }

    fn note_main(&mut self, logical: &Logical, condition: &str) {
        if logical.indent == 0 && MAIN.is_match(condition) {
            self.reading.main = self.reading.main.or(Some(logical.line));
            self.reading.script = self.reading.script.or(Some(logical.line));
        }
    }

    fn note_handler(&mut self, chain: &Chain, missing: bool) {
        if let (Chain::Try(number), true) = (chain, missing)
            && let Some(handled) = self.tries.get_mut(*number)
        {
            *handled = true;
        }
    }

    /// `def NAME(`, which may be a test.
    fn function(&mut self, logical: &Logical, clause: &str) -> Guard {
        let after = clause.find("def").and_then(|at| clause.get(at + 3..));
        let name = first_word(after.unwrap_or_default().trim_start());
        if is_test(name) {
            self.reading.tests += 1;
            self.reading
                .first_test
                .get_or_insert_with(|| (logical.line, one_line(name)));
        }
        Guard::Text(format!("def {name}"))
    }

    fn guards(&self) -> Vec<Guard> {
        let all = self
            .open
            .iter()
            .rev()
            .filter_map(|header| header.guard.clone());
        // More than are shown, for a `try` may turn out to be no guard.
        let mut inner: Vec<Guard> = all.take(4 * MAX_DEPTH).collect();
        inner.reverse();
        inner
    }

    fn guard_text(&self, guards: &[Guard]) -> String {
        let shown: Vec<&str> = guards
            .iter()
            .filter_map(|guard| match guard {
                Guard::Text(text) => Some(text.as_str()),
                Guard::Try(number) => self.tries.get(*number)?.then_some("try"),
            })
            .collect();
        let skipped = shown.len().saturating_sub(MAX_DEPTH);
        shown.get(skipped..).unwrap_or_default().join(" && ")
    }

    /// Simple statements from `from` to the end of the line.
    fn statements(&mut self, logical: &Logical, from: usize) {
        let mut start = from;
        let ends = logical.semicolons.iter().copied().filter(|at| *at >= from);
        for end in ends.chain([logical.end]) {
            self.statement(logical, start, end);
            start = end + 1;
        }
    }

    fn statement(&mut self, logical: &Logical, start: usize, end: usize) {
        let text = self.slice(start, end);
        let bare = text.trim_start();
        let at = start + (text.len() - bare.len());
        let word = first_word(bare);
        let rest = bare.get(word.len()..).unwrap_or_default();
        let is_list = rest.starts_with([' ', '\t', '\\']);
        match word {
            "import" if is_list => self.plain_import(logical, at + word.len(), rest),
            "from" if rest.starts_with([' ', '\t', '\\', '.']) => {
                self.import_from(logical, at + word.len(), rest)
            }
            _ => {}
        }
    }

    /// `a.b, c as d` of `import`.
    fn plain_import(&mut self, logical: &Logical, at: usize, rest: &str) {
        let mut start = at;
        for item in rest.split(',') {
            let name = joined(item);
            let name = name.split_whitespace().next().unwrap_or_default();
            let skipped = item.len() - item.trim_start_matches([' ', '\t', '\r', '\n', '\\']).len();
            if is_dotted(name) {
                self.add(logical, start + skipped, name, true);
            }
            start += item.len() + 1;
        }
    }

    /// `..a.b import …` of `from`.
    fn import_from(&mut self, logical: &Logical, at: usize, rest: &str) {
        let Some(module) = before_import(rest) else {
            return;
        };
        let name: String = joined(module).split_whitespace().collect();
        let skipped = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\\']).len();
        let bare = name.trim_start_matches('.');
        let local = bare.len() < name.len();
        if name == "__future__" || !(is_dotted(bare) || (local && bare.is_empty())) {
            return;
        }
        self.add(logical, at + skipped, &name, !local);
    }

    fn calls(&mut self, logical: &Logical) {
        for (name, start, end) in &logical.calls {
            let target = self.slice(*start, *end);
            if !is_dotted(target) || target.is_empty() {
                continue;
            }
            self.add(logical, *start, target, true);
            if *name == "importorskip"
                && let Some(found) = self.found.last_mut()
            {
                found.guards.push(Guard::Text("importorskip".to_owned()));
            }
        }
    }

    fn add(&mut self, logical: &Logical, at: usize, target: &str, system: bool) {
        if self.found.len() >= 2 * MAX_IMPORTS {
            return;
        }
        let above = self.slice(logical.start, at);
        let rows = memchr::memchr_iter(b'\n', above.as_bytes()).count() as u32;
        let guards = self.guards();
        self.found.push(Found {
            line: logical.line + rows,
            target: target.to_owned(),
            system,
            guards,
        });
    }
}

/// What stands before the keyword `import`; `importlib` and `import_helper` are names.
fn before_import(rest: &str) -> Option<&str> {
    let bytes = rest.as_bytes();
    let is_keyword = |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + "import".len());
        before.is_none_or(|byte| !is_word(*byte)) && after.is_none_or(|byte| !is_word(*byte))
    };
    let at = rest
        .match_indices("import")
        .map(|(at, _)| at)
        .find(is_keyword)?;
    rest.get(..at)
}

/// Lines joined by backslashes as one.
fn joined(text: &str) -> String {
    text.replace('\\', " ")
}

fn first_word(text: &str) -> &str {
    let end = text
        .bytes()
        .position(|byte| !is_word(byte))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Keywords before a suite, in front of which a colon is no annotation.
fn is_compound(word: &str) -> bool {
    matches!(
        word,
        "if" | "elif"
            | "else"
            | "try"
            | "except"
            | "finally"
            | "class"
            | "for"
            | "while"
            | "with"
            | "def"
    )
}

/// What pytest and unittest collect by default.
fn is_test(name: &str) -> bool {
    name.strip_prefix("test").is_some_and(|rest| {
        let next = rest.chars().next();
        next.is_none_or(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit())
    })
}

fn is_dotted(name: &str) -> bool {
    let part = |part: &str| {
        let first = part.chars().next();
        first.is_some_and(|c| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    name.split('.').all(part)
}

#[cfg(test)]
mod tests;
