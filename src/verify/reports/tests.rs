//! Every file's own examples and near misses, and the behaviour of the machine.

use serde::Deserialize;

use super::format::files;
use super::*;

/// What the tests read of a runner's file.
#[derive(Debug, Deserialize)]
struct Examples {
    #[serde(default)]
    example: Vec<Example>,
    #[serde(default)]
    near_miss: Vec<NearMiss>,
}

/// A real output and what it says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    output: String,
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    errors: u64,
    #[serde(default)]
    skipped: u64,
}

/// An output that looks like a report to a careless reader.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NearMiss {
    output: String,
}

fn examples() -> Vec<(String, Examples)> {
    files()
        .into_iter()
        .map(|(name, text)| {
            let read = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, read)
        })
        .collect()
}

fn short(report: Option<&TestReport>) -> Option<(u64, u64, u64, u64)> {
    report.map(|r| (r.passed, r.failed, r.errors, r.skipped))
}

#[test]
fn every_file_reads_its_examples_by_hint_and_by_sniffing() {
    let mut wrong = Vec::new();
    for (name, file) in examples() {
        assert!(!file.example.is_empty(), "{name}: no example");
        for (at, example) in file.example.iter().enumerate() {
            let expected = Some((
                example.passed,
                example.failed,
                example.errors,
                example.skipped,
            ));
            let hinted = parse(Some(&name), &example.output);
            if short(hinted.as_ref()) != expected {
                wrong.push(format!("{name} example {at}: {hinted:?}, not {expected:?}"));
            }
            let sniffed = parse(None, &example.output);
            if short(sniffed.as_ref()) != expected {
                wrong.push(format!(
                    "{name} example {at} sniffed: {sniffed:?}, not {expected:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_takes_its_near_misses_for_reports() {
    let mut wrong = Vec::new();
    for (name, file) in examples() {
        assert!(!file.near_miss.is_empty(), "{name}: no near miss");
        for (at, miss) in file.near_miss.iter().enumerate() {
            for hint in [Some(name.as_str()), None] {
                if let Some(report) = parse(hint, &miss.output) {
                    wrong.push(format!("{name} near miss {at}: {report:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn patterns_are_anchored_and_name_known_fields() {
    for runner in &format::catalogue().runners {
        for rule in &runner.rules {
            let pattern = rule.regex.as_str();
            assert!(
                pattern.starts_with('^'),
                "{}: {pattern} is not anchored",
                runner.name
            );
            for group in rule.regex.capture_names().flatten() {
                assert!(
                    group == "counts" || counts::Field::of_group(group).is_some(),
                    "{}: unknown group {group}",
                    runner.name
                );
            }
        }
    }
}

#[test]
fn a_line_without_end_and_endless_output_cost_constant_memory() {
    let mut reader = ReportReader::new();
    let long = vec![b'='; 1 << 20];
    for _ in 0..20 {
        reader.push(&long);
    }
    reader.push(b"\n=== 3 passed in 0.10s ===\n");
    for _ in 0..20_000 {
        reader.push(b"some log line of a test that talks too much: 5 passed, 3 failed in 0.1s\n");
    }
    let report = reader.finish(Some("pytest"));
    assert_eq!(short(report.as_ref()), Some((3, 0, 0, 0)));
}

#[test]
fn the_outer_of_two_runners_reports_and_errors_of_the_inner_stay() {
    let output = "===== 3 passed, 1 error in 0.1s =====\nTest project /b\n100% tests passed, 0 tests failed out of 2\n";
    let report = parse(None, output).unwrap();
    assert_eq!(
        (report.runner.as_str(), report.passed, report.errors),
        ("ctest", 2, 1)
    );
    let report = parse(Some("py.test"), output).unwrap();
    assert_eq!(
        (report.runner.as_str(), report.passed, report.errors),
        ("pytest", 3, 1)
    );
}

#[test]
fn a_wrong_hint_does_not_hide_what_was_reported() {
    let report = parse(Some("no-such-runner"), "===== 3 passed in 0.1s =====\n").unwrap();
    assert_eq!(report.runner, "pytest");
}

proptest::proptest! {
    #[test]
    fn any_bytes_in_any_pieces_are_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400), cut in 0usize..400) {
        let cut = cut.min(bytes.len());
        let mut pieces = ReportReader::new();
        pieces.push(&bytes[..cut]);
        pieces.push(&bytes[cut..]);
        let mut whole = ReportReader::new();
        whole.push(&bytes);
        proptest::prop_assert_eq!(pieces.finish(None), whole.finish(None));
    }
}
