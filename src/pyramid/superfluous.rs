//! Ways to install that say nothing new once the plan's own way is among the commands: the same project by another
//! form of the installer's command, an example's own instructions, archives for a registry. Each costs an
//! installation, and one that fails invites repairs of what nobody needs.

use std::sync::LazyLock;

use regex::Regex;

use super::classify::Candidate;
use super::{LeftOut, Level, normal};

/// An installer of Python projects asked for the project of its directory, with any extras, groups and options.
static SAME_PROJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?:uv )?pip[\d.]* install(?: (?:-\S+|--group \S+))* [\x22']?\.(?:\[[\w,. -]*\])?[\x22']?",
        r"(?: (?:-\S+|--group \S+))*",
        r"|(?:uv sync|pdm (?:install|sync)|poetry install)(?: -{1,2}\S+(?: [\w:.-]+)?)*",
        r"|python setup\.py (?:install|develop))$",
    ))
    .expect("a literal")
});

static ARCHIVES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:build(?: -\S+| \.)*|(?:uv|pdm|poetry|flit|hatch) build(?: .*)?",
        r"|python setup\.py(?: -\S+)*(?: (?:sdist|bdist_wheel|check))+(?: -\S+)*)$",
    ))
    .expect("a literal")
});

/// Removes what is superfluous, with the reason; nothing where the plan does not install a Python project.
pub fn remove(candidates: &mut Vec<Candidate>, left_out: &mut Vec<LeftOut>) {
    let planned: Vec<String> = candidates
        .iter()
        .filter(|c| c.planned && c.level == Level::Installability && is_python(&c.command))
        .map(|c| c.dir.clone())
        .collect();
    if planned.is_empty() {
        return;
    }
    candidates.retain(|candidate| match reason(candidate, &planned) {
        None => true,
        Some(reason) => {
            left_out.push(LeftOut {
                place: candidate.because.first().and_then(|b| b.place.clone()),
                command: candidate.command.clone(),
                reason: reason.to_owned(),
            });
            false
        }
    });
}

fn is_python(command: &str) -> bool {
    let normal = normal::normal(command);
    SAME_PROJECT.is_match(&normal)
        || [
            "uv pip install",
            "uv sync",
            "uv tool run pdm",
            "uv tool run poetry",
        ]
        .iter()
        .any(|start| normal.starts_with(start))
}

fn reason(candidate: &Candidate, planned: &[String]) -> Option<&'static str> {
    if candidate.planned || candidate.level != Level::Installability {
        return None;
    }
    let normal = normal::normal(&candidate.command);
    let example = candidate.dir.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        matches!(
            part.as_str(),
            "example"
                | "examples"
                | "sample"
                | "samples"
                | "demo"
                | "demos"
                | "tutorial"
                | "tutorials"
        )
    });
    if example && SAME_PROJECT.is_match(&normal) {
        return Some("installs an example, not the project");
    }
    if !planned.contains(&candidate.dir) {
        return None;
    }
    if SAME_PROJECT.is_match(&normal) {
        return Some("the script installs the project already");
    }
    ARCHIVES
        .is_match(&normal)
        .then_some("makes archives for a registry, of what the script installs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_installing_the_project_here() {
        for text in [
            "pip install .",
            "pip install -e .",
            "python -m pip install -e '.[dev]'",
            "pip install -e .[docs,testing]",
            "pip install --editable .",
            "uv pip install -e . --group dev",
            "uv sync --all-extras",
            "pdm install -d -G :all",
            "poetry install --with dev",
            "python setup.py develop",
        ] {
            assert!(SAME_PROJECT.is_match(&normal::normal(text)), "{text}");
        }
        for text in [
            "pip install -r requirements.txt",
            "pip install ./sub",
            "pip install . && make",
            "pip install . other",
            "python setup.py build_ext --inplace",
            "uv sync && make",
        ] {
            assert!(!SAME_PROJECT.is_match(&normal::normal(text)), "{text}");
        }
    }

    #[test]
    fn archives() {
        for text in [
            "python -m build",
            "python -m build --sdist --wheel .",
            "uv build",
            "python setup.py sdist bdist_wheel",
        ] {
            assert!(ARCHIVES.is_match(&normal::normal(text)), "{text}");
        }
        for text in [
            "make build",
            "python setup.py build_ext",
            "build/run",
            "python -m build_docs",
        ] {
            assert!(!ARCHIVES.is_match(&normal::normal(text)), "{text}");
        }
    }
}
