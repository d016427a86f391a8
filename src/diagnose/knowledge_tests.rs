//! Every unit against its own examples and near misses, and all units against each other.

use regex::Regex;

use super::knowledge::{Example, Knowledge, Unit, knowledge, outcome_name};
use super::{At, diagnose, ranked};
use crate::repair::Act;
use crate::sandbox::Outcome;

fn all() -> &'static Knowledge {
    knowledge().unwrap_or_else(|error| panic!("{error}"))
}

fn outcome_of(name: Option<&str>) -> Outcome {
    let name = name.unwrap_or("exit-1");
    let number = |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse().ok());
    let outcome = match name {
        "timed-out" => Outcome::TimedOut,
        "silent" => Outcome::Silent,
        "output-limit" => Outcome::OutputLimit,
        "out-of-memory" => Outcome::OutOfMemory,
        "disk-limit" => Outcome::DiskLimit,
        _ => number("exit-")
            .map(Outcome::Exited)
            .or_else(|| number("signal-").map(Outcome::Signalled))
            .unwrap_or_else(|| panic!("unknown outcome {name}")),
    };
    assert_eq!(outcome_name(outcome), name);
    outcome
}

fn at(example: &Example) -> At<'_> {
    At {
        layer: example.layer,
        step: Some("step"),
        argv: &example.argv,
        outcome: outcome_of(example.outcome.as_deref()),
        own_modules: &example.own_modules,
    }
}

/// What is wrong with one example, if anything.
fn fault(unit: &Unit, example: &Example) -> Option<String> {
    let failure = diagnose(&example.log, &at(example));
    if failure.kind != unit.id {
        return Some(format!("diagnosed as {} ({})", failure.kind, failure.title));
    }
    for (name, value) in &example.captures {
        if failure.captures.get(name) != Some(value) {
            return Some(format!(
                "{name} is {:?}, not {value}",
                failure.captures.get(name)
            ));
        }
    }
    let missing = failure.missing.as_ref().map(ToString::to_string);
    if example.missing.is_some() && example.missing != missing {
        return Some(format!("missing is {missing:?}, not {:?}", example.missing));
    }
    if failure.title == unit.id.replace('-', " ")
        || (failure.lines.is_empty() && !example.log.trim().is_empty())
    {
        return Some(format!(
            "title {:?}, lines {:?}",
            failure.title, failure.lines
        ));
    }
    None
}

#[test]
fn every_example_is_diagnosed_as_its_unit() {
    let mut faults = Vec::new();
    for unit in all().units() {
        assert!(unit.examples.len() >= 2, "{} has too few examples", unit.id);
        for (nth, example) in unit.examples.iter().enumerate() {
            if let Some(why) = fault(unit, example) {
                faults.push(format!("{} example {}: {why}", unit.id, nth + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_near_miss_matches() {
    let mut faults = Vec::new();
    for unit in all().units() {
        assert!(!unit.near_misses.is_empty(), "{} has no near miss", unit.id);
        for (nth, miss) in unit.near_misses.iter().enumerate() {
            let found = ranked(&miss.log, &at(miss));
            if let Some(failure) = found.iter().find(|failure| failure.kind == unit.id) {
                faults.push(format!(
                    "{} near miss {}: {:?}",
                    unit.id,
                    nth + 1,
                    failure.lines
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_signal_is_shown_by_an_example() {
    let knowledge = all();
    let mut faults = Vec::new();
    for compiled in &knowledge.compiled {
        let unit = &knowledge.units()[compiled.unit];
        let shown = unit.examples.iter().any(|example| {
            let lines = super::clean::lines(&example.log);
            lines
                .iter()
                .any(|line| compiled.pattern.is_match(&line.text))
        });
        if !shown {
            faults.push(format!("{}: {}", unit.id, compiled.pattern));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn atoms_are_sound() {
    let strategies: Vec<_> = crate::repair::strategy_names();
    for unit in all().units() {
        for atom in &unit.atoms {
            for pattern in atom.when.values() {
                Regex::new(pattern).unwrap_or_else(|error| panic!("{}: {error}", unit.id));
            }
            if let Act::Strategy { name } = &atom.act {
                assert!(
                    strategies.contains(&name.as_str()),
                    "{}: no strategy {name}",
                    unit.id
                );
            }
        }
        assert!(
            !unit.advice.trim().is_empty() && unit.title.len() < 120,
            "{}",
            unit.id
        );
    }
}
