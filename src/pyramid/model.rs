//! The Test Pyramid as data (HerAgent, section 2.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Because, Place};

/// Version of the JSON form of [`Pyramid`].
pub const SCHEMA: &str = "envc.pyramid/1";

/// How close to real use a command is, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Installing and building.
    Installability,
    /// Unit tests and smoke probes.
    Testability,
    /// The main entry point, integration tests.
    Runnability,
}

impl Level {
    pub const ALL: [Self; 3] = [Self::Installability, Self::Testability, Self::Runnability];

    pub fn name(self) -> &'static str {
        match self {
            Self::Installability => "installability",
            Self::Testability => "testability",
            Self::Runnability => "runnability",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pyramid {
    pub schema: String,
    /// By level, then best first.
    pub commands: Vec<PyramidCommand>,
    /// What was found and not taken.
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PyramidCommand {
    /// Unique and stable: `t1`, `r2`, …
    pub id: String,
    pub level: Level,
    /// Shell text, run by `bash -ec` in `dir` with `env` over the script's own variables.
    pub command: String,
    /// Relative to the repository's root; empty for the root.
    pub dir: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub env: BTreeMap<String, String>,
    pub because: Vec<Because>,
    /// 0 to 1.
    pub confidence: f32,
    /// Whose report the output should hold, a stem under `verify/reports/`; `None`: the exit code is all there is.
    pub runner: Option<String>,
    /// Not found in the repository: added because the level is commonly tried this way.
    pub added: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub command: String,
    pub place: Option<Place>,
    pub reason: String,
}

impl Pyramid {
    pub fn level(&self, level: Level) -> impl Iterator<Item = &PyramidCommand> {
        self.commands
            .iter()
            .filter(move |command| command.level == level)
    }

    /// Leaves out the commands above `level`, if one is given.
    pub fn up_to(&mut self, level: Option<Level>) {
        let Some(level) = level else { return };
        let (kept, above) = std::mem::take(&mut self.commands)
            .into_iter()
            .partition(|command| command.level <= level);
        self.commands = kept;
        let left = above.into_iter().map(|command: PyramidCommand| LeftOut {
            reason: format!("above the level asked for, {}", level.name()),
            place: command
                .because
                .first()
                .and_then(|because| because.place.clone()),
            command: command.command,
        });
        self.left_out.extend(left);
    }

    /// The highest level that has a command.
    pub fn highest(&self) -> Option<Level> {
        self.commands.iter().map(|command| command.level).max()
    }
}
