//! The certificate: an in-toto statement (specification v1) about a `setup.sh`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::plan::RepositoryId;
use crate::pyramid::Level;
use crate::run::{CommandResult, EndReason, LayerResult, RepairRecord};
use crate::sandbox::SandboxFacts;

pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
pub const PREDICATE_TYPE: &str = "https://envc.dev/certificate/v1";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Certificate {
    #[serde(rename = "_type")]
    pub statement_type: String,
    pub subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    pub predicate: Predicate,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub name: String,
    /// `sha256` → hexadecimal.
    pub digest: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Predicate {
    /// envc's own version.
    pub compiler: String,
    /// RFC 3339, UTC.
    pub finished: String,
    pub repository: RepositoryId,
    pub verified: bool,
    pub asked: Option<Level>,
    pub reached: Option<Level>,
    /// The proof on the sandbox the loops ran in.
    pub proof: Proof,
    /// The proof of the Dockerfile, where an engine was present.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub docker: Option<Proof>,
    /// Why there is no proof of the Dockerfile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub docker_skipped: Option<String>,
    pub repairs: Vec<RepairRecord>,
    pub charges: Vec<Charge>,
    pub end: EndReason,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proof {
    pub sandbox: SandboxFacts,
    pub layers: Vec<LayerResult>,
    pub commands: Vec<CommandResult>,
    pub reached: Option<Level>,
    /// Seconds.
    pub wall: f64,
}

/// Something the prosecutor holds against the environment, with the judge's verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    pub charge: String,
    pub evidence: Vec<String>,
    /// Upheld after the judge re-tested it by itself.
    pub upheld: bool,
    pub verdict: String,
}

/// What a test runner reported about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    pub runner: String,
    pub passed: u64,
    pub failed: u64,
    /// Collection, import, link errors and crashes: the environment's.
    pub errors: u64,
    pub skipped: u64,
    /// The line (or the first of several) that says so.
    pub evidence: String,
}

impl TestReport {
    /// Tests that really ran.
    pub fn executed(&self) -> u64 {
        self.passed + self.failed
    }
}
