//! The case that the prosecutor gets: repository, plan and run, put together.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::plan::Plan;
use crate::pyramid::PyramidCommand;
use crate::run::{Run, SCRIPT_PATH, command_spec};
use crate::sandbox::{CommandSpec, Limits, Network, REPOSITORY_DIR, Result, Sandbox};
use crate::scan::{FileKind, Repository};
use crate::script;

use super::attest::sha256;
use super::prosecute::{Case, prosecute};
use super::{Charge, judge};

/// Charges against the environment that `sandbox` holds, each judged.
///
/// # Errors
/// The sandbox failed, or the user interrupted.
pub fn hear(
    sandbox: &mut dyn Sandbox,
    repository: &Repository,
    plan: &Plan,
    run: &Run,
) -> Result<Vec<Charge>> {
    let limits = Limits {
        wall: Duration::from_secs(20 * 60),
        ..Limits::default()
    };
    let tracked = hashes(repository);
    let original = |path: &str| read(&repository.root, path);
    let command = |command: &PyramidCommand| command_spec(&run.script, command, limits);
    let report = |command: &PyramidCommand, output: &str| {
        judge(command, crate::sandbox::Outcome::Exited(0), output).0
    };
    let case = Case {
        plan,
        pyramid: &run.pyramid,
        results: &run.results,
        tracked: &tracked,
        original: &original,
        setup: CommandSpec {
            argv: ["bash", SCRIPT_PATH].map(str::to_owned).to_vec(),
            dir: REPOSITORY_DIR.to_owned(),
            env: vec![("REPO".to_owned(), REPOSITORY_DIR.to_owned())],
            limits,
            network: Network::Full,
        },
        setup_wall: run.layers.iter().map(|layer| layer.wall).sum(),
        command: &command,
        report: &report,
        modules: &modules(plan, run),
        env: &script::activation(&run.script),
    };
    prosecute(sandbox, &case)
}

/// SHA-256 of every file that was copied in and can be read as a whole.
fn hashes(repository: &Repository) -> Vec<(String, String)> {
    repository
        .files
        .iter()
        .filter(|file| {
            matches!(
                file.kind,
                FileKind::Text | FileKind::Binary | FileKind::LfsPointer
            )
        })
        .filter_map(|file| {
            let (bytes, _) = read(&repository.root, &file.path)?;
            Some((file.path.clone(), sha256(&bytes)))
        })
        .collect()
}

/// Contents and mode of a plain file below `root`; links are not followed.
fn read(root: &Path, path: &str) -> Option<(Vec<u8>, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let full = root.join(path);
    let metadata = full
        .symlink_metadata()
        .ok()
        .filter(|metadata| metadata.is_file())?;
    let mut bytes = Vec::new();
    std::fs::File::open(&full)
        .ok()?
        .read_to_end(&mut bytes)
        .ok()?;
    Some((bytes, metadata.permissions().mode() & 0o7777))
}

/// What a user of the Python projects imports: the modules of the pyramid's import probes.
fn modules(plan: &Plan, run: &Run) -> Vec<String> {
    let python = plan
        .projects
        .iter()
        .any(|project| project.ecosystem == "python");
    if !python {
        return Vec::new();
    }
    run.pyramid
        .commands
        .iter()
        .filter_map(|command| command.command.strip_prefix("python -c 'import "))
        .filter_map(|rest| rest.strip_suffix('\''))
        .map(str::to_owned)
        .collect()
}
