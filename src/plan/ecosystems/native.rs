//! What the C and C++ build systems share: compilers, build directory, packages.

use crate::evidence::{Because, Trust};
use crate::graph::{EdgeKind, Facts, NodeId, ProjectFacts};
use crate::packages::Capability;
use crate::plan::demand::{choose, demands};
use crate::plan::model::{Channel, ReadyCommand, Step, Toolchain};
use crate::pyramid::Level;

use super::{Context, Draft, within};

/// Adds the compilers for the project's languages. What it needs beside them is `crate::needs`'s to say.
pub fn add_toolchain(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let (c, cpp) = languages(ctx, facts);
    let because = |text: &str| super::declared(ctx, project, "", text);
    if cpp {
        compiler(
            ctx,
            draft,
            "c++",
            "g++",
            &[("g++", "g++")],
            because("C++ sources"),
        );
    }
    if c || !cpp {
        compiler(
            ctx,
            draft,
            "c",
            "gcc",
            &[("gcc", "gcc"), ("libc6-dev", "")],
            because("C sources"),
        );
    }
}

fn compiler(
    ctx: &Context<'_>,
    draft: &mut Draft,
    name: &str,
    tool: &str,
    packages: &[(&str, &str)],
    because: Because,
) {
    for (package, command) in packages {
        let capability = if command.is_empty() {
            Capability::Header("stdio.h".to_owned())
        } else {
            Capability::Command((*command).to_owned())
        };
        draft.packages.named(package, capability, because.clone());
    }
    if draft
        .toolchains
        .iter()
        .any(|toolchain| toolchain.name == name)
    {
        return;
    }
    draft.toolchains.push(Toolchain {
        name: name.to_owned(),
        requirement: String::new(),
        version: ctx.base.tools.get(tool).cloned(),
        channel: Channel::Distribution,
        because: vec![because],
        rejected: Vec::new(),
    });
}

/// The build system itself: from the distribution where that is new enough, else from the Python package index by the
/// step that is given.
pub fn build_tool(
    ctx: &Context<'_>,
    draft: &mut Draft,
    name: &str,
    because: &Because,
) -> Option<Step> {
    let demands = demands(ctx.graph, ctx.constraints, name);
    let offered = ctx.base.tools.get(name).cloned();
    let fits = offered
        .as_deref()
        .is_some_and(|version| choose(&demands, &[version]).is_some());
    draft.toolchains.push(Toolchain {
        name: name.to_owned(),
        requirement: demands
            .first()
            .map(|d| d.requirement.clone())
            .unwrap_or_default(),
        version: if fits { offered } else { None },
        channel: if fits {
            Channel::Distribution
        } else {
            Channel::Uv
        },
        because: demands
            .iter()
            .map(|d| d.because.clone())
            .chain([because.clone()])
            .take(3)
            .collect(),
        rejected: Vec::new(),
    });
    if fits {
        draft.packages.tool(ctx.index, name, because.clone());
        return None;
    }
    Some(super::python::tool_step(
        ctx, draft, name, &demands, because,
    ))
}

/// Whether the project has C, and C++: as its build file says, else by the sources below its directory.
fn languages(ctx: &Context<'_>, facts: &ProjectFacts) -> (bool, bool) {
    let declared = facts.all("language");
    let is = |names: &[&str]| {
        declared
            .iter()
            .any(|attr| names.contains(&attr.value.to_ascii_lowercase().as_str()))
    };
    // CMake's default is both; only sources tell which is used.
    if is(&["cxx", "cpp", "c++"]) {
        return (is(&["c"]), true);
    }
    let prefix = within(&facts.dir, "");
    let has = |language: &str| {
        ctx.repository.files.iter().any(|file| {
            !file.vendored
                && file.language.as_deref() == Some(language)
                && file.path.starts_with(&prefix)
                && !file.path.ends_with(".h")
        })
    };
    (is(&["c"]) || has("c"), has("cpp") && !is(&["c"]))
}

/// A build directory that no tracked file stands in.
pub fn build_dir(ctx: &Context<'_>, dir: &str) -> String {
    ["build", "_build", "envc-build"]
        .into_iter()
        .find(|name| {
            let path = within(dir, name);
            let prefix = format!("{path}/");
            !ctx.repository
                .files
                .iter()
                .any(|file| file.path == path || file.path.starts_with(&prefix))
        })
        .unwrap_or("envc-build")
        .to_owned()
}

/// `true` where the graph found a suite of `framework` for the project.
pub fn has_suite(ctx: &Context<'_>, project: NodeId, framework: &str) -> Option<Because> {
    ctx.graph
        .into(project, EdgeKind::Tests)
        .into_iter()
        .find_map(|node| match &node.facts {
            Facts::TestSuite { framework: found } if found == framework => Some(Because::at(
                node.place
                    .clone()
                    .unwrap_or_else(|| crate::evidence::Place::file("")),
                Trust::Manifest,
                node.name.clone(),
            )),
            _ => None,
        })
}

pub fn ready(
    level: Level,
    command: impl Into<String>,
    dir: &str,
    runner: Option<&str>,
    because: Because,
) -> ReadyCommand {
    ReadyCommand {
        level,
        command: command.into(),
        dir: dir.to_owned(),
        runner: runner.map(str::to_owned),
        because,
    }
}
