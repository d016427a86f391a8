//! `envc doctor`: what works on this machine.

use std::process::{Command, Stdio};

use crate::sandbox::{Availability, Backend, Finding};

use super::arguments::Doctor;
use super::exit::{Exit, Failure};
use super::show;

/// Exit code 0 where at least one sandbox works.
pub fn run(options: &Doctor) -> Result<Exit, Failure> {
    let settings = crate::sandbox::Options::new()?;
    let found = crate::sandbox::probe(&settings);
    let usable = found.iter().any(|found| found.works);
    let chosen = chosen(&found);
    let mut checks: Vec<Finding> = found
        .into_iter()
        .map(|found| Finding {
            what: format!("sandbox {} over {}", found.backend.name(), found.base),
            works: found.works,
            detail: found.detail,
        })
        .collect();
    checks.push(chosen);
    checks.extend(crate::sandbox::examine(&settings));
    for (program, purpose) in [
        ("git", "commit facts, cloning URLs"),
        ("docker", "building Dockerfiles with BuildKit"),
    ] {
        checks.push(program_check(program, purpose));
    }
    if options.json {
        show::print_json(&checks)?;
    } else {
        for check in &checks {
            let mark = if check.works { "ok  " } else { "no  " };
            show::print(&format!("{mark}{}: {}", check.what, check.detail))?;
        }
    }
    Ok(if usable {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

fn program_check(program: &str, purpose: &str) -> Finding {
    let found = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let version = found
        .ok()
        .filter(|output| output.status.success())
        .map(|output| {
            let text = String::from_utf8_lossy(&output.stdout);
            text.lines().next().unwrap_or_default().to_owned()
        });
    Finding {
        what: program.to_owned(),
        works: version.is_some(),
        detail: version.unwrap_or_else(|| format!("not found; wanted for {purpose}")),
    }
}

/// What `envc build` takes where `--sandbox` is not given.
fn chosen(found: &[Availability]) -> Finding {
    let works = |backend: Backend| found.iter().any(|f| f.works && f.backend == backend);
    let (works, detail) = if works(Backend::Overlay) {
        (true, "overlay")
    } else if works(Backend::Docker) {
        (true, "docker, over the plan's image")
    } else {
        (
            false,
            "none by itself: mend what is said below for overlay, or start an engine; on a machine that is thrown \
             away, --sandbox host",
        )
    };
    Finding {
        what: "`envc build` uses".to_owned(),
        works,
        detail: detail.to_owned(),
    }
}
