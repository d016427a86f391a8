//! Making a certificate from a run, and checking one without running anything.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::{
    Certificate, Charge, PREDICATE_TYPE, Predicate, Proof, STATEMENT_TYPE, Subject, TestReport,
};
use crate::pyramid::{Level, Pyramid};
use crate::run::{CommandResult, EndReason, LayerResult, Run, Verdict};
use crate::sandbox::Outcome;

/// Name of the certificate's subject.
pub const SUBJECT: &str = "setup.sh";

/// What a certificate is made of.
#[derive(Debug, Clone)]
pub struct Testimony<'a> {
    pub run: &'a Run,
    /// The text that ran in the replay, byte for byte.
    pub setup_sh: &'a [u8],
    /// `None`: the highest level the repository itself has a command for (see [`default_level`]).
    pub asked: Option<Level>,
    pub docker: Option<Proof>,
    pub docker_skipped: Option<String>,
    pub charges: Vec<Charge>,
    pub finished: Timestamp,
}

/// The level that is asked for where the user names none: the highest with a command that was found in the
/// repository rather than added by convention, and installing where there is none.
pub fn default_level(pyramid: &Pyramid) -> Level {
    let found = pyramid.commands.iter().filter(|command| !command.added);
    found
        .map(|command| command.level)
        .max()
        .unwrap_or(Level::Installability)
}

/// The level that layers and results prove.
///
/// * *Installability*: there are layers, each exited 0, and one installability command passed or there is none.
/// * *Testability*: the level above holds, and one of its commands has a report of at least one executed test,
///   at least one of them passed and no error of collection, link or crash, with the verdict passed or
///   "the repository fails".
/// * *Runnability*: one of its commands passed by exit code 0, and the lower levels that have commands hold.
pub fn level_reached(layers: &[LayerResult], results: &[CommandResult]) -> Option<Level> {
    let of = |level| results.iter().filter(move |result| result.level == level);
    let built = !layers.is_empty() && layers.iter().all(|layer| layer.outcome.ok());
    let none_to_install = of(Level::Installability).next().is_none();
    if !built || !(none_to_install || of(Level::Installability).any(passed)) {
        return None;
    }
    let tested = of(Level::Testability).any(proves_tests);
    let none_to_test = of(Level::Testability).next().is_none();
    if of(Level::Runnability).any(passed) && (tested || none_to_test) {
        return Some(Level::Runnability);
    }
    Some(if tested {
        Level::Testability
    } else {
        Level::Installability
    })
}

fn passed(result: &CommandResult) -> bool {
    result.verdict == Verdict::Passed && result.outcome.ok()
}

/// Tests ran and the runner says so.
pub fn proves_tests(result: &CommandResult) -> bool {
    let ended = match result.verdict {
        Verdict::Passed => result.outcome.ok(),
        Verdict::RepositoryFails => matches!(result.outcome, Outcome::Exited(_)),
        Verdict::Failed | Verdict::NotTried => false,
    };
    ended && result.report.as_ref().is_some_and(sound)
}

fn sound(report: &TestReport) -> bool {
    report.executed() >= 1 && report.passed > 0 && report.errors == 0
}

/// Writes the certificate. It is verified when the level proved (by the sandbox and, where an engine was asked, by the
/// Dockerfile too) is at least the level asked for and no charge was upheld.
pub fn certify(testimony: Testimony<'_>) -> Certificate {
    let Testimony { run, .. } = testimony;
    let asked = testimony
        .asked
        .unwrap_or_else(|| default_level(&run.pyramid));
    let proof = Proof {
        sandbox: run.sandbox.clone(),
        layers: run.layers.clone(),
        commands: run.results.clone(),
        reached: level_reached(&run.layers, &run.results),
        wall: run.replay_wall,
    };
    let docker = testimony.docker.map(|proof| Proof {
        reached: level_reached(&proof.layers, &proof.commands),
        ..proof
    });
    let reached = proved(&proof, docker.as_ref());
    Certificate {
        statement_type: STATEMENT_TYPE.to_owned(),
        subject: vec![Subject {
            name: SUBJECT.to_owned(),
            digest: [("sha256".to_owned(), sha256(testimony.setup_sh))].into(),
        }],
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: Predicate {
            compiler: env!("CARGO_PKG_VERSION").to_owned(),
            finished: testimony.finished.to_string(),
            repository: run.script.repository.clone(),
            verified: holds(reached, asked, &testimony.charges, &run.end),
            asked: Some(asked),
            reached,
            proof,
            docker,
            docker_skipped: testimony.docker_skipped,
            repairs: run.repairs.clone(),
            charges: testimony.charges,
            end: run.end.clone(),
        },
    }
}

/// The lower of the two proofs.
fn proved(proof: &Proof, docker: Option<&Proof>) -> Option<Level> {
    docker.map_or(proof.reached, |docker| docker.reached.min(proof.reached))
}

