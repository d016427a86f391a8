//! One file an ecosystem: how its projects are installed, built, tested and run.
//!
//! To add one: a file here with a `plan` function, and a line in [`ALL`].

mod autotools;
mod cargo;
mod cmake;
pub mod conventional;
mod make;
mod meson;
mod native;
mod python;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{KnowledgeGraph, NodeId, ProjectFacts};
use crate::packages::{BaseFacts, Index};
use crate::scan::Repository;

use super::constraints::Constraints;
use super::model::{Conflict, EnvVar, ProjectPlan, Toolchain};
use super::system::Packages;

/// What an ecosystem may look at.
pub struct Context<'a> {
    pub graph: &'a KnowledgeGraph,
    pub repository: &'a Repository,
    pub constraints: &'a Constraints,
    pub base: &'a BaseFacts,
    pub index: &'a Index,
    /// `YYYY-MM-DD` that versions are resolved as of.
    pub as_of: Option<&'a str>,
}

/// What the projects add to the plan.
#[derive(Default)]
pub struct Draft {
    pub toolchains: Vec<Toolchain>,
    pub packages: Packages,
    pub env: Vec<EnvVar>,
    pub projects: Vec<ProjectPlan>,
    pub conflicts: Vec<Conflict>,
    pub notes: Vec<String>,
}

pub struct Ecosystem {
    /// As [`ProjectFacts::ecosystem`] names it.
    pub name: &'static str,
    /// Toolchains that decide over the base, see `plan/base.rs`.
    pub toolchains: &'static [&'static str],
    pub plan: Planner,
}

/// Writes one project's part of the plan.
pub type Planner = fn(&Context<'_>, NodeId, &ProjectFacts, &mut Draft);

pub const ALL: [Ecosystem; 6] = [
    Ecosystem {
        name: "cmake",
        toolchains: &["cmake"],
        plan: cmake::plan,
    },
    Ecosystem {
        name: "meson",
        toolchains: &["meson"],
        plan: meson::plan,
    },
    Ecosystem {
        name: "autotools",
        toolchains: &[],
        plan: autotools::plan,
    },
    Ecosystem {
        name: "make",
        toolchains: &[],
        plan: make::plan,
    },
    Ecosystem {
        name: "python",
        toolchains: &["python"],
        plan: python::plan,
    },
    Ecosystem {
        name: "cargo",
        toolchains: &["rust"],
        plan: cargo::plan,
    },
];

/// How a project is planned: by the file of its ecosystem, else by what its own tool is told (`conventional`).
/// `None` where nothing says how.
pub fn planner(facts: &ProjectFacts) -> Option<Planner> {
    let own = ALL
        .iter()
        .find(|ecosystem| ecosystem.name == facts.ecosystem);
    own.map(|ecosystem| ecosystem.plan)
        .or_else(|| conventional::applies(facts).then_some(conventional::plan as Planner))
}

/// Whether an ecosystem has a file of its own here.
pub fn has_planner(name: &str) -> bool {
    ALL.iter().any(|ecosystem| ecosystem.name == name)
}

/// Toolchains of a project that decide over the base.
pub fn toolchains(graph: &KnowledgeGraph, project: NodeId, facts: &ProjectFacts) -> Vec<String> {
    match ALL
        .iter()
        .find(|ecosystem| ecosystem.name == facts.ecosystem)
    {
        Some(own) => own
            .toolchains
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        None => conventional::deciding(graph, project),
    }
}

/// The id of a step: unique by the project's directory.
fn step_id(dir: &str, what: &str) -> String {
    let dir = if dir.is_empty() { "." } else { dir };
    format!("{dir}/{what}")
}

/// The evidence that a project stands in its build file.
fn declared(ctx: &Context<'_>, project: NodeId, file: &str, text: &str) -> Because {
    let place = ctx
        .graph
        .node(project)
        .and_then(|node| node.place.clone())
        .unwrap_or_else(|| Place::file(file));
    Because::at(place, Trust::Manifest, text)
}

/// What the project is called: its own name, else its directory's, else the repository's.
fn project_name(ctx: &Context<'_>, facts: &ProjectFacts) -> String {
    facts
        .attr("name")
        .map(|attr| attr.value.clone())
        .filter(|name| !name.is_empty() && !name.contains('$'))
        .or_else(|| {
            facts
                .dir
                .rsplit('/')
                .next()
                .filter(|dir| !dir.is_empty())
                .map(str::to_owned)
        })
        .unwrap_or_else(|| ctx.repository.name.clone())
}

/// `file` in the project's directory, relative to the root.
fn within(dir: &str, file: &str) -> String {
    if dir.is_empty() {
        file.to_owned()
    } else {
        format!("{dir}/{file}")
    }
}
