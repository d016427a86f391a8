//! Edits: the only things a repair can do.

use serde::{Deserialize, Serialize};

use crate::evidence::Because;
use crate::packages::Capability;
use crate::plan::Step;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    pub operation: Operation,
    /// Knowledge unit, package index or strategy that proposed it.
    pub origin: String,
    pub because: Because,
}

/// Typed operations on the script, the pyramid, or the constraints of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "op")]
pub enum Operation {
    AddPackage {
        capability: Capability,
        package: String,
    },
    SetEnv {
        name: String,
        value: String,
    },
    /// Inserts a step before the step named, or at the end of its layer.
    AddStep {
        step: Step,
        before: Option<String>,
    },
    ReplaceStep {
        id: String,
        step: Step,
    },
    RemoveStep {
        id: String,
    },
    /// Appends arguments to a `Run` step, e.g. a configure option.
    AddArguments {
        id: String,
        arguments: Vec<String>,
    },
    /// A Python requirement (PEP 508) for the isolated environment.
    AddPythonRequirement {
        requirement: String,
    },
    DropCommand {
        id: String,
        reason: String,
    },
    /// Runs a pyramid command in another directory (relative to the root).
    MoveCommand {
        id: String,
        dir: String,
    },
    SetCommandEnv {
        id: String,
        name: String,
        value: String,
    },
    /// Plan again under one more constraint, e.g. `python` `3.9`, `base` `debian-trixie`.
    Replan {
        topic: String,
        value: String,
    },
    /// Several that only help together (a step and the package with its program); none of them a re-plan.
    All {
        operations: Vec<Self>,
    },
}

impl std::fmt::Display for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.operation.fmt(f)
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AddPackage {
                capability,
                package,
            } => write!(f, "install {package} for {capability}"),
            Self::SetEnv { name, value } => write!(f, "export {name}={value}"),
            Self::AddStep { step, .. } => write!(f, "add step {}", step.id),
            Self::ReplaceStep { id, .. } => write!(f, "replace step {id}"),
            Self::RemoveStep { id } => write!(f, "remove step {id}"),
            Self::AddArguments { id, arguments } => {
                write!(f, "add {} to step {id}", arguments.join(" "))
            }
            Self::AddPythonRequirement { requirement } => {
                write!(f, "install {requirement} into the Python environment")
            }
            Self::DropCommand { id, reason } => write!(f, "leave out command {id}: {reason}"),
            Self::MoveCommand { id, dir } => write!(f, "run command {id} in {dir}"),
            Self::SetCommandEnv { id, name, value } => {
                write!(f, "run command {id} with {name}={value}")
            }
            Self::Replan { topic, value } => write!(f, "plan again with {topic} {value}"),
            Self::All { operations } => {
                for (at, operation) in operations.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{operation}")?;
                }
                Ok(())
            }
        }
    }
}
