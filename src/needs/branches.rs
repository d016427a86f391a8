//! Under which conditions a line of a build file counts: a source that only some option adds is no part of every build.

use std::collections::HashSet;

/// How sure it is that a line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Only on another system.
    Never,
    /// Under a condition that is not known.
    Maybe,
    Always,
}

/// Reads the conditionals of CMake, Meson, Automake and GNU make, line by line.
#[derive(Debug, Default)]
pub struct Branches {
    stack: Vec<Branch>,
    /// Options that are on by default (`option(NAME "…" ON)`).
    on: HashSet<String>,
}

#[derive(Debug, Clone, Copy)]
struct Branch {
    now: Standing,
    /// What the branches behind `else` are.
    other: Standing,
}

/// What a line does to the conditions.
enum Word<'l> {
    If(&'l str),
    ElseIf(&'l str),
    Else,
    End,
}

impl Branches {
    /// How sure it is that what `line` says counts. Lines come in order.
    pub fn line(&mut self, line: &str) -> Standing {
        self.remember_option(line);
        match word(line.trim_start()) {
            Some(Word::If(condition)) => {
                let (now, other) = self.judge(condition);
                self.stack.push(Branch { now, other });
            }
            Some(Word::ElseIf(condition)) => {
                let (now, other) = self.judge(condition);
                if let Some(top) = self.stack.last_mut() {
                    top.now = now.min(top.other);
                    top.other = other.min(top.other);
                }
            }
            Some(Word::Else) => {
                if let Some(top) = self.stack.last_mut() {
                    top.now = top.other;
                }
            }
            Some(Word::End) => {
                self.stack.pop();
            }
            None => {}
        }
        let least = self.stack.iter().map(|branch| branch.now).min();
        least.unwrap_or(Standing::Always)
    }

    fn remember_option(&mut self, line: &str) {
        let Some(rest) = line.trim_start().strip_prefix("option(") else {
            return;
        };
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let last = rest.trim_end().trim_end_matches(')').trim_end();
        if ["ON", "TRUE", "YES"].iter().any(|on| last.ends_with(on)) {
            self.on.insert(name.to_owned());
        }
    }

    /// The standing of the branch and of its `else`.
    fn judge(&self, condition: &str) -> (Standing, Standing) {
        let lower = condition.to_ascii_lowercase();
        let words = || {
            lower
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|word| !word.is_empty())
        };
        let negated =
            words().next() == Some("not") || lower.contains("!=") || lower.starts_with("ifneq");
        let foreign = words().any(|word| FOREIGN.contains(&word));
        let here = words().any(|word| HERE.contains(&word));
        let on = self.on.contains(condition.trim());
        match (foreign, here || on) {
            (true, false) if negated => (Standing::Always, Standing::Never),
            (true, false) => (Standing::Never, Standing::Always),
            (false, true) if negated => (Standing::Never, Standing::Always),
            (false, true) => (Standing::Always, Standing::Never),
            _ => (Standing::Maybe, Standing::Maybe),
        }
    }
}

/// Words of conditions that hold on another system, and on this one.
const FOREIGN: [&str; 24] = [
    "win32",
    "windows",
    "msvc",
    "mingw",
    "mingw32",
    "cygwin",
    "apple",
    "darwin",
    "macos",
    "macosx",
    "osx",
    "ios",
    "android",
    "freebsd",
    "openbsd",
    "netbsd",
    "dragonfly",
    "solaris",
    "sunos",
    "aix",
    "haiku",
    "emscripten",
    "qnx",
    "wasm",
];
const HERE: [&str; 4] = ["linux", "unix", "posix", "gnu"];

fn word(line: &str) -> Option<Word<'_>> {
    let end = line
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let lower = name.to_ascii_lowercase();
    let condition = rest
        .trim()
        .trim_start_matches('(')
        .trim_end_matches(')')
        .trim();
    let opens = rest.starts_with([' ', '(', '\t']);
    match lower.as_str() {
        "if" | "ifdef" | "ifeq" if opens => Some(Word::If(condition)),
        // The condition's word goes along: it turns the meaning round.
        "ifneq" | "ifndef" if opens => Some(Word::If(line)),
        "elif" | "elseif" if opens => Some(Word::ElseIf(condition)),
        "else" if condition.is_empty() || rest.trim_start().starts_with('(') => Some(Word::Else),
        "else" if condition.starts_with("if") => Some(Word::ElseIf(condition)),
        "else" => Some(Word::Else),
        "endif" => Some(Word::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standing of each line that names a source.
    fn of(text: &str) -> Vec<(String, Standing)> {
        let mut branches = Branches::default();
        text.lines()
            .map(|line| (line.trim().to_owned(), branches.line(line)))
            .filter(|(line, _)| line.ends_with(".c"))
            .collect()
    }

    fn standing(text: &str, source: &str) -> Standing {
        of(text)
            .into_iter()
            .find(|(line, _)| line == source)
            .unwrap()
            .1
    }

    #[test]
    fn cmake() {
        let text = "option(WITH_A \"a\" ON)\noption(WITH_B \"b\" OFF)\nadd.c\nif(WITH_A)\na.c\nendif()\nif(WITH_B)\nb.c\nelse()\nnob.c\nendif(WITH_B)\nif(WIN32)\nw.c\nelseif(UNIX)\nu.c\nendif()\nif(NOT WIN32)\nnw.c\nif(X)\nx.c\nendif()\nendif()\nlast.c\n";
        assert_eq!(standing(text, "add.c"), Standing::Always);
        assert_eq!(standing(text, "a.c"), Standing::Always);
        assert_eq!(standing(text, "b.c"), Standing::Maybe);
        assert_eq!(standing(text, "nob.c"), Standing::Maybe);
        assert_eq!(standing(text, "w.c"), Standing::Never);
        assert_eq!(standing(text, "u.c"), Standing::Always);
        assert_eq!(standing(text, "nw.c"), Standing::Always);
        assert_eq!(standing(text, "x.c"), Standing::Maybe);
        assert_eq!(standing(text, "last.c"), Standing::Always);
    }

    #[test]
    fn meson_automake_and_make() {
        let text = "if host_machine.system() == 'windows'\nw.c\nelse\np.c\nendif\nif features['x']\nx.c\nendif\n";
        assert_eq!(standing(text, "w.c"), Standing::Never);
        assert_eq!(standing(text, "p.c"), Standing::Always);
        assert_eq!(standing(text, "x.c"), Standing::Maybe);
        assert_eq!(
            standing("if HAVE_PCP\npcp.c\nendif\nmain.c\n", "pcp.c"),
            Standing::Maybe
        );
        let make = "ifeq ($(OS),Windows_NT)\nw.c\nendif\nifneq ($(shell uname),Darwin)\nn.c\nendif\nifdef X\nx.c\nelse ifeq ($(Y),1)\ny.c\nendif\nm.c\n";
        assert_eq!(standing(make, "n.c"), Standing::Always);
        assert_eq!(standing(make, "x.c"), Standing::Maybe);
        assert_eq!(standing(make, "y.c"), Standing::Maybe);
        assert_eq!(standing(make, "m.c"), Standing::Always);
    }

    #[test]
    fn what_closes_too_often_is_no_error() {
        assert_eq!(
            standing("endif\nelse\nendif\na.c\n", "a.c"),
            Standing::Always
        );
    }
}
