//! The stack of `#if`s that is open at a place.

use super::guard::{MAX_DEPTH, one_line};

/// Open `#if`s that are kept; what is nested deeper stands under these.
const MAX_OPEN: usize = 1000;

/// One branch of an `#if`.
struct Branch {
    text: String,
    /// The macro that `#ifndef` tests, until it is defined right inside: an include guard is no condition.
    tests: Option<String>,
    cancelled: bool,
}

/// An `#if` that is open: its branches so far, each but the last turned into its opposite.
#[derive(Default)]
struct Open {
    /// Indices into [`Conditions::branches`].
    branches: Vec<usize>,
    /// An include stands in it while its `#ifndef` may still turn out to be an include guard.
    awaits: bool,
}

/// All branches met so far, and those that are open.
#[derive(Default)]
pub(super) struct Conditions {
    branches: Vec<Branch>,
    open: Vec<Open>,
    /// `#if`s beyond [`MAX_OPEN`] that are open.
    beyond: usize,
}

impl Conditions {
    /// Takes note of a directive other than `#define` and `#include`.
    pub(super) fn directive(&mut self, name: &str, rest: &str) {
        let word = rest.split_whitespace().next().unwrap_or_default();
        match name {
            "if" => self.enter(one_line(rest), None),
            "ifdef" => self.enter(format!("defined({word})"), None),
            "ifndef" => self.enter(format!("!defined({word})"), Some(word.to_owned())),
            "elif" => self.turn(Some(one_line(rest))),
            "elifdef" => self.turn(Some(format!("defined({word})"))),
            "elifndef" => self.turn(Some(format!("!defined({word})"))),
            "else" => self.turn(None),
            "endif" if self.beyond > 0 => self.beyond -= 1,
            "endif" => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn enter(&mut self, text: String, tests: Option<String>) {
        if self.open.len() >= MAX_OPEN {
            self.beyond += 1;
            return;
        }
        let branch = self.branch(text, tests);
        self.open.push(Open {
            branches: vec![branch],
            awaits: false,
        });
    }

    fn branch(&mut self, text: String, tests: Option<String>) -> usize {
        self.branches.push(Branch {
            text,
            tests,
            cancelled: false,
        });
        self.branches.len() - 1
    }

    /// The next branch of the innermost `#if`: the opposite of the one before, and a condition of its own.
    fn turn(&mut self, text: Option<String>) {
        let last = self.open.last().and_then(|open| open.branches.last());
        let (Some(last), 0) = (last.and_then(|at| self.branches.get(*at)), self.beyond) else {
            return;
        };
        let opposite = opposite(&last.text);
        let opposite = self.branch(opposite, None);
        let own = text.map(|text| self.branch(text, None));
        if let Some(open) = self.open.last_mut() {
            open.branches.pop();
            open.branches.push(opposite);
            open.branches.extend(own);
            open.awaits = false;
        }
    }

    /// `#define NAME`: cancels the `#ifndef NAME` that it stands right inside of.
    pub(super) fn define(&mut self, rest: &str) {
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(open) = self.open.last_mut().filter(|_| self.beyond == 0) else {
            return;
        };
        let branch = open
            .branches
            .last()
            .and_then(|at| self.branches.get_mut(*at));
        if let Some(branch) = branch
            && branch.tests.as_deref() == Some(name)
            && !after.starts_with('(')
        {
            branch.cancelled = true;
            open.awaits = false;
        }
    }

    /// The branches that an include stands in.
    pub(super) fn open(&mut self) -> Vec<usize> {
        for open in &mut self.open {
            let branch = open.branches.last().and_then(|at| self.branches.get(*at));
            open.awaits = branch.is_some_and(|branch| branch.tests.is_some() && !branch.cancelled);
        }
        let all = self
            .open
            .iter()
            .rev()
            .flat_map(|open| open.branches.iter().rev());
        // More than are shown, for some may be cancelled yet.
        let mut inner: Vec<usize> = all.take(4 * MAX_DEPTH).copied().collect();
        inner.reverse();
        inner
    }

    /// Whether a `#define` to come may still cancel a branch that an include stands in.
    pub(super) fn awaits(&self) -> bool {
        self.open.iter().any(|open| open.awaits)
    }

    /// The conditions of some branches, innermost last.
    pub(super) fn text(&self, branches: &[usize]) -> String {
        let shown: Vec<&str> = branches
            .iter()
            .filter_map(|at| self.branches.get(*at))
            .filter(|branch| !branch.cancelled)
            .map(|branch| branch.text.as_str())
            .collect();
        let skipped = shown.len().saturating_sub(MAX_DEPTH);
        shown.get(skipped..).unwrap_or_default().join(" && ")
    }
}

/// `!defined(A)` for `defined(A)` and the other way round, `!(…)` for anything else.
fn opposite(text: &str) -> String {
    let single = |text: &str| {
        let inner = text
            .strip_prefix("defined(")
            .and_then(|rest| rest.strip_suffix(')'));
        inner.is_some_and(|inner| inner.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    match text.strip_prefix('!') {
        Some(rest) if single(rest) => rest.to_owned(),
        _ if single(text) => format!("!{text}"),
        _ => format!("!({text})"),
    }
}
