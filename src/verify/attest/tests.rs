use super::*;
use crate::verify::sample;

#[test]
fn levels_by_rule() {
    let ok = sample::layers(true);
    let at = sample::result;
    use Level::*;
    use Verdict::*;
    let cases = [
        (vec![], Some(Installability)),
        (
            vec![at("i1", Installability, 0, None, Passed)],
            Some(Installability),
        ),
        (vec![at("i1", Installability, 1, None, Failed)], None),
        (
            vec![at("t1", Testability, 0, Some((3, 0, 0)), Passed)],
            Some(Testability),
        ),
        (
            vec![at("t1", Testability, 1, Some((3, 1, 0)), RepositoryFails)],
            Some(Testability),
        ),
        // Exit code 0 alone, no test, only failures, errors: none of it is a test level.
        (
            vec![at("t1", Testability, 0, None, Passed)],
            Some(Installability),
        ),
        (
            vec![at("t1", Testability, 0, Some((0, 0, 0)), Passed)],
            Some(Installability),
        ),
        (
            vec![at("t1", Testability, 1, Some((0, 9, 0)), RepositoryFails)],
            Some(Installability),
        ),
        (
            vec![at("t1", Testability, 1, Some((3, 0, 1)), RepositoryFails)],
            Some(Installability),
        ),
        (
            vec![at("t1", Testability, 2, Some((3, 0, 0)), Passed)],
            Some(Installability),
        ),
        (
            vec![at("r1", Runnability, 0, None, Passed)],
            Some(Runnability),
        ),
        (
            vec![
                at("t1", Testability, 1, None, Failed),
                at("r1", Runnability, 0, None, Passed),
            ],
            Some(Installability),
        ),
        (
            vec![
                at("t1", Testability, 0, Some((1, 0, 0)), Passed),
                at("r1", Runnability, 0, None, NotTried),
            ],
            Some(Testability),
        ),
    ];
    for (results, level) in cases {
        assert_eq!(level_reached(&ok, &results), level, "{results:?}");
    }
    assert_eq!(level_reached(&sample::layers(false), &[]), None);
    assert_eq!(level_reached(&[], &[]), None);
}

fn certified() -> Certificate {
    let run = sample::run();
    certify(Testimony {
        run: &run,
        setup_sh: b"#!/bin/sh\n",
        asked: None,
        docker: None,
        docker_skipped: Some("no engine answers".into()),
        charges: vec![],
        finished: Timestamp::UNIX_EPOCH,
    })
}

#[test]
fn an_honest_certificate_holds_and_survives_json() {
    let certificate = certified();
    assert!(certificate.predicate.verified);
    assert_eq!(recheck(&certificate, b"#!/bin/sh\n"), Ok(()));
    let json = serde_json::to_string(&certificate).unwrap();
    let again: Certificate = serde_json::from_str(&json).unwrap();
    assert_eq!(recheck(&again, b"#!/bin/sh\n"), Ok(()));
}

#[test]
fn every_forgery_is_seen() {
    type Forge = fn(&mut Certificate);
    let forgeries: [(Forge, &str); 12] = [
        (|c| c.subject.clear(), "one subject"),
        (|c| c.subject.push(c.subject[0].clone()), "one subject"),
        (|c| c.predicate_type = "x".into(), "predicateType"),
        (|c| c.predicate.finished = "yesterday".into(), "not a time"),
        (|c| c.predicate.reached = None, "claims nothing"),
        (|c| c.predicate.verified = false, "verified is false"),
        (|c| c.predicate.asked = None, "which level"),
        (
            |c| c.predicate.charges.push(sample::charge(true)),
            "1 charges were upheld",
        ),
        (
            |c| c.predicate.proof.commands[0].outcome = Outcome::Exited(1),
            "passed without exit code 0",
        ),
        (
            |c| c.predicate.proof.layers[0].outcome = Outcome::TimedOut,
            "its results prove nothing",
        ),
        (
            |c| {
                for command in &mut c.predicate.proof.commands {
                    command.report = None;
                }
            },
            "without a report|prove installability",
        ),
        (
            |c| {
                let again = c.predicate.proof.commands[0].clone();
                c.predicate.proof.commands.push(again);
            },
            "twice",
        ),
    ];
    for (forge, objection) in forgeries {
        let mut certificate = certified();
        forge(&mut certificate);
        let found = recheck(&certificate, b"#!/bin/sh\n")
            .unwrap_err()
            .join("\n");
        assert!(
            objection.split('|').any(|part| found.contains(part)),
            "{objection:?} not in {found}"
        );
    }
    assert!(recheck(&certified(), b"changed").unwrap_err()[0].contains("has changed since it was"));
}

#[test]
fn an_upheld_charge_or_a_failed_dockerfile_is_not_verified() {
    let run = sample::run();
    let base = Testimony {
        run: &run,
        setup_sh: b"",
        asked: Some(Level::Testability),
        docker: None,
        docker_skipped: None,
        charges: vec![sample::charge(false)],
        finished: Timestamp::UNIX_EPOCH,
    };
    assert!(certify(base.clone()).predicate.verified);
    let charged = certify(Testimony {
        charges: vec![sample::charge(true)],
        ..base.clone()
    });
    assert!(!charged.predicate.verified);
    let mut docker = charged.predicate.proof.clone();
    docker.sandbox.backend = "docker".into();
    docker.layers = sample::layers(false);
    let failed = certify(Testimony {
        docker: Some(docker),
        ..base
    });
    assert!(!failed.predicate.verified);
    assert_eq!(failed.predicate.reached, None);
    assert_eq!(recheck(&failed, b""), Ok(()));
}
