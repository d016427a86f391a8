//! What happened when script and pyramid ran.

use serde::{Deserialize, Serialize};

use crate::diagnose::Failure;
use crate::pyramid::{Level, Pyramid};
use crate::repair::Edit;
use crate::sandbox::{Outcome, SandboxFacts};
use crate::script::Script;
use crate::verify::TestReport;

/// Version of the JSON form of [`Run`] and of a journal line.
pub const SCHEMA: &str = "envc.run/1";

/// A finished run of the two loops and the replay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    pub schema: String,
    pub sandbox: SandboxFacts,
    /// As it stands after all repairs.
    pub script: Script,
    pub pyramid: Pyramid,
    /// The script's layers in the replay from the clean base.
    pub layers: Vec<LayerResult>,
    /// The pyramid's commands in the replay, each from the snapshot of the validated script.
    pub results: Vec<CommandResult>,
    pub repairs: Vec<RepairRecord>,
    pub reached: Option<Level>,
    pub end: EndReason,
    /// Seconds of the whole run, and of the replay alone.
    pub wall: f64,
    pub replay_wall: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LayerResult {
    pub layer: u8,
    pub outcome: Outcome,
    /// Seconds.
    pub wall: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommandResult {
    /// Id of the pyramid's command.
    pub id: String,
    pub level: Level,
    pub command: String,
    pub dir: String,
    pub outcome: Outcome,
    /// Seconds.
    pub wall: f64,
    /// What its runner reported, if it did.
    pub report: Option<TestReport>,
    pub verdict: Verdict,
    /// One line that says why the verdict is what it is.
    pub reason: String,
    /// Last lines of its output, control characters removed.
    pub tail: Vec<String>,
    /// Position of its whole output in the journal.
    pub journal: u64,
}

/// What a command's end says about the *environment* (`DESIGN.md`, verification).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It exited 0 and, for a test level, its runner reported at least one executed test.
    Passed,
    /// The runner ran tests and some assertions failed: the environment works, the code does not.
    RepositoryFails,
    /// The environment is at fault, or nothing proves that it is not.
    Failed,
    /// Not run: budget, or a lower level stands in the way.
    NotTried,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RepairRecord {
    /// Counts from 1.
    pub attempt: u32,
    pub failure: Failure,
    pub edit: Edit,
    pub kept: bool,
    pub reason: String,
    /// Seconds.
    pub wall: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "end", content = "why")]
pub enum EndReason {
    /// Every command of the pyramid was tried.
    Complete,
    Budget(String),
    /// No candidate was left for this failure.
    NoRepair(String),
    Transient(String),
    Interrupted,
}

/// One line of the journal and of `--json-events`, as it happens.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the run began.
    pub at: f64,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum What {
    StageStarted {
        stage: String,
    },
    StageFinished {
        stage: String,
        wall: f64,
        summary: String,
    },
    /// `attempt`: number of the repair that it is run for; 0 where it is run as it stands.
    LayerStarted {
        layer: u8,
        attempt: u32,
    },
    LayerFinished {
        layer: u8,
        outcome: Outcome,
        wall: f64,
        reused: bool,
    },
    CommandStarted {
        id: String,
        level: Level,
        command: String,
    },
    CommandFinished {
        id: String,
        outcome: Outcome,
        wall: f64,
        verdict: Verdict,
        reason: String,
    },
    /// A piece of output, control characters kept out (see `emit::terminal`).
    Output {
        of: String,
        text: String,
    },
    Diagnosed {
        failure: Failure,
    },
    EditTried {
        edit: String,
        because: String,
    },
    EditKept {
        edit: String,
    },
    EditDropped {
        edit: String,
        reason: String,
    },
    Replay {
        why: String,
    },
    /// An earlier run is taken up after `from`; what follows continues its journal.
    Resumed {
        from: String,
    },
    Warning {
        text: String,
    },
    Finished {
        reached: Option<Level>,
        reason: String,
    },
}

/// Who is told of events: the terminal, the journal, a test.
pub trait Observer: Send {
    fn event(&mut self, event: &Event);
}
