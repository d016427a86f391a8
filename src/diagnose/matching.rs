//! Finding the line that caused the rest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use regex::Regex;

use super::clean::{self, Line};
use super::knowledge::{Compiled, Knowledge, Signal, Unit, knowledge, outcome_name};
use super::{Attribution, Failure, expand};
use crate::sandbox::Outcome;

/// Lines that one signal is tried on; a log that repeats one line a million times says no more than that.
const TRIES: u32 = 2_000;
/// Characters of a capture or a proof line that are kept.
const KEPT: usize = 400;
/// What a soft signal weighs less.
const SOFT: i32 = 20;

/// Where the failed output comes from.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// Script layer, or `None` for a pyramid command.
    pub layer: Option<u8>,
    /// Step id or pyramid command id.
    pub step: Option<&'a str>,
    /// The failed command's words, as far as known; may be empty.
    pub argv: &'a [String],
    pub outcome: Outcome,
    /// Names of the repository's own importable modules.
    pub own_modules: &'a [String],
}

/// A line that a signal holds on.
struct Found<'k> {
    unit: &'k Unit,
    signal: Option<&'k Signal>,
    priority: i32,
    soft: bool,
    /// Index into the lines.
    index: usize,
    captures: BTreeMap<String, String>,
}

/// What went wrong. Always gives a [`Failure`]; its kind is `unknown` where no unit knows the output.
/// Takes time linear in `output`, of which at most 24 MiB are looked at.
pub fn diagnose(output: &str, at: &At<'_>) -> Failure {
    let lines = clean::lines(output);
    match knowledge() {
        Ok(knowledge) => best(knowledge, &lines, at).unwrap_or_else(|| unknown(&lines, at)),
        Err(_) => unknown(&lines, at),
    }
}

/// Every kind of failure that shows in `output`, the likeliest cause first, one entry a kind and capture.
pub fn ranked(output: &str, at: &At<'_>) -> Vec<Failure> {
    let lines = clean::lines(output);
    let Ok(knowledge) = knowledge() else {
        return vec![unknown(&lines, at)];
    };
    let mut failures: Vec<Failure> = Vec::new();
    for found in sorted(knowledge, &lines, at) {
        let failure = failure(&found, &lines, at);
        if !failures.iter().any(|other| other.key() == failure.key()) {
            failures.push(failure);
        }
    }
    if failures.is_empty() {
        failures.push(unknown(&lines, at));
    }
    failures
}

fn best(knowledge: &Knowledge, lines: &[Line<'_>], at: &At<'_>) -> Option<Failure> {
    let first = sorted(knowledge, lines, at).into_iter().next()?;
    Some(failure(&first, lines, at))
}

/// All matches: greater priority first; of equal ones the earliest that stops a program, then the latest that need not.
fn sorted<'k>(knowledge: &'k Knowledge, lines: &[Line<'_>], at: &At<'_>) -> Vec<Found<'k>> {
    let mut found = scan(knowledge, lines, at);
    let name = outcome_name(at.outcome);
    for unit in knowledge.units() {
        if unit.outcomes.contains(&name) {
            found.push(Found {
                unit,
                signal: None,
                priority: unit.priority,
                soft: false,
                index: lines.len().saturating_sub(1),
                captures: BTreeMap::new(),
            });
        }
    }
    found.sort_by_key(|f| {
        let position = i64::try_from(f.index).unwrap_or(i64::MAX);
        (
            Reverse(f.priority),
            f.soft,
            if f.soft { -position } else { position },
        )
    });
    found
}

fn scan<'k>(knowledge: &'k Knowledge, lines: &[Line<'_>], at: &At<'_>) -> Vec<Found<'k>> {
    let mut tries = vec![0u32; knowledge.compiled.len()];
    // Of a soft signal the last line counts: once it had its tries, each new line takes the place of the one before.
    let mut newest: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        for nth in &knowledge.set.matches(&line.text) {
            let Some((compiled, unit, signal)) = knowledge.signal(nth) else {
                continue;
            };
            let Some(tried) = tries.get_mut(nth) else {
                continue;
            };
            *tried = tried.saturating_add(1);
            if *tried > TRIES && !signal.soft {
                continue;
            }
            let Some(captures) = holds(compiled, signal, lines, index, at) else {
                continue;
            };
            let priority = signal.priority.unwrap_or(unit.priority);
            let here = Found {
                unit,
                signal: Some(signal),
                priority: if signal.soft {
                    priority - SOFT
                } else {
                    priority
                },
                soft: signal.soft,
                index,
                captures,
            };
            let place = newest.get(&nth).and_then(|place| found.get_mut(*place));
            match place {
                Some(place) if *tried > TRIES => *place = here,
                _ => {
                    newest.insert(nth, found.len());
                    found.push(here);
                }
            }
        }
    }
    found
}

