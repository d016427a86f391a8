//! The script as data: six layers of steps. Repairs edit this; the Bash text is written from it.

use serde::{Deserialize, Serialize};

use crate::plan::{BaseChoice, EnvVar, Layer, RepositoryId, Step, SystemPackage};

/// Version of the JSON form of [`Script`].
pub const SCHEMA: &str = "envc.script/1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Script {
    pub schema: String,
    pub repository: RepositoryId,
    pub base: BaseChoice,
    /// Exported at the top of the script, in this order.
    pub env: Vec<EnvVar>,
    /// Installed in layer 3, in this order.
    pub packages: Vec<SystemPackage>,
    /// Layers 4 and 5 (and 3 after the packages), in order within each layer.
    pub steps: Vec<Step>,
    /// Printed when everything is ready: how to test and to run.
    pub ready: Vec<String>,
    /// What was proved, for the header; `None` until a run has proved something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verified: Option<String>,
}

impl Script {
    pub fn steps_of(&self, layer: Layer) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.layer == layer)
    }

    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }
}
