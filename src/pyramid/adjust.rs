//! Step 5: each command once and at one level, the best few of each level, and the common ones that are missing.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::classify::Candidate;
use super::refine::{missing, push_because};
use super::retrieve::{Entry, Known};
use super::{LeftOut, Level, PyramidCommand, normal, shell};
use super::{aside, superfluous};
use crate::evidence::{Because, Trust};
use crate::graph::EntryKind;

/// Commands of one level that are worth their time.
pub const MOST_PER_LEVEL: usize = 6;
/// Commands added at one level by convention.
const MOST_ADDED: usize = 2;
/// Entries of the list of what was left out.
pub const MOST_LEFT_OUT: usize = 200;

pub fn adjust(
    mut candidates: Vec<Candidate>,
    known: &Known,
) -> (Vec<PyramidCommand>, Vec<LeftOut>) {
    candidates.extend(common(&candidates, known));
    let mut left_out = Vec::new();
    superfluous::remove(&mut candidates, &mut left_out);
    aside::remove(&mut candidates, &mut left_out);
    let mut unique = without_beginnings(deduplicate(candidates));
    unique.sort_by(better);
    let mut commands = Vec::new();
    for level in Level::ALL {
        let of_level: Vec<Candidate> = unique
            .iter()
            .filter(|c| c.level == level)
            .cloned()
            .collect();
        // The plan's own commands keep their places; the best of the others take the rest.
        let planned = of_level
            .iter()
            .filter(|c| c.planned)
            .count()
            .min(MOST_PER_LEVEL);
        let mut room = MOST_PER_LEVEL - planned;
        let mut place = planned;
        for candidate in of_level {
            let seats = if candidate.planned {
                &mut place
            } else {
                &mut room
            };
            if *seats == 0 {
                left_out.push(LeftOut {
                    place: candidate.because.first().and_then(|b| b.place.clone()),
                    command: candidate.command,
                    reason: format!("{MOST_PER_LEVEL} better commands stand at its level"),
                });
                continue;
            }
            *seats -= 1;
            let number = commands
                .iter()
                .filter(|c: &&PyramidCommand| c.level == level)
                .count()
                + 1;
            commands.push(finish(candidate, number));
        }
    }
    (commands, left_out)
}

fn finish(candidate: Candidate, number: usize) -> PyramidCommand {
    let letter = match candidate.level {
        Level::Installability => 'i',
        Level::Testability => 't',
        Level::Runnability => 'r',
    };
    PyramidCommand {
        id: format!("{letter}{number}"),
        level: candidate.level,
        command: candidate.command,
        dir: candidate.dir,
        env: candidate.env,
        because: candidate.because,
        confidence: candidate.confidence.clamp(0.0, 1.0),
        runner: candidate.runner,
        added: candidate.added,
    }
}

/// Best first: what is tested before what only answers, then by trust, rank and confidence. Stable otherwise.
fn better(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    let key = |c: &Candidate| (c.level, c.probe, Reverse(c.trust), Reverse(c.rank));
    key(a)
        .cmp(&key(b))
        .then(b.confidence.total_cmp(&a.confidence))
}

/// Commands that do the same become one, with all their reasons. Where they stand at different levels, the most
/// trusted says which; where they differ only in form, the plan's form is kept, as it fits the environment.
fn deduplicate(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut by_key: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut unique: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let key = (candidate.dir.clone(), normal::key(&candidate.command));
        let Some(first) = by_key.get(&key).and_then(|at| unique.get_mut(*at)) else {
            by_key.insert(key, unique.len());
            unique.push(candidate);
            continue;
        };
        for because in &candidate.because {
            push_because(&mut first.because, because.clone());
        }
        if candidate.planned && !first.planned {
            first.planned = true;
            first.command.clone_from(&candidate.command);
            first.runner = candidate.runner.clone().or_else(|| first.runner.take());
        } else if first.runner.is_none() {
            first.runner.clone_from(&candidate.runner);
        }
        if (candidate.trust, candidate.rank) > (first.trust, first.rank) {
            (first.trust, first.rank) = (candidate.trust, candidate.rank);
            first.level = candidate.level;
        }
        first.confidence = first.confidence.max(candidate.confidence);
        first.added &= candidate.added;
    }
    unique
}

