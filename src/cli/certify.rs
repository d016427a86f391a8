//! The Dockerfile's proof, and `envc verify`.

use crate::emit::Tee;
use crate::run::Run;
use crate::sandbox::Options;
use crate::scan::Repository;
use crate::verify::{self, Certificate, Proof};

use super::arguments::{Certify, Verify};
use super::exit::{Exit, Failure};
use super::show;

/// Builds the Dockerfile and runs the pyramid in it: where it was asked for, or an engine answers. Otherwise the
/// reason why not.
pub fn docker(
    asked: Option<Certify>,
    repository: &Repository,
    run: &Run,
    options: &Options,
    observer: &mut Tee,
    clock: std::time::Instant,
) -> Result<(Option<Proof>, Option<String>), Failure> {
    if asked == Some(Certify::None) {
        return Ok((None, Some("--certify none".to_owned())));
    }
    match verify::prove_dockerfile(repository, run, options, observer, clock) {
        Ok(proof) => Ok((Some(proof), None)),
        Err(verify::DockerProofError::NoEngine(why)) if asked.is_none() => Ok((None, Some(why))),
        Err(verify::DockerProofError::NoEngine(why)) => Err(Failure::usage(why)),
        Err(verify::DockerProofError::Sandbox(error)) => Err(error.into()),
        Err(verify::DockerProofError::Script(error)) => Err(error.into()),
        Err(verify::DockerProofError::Io(error)) => Err(error.into()),
    }
}

/// `envc verify`: structure, hash and consistency of a certificate.
pub fn recheck(options: &Verify) -> Result<Exit, Failure> {
    let file = &options.certificate;
    let read = |path: &std::path::Path| {
        std::fs::read(path)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
    };
    let certificate: Certificate = serde_json::from_slice(&read(file)?).map_err(|error| {
        Failure::usage(format!("{} is no certificate: {error}", file.display()))
    })?;
    let setup = read(&file.with_file_name("setup.sh"))?;
    let problems = verify::recheck(&certificate, &setup)
        .err()
        .unwrap_or_default();
    if options.json {
        show::print_json(
            &serde_json::json!({ "consistent": problems.is_empty(), "problems": problems }),
        )?;
    } else if problems.is_empty() {
        let level = verify::level_name(certificate.predicate.reached);
        show::print(&format!(
            "the certificate belongs to this setup.sh and is consistent; level reached: {level}"
        ))?;
    } else {
        for problem in &problems {
            show::print(&format!("wrong: {}", crate::emit::sanitize(problem)))?;
        }
    }
    Ok(if problems.is_empty() {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}
