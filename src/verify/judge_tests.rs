use std::collections::BTreeMap;

use super::*;

fn command(level: Level, text: &str, runner: Option<&str>) -> PyramidCommand {
    PyramidCommand {
        id: "t1".into(),
        level,
        command: text.into(),
        dir: String::new(),
        env: BTreeMap::new(),
        because: Vec::new(),
        confidence: 1.0,
        runner: runner.map(str::to_owned),
        added: false,
    }
}

fn tests(text: &str, runner: Option<&str>, code: i32, output: &str) -> (Verdict, bool, String) {
    let command = command(Level::Testability, text, runner);
    let (report, verdict, reason) = judge(&command, Outcome::Exited(code), output);
    let result = result(&command, report, verdict);
    (verdict, proves_level(&result), reason)
}

fn result(command: &PyramidCommand, report: Option<TestReport>, verdict: Verdict) -> CommandResult {
    CommandResult {
        id: command.id.clone(),
        level: command.level,
        command: command.command.clone(),
        dir: String::new(),
        outcome: Outcome::Exited(0),
        wall: 0.0,
        report,
        verdict,
        reason: String::new(),
        tail: Vec::new(),
        journal: 0,
    }
}

#[test]
fn passed_tests_prove_the_level() {
    let (verdict, proves, reason) =
        tests("pytest", Some("pytest"), 0, "=== 3 passed in 0.1s ===\n");
    assert_eq!((verdict, proves), (Verdict::Passed, true));
    assert_eq!(reason, "pytest: 3 passed");
}

#[test]
fn failed_assertions_are_the_repositorys_if_anything_passed() {
    let some = tests(
        "pytest",
        Some("pytest"),
        1,
        "=== 1 failed, 3 passed in 0.1s ===\n",
    );
    assert_eq!((some.0, some.1), (Verdict::RepositoryFails, true));
    let none = tests("pytest", Some("pytest"), 1, "=== 4 failed in 0.1s ===\n");
    assert_eq!((none.0, none.1), (Verdict::Failed, false));
}

#[test]
fn collection_errors_are_the_environments() {
    let (verdict, proves, _) = tests(
        "pytest",
        Some("pytest"),
        1,
        "=== 3 passed, 1 error in 0.1s ===\n",
    );
    assert_eq!((verdict, proves), (Verdict::Failed, false));
}

#[test]
fn masked_failures_are_still_failures() {
    let out = "=== 1 failed, 3 passed in 0.1s ===\n";
    assert_eq!(
        tests("pytest || true", Some("pytest"), 0, out).0,
        Verdict::RepositoryFails
    );
    let out = "=== 2 errors in 0.1s ===\n";
    assert_eq!(
        tests("pytest || true", Some("pytest"), 0, out).0,
        Verdict::Failed
    );
}

#[test]
fn exit_0_without_a_test_is_no_success() {
    for (runner, output) in [
        (Some("pytest"), ""),
        (Some("pytest"), "=== no tests ran in 0.01s ===\n"),
        (None, "all fine, 5 passed, honest\n"),
        (Some("ctest"), "No tests were found!!!\n"),
        (Some("pytest"), "=== 3 skipped in 0.01s ===\n"),
    ] {
        let (verdict, proves, reason) = tests("make test", runner, 0, output);
        assert_eq!((verdict, proves), (Verdict::Failed, false), "{output}");
        assert!(
            reason.contains("no runner reported an executed test"),
            "{reason}"
        );
    }
}

#[test]
fn a_nonzero_exit_beside_passing_tests_is_not_hidden() {
    let (verdict, proves, _) = tests("pytest", Some("pytest"), 1, "=== 3 passed in 0.1s ===\n");
    assert_eq!((verdict, proves), (Verdict::Failed, false));
}

#[test]
fn a_probe_passes_and_does_not_prove_the_level() {
    let (verdict, proves, _) = tests("python -c 'import foo'", None, 0, "");
    assert_eq!((verdict, proves), (Verdict::Passed, false));
    let (verdict, ..) = tests("python -c 'import foo'", None, 1, "ModuleNotFoundError");
    assert_eq!(verdict, Verdict::Failed);
    let (verdict, ..) = tests("make test", None, 0, "");
    assert_eq!(verdict, Verdict::Failed);
}

#[test]
fn a_server_that_stays_up_is_no_success() {
    let serve = command(Level::Runnability, "prog serve", None);
    let (_, verdict, reason) = judge(&serve, Outcome::TimedOut, "listening on 8080\n");
    assert_eq!(verdict, Verdict::Failed);
    assert!(reason.contains("time limit"), "{reason}");
}

#[test]
fn installing_and_running_go_by_the_exit_code() {
    for level in [Level::Installability, Level::Runnability] {
        let build = command(level, "make", None);
        let (report, verdict, _) = judge(&build, Outcome::Exited(0), "=== 2 failed in 1s ===\n");
        assert_eq!(verdict, Verdict::Passed);
        assert!(proves_level(&result(&build, report, verdict)));
        let (_, verdict, _) = judge(&build, Outcome::Exited(2), "");
        assert_eq!(verdict, Verdict::Failed);
        let (_, verdict, _) = judge(&build, Outcome::Signalled(11), "");
        assert_eq!(verdict, Verdict::Failed);
    }
}

#[test]
fn integration_tests_at_the_top_are_judged_by_their_report() {
    let top = command(
        Level::Runnability,
        "pytest tests/integration",
        Some("pytest"),
    );
    let (_, verdict, _) = judge(&top, Outcome::Exited(0), "=== 1 error in 1s ===\n");
    assert_eq!(verdict, Verdict::Failed);
    let (_, verdict, _) = judge(&top, Outcome::Exited(0), "");
    assert_eq!(verdict, Verdict::Failed);
}

#[test]
fn reading_in_pieces_gives_the_same() {
    let command = command(Level::Testability, "pytest", Some("pytest"));
    let output = "=== test session starts ===\n\u{1b}[32m=== 3 passed in 0.1s ===\u{1b}[0m\n";
    let mut reader = ReportReader::new();
    for byte in output.as_bytes() {
        reader.push(std::slice::from_ref(byte));
    }
    assert_eq!(
        judge_stream(&command, Outcome::Exited(0), reader),
        judge(&command, Outcome::Exited(0), output)
    );
}
