//! What the end of a command says about the environment (`DESIGN.md`, verification).
//!
//! The rules, in order:
//! 1. A command that was stopped (time, silence, output, memory, signal) proves nothing.
//! 2. Where a runner printed its summary, the summary is believed rather than the exit code: errors of collection,
//!    import, linking and crashes are the environment's; failed assertions are the repository's, *provided that
//!    something passed*: where every single test fails, nothing says that the environment is not the reason.
//! 3. At the level of tests, exit 0 without a summary of at least one executed test is no success. A smoke probe
//!    (`prog --version`) may pass, but never makes the level reached: see [`proves_level`].
//! 4. At the other levels the exit code decides.

use super::TestReport;
use super::reports::{self, ReportReader};
use crate::pyramid::{Level, PyramidCommand, is_probe};
use crate::run::{CommandResult, Verdict};
use crate::sandbox::Outcome;

/// Judges a finished command by its outcome and its whole output. The text says why, in one line.
pub fn judge(
    command: &PyramidCommand,
    outcome: Outcome,
    output: &str,
) -> (Option<TestReport>, Verdict, String) {
    let report = wants_report(command)
        .then(|| reports::parse(command.runner.as_deref(), output))
        .flatten();
    let (verdict, reason) = judge_report(command, outcome, report.as_ref());
    (report, verdict, reason)
}

/// The same for output that was read as it came, so that it need not be kept.
pub fn judge_stream(
    command: &PyramidCommand,
    outcome: Outcome,
    reader: ReportReader,
) -> (Option<TestReport>, Verdict, String) {
    let report = wants_report(command)
        .then(|| reader.finish(command.runner.as_deref()))
        .flatten();
    let (verdict, reason) = judge_report(command, outcome, report.as_ref());
    (report, verdict, reason)
}

/// True where the result makes its level reached. For tests: a runner reported at least one executed test, and
/// what failed is the repository's own. A passed probe is a fact worth keeping, and no proof of the level.
pub fn proves_level(result: &CommandResult) -> bool {
    let executed = result.report.as_ref().map_or(0, TestReport::executed);
    match (result.verdict, result.level) {
        (Verdict::Passed, Level::Testability) => executed > 0,
        (Verdict::Passed, _) => true,
        (Verdict::RepositoryFails, _) => executed > 0,
        (Verdict::Failed | Verdict::NotTried, _) => false,
    }
}

/// Output of an installation is not searched for test summaries: a build may run a few tests of its own.
fn wants_report(command: &PyramidCommand) -> bool {
    command.level != Level::Installability || command.runner.is_some()
}

fn judge_report(
    command: &PyramidCommand,
    outcome: Outcome,
    report: Option<&TestReport>,
) -> (Verdict, String) {
    if let Some(why) = stopped(outcome) {
        return (Verdict::Failed, why);
    }
    match report {
        Some(report) if command.level == Level::Testability || command.runner.is_some() => {
            by_report(outcome, report)
        }
        // A program may print anything; only its exit code was asked for.
        _ if command.level != Level::Testability && command.runner.is_none() => by_exit(outcome),
        _ => without_report(command, outcome),
    }
}

fn stopped(outcome: Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Exited(_) => return None,
        Outcome::Signalled(signal) => format!("killed by signal {signal}"),
        Outcome::TimedOut => {
            "still running at the time limit: neither a success nor a failure was seen".to_owned()
        }
        Outcome::Silent => "printed nothing for too long and was stopped".to_owned(),
        Outcome::OutputLimit => "printed more than the output limit and was stopped".to_owned(),
        Outcome::OutOfMemory => "ran out of memory".to_owned(),
        Outcome::DiskLimit => "wrote more to the disk than its limit and was stopped".to_owned(),
        Outcome::Interrupted => "interrupted".to_owned(),
    })
}

fn by_exit(outcome: Outcome) -> (Verdict, String) {
    match outcome {
        Outcome::Exited(0) => (Verdict::Passed, "exited 0".to_owned()),
        Outcome::Exited(127) => (
            Verdict::Failed,
            "exited 127: a command was not found".to_owned(),
        ),
        Outcome::Exited(code) => (Verdict::Failed, format!("exited {code}")),
        other => (Verdict::Failed, format!("ended as {other:?}")),
    }
}

fn without_report(command: &PyramidCommand, outcome: Outcome) -> (Verdict, String) {
    if !outcome.ok() {
        let (verdict, reason) = by_exit(outcome);
        return (
            verdict,
            format!("{reason}, and no runner printed a summary"),
        );
    }
    if command.runner.is_none() && is_probe(&command.command) {
        return (
            Verdict::Passed,
            "exited 0 (a probe: no test was executed)".to_owned(),
        );
    }
    (
        Verdict::Failed,
        "exited 0, but no runner reported an executed test".to_owned(),
    )
}

fn by_report(outcome: Outcome, report: &TestReport) -> (Verdict, String) {
    let said = summary(report);
    if report.errors > 0 {
        return (
            Verdict::Failed,
            format!("{said}: errors of collection, import, linking or a crash"),
        );
    }
    if report.executed() == 0 {
        return (
            Verdict::Failed,
            format!("{said}: no runner reported an executed test"),
        );
    }
    match (report.failed, report.passed) {
        (0, _) if outcome.ok() => (Verdict::Passed, said),
        (0, _) => {
            let (_, exit) = by_exit(outcome);
            (
                Verdict::Failed,
                format!("{said}, but the command {exit}: something else in it failed"),
            )
        }
        (_, 0) => (
            Verdict::Failed,
            format!("{said}: nothing passed, so nothing shows that the environment works"),
        ),
        _ => (
            Verdict::RepositoryFails,
            format!("{said}: the tests run, and some of the repository's assertions fail"),
        ),
    }
}

/// `pytest: 12 passed, 1 failed, 2 skipped`.
fn summary(report: &TestReport) -> String {
    let mut parts = vec![format!("{} passed", report.passed)];
    for (number, word) in [
        (report.failed, "failed"),
        (report.errors, "in error"),
        (report.skipped, "skipped"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    format!("{}: {}", report.runner, parts.join(", "))
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
