//! Every file's own examples and near misses, and the behaviour of the machine.

use super::format::files;
use super::*;

fn short(report: Option<&TestReport>) -> Option<(u64, u64, u64, u64)> {
    report.map(|r| (r.passed, r.failed, r.errors, r.skipped))
}

#[test]
fn every_file_reads_its_examples_by_hint_and_by_sniffing() {
    let mut wrong = Vec::new();
    for (name, file) in files() {
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
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
    for (name, file) in files() {
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
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
