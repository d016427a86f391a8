//! `#include` lines of C and C++ sources with the conditions around them, judged for a build on Linux with GCC.
//!
//! No macro is expanded and nothing is included: a condition is true, false or not known (what a `configure` decides).
//! Work is linear in the text; nesting is kept to [`MAX_DEPTH`] levels.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::directives::Directives;

/// One `#include` that a build on this platform may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    pub target: String,
    /// `<…>` rather than `"…"`.
    pub system: bool,
    pub line: u32,
    /// False where a condition that is not known stands around it.
    pub sure: bool,
    /// The innermost condition that is not known.
    pub guard: String,
}

/// `knowledge/needs/platform.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    /// Macros that GCC on Linux defines.
    defined: HashSet<String>,
    /// Macros of other systems, machines and compilers.
    undefined: HashSet<String>,
    /// A macro with one of these as a word is another system's.
    foreign: Vec<String>,
}

static PLATFORM: LazyLock<Platform> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/needs/platform.toml"))
        .expect("embedded data is checked by a test")
});

const MAX_DEPTH: usize = 200;

/// A level of `#if … #endif`.
struct Level {
    value: Option<bool>,
    /// An earlier branch is taken (`Some(true)`), none is, or that is not known.
    earlier: Option<bool>,
    text: String,
}

/// The `#include`s of one file. `cpp`: it is compiled as C++.
pub fn includes(text: &str, cpp: bool) -> Vec<Include> {
    let mut state = State {
        levels: Vec::new(),
        defined: HashSet::new(),
        undefined: HashSet::new(),
        cpp,
        first: true,
    };
    let mut found = Vec::new();
    for (line, number) in Directives::new(text) {
        state.directive(&line, number, &mut found);
        if found.len() > 2000 {
            break;
        }
    }
    found
}

struct State {
    levels: Vec<Level>,
    defined: HashSet<String>,
    undefined: HashSet<String>,
    cpp: bool,
    first: bool,
}

impl State {
    fn directive(&mut self, text: &str, line: u32, found: &mut Vec<Include>) {
        let word_end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(word_end);
        let rest = rest.trim();
        let first = std::mem::replace(&mut self.first, false);
        match word {
            "if" => self.open(self.evaluate(rest), rest),
            "ifdef" => self.open(self.is_defined(name(rest)), rest),
            "ifndef" => {
                // The guard of the file against being included twice.
                let value = match self.is_defined(name(rest)) {
                    _ if first || name(rest).to_ascii_lowercase().ends_with("_h") => Some(true),
                    value => value.map(|value| !value),
                };
                self.open(value, &format!("!{rest}"));
            }
            "elif" => self.branch(|state| state.evaluate(rest), rest),
            "elifdef" => self.branch(|state| state.is_defined(name(rest)), rest),
            "else" => self.branch(|_| Some(true), ""),
            "endif" => {
                self.levels.pop();
            }
            "define" if self.value() == Some(true) => {
                self.defined.insert(name(rest).to_owned());
            }
            "undef" if self.value() == Some(true) => {
                self.undefined.insert(name(rest).to_owned());
            }
            "include" | "import" => self.include(rest, line, found),
            _ => {}
        }
    }

    fn include(&self, rest: &str, line: u32, found: &mut Vec<Include>) {
        let value = self.value();
        let parsed = match rest.chars().next() {
            Some('<') => rest
                .get(1..)
                .and_then(|rest| rest.split_once('>'))
                .map(|(name, _)| (name, true)),
            Some('"') => rest
                .get(1..)
                .and_then(|rest| rest.split_once('"'))
                .map(|(name, _)| (name, false)),
            _ => None,
        };
        let Some((target, system)) =
            parsed.filter(|(name, _)| !name.is_empty() && name.len() < 200)
        else {
            return;
        };
        if value == Some(false) {
            return;
        }
        let unknown = self.levels.iter().rev().find(|level| level.value.is_none());
        found.push(Include {
            target: target.trim().to_owned(),
            system,
            line,
            sure: value == Some(true),
            guard: unknown.map_or(String::new(), |level| level.text.clone()),
        });
    }

    fn value(&self) -> Option<bool> {
        if self.levels.iter().any(|level| level.value == Some(false)) {
            return Some(false);
        }
        self.levels
            .iter()
            .all(|level| level.value == Some(true))
            .then_some(true)
    }

    fn open(&mut self, value: Option<bool>, text: &str) {
        if self.levels.len() < MAX_DEPTH {
            self.levels.push(Level {
                value,
                earlier: value,
                text: text.chars().take(120).collect(),
            });
        }
    }

    fn branch(&mut self, condition: impl FnOnce(&Self) -> Option<bool>, text: &str) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        let own = condition(self);
        let value = match (level.earlier, own) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), own) => own,
            (None, _) => None,
        };
        let earlier = match (level.earlier, own) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let text = if text.is_empty() {
            format!("not {}", level.text)
        } else {
            text.to_owned()
        };
        self.levels.push(Level {
            value,
            earlier,
            text: text.chars().take(120).collect(),
        });
    }

    fn is_defined(&self, name: &str) -> Option<bool> {
        if self.undefined.contains(name) {
            return None;
        }
        if name == "__cplusplus" {
            return Some(self.cpp);
        }
        if PLATFORM.defined.contains(name) || self.defined.contains(name) {
            return Some(true);
        }
        if PLATFORM.undefined.contains(name) || is_foreign(name) {
            return Some(false);
        }
        None
    }

    fn evaluate(&self, text: &str) -> Option<bool> {
        let mut parser = Parser {
            state: self,
            text,
            depth: 0,
        };
        parser.or()
    }
}

