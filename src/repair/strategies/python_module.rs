//! A Python module that is not there.

use crate::packages::Capability;
use crate::plan::{Action, Step};
use crate::repair::Operation;
use crate::repair::apply::python_step;
use crate::repair::candidates::Problem;
use crate::repair::distribution_of;

/// The distribution that provides it, into the isolated environment. Where the script has none (a C project whose tests
/// are Python), the distribution's package for its own Python.
pub(super) fn install(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(module) = problem.capture("module") else {
        return Vec::new();
    };
    let requirement =
        distribution_of(module).map(|requirement| Operation::AddPythonRequirement { requirement });
    let system = problem.packages_for(&Capability::Python(module.to_owned()));
    if python_step(problem.script).is_some() {
        requirement.into_iter().chain(system).collect()
    } else {
        system
    }
}

/// A distribution's build script imports what its build requirements do not declare: installs it before, and lets that
/// build see it.
pub(super) fn for_build(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(requirement) = problem.capture("module").and_then(distribution_of) else {
        return Vec::new();
    };
    let Some(failed) = problem.failed_step() else {
        return vec![Operation::AddPythonRequirement { requirement }];
    };
    let Action::Run { argv, env } = &failed.action else {
        return Vec::new();
    };
    let mut words: Vec<String> = ["uv", "pip", "install"].map(str::to_owned).to_vec();
    if let Some(at) = argv.iter().position(|word| word == "--python") {
        words.extend(argv.iter().skip(at).take(2).cloned());
    }
    words.extend([requirement, "setuptools<81".to_owned(), "wheel".to_owned()]);
    words.dedup();
    let before = Operation::AddStep {
        step: Step {
            id: "python/build-requirements".to_owned(),
            layer: failed.layer,
            dir: failed.dir.clone(),
            action: Action::Run {
                argv: words,
                env: env.clone(),
            },
            unless: None,
            because: vec![problem.because()],
        },
        before: Some(failed.id.clone()),
    };
    let option = match problem.capture("distribution") {
        Some(name) => vec!["--no-build-isolation-package".to_owned(), name.to_owned()],
        None => vec!["--no-build-isolation".to_owned()],
    };
    let open = Operation::AddArguments {
        id: failed.id.clone(),
        arguments: option,
    };
    vec![before, open]
}