/// The captures, if the signal's pattern and all its conditions hold at `index`.
fn holds(
    compiled: &Compiled,
    signal: &Signal,
    lines: &[Line<'_>],
    index: usize,
    at: &At<'_>,
) -> Option<BTreeMap<String, String>> {
    if !signal.layers.is_empty() && !at.layer.is_some_and(|l| signal.layers.contains(&l)) {
        return None;
    }
    if !signal.programs.is_empty() && !names_program(at.argv, &signal.programs) {
        return None;
    }
    let text = &lines.get(index)?.text;
    let matched = compiled.pattern.captures(text)?;
    let from = index.saturating_sub(signal.within);
    let to = (index + signal.within + 1).min(lines.len());
    let around = lines.get(from..to)?;
    let any = |regex: &Regex| around.iter().any(|line| regex.is_match(&line.text));
    if compiled.near.as_ref().is_some_and(|near| !any(near)) {
        return None;
    }
    if compiled.unless.as_ref().is_some_and(any) {
        return None;
    }
    let mut captures = signal.set.clone();
    for name in compiled.pattern.capture_names().flatten() {
        if let Some(value) = matched.name(name).filter(|v| !v.as_str().is_empty()) {
            // `header_2` is another place of the same capture: alternatives cannot share a name.
            let name = name.split_once('_').map_or(name, |(stem, _)| stem);
            captures.insert(name.to_owned(), cut(value.as_str().trim()));
        }
    }
    let is_own = |capture: &String| {
        captures
            .get(capture)
            .and_then(|value| value.split(['.', '/']).next())
            .is_some_and(|top| at.own_modules.iter().any(|own| own == top))
    };
    let wrong = signal.own.as_ref().is_some_and(|name| !is_own(name))
        || signal.foreign.as_ref().is_some_and(is_own);
    (!wrong).then_some(captures)
}

fn names_program(argv: &[String], programs: &[String]) -> bool {
    argv.iter().any(|word| {
        let base = word.rsplit('/').next().unwrap_or(word);
        programs.iter().any(|program| program == base)
    })
}

fn failure(found: &Found<'_>, lines: &[Line<'_>], at: &At<'_>) -> Failure {
    let Found { unit, signal, .. } = found;
    let title = signal
        .and_then(|s| s.title.as_ref())
        .and_then(|t| expand(t, &found.captures))
        .or_else(|| expand(&unit.title, &found.captures))
        .unwrap_or_else(|| unit.id.replace('-', " "));
    let missing = signal
        .and_then(|s| s.missing.as_ref())
        .or(unit.missing.as_ref())
        .and_then(|t| expand(t, &found.captures))
        .and_then(|text| text.parse().ok());
    Failure {
        kind: unit.id.clone(),
        title: cut(&title),
        attribution: signal
            .and_then(|s| s.attribution)
            .unwrap_or(unit.attribution),
        layer: at.layer,
        step: at.step.map(str::to_owned),
        missing,
        captures: found.captures.clone(),
        lines: proof(lines, found.index),
        position: lines.get(found.index).map_or(0, |line| line.number),
    }
}

/// The line and its neighbours: one before, two after.
fn proof(lines: &[Line<'_>], index: usize) -> Vec<String> {
    let from = index.saturating_sub(1);
    let to = (index + 3).min(lines.len());
    lines
        .get(from..to)
        .unwrap_or_default()
        .iter()
        .map(|line| cut(&line.text))
        .collect()
}

fn cut(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

/// Nothing is known of it: the last lines speak for themselves.
fn unknown(lines: &[Line<'_>], at: &At<'_>) -> Failure {
    let how = match at.outcome {
        Outcome::Exited(code) => format!("it exited {code}"),
        Outcome::Signalled(number) => format!("it was ended by signal {number}"),
        other => outcome_name(other).replace('-', " "),
    };
    let tail = lines
        .get(lines.len().saturating_sub(8)..)
        .unwrap_or_default();
    Failure {
        kind: "unknown".to_owned(),
        title: format!("{how}, and no known failure shows in its output"),
        attribution: Attribution::Unknown,
        layer: at.layer,
        step: at.step.map(str::to_owned),
        missing: None,
        captures: BTreeMap::new(),
        lines: tail.iter().map(|line| cut(&line.text)).collect(),
        position: lines.last().map_or(0, |line| line.number),
    }
}
