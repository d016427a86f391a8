//! Generated build files that a checkout lacks or has from another version.

use crate::plan::{Action, Layer, Step};
use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// `autogen.sh` or `bootstrap` where the repository has one, then plain `autoreconf`, before the failed step.
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
    {
        return Vec::new();
    }
    let step = |argv: Vec<String>| Operation::AddStep {
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
    let own = ["autogen.sh", "bootstrap", "bootstrap.sh", "buildconf"]
        .iter()
        .filter(|name| problem.has_file(&format!("{prefix}{name}")))
        .map(|name| {
            step(vec![
                "env".into(),
                "NOCONFIGURE=1".into(),
                "sh".into(),
                format!("./{name}"),
            ])
        });
    let plain = step(vec![
        "autoreconf".into(),
        "--force".into(),
        "--install".into(),
    ]);
    own.chain([plain]).collect()
}
