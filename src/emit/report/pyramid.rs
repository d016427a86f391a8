//! The Test Pyramid's part of the page: each level, each command with its result.

use serde_json::{Value, json};

use super::ReportData;
use super::view::because;
use crate::emit::progress::words::{duration, outcome_text};
use crate::emit::terminal::{one_line, sanitize};
use crate::pyramid::{Level, Pyramid, PyramidCommand};
use crate::run::{CommandResult, Verdict};
use crate::verify::TestReport;

/// The three steps of the drawing, top first.
pub fn tiers(reached: Option<Level>, pyramid: &Pyramid) -> Vec<Value> {
    let points = [
        (Level::Runnability, "110,4 144,66 76,66", 52),
        (Level::Testability, "72,74 148,74 182,136 38,136", 110),
        (Level::Installability, "34,144 186,144 216,200 4,200", 177),
    ];
    let tier = |(level, points, y): (Level, &str, u32)| {
        let class = match (reached >= Some(level), pyramid.level(level).next()) {
            (true, _) => "reached",
            (false, Some(_)) => "missed",
            (false, None) => "absent",
        };
        let word = match level {
            Level::Installability => "install",
            Level::Testability => "test",
            Level::Runnability => "run",
        };
        json!({ "points": points, "y": y, "class": class, "word": word, "name": level.name() })
    };
    points.into_iter().map(tier).collect()
}

/// Levels with their commands, lowest first.
pub fn levels(data: &ReportData<'_>) -> Vec<Value> {
    let predicate = &data.certificate.predicate;
    let what = |level| match level {
        Level::Installability => "It installs and builds.",
        Level::Testability => "Its tests run, and their runner reports at least one executed test.",
        Level::Runnability => "Its programs start and answer.",
    };
    let level = |level: Level| {
        let commands = data.pyramid.level(level).map(|command| {
            let result = predicate.proof.commands.iter().find(|r| r.id == command.id);
            command_row(command, result)
        });
        json!({
            "name": level.name(),
            "what": what(level),
            "reached": predicate.reached >= Some(level),
            "commands": commands.collect::<Vec<_>>(),
        })
    };
    Level::ALL.into_iter().map(level).collect()
}

fn command_row(command: &PyramidCommand, result: Option<&CommandResult>) -> Value {
    let mut row = match result {
        Some(result) => result_row(result),
        None => json!({
            "class": "skipped", "label": "not tried", "reason": "", "counts": "", "wall": "",
            "outcome": "", "tail": [],
        }),
    };
    if let Some(row) = row.as_object_mut() {
        row.insert("id".into(), json!(one_line(&command.id)));
        row.insert("command".into(), json!(sanitize(&command.command)));
        row.insert("dir".into(), json!(one_line(&command.dir)));
        row.insert("added".into(), json!(command.added));
        row.insert("because".into(), json!(because(&command.because)));
    }
    row
}

/// A result as a row of a table.
pub fn result_row(result: &CommandResult) -> Value {
    let (class, label) = match result.verdict {
        Verdict::Passed => ("passed", "passed"),
        Verdict::RepositoryFails => ("code", "runs; code fails"),
        Verdict::Failed => ("failed", "failed"),
        Verdict::NotTried => ("skipped", "not tried"),
    };
    let tried = result.verdict != Verdict::NotTried;
    let tail: Vec<_> = result.tail.iter().map(|line| sanitize(line)).collect();
    json!({
        "id": one_line(&result.id),
        "command": sanitize(&result.command),
        "class": class,
        "label": label,
        "reason": one_line(&result.reason),
        "counts": result.report.as_ref().map(counts).unwrap_or_default(),
        "wall": if tried { duration(result.wall) } else { String::new() },
        "outcome": if tried { outcome_text(result.outcome) } else { String::new() },
        "tail": tail,
    })
}

/// `24 passed, 1 failed`; what is zero is left out, but for the passed ones.
pub fn counts(report: &TestReport) -> String {
    let mut text = format!("{} passed", report.passed);
    for (count, word) in [
        (report.failed, "failed"),
        (report.errors, "errors"),
        (report.skipped, "skipped"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    text
}

/// The counts of the test command that ran the most tests.
pub fn totals(results: &[CommandResult]) -> String {
    results
        .iter()
        .filter(|result| result.level == Level::Testability)
        .filter_map(|result| result.report.as_ref())
        .max_by_key(|report| report.executed())
        .map(|report| format!("{} ({})", counts(report), one_line(&report.runner)))
        .unwrap_or_default()
}

pub fn left_out(pyramid: &Pyramid) -> Vec<Value> {
    pyramid
        .left_out
        .iter()
        .map(|left| {
            let place = left
                .place
                .as_ref()
                .map(|place| one_line(&place.to_string()));
            json!({
                "command": sanitize(&left.command),
                "place": place,
                "reason": one_line(&left.reason),
            })
        })
        .collect()
}