/// `USE_WIN32_THREADS`, `PLATFORM_MACOS`: a word of the name is another system.
fn is_foreign(name: &str) -> bool {
    let known = |word: &str| {
        PLATFORM
            .foreign
            .iter()
            .any(|foreign| foreign.eq_ignore_ascii_case(word))
    };
    name.split('_').any(known)
}

fn name(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Conditions as far as `defined`, `!`, `&&`, `||`, parentheses, numbers and comparisons go.
struct Parser<'a> {
    state: &'a State,
    text: &'a str,
    depth: u8,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> Option<bool> {
        let mut value = self.and();
        while self.eat("||") {
            value = match (value, self.and()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        value
    }

    fn and(&mut self) -> Option<bool> {
        let mut value = self.comparison();
        while self.eat("&&") {
            value = match (value, self.comparison()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        value
    }

    fn comparison(&mut self) -> Option<bool> {
        let value = self.unary();
        self.skip();
        let operator = ["==", "!=", ">=", "<=", ">", "<"]
            .iter()
            .find(|op| self.text.starts_with(**op));
        let Some(operator) = operator else {
            return value;
        };
        self.text = self.text.get(operator.len()..).unwrap_or_default();
        self.unary();
        // A version of something that this platform does not have is no version.
        match (value, *operator) {
            (Some(false), ">=" | ">") => Some(false),
            _ => None,
        }
    }

    fn unary(&mut self) -> Option<bool> {
        self.skip();
        if !self.text.starts_with("!=") && self.eat("!") {
            return self.deeper(Self::unary).map(|value| !value);
        }
        if self.eat("(") {
            let value = self.deeper(Self::or);
            self.eat(")");
            return value;
        }
        let word = name(self.text);
        let word_len = word.len();
        let (word, rest) = (
            word.to_owned(),
            self.text.get(word_len..).unwrap_or_default(),
        );
        if word.is_empty() {
            let skip = self.text.chars().next().map_or(0, char::len_utf8);
            self.text = self.text.get(skip..).unwrap_or_default();
            return None;
        }
        self.text = rest;
        if word == "defined" {
            let paren = self.eat("(");
            self.skip();
            let inner = name(self.text).to_owned();
            self.text = self.text.get(inner.len()..).unwrap_or_default();
            if paren {
                self.eat(")");
            }
            return self.state.is_defined(&inner);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(word.trim_end_matches(['L', 'l', 'U', 'u']) != "0");
        }
        self.skip();
        if self.text.starts_with('(') {
            // A macro with arguments, as `GTK_CHECK_VERSION(3,0,0)`.
            self.arguments();
            return None;
        }
        match word.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            // A name that is not defined is 0; one that is may be.
            _ => self.state.is_defined(&word).filter(|defined| !defined),
        }
    }

    fn arguments(&mut self) {
        let mut depth = 0_u32;
        for (at, c) in self.text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.text = self.text.get(at + 1..).unwrap_or_default();
                return;
            }
        }
        self.text = "";
    }

    fn deeper(&mut self, parse: fn(&mut Self) -> Option<bool>) -> Option<bool> {
        if self.depth >= 40 {
            self.text = "";
            return None;
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        includes(text, false)
            .into_iter()
            .map(|each| {
                let guard = if each.sure {
                    String::new()
                } else {
                    format!(" ?{}", each.guard)
                };
                format!("{}:{}{guard}", each.line, each.target)
            })
            .collect()
    }

    #[test]
    fn conditions_of_the_platform_are_judged_and_others_kept() {
        let text = "#ifndef A_H\n#define A_H\n#include <a.h>\n#ifdef _WIN32\n# include <windows.h>\n#elif defined(__APPLE__) && X\n#include <mac.h>\n#else /* unix */\n#include <b.h>\n#endif\n#if HAVE_Z // z\n#include <zlib.h>\n#endif\n#if 0\n#include <never.h>\n#endif\n/* #include <comment.h>\n#include <too.h> */\n#include \"own.h\"\n#if defined(WIN32) || !defined(__linux__)\n#include <no.h>\n#endif\n#ifdef __cplusplus\n#include <vector>\n#endif\n#endif\n";
        assert_eq!(
            shown(text),
            ["3:a.h", "9:b.h", "12:zlib.h ?HAVE_Z", "19:own.h"]
        );
    }

    #[test]
    fn no_macro_is_both_defined_and_not() {
        let both: Vec<&String> = PLATFORM.defined.intersection(&PLATFORM.undefined).collect();
        assert!(both.is_empty(), "{both:?}");
        assert!(is_foreign("USE_WIN32_THREADS") && !is_foreign("USE_ZLIB"));
    }

    #[test]
    fn versions_and_unknown_macros() {
        assert_eq!(
            shown("#if _MSC_VER >= 1400\n#include <x.h>\n#else\n#include <y.h>\n#endif\n"),
            ["4:y.h"]
        );
        assert_eq!(
            shown("#if GTK_CHECK_VERSION(3,0,0)\n#include <x.h>\n#endif\n"),
            ["2:x.h ?GTK_CHECK_VERSION(3,0,0)"]
        );
        assert_eq!(
            shown("#define USE_X 1\n#ifdef USE_X\n#include <x.h>\n#endif\n"),
            ["3:x.h"]
        );
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(#if |#el|#endif\n|defined|[()!&|<>\"/*\\\\ \n]|\\PC){0,120}") {
            includes(&text, true);
        }
    }
}
