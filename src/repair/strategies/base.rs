//! Another base image.

use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// The next newer bases, the nearest first.
pub(super) fn newer(problem: &Problem<'_>) -> Vec<Operation> {
    let bases = problem.context.bases;
    let Some(at) = position(problem) else {
        return Vec::new();
    };
    bases.iter().skip(at + 1).map(replan).collect()
}

/// The next older ones, the nearest first.
pub(super) fn older(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(at) = position(problem) else {
        return Vec::new();
    };
    problem
        .context
        .bases
        .iter()
        .take(at)
        .rev()
        .map(replan)
        .collect()
}

fn position(problem: &Problem<'_>) -> Option<usize> {
    let id = &problem.script.base.id;
    problem.context.bases.iter().position(|base| base == id)
}

fn replan(id: &String) -> Operation {
    Operation::Replan {
        topic: "base".to_owned(),
        value: id.clone(),
    }
}
