//! Installing a Python project: from its lock file where there is one, else with what its tests need.

use crate::evidence::{Because, Trust};
use crate::graph::{Attr, ProjectFacts};
use crate::plan::ecosystems::{step_id, within};
use crate::plan::model::{Layer, Step};

use super::needs::{Needs, is_listed};
use super::{run, words};

/// Requirements files first (they are the slow part and change rarely), then the project with the rest.
pub fn steps(facts: &ProjectFacts, because: &Because, needs: Needs) -> Vec<Step> {
    let mut steps: Vec<Step> = requirement_files(facts, &needs).into_iter().collect();
    let packaged = facts
        .attr("layout")
        .is_none_or(|attr| attr.value != "requirements");
    let mut rest = needs.packages.clone();
    if packaged {
        let step = match locked(facts, &needs).or_else(|| poetry(facts)) {
            Some(step) => step,
            None => with_uv(facts, because, &needs, std::mem::take(&mut rest)),
        };
        steps.push(step);
    }
    steps.extend(test_tools(facts, rest));
    steps
}

/// `uv pip install -r` for the requirements files that installing and testing need.
fn requirement_files(facts: &ProjectFacts, needs: &Needs) -> Option<Step> {
    let mut argv = words("uv pip install");
    for (file, _) in &needs.files {
        let relative = file.strip_prefix(&within(&facts.dir, "")).unwrap_or(file);
        argv.extend(["-r".to_owned(), relative.to_owned()]);
    }
    let why = needs.files.iter().map(|(_, why)| why.clone()).collect();
    let id = step_id(&facts.dir, "requirements");
    (!needs.files.is_empty()).then(|| run(id, Layer::Runtimes, &facts.dir, argv, why))
}

fn locked(facts: &ProjectFacts, needs: &Needs) -> Option<Step> {
    let locks = facts.all("lock");
    let lock = |name: &str| locks.iter().find(|attr| attr.value.ends_with(name));
    let step = |attr: &Attr, argv: Vec<String>, mut why: Vec<Because>| {
        why.insert(
            0,
            Because::at(attr.place.clone(), Trust::Lock, attr.value.clone()),
        );
        let id = step_id(&facts.dir, "install");
        run(id, Layer::Project, &facts.dir, argv, why)
    };
    if let Some(attr) = lock("uv.lock") {
        let (argv, why) = uv_sync(needs);
        return Some(step(attr, argv, why));
    }
    if let Some(attr) = lock("poetry.lock") {
        let argv = words("uv tool run poetry install --no-interaction --all-extras");
        return Some(step(attr, argv, Vec::new()));
    }
    let attr = lock("pdm.lock")?;
    let argv = words("uv tool run pdm sync --group :all --no-isolation");
    Some(step(attr, argv, Vec::new()))
}

/// The groups and extras that tests need, beside the default groups; everything where nothing says which.
fn uv_sync(needs: &Needs) -> (Vec<String>, Vec<Because>) {
    let mut argv = words("uv sync --active --frozen");
    let mut why = Vec::new();
    if needs.extras.is_empty() {
        argv.push("--all-extras".to_owned());
    }
    if needs.groups.is_empty() {
        argv.push("--all-groups".to_owned());
    }
    for (option, list) in [("--extra", &needs.extras), ("--group", &needs.groups)] {
        for (name, because) in list {
            argv.extend([option.to_owned(), name.clone()]);
            why.push(because.clone());
        }
    }
    (argv, why)
}

/// Poetry's own table of dependencies is not the standard's: only Poetry installs its groups.
fn poetry(facts: &ProjectFacts) -> Option<Step> {
    let manager = facts
        .all("manager")
        .iter()
        .find(|attr| attr.value == "poetry")?;
    let group = facts.all("poetry-group").first()?;
    let because = |place: &crate::evidence::Place, text: &str| {
        Because::at(place.clone(), Trust::Manifest, text)
    };
    let why = vec![
        because(&manager.place, "poetry"),
        because(&group.place, &format!("group {}", group.value)),
    ];
    let argv = words("uv tool run poetry install --no-interaction --all-extras");
    let id = step_id(&facts.dir, "install");
    Some(run(id, Layer::Project, &facts.dir, argv, why))
}

