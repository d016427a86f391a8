//! Python: the installed distributions agree with each other, and the project can be imported.

use super::{Accusation, Case, bash, capture, in_repository};
use crate::emit::terminal::one_line;
use crate::sandbox::{Result, Sandbox};

/// Exit code of [`CONSISTENT`] and [`IMPORT`] where there is no interpreter.
const NO_PYTHON: i32 = 90;

/// `uv pip check`, or pip's own where there is no uv.
const CONSISTENT: &str = r#"python=$(command -v python || command -v python3) || exit 90
if command -v uv >/dev/null; then uv pip check --python "$python"; else "$python" -m pip check; fi"#;

const IMPORT: &str = r#"python=$(command -v python || command -v python3) || exit 90
"$python" -c 'import importlib, sys; importlib.import_module(sys.argv[1])' "$1""#;

pub fn check(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Accusation>> {
    if !case.plan.projects.iter().any(|p| p.ecosystem == "python") {
        return Ok(Vec::new());
    }
    let mut accusations: Vec<_> = consistency(sandbox, case)?.into_iter().collect();
    for module in case.modules {
        let spec = bash(case, "/", IMPORT, std::slice::from_ref(module));
        let (finished, output) = capture(sandbox, &spec)?;
        if finished.outcome.ok() {
            continue;
        }
        let module = module.clone();
        let last = output.lines().rfind(|line| !line.trim().is_empty());
        accusations.push(Accusation {
            charge: format!(
                "{} cannot be imported with the configured interpreter",
                one_line(&module)
            ),
            evidence: last.map(one_line).into_iter().collect(),
            judge: Box::new(move |sandbox, case| judge_import(sandbox, case, &module)),
        });
    }
    Ok(accusations)
}

fn consistency(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Option<Accusation>> {
    let (finished, output) = capture(sandbox, &bash(case, "/", CONSISTENT, &[]))?;
    if finished.outcome.ok() {
        return Ok(None);
    }
    let found = complaints(&output);
    let no_python = finished.outcome == crate::sandbox::Outcome::Exited(NO_PYTHON);
    if found.is_empty() && !no_python {
        // Neither uv nor pip is there to be asked, which is no fault.
        return Ok(None);
    }
    let charge = match no_python {
        true => "a Python project, and no python on PATH",
        false => "installed Python distributions contradict each other",
    };
    Ok(Some(Accusation {
        charge: charge.to_owned(),
        evidence: found,
        judge: Box::new(judge_consistency),
    }))
}

/// Lines such as `a 1.0 requires b, which is not installed.`
fn complaints(output: &str) -> Vec<String> {
    output
        .lines()
        .filter(|line| {
            line.contains(" requires ")
                || line.contains(" has requirement ")
                || line.contains("is not supported on")
        })
        .map(one_line)
        .collect()
}

/// Upheld where the project itself lacks what it declares; what third parties declare of each other is theirs.
fn judge_consistency(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<(bool, String)> {
    let (finished, output) = capture(sandbox, &bash(case, "/", CONSISTENT, &[]))?;
    if finished.outcome.ok() {
        return Ok((false, "asked again, they agree".to_owned()));
    }
    if finished.outcome == crate::sandbox::Outcome::Exited(NO_PYTHON) {
        return Ok((true, "asked again, there is none".to_owned()));
    }
    let own: Vec<String> = case
        .plan
        .projects
        .iter()
        .filter(|project| project.ecosystem == "python")
        .map(|project| normalised(&project.name))
        .chain([normalised(&case.plan.repository.name)])
        .collect();
    let ours = complaints(&output)
        .into_iter()
        .find(|line| own.contains(&normalised(&subject(line))));
    Ok(match ours {
        Some(line) => (true, format!("the project's own requirement: {line}")),
        None => (false, "only between packages of third parties".to_owned()),
    })
}

/// The distribution that a complaint is about: the first word, after uv's "The package".
fn subject(line: &str) -> String {
    let line = line.strip_prefix("The package ").unwrap_or(line);
    let word = line.split_whitespace().next().unwrap_or_default();
    word.trim_matches('`').to_owned()
}

/// The normal form of a distribution's name (PEP 503).
fn normalised(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Upheld unless it can be imported from its own directory, as a project that is used without being installed.
fn judge_import(
    sandbox: &mut dyn Sandbox,
    case: &Case<'_>,
    module: &str,
) -> Result<(bool, String)> {
    let module = module.to_owned();
    let projects = case
        .plan
        .projects
        .iter()
        .filter(|p| p.ecosystem == "python");
    for project in projects {
        let dir = in_repository(&project.dir);
        let (finished, _) = capture(
            sandbox,
            &bash(case, &dir, IMPORT, std::slice::from_ref(&module)),
        )?;
        if finished.outcome.ok() {
            return Ok((
                false,
                format!("it can be imported in {dir}, where it is used"),
            ));
        }
    }
    Ok((true, "nor in the project's directory".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Fake, case, nothing};
    use super::super::prosecute;
    use super::*;
    use crate::verify::{Charge, sample};

    fn charges(fake: &mut Fake, modules: &[String]) -> Vec<Charge> {
        let (mut plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        plan.projects[0].ecosystem = "python".into();
        plan.projects[0].name = "My_Project".into();
        let mut case = case(&plan, &pyramid, &run.results, &nothing);
        case.modules = modules;
        prosecute(fake, &case).unwrap()
    }

    #[test]
    fn the_projects_own_gap_is_upheld_and_third_parties_are_not() {
        let mut fake = Fake::honest();
        fake.answer("pip check", 1, "Found 1 incompatibility\nThe package `my-project` requires `six`, but it's not installed\n");
        let found = charges(&mut fake, &[]);
        assert!(found[0].upheld, "{found:?}");
        fake.forget("pip check");
        fake.answer(
            "pip check",
            1,
            "other 1.0 requires six, which is not installed.\n",
        );
        assert!(!charges(&mut fake, &[])[0].upheld);
        fake.forget("pip check");
        fake.answer("pip check", 1, "/usr/bin/python3: No module named pip\n");
        assert_eq!(charges(&mut fake, &[]), []);
        fake.forget("pip check");
        fake.answer("pip check", NO_PYTHON, "");
        assert!(charges(&mut fake, &[])[0].upheld);
    }

    #[test]
    fn imports() {
        let modules = ["my_project".to_owned()];
        let mut fake = Fake::honest();
        fake.answer(
            "importlib",
            1,
            "Traceback\nModuleNotFoundError: No module named 'my_project'\n",
        );
        let found = charges(&mut fake, &modules);
        assert!(found[0].upheld, "{found:?}");
        assert_eq!(
            found[0].evidence,
            ["ModuleNotFoundError: No module named 'my_project'"]
        );
        fake.answer("importlib", 0, "");
        let mut fake = Fake::honest();
        fake.answer("importlib", 1, "x\n");
        fake.answer("importlib", 0, "");
        assert!(!charges(&mut fake, &modules)[0].upheld);
    }
}
