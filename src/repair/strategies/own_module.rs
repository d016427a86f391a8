//! The repository's own package cannot be imported.

use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// Installs the project in place, or lets the command find its sources; `src` where the module stands there.
pub(super) fn importable(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(module) = problem.capture("module") else {
        return Vec::new();
    };
    let top = module.split('.').next().unwrap_or(module);
    let mut operations = Vec::new();
    let project = ["pyproject.toml", "setup.py"]
        .iter()
        .any(|file| problem.has_file(file));
    // A compiled part (`pkg._speedups`) comes from building, a plain one from the search path.
    if project {
        operations.push(Operation::AddPythonRequirement {
            requirement: ".".to_owned(),
        });
    }
    let Some(command) = problem.failed_command() else {
        return operations;
    };
    for dir in holding(problem, top) {
        operations.push(Operation::SetCommandEnv {
            id: command.id.clone(),
            name: "PYTHONPATH".to_owned(),
            value: format!("/repo/{dir}").trim_end_matches('/').to_owned(),
        });
    }
    operations
}

/// Directories that hold the module `top`, the nearest to the root first.
fn holding(problem: &Problem<'_>, top: &str) -> Vec<String> {
    let package = format!("{top}/__init__.py");
    let single = format!("{top}.py");
    let mut dirs: Vec<String> = problem
        .context
        .files
        .iter()
        .filter_map(|file| {
            let rest = file
                .strip_suffix(&package)
                .or_else(|| file.strip_suffix(&single))?;
            (rest.is_empty() || rest.ends_with('/')).then(|| rest.trim_end_matches('/').to_owned())
        })
        .collect();
    dirs.sort_by_key(|dir| (dir.len(), dir.clone()));
    dirs.truncate(2);
    dirs
}