/// A sequence that another one of its level goes on from proves nothing more.
fn without_beginnings(unique: Vec<Candidate>) -> Vec<Candidate> {
    let goes_on = |a: &Candidate| {
        unique.iter().any(|b| {
            b.level == a.level
                && b.dir == a.dir
                && b.command.len() > a.command.len()
                && b.command.starts_with(&format!("{}\n", a.command))
        })
    };
    let keep: Vec<bool> = unique
        .iter()
        .map(|a| a.planned || a.before_joined == 0 || !goes_on(a))
        .collect();
    let kept = unique.into_iter().zip(keep);
    kept.filter_map(|(candidate, keep)| keep.then_some(candidate))
        .collect()
}

/// Suites whose framework needs nothing but its own name to run them.
fn suites(known: &Known) -> Option<Candidate> {
    known.suites.iter().find_map(|(framework, place)| {
        let command = match framework.as_str() {
            "pytest" => "pytest",
            "unittest" => "python -m unittest",
            "cargo" => "cargo test",
            _ => return None,
        };
        let entry = Entry {
            name: framework.clone(),
            kind: EntryKind::Library,
            place: place.clone(),
            ecosystem: String::new(),
            dir: String::new(),
        };
        let text = "how its suites are commonly run";
        let mut candidate = convention(Level::Testability, command.to_owned(), &entry, text);
        candidate.runner = Some(framework.clone());
        candidate.probe = false;
        candidate.confidence = 0.6;
        Some(candidate)
    })
}

/// Commands that such a repository is commonly tried with and that nobody wrote down.
fn common(candidates: &[Candidate], known: &Known) -> Vec<Candidate> {
    let mut added = Vec::new();
    let gaps: Vec<Level> = missing(candidates).collect();
    if gaps.contains(&Level::Testability) {
        added.extend(suites(known));
    }
    let imports = known
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Library && entry.ecosystem == "python")
        .filter(|entry| is_module(&entry.name))
        .map(|entry| {
            let text = format!("python -c 'import {}'", entry.name);
            convention(Level::Testability, text, entry, "a library can be imported")
        });
    added.extend(imports.take(MOST_ADDED));
    if gaps.contains(&Level::Runnability) {
        let programs = known.entries.iter().filter_map(help);
        added.extend(programs.take(MOST_ADDED));
    }
    if !added
        .iter()
        .any(|c: &Candidate| c.level == Level::Runnability)
        && gaps.contains(&Level::Runnability)
    {
        added.extend(cargo_example(known));
    }
    added
}

fn convention(level: Level, command: String, entry: &Entry, text: &str) -> Candidate {
    Candidate {
        level,
        probe: level == Level::Testability,
        dir: entry.dir.clone(),
        because: vec![Because {
            place: entry.place.clone(),
            text: format!("{}: {text}", entry.name),
            trust: Trust::Convention,
        }],
        command,
        env: BTreeMap::new(),
        trust: Trust::Convention,
        rank: 0,
        confidence: 0.4,
        runner: None,
        added: true,
        planned: false,
        in_build_dir: false,
        before: Vec::new(),
        before_joined: 0,
        needs_tool: None,
    }
}

/// Asks a program for its help: weak, but it starts. Only where its ecosystem puts it within reach.
fn help(entry: &Entry) -> Option<Candidate> {
    let name = shell::quote(&entry.name);
    if name.is_empty() || entry.name.starts_with('-') {
        return None;
    }
    let command = match (entry.ecosystem.as_str(), entry.kind) {
        ("python", EntryKind::Command) => format!("{name} --help"),
        ("cargo", EntryKind::Command) => format!("cargo run --bin {name} -- --help"),
        _ => return None,
    };
    let text = "a program can be asked for its help";
    Some(convention(Level::Runnability, command, entry, text))
}

/// An example program of a Rust library without programs.
fn cargo_example(known: &Known) -> Option<Candidate> {
    let library = known
        .entries
        .iter()
        .find(|entry| entry.ecosystem == "cargo")?;
    let folder = super::retrieve::join(&library.dir, "examples");
    let example = known.files.iter().find_map(|path| {
        let name = path
            .strip_prefix(&folder)?
            .strip_prefix('/')?
            .strip_suffix(".rs")?;
        (!name.contains('/')).then(|| (name.to_owned(), path.clone()))
    })?;
    let mut command = convention(
        Level::Runnability,
        format!("cargo run --example {}", shell::quote(&example.0)),
        library,
        "an example program of the library",
    );
    command.because = vec![Because::at(
        crate::evidence::Place::file(example.1),
        Trust::Convention,
        "an example program of the library",
    )];
    command.confidence = 0.3;
    Some(command)
}

fn is_module(name: &str) -> bool {
    name.split('.').all(|part| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