fn with_uv(
    facts: &ProjectFacts,
    because: &Because,
    needs: &Needs,
    packages: Vec<(String, Because)>,
) -> Step {
    let mut why = vec![because.clone()];
    let mut argv = words("uv pip install");
    // These backends' editable installs rebuild at import time with tools of the build environment that is gone.
    let editable = !facts
        .all("extension")
        .iter()
        .any(|attr| matches!(attr.value.as_str(), "meson-python" | "scikit-build-core"));
    if editable {
        argv.push("-e".to_owned());
    }
    let extras: Vec<&str> = needs.extras.iter().map(|(name, _)| name.as_str()).collect();
    argv.push(match extras.is_empty() {
        true => ".".to_owned(),
        false => format!(".[{}]", extras.join(",")),
    });
    why.extend(needs.extras.iter().map(|(_, why)| why.clone()));
    let standard = |group: &&(String, Because)| !is_listed(facts, &group.0);
    for (name, because) in needs.groups.iter().filter(standard) {
        argv.extend(["--group".to_owned(), name.clone()]);
        why.push(because.clone());
    }
    for (requirement, because) in packages {
        argv.push(requirement);
        why.push(because);
    }
    let id = step_id(&facts.dir, "install");
    run(id, Layer::Project, &facts.dir, argv, why)
}

/// What tests need, where the project's own command cannot name it.
fn test_tools(facts: &ProjectFacts, packages: Vec<(String, Because)>) -> Option<Step> {
    if packages.is_empty() {
        return None;
    }
    let (names, why): (Vec<String>, Vec<Because>) = packages.into_iter().unzip();
    let mut argv = words("uv pip install");
    argv.extend(names);
    let id = step_id(&facts.dir, "test-tools");
    Some(run(id, Layer::Project, &facts.dir, argv, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Place;
    use crate::plan::model::Action;

    fn because(text: &str) -> Because {
        Because::at(Place::file("f"), Trust::Manifest, text)
    }

    fn commands(attrs: &[(&str, &str)], needs: Needs) -> Vec<String> {
        let mut facts = ProjectFacts::new("python", "");
        for (name, value) in attrs {
            let attr = Attr {
                value: (*value).to_owned(),
                place: Place::file("f"),
            };
            facts
                .attrs
                .entry((*name).to_owned())
                .or_default()
                .push(attr);
        }
        let line = |step: Step| match step.action {
            Action::Run { argv, .. } => argv.join(" "),
            other => format!("{other:?}"),
        };
        let steps = steps(&facts, &because("project"), needs);
        steps.into_iter().map(line).collect()
    }

    fn list(names: &[&str]) -> Vec<(String, Because)> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), because(name)))
            .collect()
    }

    fn needs() -> Needs {
        Needs {
            extras: list(&["test"]),
            groups: list(&["dev"]),
            files: list(&["requirements/tests.txt"]),
            packages: list(&["pytest", "mock>=2"]),
        }
    }

    #[test]
    fn one_command_brings_the_project_and_what_its_tests_need() {
        assert_eq!(
            commands(&[], needs()),
            [
                "uv pip install -r requirements/tests.txt",
                "uv pip install -e .[test] --group dev pytest mock>=2"
            ]
        );
        assert_eq!(commands(&[], Needs::default()), ["uv pip install -e ."]);
    }

    #[test]
    fn groups_that_only_their_manager_reads_are_no_option() {
        let attrs = [("listed-group", "dev")];
        let last = commands(&attrs, needs()).pop();
        assert_eq!(
            last.as_deref(),
            Some("uv pip install -e .[test] pytest mock>=2")
        );
        let attrs = [("manager", "poetry"), ("poetry-group", "dev")];
        let last = commands(&attrs, Needs::default()).pop();
        assert_eq!(
            last.as_deref(),
            Some("uv tool run poetry install --no-interaction --all-extras")
        );
    }

    #[test]
    fn a_lock_file_is_installed_with_the_groups_of_tests() {
        let lock = [("lock", "uv.lock")];
        let first = commands(&lock, needs()).remove(1);
        assert_eq!(first, "uv sync --active --frozen --extra test --group dev");
        let all = commands(&lock, Needs::default());
        assert_eq!(all, ["uv sync --active --frozen --all-extras --all-groups"]);
    }

    #[test]
    fn an_application_has_requirements_only() {
        let commands = commands(&[("layout", "requirements")], needs());
        assert_eq!(
            commands,
            [
                "uv pip install -r requirements/tests.txt",
                "uv pip install pytest mock>=2"
            ]
        );
    }
}
