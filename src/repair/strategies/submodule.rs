//! Submodules that a checkout left empty.

use crate::plan::{Action, Guard, Layer, Step};
use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// Fetches them before the failed step, where the repository declares any.
pub(super) fn populate(problem: &Problem<'_>) -> Vec<Operation> {
    if !problem.has_file(".gitmodules") {
        return Vec::new();
    }
    let failed = problem.failed_step();
    let argv = ["git", "submodule", "update", "--init", "--recursive"];
    vec![Operation::AddStep {
        step: Step {
            id: "./submodules".to_owned(),
            layer: failed.map_or(Layer::Project, |step| step.layer),
            dir: String::new(),
            action: Action::run(argv),
            unless: problem
                .capture("path")
                .map(|path| Guard::Exists(path.to_owned())),
            because: vec![problem.because()],
        },
        before: failed.map(|step| step.id.clone()),
    }]
}
