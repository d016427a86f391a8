//! What worked must work again: a second run of the script, a second run of the tests.

use super::{Accusation, Case, best_test, capture};
use crate::emit::progress::words::{duration, outcome_text};
use crate::emit::report::counts;
use crate::sandbox::{Result, Sandbox};
use crate::verify::TestReport;

/// Seconds in which the second run of a script that has nothing to do should end, whatever the first took.
const FAST: f64 = 30.0;

/// Seconds that tests may take to be run again whatever the script took, and the share of the script's time.
const CHEAP: f64 = 2.0;
const CHEAP_SHARE: f64 = 0.15;

/// A second run of `setup.sh` succeeds, and finds little to do.
pub fn setup(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Accusation>> {
    let (finished, output) = capture(sandbox, &case.setup)?;
    let wall = finished.wall.as_secs_f64();
    if !finished.outcome.ok() {
        let lines: Vec<_> = output.lines().map(str::to_owned).collect();
        let from = lines.len().saturating_sub(5);
        return Ok(vec![Accusation {
            charge: "setup.sh fails when it runs a second time".to_owned(),
            evidence: lines.into_iter().skip(from).collect(),
            judge: Box::new(|sandbox, case| {
                let (finished, _) = capture(sandbox, &case.setup)?;
                let how = outcome_text(finished.outcome);
                Ok((
                    !finished.outcome.ok(),
                    format!("run once more by itself: {how}"),
                ))
            }),
        }]);
    }
    if wall <= FAST.max(case.setup_wall / 2.0) {
        return Ok(Vec::new());
    }
    let text = format!(
        "{} the first time, {} the second",
        duration(case.setup_wall),
        duration(wall)
    );
    Ok(vec![Accusation {
        charge: "setup.sh repeats its work when it runs a second time".to_owned(),
        evidence: vec![text],
        judge: Box::new(|_, _| {
            Ok((
                false,
                "slow, and it succeeds: the result is not in doubt".to_owned(),
            ))
        }),
    }])
}

/// The best test command gives the same counts again.
pub fn tests(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Accusation>> {
    let Some((command, before)) = best_test(case) else {
        return Ok(Vec::new());
    };
    // A repetition has to cost little beside what was run anyway (`DESIGN.md`: 1.3 times in all).
    if before.wall > CHEAP.max(case.setup_wall * CHEAP_SHARE) {
        return Ok(Vec::new());
    }
    let (_, output) = capture(sandbox, &(case.command)(command))?;
    let now = (case.report)(command, &output);
    let first = before.report.as_ref();
    if key(first) == key(now.as_ref()) {
        return Ok(Vec::new());
    }
    let (first, second) = (words(first), words(now.as_ref()));
    Ok(vec![Accusation {
        charge: format!("{} gives other counts when it runs again", command.id),
        evidence: vec![format!("first: {first}"), format!("second: {second}")],
        judge: Box::new(move |sandbox, case| judge(sandbox, case, now.as_ref())),
    }])
}

/// Tests that waver are the repository's; tests that do not run at all again are the environment's.
fn judge(
    sandbox: &mut dyn Sandbox,
    case: &Case<'_>,
    second: Option<&TestReport>,
) -> Result<(bool, String)> {
    let Some((command, _)) = best_test(case) else {
        return Ok((true, "the command is gone".to_owned()));
    };
    let (_, output) = capture(sandbox, &(case.command)(command))?;
    let third = (case.report)(command, &output);
    let third_words = words(third.as_ref());
    Ok(if sound(second) || sound(third.as_ref()) {
        (
            false,
            format!("a third time: {third_words}; the tests run and waver, the environment holds"),
        )
    } else {
        (
            true,
            format!("a third time: {third_words}; the first result does not repeat"),
        )
    })
}

fn sound(report: Option<&TestReport>) -> bool {
    report.is_some_and(|report| report.passed > 0 && report.errors == 0)
}

fn key(report: Option<&TestReport>) -> Option<(u64, u64, u64)> {
    report.map(|report| (report.passed, report.failed, report.errors))
}

fn words(report: Option<&TestReport>) -> String {
    report.map_or_else(|| "no report".to_owned(), counts)
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Fake, case, nothing};
    use super::super::prosecute;
    use crate::verify::{Charge, sample};

    fn charges(mut fake: Fake) -> Vec<Charge> {
        let (plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        prosecute(&mut fake, &case(&plan, &pyramid, &run.results, &nothing)).unwrap()
    }

    #[test]
    fn a_script_that_fails_the_second_time() {
        let mut fake = Fake::honest();
        fake.answer("setup.sh", 1, "mkdir: cannot create directory\n");
        let found = charges(fake);
        assert!(found[0].upheld);
        assert_eq!(found[0].evidence, ["mkdir: cannot create directory"]);
        let mut fake = Fake::honest();
        fake.answer("setup.sh", 1, "");
        fake.answer("setup.sh", 0, "");
        assert!(!charges(fake)[0].upheld);
    }

    #[test]
    fn a_slow_second_run_is_said_and_dismissed() {
        let mut fake = Fake::honest();
        fake.answer_slow("setup.sh", 31);
        let found = charges(fake);
        assert!(!found[0].upheld && found[0].charge.contains("repeats its work"));
    }

    #[test]
    fn wavering_tests_are_not_the_environments() {
        let mut fake = Fake::honest();
        fake.forget("-ec ctest");
        fake.answer("-ec ctest", 0, "25 0 0");
        fake.answer("-ec ctest", 8, "24 1 0");
        let found = charges(fake);
        assert_eq!(found.len(), 1);
        assert!(!found[0].upheld, "{found:?}");
        assert_eq!(found[0].evidence[1], "second: 25 passed");
    }

    #[test]
    fn tests_that_do_not_run_again_are() {
        let mut fake = Fake::honest();
        fake.forget("-ec ctest");
        fake.answer("-ec ctest", 1, "cannot open shared object");
        assert!(charges(fake)[0].upheld);
    }
}