fn holds(reached: Option<Level>, asked: Level, charges: &[Charge], end: &EndReason) -> bool {
    reached >= Some(asked)
        && charges.iter().all(|charge| !charge.upheld)
        && *end != EndReason::Interrupted
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Checks a certificate by itself and against the `setup.sh` beside it: structure, the subject's digest, and
/// that every claim follows from the results listed.
///
/// # Errors
/// Every objection, one sentence each.
pub fn recheck(certificate: &Certificate, setup_sh: &[u8]) -> Result<(), Vec<String>> {
    let mut found = Vec::new();
    structure(certificate, &mut found);
    subject(certificate, setup_sh, &mut found);
    let predicate = &certificate.predicate;
    proof("proof", &predicate.proof, &mut found);
    if let Some(docker) = &predicate.docker {
        proof("docker proof", docker, &mut found);
        if docker.sandbox.backend != "docker" {
            found.push(format!(
                "the docker proof was made on {:?}",
                docker.sandbox.backend
            ));
        }
        if predicate.docker_skipped.is_some() {
            found.push("docker is both proved and skipped".to_owned());
        }
    }
    claims(predicate, &mut found);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn structure(certificate: &Certificate, found: &mut Vec<String>) {
    let mut kind = |what: &str, is: &str, expected: &str| {
        if is != expected {
            found.push(format!("{what} is {is:?}, not {expected:?}"));
        }
    };
    kind("_type", &certificate.statement_type, STATEMENT_TYPE);
    kind("predicateType", &certificate.predicate_type, PREDICATE_TYPE);
    let predicate = &certificate.predicate;
    if predicate.finished.parse::<Timestamp>().is_err() {
        found.push(format!("finished {:?} is not a time", predicate.finished));
    }
    if predicate.compiler.is_empty() {
        found.push("no compiler version".to_owned());
    }
}

fn subject(certificate: &Certificate, setup_sh: &[u8], found: &mut Vec<String>) {
    let mut ours = certificate
        .subject
        .iter()
        .filter(|subject| subject.name == SUBJECT);
    let (Some(subject), None) = (ours.next(), ours.next()) else {
        found.push(format!("there must be one subject {SUBJECT}"));
        return;
    };
    match subject.digest.get("sha256") {
        None => found.push(format!("{SUBJECT} has no sha256 digest")),
        Some(stated) if *stated != sha256(setup_sh) => found.push(format!(
            "{SUBJECT} has changed since it was certified: sha256 is {}, the certificate says {stated}",
            sha256(setup_sh)
        )),
        Some(_) => {}
    }
}

fn proof(name: &str, proof: &Proof, found: &mut Vec<String>) {
    let follows = level_reached(&proof.layers, &proof.commands);
    if proof.reached != follows {
        found.push(format!(
            "{name}: claims {}, its results prove {}",
            level_name(proof.reached),
            level_name(follows)
        ));
    }
    let numbers: Vec<_> = proof.layers.iter().map(|layer| layer.layer).collect();
    if !numbers.is_sorted_by(|a, b| a < b) || numbers.iter().any(|n| !(1..=6).contains(n)) {
        found.push(format!("{name}: layers {numbers:?} are not in order"));
    }
    let mut ids: Vec<_> = proof.commands.iter().map(|c| c.id.as_str()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair.first() == pair.last()) {
        found.push(format!("{name}: a command is listed twice"));
    }
    for command in &proof.commands {
        if let Some(objection) = contradiction(command) {
            found.push(format!("{name}: command {}: {objection}", command.id));
        }
    }
    let walls = proof.commands.iter().map(|c| c.wall);
    let mut walls = walls.chain(proof.layers.iter().map(|l| l.wall));
    if walls.any(|wall| !wall.is_finite() || wall < 0.0) {
        found.push(format!("{name}: a time is not a time"));
    }
}

/// How a result contradicts itself.
fn contradiction(command: &CommandResult) -> Option<&'static str> {
    let report = command.report.as_ref();
    match command.verdict {
        Verdict::Passed if !command.outcome.ok() => Some("passed without exit code 0"),
        Verdict::Passed if report.is_some_and(|r| r.errors > 0) => {
            Some("passed with errors in its report")
        }
        Verdict::RepositoryFails if report.is_none_or(|r| r.executed() == 0 || r.errors > 0) => {
            Some("blames the repository without a report of executed tests")
        }
        Verdict::RepositoryFails if !matches!(command.outcome, Outcome::Exited(_)) => {
            Some("blames the repository though it did not exit by itself")
        }
        _ => None,
    }
}

fn claims(predicate: &Predicate, found: &mut Vec<String>) {
    let reached = proved(&predicate.proof, predicate.docker.as_ref());
    if predicate.reached != reached {
        found.push(format!(
            "claims {}, its proofs say {}",
            level_name(predicate.reached),
            level_name(reached)
        ));
    }
    let Some(asked) = predicate.asked else {
        found.push("does not say which level was asked for".to_owned());
        return;
    };
    let follows = holds(reached, asked, &predicate.charges, &predicate.end);
    if predicate.verified != follows {
        let upheld = predicate.charges.iter().filter(|c| c.upheld).count();
        found.push(format!(
            "verified is {}, but {} was asked for, {} is proved and {upheld} charges were upheld",
            predicate.verified,
            asked.name(),
            level_name(reached)
        ));
    }
}

/// `nothing` where no level was reached.
pub fn level_name(level: Option<Level>) -> &'static str {
    level.map_or("nothing", Level::name)
}

#[cfg(test)]
mod tests {
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
        assert!(
            recheck(&certified(), b"changed").unwrap_err()[0].contains("has changed since it was")
        );
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
}
