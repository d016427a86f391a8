//! A script of the repository that lost its executable mode.

use crate::plan::{Action, Step};
use crate::repair::Operation;
use crate::repair::candidates::{Problem, base_name};

/// Runs the script by a shell instead of changing the mode of a tracked file.
pub(super) fn by_shell(problem: &Problem<'_>) -> Vec<Operation> {
    let (Some(step), Some(path)) = (problem.failed_step(), problem.capture("path")) else {
        return Vec::new();
    };
    let Action::Run { argv, env } = &step.action else {
        return Vec::new();
    };
    let same = argv
        .first()
        .is_some_and(|word| base_name(word) == base_name(path));
    if !same {
        return Vec::new();
    }
    let words = std::iter::once("bash".to_owned()).chain(argv.iter().cloned());
    let action = Action::Run {
        argv: words.collect(),
        env: env.clone(),
    };
    vec![Operation::ReplaceStep {
        id: step.id.clone(),
        step: Step {
            action,
            ..step.clone()
        },
    }]
}
