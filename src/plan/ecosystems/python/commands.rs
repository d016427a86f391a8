//! What is tried once a Python project is installed: its tests, its programs, its import.

use crate::evidence::{Because, Place, Trust};
use crate::graph::{EdgeKind, EntryKind, Facts, NodeId, ProjectFacts};
use crate::plan::ecosystems::native::{has_suite, ready};
use crate::plan::ecosystems::{Context, step_id};
use crate::plan::model::{Action, ReadyCommand, Step};
use crate::pyramid::Level;

/// The framework of the project's tests, and what says so.
pub type Suite = (&'static str, Because);

pub fn suite(ctx: &Context<'_>, project: NodeId) -> Option<Suite> {
    ["pytest", "unittest"].into_iter().find_map(|framework| {
        has_suite(ctx, project, framework).map(|because| (framework, because))
    })
}

/// The step that installs the project, or its requirements: what documents say of installing may need what the
/// environment lacks, this does not.
pub fn install(facts: &ProjectFacts, steps: &[Step]) -> Option<ReadyCommand> {
    let ids = ["install", "requirements"].map(|what| step_id(&facts.dir, what));
    let step = ids
        .iter()
        .find_map(|id| steps.iter().find(|step| step.id == *id))?;
    let Action::Run { argv, .. } = &step.action else {
        return None;
    };
    let command = shlex::try_join(argv.iter().map(String::as_str)).ok()?;
    let because = step.because.first()?.clone();
    Some(ready(
        Level::Installability,
        command,
        &facts.dir,
        None,
        because,
    ))
}

pub fn all(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    suite: Option<Suite>,
) -> Vec<ReadyCommand> {
    let tests = suite.map(|(framework, why)| {
        let command = match framework {
            "pytest" => "python -m pytest".to_owned(),
            _ => unittest(facts),
        };
        let level = Level::Testability;
        ready(level, command, &facts.dir, Some(framework), why)
    });
    tests
        .into_iter()
        .chain(entry_points(ctx, project, facts))
        .chain(import_probe(facts))
        .collect()
}

fn unittest(facts: &ProjectFacts) -> String {
    let start = facts
        .attr("test-dir")
        .map_or("", |attr| attr.value.as_str());
    match shlex::try_quote(start) {
        Ok(quoted) if !start.is_empty() => {
            format!("python -m unittest discover -v -s {quoted} -t .")
        }
        _ => "python -m unittest discover -v".to_owned(),
    }
}

fn entry_points(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts) -> Vec<ReadyCommand> {
    ctx.graph
        .out(project, EdgeKind::Provides)
        .into_iter()
        .filter_map(|node| {
            let place = node
                .place
                .clone()
                .unwrap_or_else(|| Place::file("pyproject.toml"));
            let name = shlex::try_quote(&node.name).ok()?.into_owned();
            let command = match node.facts {
                Facts::EntryPoint {
                    entry: EntryKind::Command,
                } => format!("{name} --help"),
                Facts::EntryPoint {
                    entry: EntryKind::Script,
                } if node.name.ends_with(".py") => {
                    format!("python {name} --help")
                }
                Facts::EntryPoint {
                    entry: EntryKind::Script,
                } => format!("python -m {name} --help"),
                _ => return None,
            };
            let because = Because::at(place, Trust::Manifest, format!("entry point {}", node.name));
            Some(ready(
                Level::Runnability,
                command,
                &facts.dir,
                None,
                because,
            ))
        })
        .collect()
}

/// Importing the package: a smoke probe, which alone proves no level.
fn import_probe(facts: &ProjectFacts) -> Option<ReadyCommand> {
    let attr = facts.attr("import")?;
    let module: String = attr
        .value
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
        .collect();
    (module == attr.value && !module.is_empty()).then(|| {
        ready(
            Level::Testability,
            format!("python -c 'import {module}'"),
            &facts.dir,
            None,
            Because::at(
                attr.place.clone(),
                Trust::Convention,
                format!("package {module}"),
            ),
        )
    })
}
