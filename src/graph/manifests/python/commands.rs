//! What a Python project's own manager is told to do: `uv`, `poetry`, `pdm`, `pipenv`, or pip alone.

use crate::evidence::Place;
use crate::graph::{EntryKind, Facts};

use super::super::drafts::Draft;

/// How programs of the environment are run with each manager, and how everything is installed.
const MANAGERS: &[(&str, &str, &str)] = &[
    ("uv.lock", "uv sync", "uv run "),
    ("poetry.lock", "poetry install", "poetry run "),
    ("pdm.lock", "pdm install", "pdm run "),
    ("Pipfile.lock", "pipenv sync --dev", "pipenv run "),
];

pub fn read(draft: &mut Draft) {
    // A member is installed from its root.
    let member = draft.has_attr("workspace-root");
    let lock = draft.facts.all("lock").iter().find_map(|attr| {
        let found = MANAGERS
            .iter()
            .find(|(file, ..)| attr.value.ends_with(file))?;
        Some((found.1, found.2, attr.place.clone()))
    });
    // Poetry and pipenv are used without a lock file too; what else a table names is pip's to install.
    let manager = draft.facts.attr("manager").cloned();
    let unlocked = manager.and_then(|attr| match attr.value.as_str() {
        "poetry" => Some(("poetry install", "poetry run ", attr.place)),
        "pipenv" => Some(("pipenv install --dev", "pipenv run ", attr.place)),
        _ => None,
    });
    let run = match lock.or(unlocked) {
        Some((install, run, place)) => {
            draft.command("install", install, place);
            run
        }
        None if member => "",
        None => {
            pip(draft);
            ""
        }
    };
    if let Some(backend) = draft.facts.attr("backend").cloned()
        && draft.value("layout") == Some("package")
    {
        draft.command("build", "python -m build", backend.place);
    }
    tests(draft, run);
    let entry = draft.items().iter().find(|item| {
        matches!(
            item.facts,
            Facts::EntryPoint {
                entry: EntryKind::Command | EntryKind::Script
            }
        )
    });
    let Some(entry) = entry.cloned() else { return };
    let Ok(word) = shlex::try_quote(&entry.name) else {
        return;
    };
    let script = matches!(
        entry.facts,
        Facts::EntryPoint {
            entry: EntryKind::Script
        }
    );
    let program = if script { "python -m " } else { "" };
    draft.command("run", format!("{run}{program}{word}"), entry.place);
}

fn pip(draft: &mut Draft) {
    let extra = draft.facts.attr("test-extra").cloned();
    let requirements = draft.facts.attr("requirements").cloned();
    match (draft.value("layout"), extra, requirements) {
        (Some("package"), Some(extra), _) => {
            if let Ok(word) = shlex::try_quote(&format!(".[{}]", extra.value)) {
                draft.command("install", format!("pip install -e {word}"), extra.place);
            }
        }
        (Some("package"), None, _) => {
            let place = draft.place.clone().unwrap_or_else(|| Place::file(""));
            draft.command("install", "pip install -e .", place);
        }
        (_, _, Some(file)) => {
            let inside = super::relative(&file.value, &draft.facts.dir).unwrap_or(&file.value);
            if let Ok(word) = shlex::try_quote(inside) {
                draft.command("install", format!("pip install -r {word}"), file.place);
            }
        }
        _ => {}
    }
}

fn tests(draft: &mut Draft, run: &str) {
    let suite = draft.items().iter().find_map(|item| match &item.facts {
        Facts::TestSuite { framework } => Some((framework.clone(), item.place.clone())),
        _ => None,
    });
    let Some((framework, place)) = suite else {
        return;
    };
    match framework.as_str() {
        "pytest" => draft.command("test", format!("{run}pytest"), place),
        "unittest" => draft.command("test", format!("{run}python -m unittest"), place),
        _ => {}
    }
}
