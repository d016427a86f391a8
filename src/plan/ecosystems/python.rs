//! Python (PEP 517, 518, 621, 735): an isolated environment made by uv, dependencies, then the project itself.

mod commands;
mod generate;
mod install;
mod needs;

use std::collections::BTreeMap;

use crate::evidence::{Because, Trust};
use crate::graph::{NodeId, ProjectFacts};
use crate::packages::Capability;
use crate::plan::demand::{Demand, choose, demands};
use crate::plan::model::{Action, Channel, Layer, ProjectPlan, Step, Toolchain};
use crate::plan::system;

use super::{Context, Draft, declared, project_name};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "pyproject.toml", "Python project");
    interpreter(ctx, draft, &because);
    native_needs(ctx, project, facts, draft, &because);
    let mut steps = vec![environment(ctx, draft, &because)];
    steps.extend(generate::steps(ctx, project, facts));
    let suite = commands::suite(ctx, project);
    let tests = needs::of(ctx, project, facts, suite.as_ref());
    steps.extend(install::steps(facts, &because, tests));
    let mut ready: Vec<_> = commands::install(facts, &steps).into_iter().collect();
    ready.extend(commands::all(ctx, project, facts, suite));
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "python".to_owned(),
        steps,
        ready,
    });
}

/// A step that puts a build tool from the Python package index on `PATH`, for other ecosystems.
pub fn tool_step(
    ctx: &Context<'_>,
    draft: &mut Draft,
    tool: &str,
    demands: &[Demand],
    because: &Because,
) -> Step {
    let why = demands
        .first()
        .map_or(because, |demand| &demand.because)
        .clone();
    python_packages(ctx, draft, &why);
    let requirement = demands
        .first()
        .and_then(|demand| crate::plan::requirement::minimum(&demand.requirement))
        .map_or_else(|| tool.to_owned(), |minimum| format!("{tool}>={minimum}"));
    Step {
        id: format!("tools/{tool}"),
        layer: Layer::Runtimes,
        dir: String::new(),
        action: Action::Template {
            template: "python-tool".to_owned(),
            values: BTreeMap::from([
                ("tool".to_owned(), tool.to_owned()),
                ("requirement".to_owned(), requirement),
            ]),
        },
        unless: None,
        because: vec![why],
    }
}

fn python_packages(_ctx: &Context<'_>, draft: &mut Draft, because: &Because) {
    let command = |name: &str| Capability::Command(name.to_owned());
    draft
        .packages
        .named("python3", command("python3"), because.clone());
    draft.packages.named(
        "python3-venv",
        Capability::Python("ensurepip".to_owned()),
        because.clone(),
    );
}

fn interpreter(ctx: &Context<'_>, draft: &mut Draft, because: &Because) {
    python_packages(ctx, draft, because);
    if draft
        .toolchains
        .iter()
        .any(|toolchain| toolchain.name == "python")
    {
        return;
    }
    let demands = demands(ctx.graph, ctx.constraints, "python");
    let offered = ctx.base.tools.get("python").cloned();
    let chosen = offered
        .as_deref()
        .and_then(|version| choose(&demands, &[version]));
    let (version, channel) = match &chosen {
        Some((version, conflict)) => {
            draft.conflicts.extend(conflict.clone());
            (Some(version.clone()), Channel::Distribution)
        }
        None => (None, Channel::Uv),
    };
    draft.toolchains.push(Toolchain {
        name: "python".to_owned(),
        requirement: demands
            .first()
            .map(|d| d.requirement.clone())
            .unwrap_or_default(),
        version,
        channel,
        because: demands
            .iter()
            .map(|demand| demand.because.clone())
            .chain([because.clone()])
            .take(3)
            .collect(),
        rejected: Vec::new(),
    });
}

fn environment(ctx: &Context<'_>, draft: &Draft, because: &Because) -> Step {
    let toolchain = draft
        .toolchains
        .iter()
        .find(|toolchain| toolchain.name == "python");
    // An interpreter of the base is named by path: uv would prefer one it manages.
    let python = match toolchain {
        Some(toolchain) if toolchain.channel == Channel::Uv => toolchain.requirement.clone(),
        _ => "/usr/bin/python3".to_owned(),
    };
    let mut values = BTreeMap::from([("python".to_owned(), python)]);
    if let Some(date) = ctx.as_of {
        values.insert("exclude-newer".to_owned(), date.to_owned());
    }
    Step {
        id: "python/environment".to_owned(),
        layer: Layer::Runtimes,
        dir: String::new(),
        action: Action::Template {
            template: "python-uv".to_owned(),
            values,
        },
        unless: None,
        because: toolchain
            .map(|toolchain| toolchain.because.clone())
            .unwrap_or_else(|| vec![because.clone()]),
    }
}

/// Compiler and headers for extensions; system libraries that manifests name.
fn native_needs(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    draft: &mut Draft,
    because: &Because,
) {
    let dependencies = ctx.graph.dependencies(project);
    system::add_declared(&mut draft.packages, ctx.index, &dependencies);
    let Some(extension) = facts.attr("extension") else {
        return;
    };
    let why = Because::at(
        extension.place.clone(),
        Trust::Manifest,
        format!("{} extension", extension.value),
    );
    let cpp = ctx
        .repository
        .files
        .iter()
        .any(|file| !file.vendored && file.language.as_deref() == Some("cpp"));
    draft
        .packages
        .named("gcc", Capability::Command("gcc".to_owned()), why.clone());
    draft.packages.named(
        "libc6-dev",
        Capability::Header("stdio.h".to_owned()),
        why.clone(),
    );
    if cpp
        || matches!(
            extension.value.as_str(),
            "meson-python" | "scikit-build-core" | "scikit-build"
        )
    {
        draft
            .packages
            .named("g++", Capability::Command("g++".to_owned()), why.clone());
    }
    if extension.value.contains("rust") || extension.value == "maturin" {
        draft.packages.tool(ctx.index, "cargo", why.clone());
    }
    draft.packages.named(
        "python3-dev",
        Capability::Header("Python.h".to_owned()),
        why.clone(),
    );
    system::add_included(&mut draft.packages, ctx.index, ctx.graph, &facts.dir);
    if facts.attr("pkg-config").is_some() {
        draft
            .packages
            .tool(ctx.index, "pkg-config", because.clone());
    }
}

fn run(id: String, layer: Layer, dir: &str, argv: Vec<String>, because: Vec<Because>) -> Step {
    Step {
        id,
        layer,
        dir: dir.to_owned(),
        action: Action::run(argv),
        unless: None,
        because,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
