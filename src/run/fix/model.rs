//! What a fixed command comes to, as data.

use serde::Serialize;

use crate::diagnose::Failure;
use crate::packages::Capability;
use crate::sandbox::Outcome;

/// Version of the JSON form of [`Fixed`].
pub const SCHEMA: &str = "envc.fix/1";

/// Something that was installed or set because the command missed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Addition {
    pub capability: Capability,
    /// What the package manager was asked for.
    pub words: Vec<String>,
    /// Why: what the output said was missing.
    pub because: String,
    /// The lines of output that prove it.
    pub lines: Vec<String>,
}

/// How `envc run --fix` ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fixed {
    pub schema: &'static str,
    /// How the last run of the command ended.
    pub outcome: Outcome,
    /// Times that the command ran.
    pub runs: u32,
    /// What was installed and helped, in order.
    pub added: Vec<Addition>,
    /// Variables that the command needs.
    pub env: Vec<(String, String)>,
    /// What was tried and did not help, with the reason.
    pub useless: Vec<(String, String)>,
    /// What it failed on in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Why it was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<String>,
    /// What else may help and was not done, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
}

/// What happens, as it happens.
#[derive(Debug)]
pub enum FixEvent<'a> {
    /// Output of the command, as it came.
    Output(&'a [u8]),
    Failed(&'a Failure),
    Installing(&'a [Addition]),
    Setting(&'a str, &'a str),
    /// The command starts again: where it stopped, or (`clean`) from a state without traces of earlier runs.
    Again {
        clean: bool,
    },
    Useless {
        what: &'a str,
        why: &'a str,
    },
}
