//! The plan: what the environment consists of, and why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::Because;
use crate::packages::Capability;

/// Version of the JSON form of [`Plan`].
pub const SCHEMA: &str = "envc.plan/1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub schema: String,
    pub repository: RepositoryId,
    /// Where the plan is to run.
    pub base: BaseChoice,
    pub toolchains: Vec<Toolchain>,
    pub packages: Vec<SystemPackage>,
    pub services: Vec<Service>,
    pub env: Vec<EnvVar>,
    /// In the order in which they are built.
    pub projects: Vec<ProjectPlan>,
    /// Where two pieces of evidence disagreed.
    pub conflicts: Vec<Conflict>,
    /// What a user should know and no step says.
    pub notes: Vec<String>,
}

/// What the artifacts say of the repository they belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryId {
    pub name: String,
    pub commit: Option<String>,
    /// `YYYY-MM-DD` that versions are resolved as of; `None` where nothing fixes a date.
    pub as_of: Option<String>,
    /// A tracked file whose presence tells that a directory is this repository.
    pub marker: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaseChoice {
    /// `debian:bookworm`: the base the Dockerfile is built from.
    pub image: String,
    /// Stem of its file under `knowledge/bases/`.
    pub id: String,
    pub because: Vec<Because>,
}

/// A compiler or interpreter with a version, and the channel it is had from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toolchain {
    /// `c`, `c++`, `python`, `rust`.
    pub name: String,
    /// The requirement that has to hold, as its evidence writes it (`>=3.9,<3.13`); empty: any.
    pub requirement: String,
    /// What the base is known to give, e.g. `3.11`; `None` where it is not known before it runs.
    pub version: Option<String>,
    pub channel: Channel,
    pub because: Vec<Because>,
    pub rejected: Vec<Rejected>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The base's own packages.
    Distribution,
    /// `uv` from the Python package index, and the interpreters it manages.
    Uv,
    /// `rustup`.
    Rustup,
}

/// A candidate that lost, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    pub value: String,
    pub reason: String,
    pub because: Vec<Because>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemPackage {
    pub capability: Capability,
    /// Debian's name for it (other managers resolve the capability themselves).
    pub package: String,
    pub because: Vec<Because>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Service {
    pub name: String,
    pub image: String,
    pub ports: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub because: Vec<Because>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvVar {
    pub name: String,
    pub value: String,
    pub because: Vec<Because>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectPlan {
    pub name: String,
    /// Relative to the root; empty for the root.
    pub dir: String,
    pub ecosystem: String,
    pub steps: Vec<Step>,
    /// Commands that use what was built, for the last lines of the script and for the pyramid's conventions.
    pub ready: Vec<ReadyCommand>,
}

/// What a user does with the finished project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadyCommand {
    pub level: crate::pyramid::Level,
    pub command: String,
    /// Relative to the root.
    pub dir: String,
    /// Test runner whose report the command prints, see `verify/reports/`.
    pub runner: Option<String>,
    pub because: Because,
}

/// Where a step stands in the script (`DESIGN.md`, the six layers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    Base,
    Runtimes,
    Project,
}

impl Layer {
    pub const ALL: [Self; 3] = [Self::Base, Self::Runtimes, Self::Project];

    /// The number the script's arguments use.
    pub fn number(self) -> u8 {
        match self {
            Self::Base => 3,
            Self::Runtimes => 4,
            Self::Project => 5,
        }
    }
}

/// One step of installing or building.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the plan: `<project dir or root>/<what>`, e.g. `./configure`, `python/install`.
    pub id: String,
    pub layer: Layer,
    /// Relative to the repository's root; empty for the root.
    pub dir: String,
    pub action: Action,
    /// The step is skipped where this holds already.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unless: Option<Guard>,
    pub because: Vec<Because>,
}

/// What a step does. Values from the repository stay arguments: nothing here is text to be spliced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A command, quoted argument by argument when the script is written. `env` stands before it.
    Run {
        argv: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        env: Vec<(String, String)>,
    },
    /// Shell text that a person of the repository wrote (a CI step), taken over as it is.
    Shell { text: String },
    /// A toolchain's set-up, written by the template `templates/script/<template>.sh.hbs`.
    Template {
        template: String,
        values: BTreeMap<String, String>,
    },
}

impl Action {
    pub fn run<I, S>(argv: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        Self::Run {
            argv: argv.into_iter().map(Into::into).collect(),
            env: Vec::new(),
        }
    }
}

/// A condition, relative to the step's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    Exists(String),
    Command(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// `python version`, `build system`.
    pub topic: String,
    pub winner: String,
    pub because: Because,
    pub losers: Vec<Rejected>,
}
