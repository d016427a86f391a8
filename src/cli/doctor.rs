//! `envc doctor`: what works on this machine.

use std::process::{Command, Stdio};

use super::arguments::Doctor;
use super::exit::{Exit, Failure};
use super::show;

#[derive(serde::Serialize)]
struct Check {
    what: String,
    works: bool,
    detail: String,
}

/// Exit code 0 where at least one sandbox works.
pub fn run(options: &Doctor) -> Result<Exit, Failure> {
    let mut checks: Vec<Check> = crate::sandbox::probe(&crate::sandbox::Options::new()?)
        .into_iter()
        .map(|found| Check {
            what: format!("sandbox {} over {}", found.backend.name(), found.base),
            works: found.works,
            detail: found.detail,
        })
        .collect();
    let usable = checks.iter().any(|check| check.works);
    for (program, purpose) in [
        ("git", "commit facts, cloning URLs"),
        ("docker", "building Dockerfiles with BuildKit"),
    ] {
        checks.push(program_check(program, purpose));
    }
    checks.push(disk());
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

fn program_check(program: &str, purpose: &str) -> Check {
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
    Check {
        what: program.to_owned(),
        works: version.is_some(),
        detail: version.unwrap_or_else(|| format!("not found; wanted for {purpose}")),
    }
}

fn disk() -> Check {
    const NEEDED: u64 = 4 << 30;
    let store = crate::sandbox::Options::new().map(|options| options.store_root());
    let probe = store.as_deref().unwrap_or(std::path::Path::new("/"));
    let existing = probe
        .ancestors()
        .find(|dir| dir.exists())
        .unwrap_or(std::path::Path::new("/"));
    let free = rustix::fs::statvfs(existing)
        .map(|fs| fs.f_bavail.saturating_mul(fs.f_frsize))
        .unwrap_or(0);
    Check {
        what: "disk".to_owned(),
        works: free >= NEEDED,
        detail: format!(
            "{} MiB free for layers and caches (4096 MiB and more is comfortable)",
            free >> 20
        ),
    }
}
