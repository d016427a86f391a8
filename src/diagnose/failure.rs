//! A failure with a type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::packages::Capability;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Stem of a file under `knowledge/failures/`, e.g. `missing-header`; `unknown` where no unit matched.
    pub kind: String,
    /// One line for people: `header zlib.h is missing`.
    pub title: String,
    pub attribution: Attribution,
    /// Script layer that failed (3 to 5), or `None` for a pyramid command.
    pub layer: Option<u8>,
    /// Step id or pyramid command id.
    pub step: Option<String>,
    /// What was missing, in repairable form.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub missing: Option<Capability>,
    /// Named captures of the unit's signal.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub captures: BTreeMap<String, String>,
    /// The lines of output that prove it (control characters removed).
    pub lines: Vec<String>,
    /// Zero-based line number in the output where it was seen; later failures are progress.
    pub position: usize,
}

/// What has to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribution {
    /// The environment: edit the script.
    Script,
    /// The command was wrong: edit the pyramid.
    Pyramid,
    /// The code is at fault: accepted, never "fixed".
    Repository,
    /// Network, disk: try again later.
    Transient,
    /// Nothing on this machine can help (hardware, credentials).
    Host,
    Unknown,
}

impl Failure {
    /// Two failures with one key are the same failure: no edit is tried twice on it.
    pub fn key(&self) -> String {
        let step = self.step.as_deref().unwrap_or("");
        match &self.missing {
            Some(capability) => format!("{}|{capability}", self.kind),
            None => format!("{}|{step}|{}", self.kind, self.title),
        }
    }
}
