//! The machine that reads reports out of a stream of output.

use regex::Captures;

use super::clean::{MAX_LINE, clean_line};
use super::counts::{Counts, Field};
use super::format::{Catalogue, Does, Rule, Runner, Where, catalogue};
use crate::verify::TestReport;

/// Characters of a line kept as evidence.
const MAX_EVIDENCE: usize = 300;

/// Reads output as it comes, in pieces of any size, and keeps a few numbers a runner: outputs of any length need
/// constant memory. Only the first 4 KiB of a line are looked at.
pub struct ReportReader {
    catalogue: &'static Catalogue,
    states: Vec<State>,
    /// The unfinished line.
    partial: Vec<u8>,
    line: u64,
    /// The latest line that was not blank.
    previous: String,
}

/// What one runner has said so far.
#[derive(Debug, Default, Clone)]
struct State {
    open: Option<Counts>,
    /// Sessions begun and not ended, of a runner whose sessions nest.
    depth: u32,
    /// All finished runs.
    sum: Counts,
    /// `sum` without the latest report of a run that began, should a better one follow.
    base: Option<Counts>,
    /// Numbers that no quotation can take back.
    always: Counts,
    reports: u64,
    /// Runs that began and were cut short by the beginning of another.
    cut: u64,
    evidence: String,
    /// Line of the runner's latest rule, and of its latest report.
    last: u64,
    reported: u64,
}

impl Default for ReportReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ReportReader {
    pub fn new() -> Self {
        let catalogue = catalogue();
        Self {
            catalogue,
            states: vec![State::default(); catalogue.runners.len()],
            partial: Vec::new(),
            line: 0,
            previous: String::new(),
        }
    }

    /// Takes the next piece of output.
    pub fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let room = MAX_LINE.saturating_sub(self.partial.len());
            self.partial
                .extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or(piece));
            if piece.last() == Some(&b'\n') {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        self.line += 1;
        let raw = std::mem::take(&mut self.partial);
        let text = clean_line(&raw);
        // Give the buffer back: lines come by the million.
        self.partial = raw;
        self.partial.clear();
        if text.trim().is_empty() {
            return;
        }
        for pattern in self.catalogue.set.matches(&text) {
            let Some(&(runner, rule)) = self.catalogue.index.get(pattern) else {
                continue;
            };
            if let (Some(runner), Some(state)) = (
                self.catalogue.runners.get(runner),
                self.states.get_mut(runner),
            ) && let Some(rule) = runner.rules.get(rule)
            {
                state.take(runner, rule, &text, self.line, &self.previous);
            }
        }
        self.previous = text;
    }

    /// The report of the runner `hint` names, else of the runner that reported last: the outer one of two
    /// prints its summary after the inner one. Errors that other runners reported stay errors.
    pub fn finish(mut self, hint: Option<&str>) -> Option<TestReport> {
        if !self.partial.is_empty() {
            self.end_line();
        }
        let hinted = hint.and_then(|name| self.catalogue.find(name));
        if let Some(report) = hinted.and_then(|at| self.report(at)) {
            return Some(report);
        }
        let reported = |generic: bool| {
            (0..self.states.len())
                .filter(|at| self.runner(*at).is_some_and(|r| r.generic == generic))
                .filter(|at| self.states.get(*at).is_some_and(|s| s.reports > 0))
                .max_by_key(|at| self.states.get(*at).map_or(0, |s| s.reported))
        };
        let winner = reported(false).or_else(|| reported(true))?;
        let mut report = self.report(winner)?;
        let others = (0..self.states.len()).filter(|at| *at != winner);
        report.errors += others
            .filter(|at| self.runner(*at).is_some_and(|r| !r.generic))
            .filter_map(|at| self.report(at))
            .map(|other| other.errors)
            .sum::<u64>();
        Some(report)
    }

    fn runner(&self, at: usize) -> Option<&'static Runner> {
        self.catalogue.runners.get(at)
    }

    fn report(&self, at: usize) -> Option<TestReport> {
        let (runner, state) = (self.runner(at)?, self.states.get(at)?);
        if state.reports == 0 {
            return None;
        }
        let mut sum = state.sum;
        sum.merge(&state.always);
        let (passed, failed, errors, skipped) = sum.settle();
        // A run that never printed its summary crashed, even where others did print theirs.
        let unfinished = u64::from(state.open.is_some()) + state.cut;
        Some(TestReport {
            runner: runner.name.clone(),
            passed,
            failed,
            errors: errors.saturating_add(unfinished),
            skipped,
            evidence: state.evidence.clone(),
        })
    }
}

