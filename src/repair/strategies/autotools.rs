//! Generated build files that a checkout lacks or has from another version.

use crate::packages::Capability;
use crate::plan::{Action, Layer, Step};
use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// What `autoreconf` runs; Debian's names.
const TOOLS: [&str; 4] = ["autoconf", "automake", "libtool", "pkg-config"];

/// `autogen.sh` or `bootstrap` where the repository has one, then plain `autoreconf`, before the failed step; each with
/// the programs it needs, without which it could not show that it helps.
pub(super) fn autoreconf(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(failed) = problem
        .failed_step()
        .or_else(|| problem.step_running("configure"))
    else {
        return Vec::new();
    };
    let prefix = if failed.dir.is_empty() {
        String::new()
    } else {
        format!("{}/", failed.dir)
    };
    if !["configure.ac", "configure.in"]
        .iter()
        .any(|name| problem.has_file(&format!("{prefix}{name}")))
        // Generating it anew would change a tracked file.
        || problem.has_file(&format!("{prefix}configure"))
    {
        return Vec::new();
    }
    let with_tools = |argv: Vec<String>| {
        let step = Operation::AddStep {
            step: Step {
                id: format!("{prefix}autoreconf"),
                layer: Layer::Project,
                dir: failed.dir.clone(),
                action: Action::run(argv),
                unless: None,
                because: vec![problem.because()],
            },
            before: Some(failed.id.clone()),
        };
        let tools = TOOLS.iter().map(|package| Operation::AddPackage {
            capability: Capability::Package((*package).to_owned()),
            package: (*package).to_owned(),
        });
        Operation::All {
            operations: tools.chain([step]).collect(),
        }
    };
    let own = ["autogen.sh", "bootstrap", "bootstrap.sh", "buildconf"]
        .iter()
        .filter(|name| problem.has_file(&format!("{prefix}{name}")))
        .map(|name| {
            with_tools(vec![
                "env".into(),
                "NOCONFIGURE=1".into(),
                "sh".into(),
                format!("./{name}"),
            ])
        });
    let plain = with_tools(vec![
        "autoreconf".into(),
        "--force".into(),
        "--install".into(),
    ]);
    own.chain([plain]).collect()
}
