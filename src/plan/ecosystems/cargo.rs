//! Rust (The Cargo Book): one plan a workspace.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{EdgeKind, EntryKind, Facts, NodeId, ProjectFacts};
use crate::packages::Capability;
use crate::plan::demand::{Demand, demands};
use crate::plan::model::{
    Action, Channel, EnvVar, Layer, ProjectPlan, ReadyCommand, Step, Toolchain,
};
use crate::plan::requirement::{minimum, satisfies};
use crate::plan::system;
use crate::pyramid::Level;

use super::native::ready;
use super::{Context, Draft, declared, project_name, step_id};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "Cargo.toml", "cargo package");
    toolchain(ctx, facts, draft, &because);
    // rustc links with the C compiler driver; build scripts of -sys crates compile with it.
    let linker = Because::no_place(Trust::Convention, "rustc links through cc");
    draft
        .packages
        .named("gcc", Capability::Command("cc".to_owned()), linker.clone());
    draft.packages.named(
        "libc6-dev",
        Capability::Header("stdio.h".to_owned()),
        linker,
    );
    let dependencies = ctx.graph.dependencies(project);
    system::add_declared(&mut draft.packages, ctx.index, &dependencies);
    if let Some((node, dep)) = dependencies
        .iter()
        .find(|(_, dep)| matches!(dep.capability, Some(Capability::PkgConfig(_))))
    {
        let why = system::because_of(node, dep);
        draft.packages.tool(ctx.index, "pkg-config", why);
    }
    let lock = facts.attr("lock");
    if lock.is_none() {
        draft.env.push(EnvVar {
            name: "CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS".to_owned(),
            value: "fallback".to_owned(),
            because: vec![Because::no_place(
                Trust::Convention,
                "no Cargo.lock: take versions that this Rust can build",
            )],
        });
    }
    let locked = |mut argv: Vec<&'static str>| {
        if lock.is_some() {
            argv.push("--locked");
        }
        argv
    };
    let because_lock = match lock {
        Some(attr) => Because::at(attr.place.clone(), Trust::Lock, "locked versions"),
        None => because.clone(),
    };
    let step = |what: &str, layer: Layer, argv: Vec<&str>, because: &Because| Step {
        id: step_id(&facts.dir, what),
        layer,
        dir: facts.dir.clone(),
        action: Action::run(argv),
        unless: None,
        because: vec![because.clone()],
    };
    let steps = vec![
        rust_step(ctx, facts, &because),
        step(
            "fetch",
            Layer::Runtimes,
            locked(vec!["cargo", "fetch"]),
            &because_lock,
        ),
        step(
            "build",
            Layer::Project,
            // What `cargo test` needs, and not benches, which many crates can build on a nightly only.
            locked(vec!["cargo", "build", "--workspace", "--tests"]),
            &because,
        ),
    ];
    let build = locked(vec!["cargo", "build", "--workspace"]).join(" ");
    let test = locked(vec!["cargo", "test", "--workspace"]).join(" ");
    let mut commands = vec![
        ready(
            Level::Installability,
            build,
            &facts.dir,
            None,
            because.clone(),
        ),
        ready(
            Level::Testability,
            test,
            &facts.dir,
            Some("cargo"),
            because.clone(),
        ),
    ];
    commands.extend(programs(ctx, project, facts, &locked(Vec::new())));
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "cargo".to_owned(),
        steps,
        ready: commands,
    });
}

/// Everything that bounds the Rust version from below, strongest first.
fn bounds(ctx: &Context<'_>, facts: &ProjectFacts) -> Vec<Demand> {
    let mut found = demands(ctx.graph, ctx.constraints, "rust");
    // Cargo's changelog: lock file version 4 is read since 1.78, edition 2024 is stable since 1.85.
    let implied = [("lock-version", "4", "1.78"), ("edition", "2024", "1.85")];
    for (name, value, version) in implied {
        if let Some(attr) = facts.all(name).iter().find(|attr| attr.value == value) {
            found.push(Demand {
                tool: "rust".to_owned(),
                requirement: format!(">={version}"),
                because: Because::at(
                    attr.place.clone(),
                    Trust::Manifest,
                    format!("{name} {value}"),
                ),
            });
        }
    }
    found
}

fn highest_minimum(bounds: &[Demand]) -> Option<String> {
    bounds
        .iter()
        .filter_map(|demand| minimum(&demand.requirement))
        .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        .max_by(|a, b| {
            let parse = |text: &str| text.parse::<pep440_rs::Version>().ok();
            parse(a).cmp(&parse(b))
        })
}

fn toolchain(ctx: &Context<'_>, facts: &ProjectFacts, draft: &mut Draft, because: &Because) {
    let bounds = bounds(ctx, facts);
    let offered = ctx.base.tools.get("rustc").cloned();
    let requirement = highest_minimum(&bounds)
        .map(|version| format!(">={version}"))
        .unwrap_or_default();
    let fits = offered
        .as_deref()
        .is_some_and(|version| satisfies(&requirement, version));
    draft.toolchains.push(Toolchain {
        name: "rust".to_owned(),
        requirement,
        version: if fits { offered } else { None },
        channel: if fits {
            Channel::Distribution
        } else {
            Channel::Rustup
        },
        because: bounds
            .iter()
            .map(|demand| demand.because.clone())
            .chain([because.clone()])
            .take(4)
            .collect(),
        rejected: Vec::new(),
    });
}

fn rust_step(ctx: &Context<'_>, facts: &ProjectFacts, because: &Because) -> Step {
    let bounds = bounds(ctx, facts);
    let minimum = highest_minimum(&bounds).unwrap_or_default();
    Step {
        id: "rust/toolchain".to_owned(),
        layer: Layer::Runtimes,
        dir: String::new(),
        action: Action::Template {
            template: "rust".to_owned(),
            values: BTreeMap::from([("minimum".to_owned(), minimum)]),
        },
        unless: None,
        because: bounds
            .into_iter()
            .map(|demand| demand.because)
            .chain([because.clone()])
            .take(2)
            .collect(),
    }
}

fn programs(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    locked: &[&str],
) -> Vec<ReadyCommand> {
    ctx.graph
        .out(project, EdgeKind::Provides)
        .into_iter()
        .filter(|node| {
            matches!(
                node.facts,
                Facts::EntryPoint {
                    entry: EntryKind::Command
                }
            )
        })
        .filter_map(|node| {
            let name = shlex::try_quote(&node.name).ok()?;
            let place = node
                .place
                .clone()
                .unwrap_or_else(|| Place::file("Cargo.toml"));
            let flags = if locked.is_empty() { "" } else { " --locked" };
            Some(ready(
                Level::Runnability,
                format!("cargo run{flags} --bin {name} -- --help"),
                &facts.dir,
                None,
                Because::at(place, Trust::Convention, format!("program {}", node.name)),
            ))
        })
        .collect()
}
