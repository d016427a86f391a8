//! The prosecutor and the judge (after SetupX's idea of separating who builds from who judges): checks in the
//! finished environment, and each suspicion tested again by itself before it counts.
//!
//! A charge that is upheld makes the certificate unverified, so the judge upholds only what casts doubt on the
//! environment; what is odd and harmless is dismissed, and stays in the certificate with its reason.

mod again;
#[cfg(test)]
mod fake;
mod programs;
mod python;
mod tracked;

use crate::emit::terminal::sanitize_bytes;
use crate::plan::Plan;
use crate::pyramid::{Pyramid, PyramidCommand};
use crate::run::CommandResult;
use crate::sandbox::{
    CommandSpec, Finished, Limits, Network, Outcome, REPOSITORY_DIR, Result, Sandbox, SandboxError,
};
use crate::verify::attest::proves_tests;
use crate::verify::{Charge, TestReport};

/// Output that is kept of one command, from its end.
const KEPT: usize = 4 << 20;
/// Lines of evidence in one charge.
const EVIDENCE: usize = 20;

/// What the prosecutor is given. The sandbox holds the environment right after `setup.sh`.
pub struct Case<'a> {
    pub plan: &'a Plan,
    pub pyramid: &'a Pyramid,
    /// Of the replay.
    pub results: &'a [CommandResult],
    /// Path relative to the repository and SHA-256 of every file as it was copied in.
    pub tracked: &'a [(String, String)],
    /// Contents and mode of such a file, from the repository itself.
    pub original: &'a dyn Fn(&str) -> Option<(Vec<u8>, u32)>,
    /// Runs the whole `setup.sh`.
    pub setup: CommandSpec,
    /// Seconds that its first run took.
    pub setup_wall: f64,
    /// The spec by which the pyramid's commands ran.
    pub command: &'a dyn Fn(&PyramidCommand) -> CommandSpec,
    /// Reads the runner's report out of a command's output.
    pub report: &'a dyn Fn(&PyramidCommand, &str) -> Option<TestReport>,
    /// Names a user of the project imports (Python).
    pub modules: &'a [String],
    /// What the script exports, `PATH` included.
    pub env: &'a [(String, String)],
}

/// A suspicion, and how the judge tests it.
struct Accusation {
    charge: String,
    evidence: Vec<String>,
    judge: Box<Judge>,
}

/// Upheld or not, and why.
type Judge = dyn Fn(&mut dyn Sandbox, &Case<'_>) -> Result<(bool, String)>;
type Check = fn(&mut dyn Sandbox, &Case<'_>) -> Result<Vec<Accusation>>;

const CHECKS: [Check; 5] = [
    tracked::check,
    programs::check,
    python::check,
    again::setup,
    again::tests,
];

/// Runs every check and judges every accusation, each from the state the sandbox is in now; leaves it so.
///
/// # Errors
/// The sandbox failed, or the user interrupted. What a command does wrong is never an error.
pub fn prosecute(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Charge>> {
    let finished = sandbox.snapshot()?;
    let mut charges = Vec::new();
    for check in CHECKS {
        let accusations = check(sandbox, case)?;
        sandbox.rollback(&finished)?;
        for accusation in accusations {
            let (upheld, verdict) = (accusation.judge)(sandbox, case)?;
            sandbox.rollback(&finished)?;
            let mut evidence = accusation.evidence;
            if evidence.len() > EVIDENCE {
                let more = evidence.len() - EVIDENCE;
                evidence.truncate(EVIDENCE);
                evidence.push(format!("and {more} more"));
            }
            charges.push(Charge {
                charge: accusation.charge,
                evidence,
                upheld,
                verdict,
            });
        }
    }
    Ok(charges)
}

/// The command whose result proves the most tests.
fn best_test<'a>(case: &Case<'a>) -> Option<(&'a PyramidCommand, &'a CommandResult)> {
    let result = case
        .results
        .iter()
        .filter(|result| proves_tests(result))
        .max_by_key(|result| result.report.as_ref().map(TestReport::executed))?;
    let command = case.pyramid.commands.iter().find(|c| c.id == result.id)?;
    Some((command, result))
}

/// Runs to the end; output cleaned, its end kept.
fn capture(sandbox: &mut dyn Sandbox, spec: &CommandSpec) -> Result<(Finished, String)> {
    let mut bytes: Vec<u8> = Vec::new();
    let finished = sandbox.run(spec, &mut |piece| {
        bytes.extend_from_slice(piece);
        if bytes.len() > 2 * KEPT {
            bytes.drain(..bytes.len() - KEPT);
        }
    })?;
    if finished.outcome == Outcome::Interrupted {
        return Err(SandboxError::Interrupted);
    }
    Ok((finished, sanitize_bytes(&bytes).into_owned()))
}

/// A constant Bash text with values as its arguments: nothing is spliced.
fn bash(case: &Case<'_>, dir: &str, text: &str, arguments: &[String]) -> CommandSpec {
    let mut argv: Vec<String> = ["bash", "-c", text, "envc"].map(str::to_owned).into();
    argv.extend_from_slice(arguments);
    let mut env = case.env.to_vec();
    env.retain(|(name, _)| name != "LC_ALL");
    env.push(("LC_ALL".into(), "C".into()));
    CommandSpec {
        argv,
        dir: dir.to_owned(),
        env,
        limits: Limits {
            wall: std::time::Duration::from_secs(300),
            ..Limits::default()
        },
        network: Network::None,
    }
}

fn in_repository(path: &str) -> String {
    match path {
        "" => REPOSITORY_DIR.to_owned(),
        path => format!("{REPOSITORY_DIR}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::fake::{Fake, case, nothing};
    use super::*;
    use crate::verify::sample;

    #[test]
    fn an_honest_environment_has_no_charges() {
        let (plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        let mut sandbox = Fake::honest();
        let charges =
            prosecute(&mut sandbox, &case(&plan, &pyramid, &run.results, &nothing)).unwrap();
        assert_eq!(charges, []);
        assert!(sandbox.ran("setup.sh") && sandbox.ran("ctest"));
    }

    #[test]
    fn an_interruption_ends_it() {
        let (plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        let mut sandbox = Fake::honest();
        sandbox.answer_outcome("setup.sh", Outcome::Interrupted);
        let result = prosecute(&mut sandbox, &case(&plan, &pyramid, &run.results, &nothing));
        assert!(matches!(result, Err(SandboxError::Interrupted)));
    }
}