impl State {
    fn take(&mut self, runner: &Runner, rule: &Rule, text: &str, line: u64, previous: &str) {
        let refused = rule.within.is_some_and(|most| line - self.last > most)
            || rule.after.as_ref().is_some_and(|re| !re.is_match(previous))
            || rule.unless.as_ref().is_some_and(|re| re.is_match(text));
        let Some(captures) = rule.regex.captures(text).filter(|_| !refused) else {
            return;
        };
        let found = numbers(runner, rule, &captures);
        let used = match rule.does {
            Does::Begin => self.begin(runner, found),
            Does::Note => self.note(runner, &found),
            Does::Report => self.report(runner, rule, &found, text, line),
            Does::Amend => self.amend(&found),
            Does::Always => {
                self.always.merge(&found);
                true
            }
        };
        if used {
            self.last = line;
        }
    }

    fn begin(&mut self, runner: &Runner, found: Counts) -> bool {
        if runner.nested {
            self.depth += 1;
            if self.depth > 1 {
                return true;
            }
        } else if self.open.is_some() {
            self.cut += 1;
        }
        self.open = Some(found);
        self.base = None;
        true
    }

    fn note(&mut self, runner: &Runner, found: &Counts) -> bool {
        match &mut self.open {
            _ if self.depth > 1 => return false,
            Some(open) => open.merge(found),
            None if runner.begins => return false,
            None => self.sum.merge(found),
        }
        true
    }

    fn report(
        &mut self,
        runner: &Runner,
        rule: &Rule,
        found: &Counts,
        text: &str,
        line: u64,
    ) -> bool {
        if rule.needs_numbers && self.sum.is_empty() {
            return false;
        }
        if rule.at == Where::Outside && self.open.is_some() {
            return false;
        }
        if self.depth > 1 {
            self.depth -= 1;
            return true;
        }
        let base = if let Some(open) = self.open.take() {
            self.sum.merge(&open);
            self.reports += 1;
            Some(self.sum)
        } else if let Some(base) = self.base.filter(|_| rule.at != Where::Outside) {
            // A second summary of one run: the first was a quotation in what a failed test printed.
            self.sum = base;
            Some(base)
        } else if runner.begins && rule.at == Where::Session {
            return false;
        } else {
            self.reports += 1;
            None
        };
        self.base = base;
        self.depth = 0;
        self.sum.merge(found);
        self.reported = line;
        if self.reports == 1 {
            self.evidence = text.trim().chars().take(MAX_EVIDENCE).collect();
        }
        true
    }

    fn amend(&mut self, found: &Counts) -> bool {
        if self.reports == 0 || self.open.is_some() {
            return false;
        }
        self.sum.merge(found);
        true
    }
}

fn numbers(runner: &Runner, rule: &Rule, captures: &Captures<'_>) -> Counts {
    let mut found = Counts::default();
    if let Some(field) = rule.count {
        found.add(field, 1);
    }
    for name in rule.regex.capture_names().flatten() {
        let Some(text) = captures.name(name) else {
            continue;
        };
        if name == "counts" {
            found.add_list(text.as_str(), &runner.words);
        } else if let (Some(field), Ok(number)) = (Field::of_group(name), text.as_str().parse()) {
            found.add(field, number);
        }
    }
    found
}
