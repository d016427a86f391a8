//! The knowledge base: what is known of failures, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use regex::{Regex, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use super::Attribution;
use crate::repair::Atom;
use crate::sandbox::Outcome;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/knowledge/failures");

/// Bytes that the lazy automaton of all signals may take. The default of 2 MiB makes it start over again and again.
const AUTOMATON: usize = 96 << 20;

/// One kind of failure: how it shows (signals), what it means (advice), what can be done (atoms), and how these are
/// known to be right (examples and near misses). The form of a file of `knowledge/failures/`; the idea of such a unit
/// is SetupX's, its telemetry is kept apart in [`crate::repair::Telemetry`].
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Unit {
    /// The file's stem.
    pub id: String,
    /// One line for people, a template over the captures.
    pub title: String,
    pub attribution: Attribution,
    /// What a person should know and do.
    pub advice: String,
    /// A greater one is more likely the cause of the others. Specific kinds have 50, symptoms less.
    #[serde(default = "default_priority")]
    pub priority: i32,
    /// Template of the capability that was missing.
    #[serde(default)]
    pub missing: Option<String>,
    /// Ways to end that mean this kind without a word of output: `timed-out`, `silent`, `out-of-memory`, `disk-limit`,
    /// `output-limit`, `signal-9`, `exit-127`.
    #[serde(default)]
    pub outcomes: Vec<String>,
    #[serde(default, rename = "signal")]
    pub signals: Vec<Signal>,
    /// What to try, best first.
    #[serde(default, rename = "atom")]
    pub atoms: Vec<Atom>,
    #[serde(default, rename = "example")]
    pub examples: Vec<Example>,
    #[serde(default, rename = "near_miss")]
    pub near_misses: Vec<Example>,
}

fn default_priority() -> i32 {
    50
}

/// A line that shows a kind of failure.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Signal {
    /// Matched against one line of plain text; named groups become captures.
    pub pattern: String,
    /// A line within `within` of it must match this.
    #[serde(default)]
    pub near: Option<String>,
    /// No line within `within` of it, itself included, may match this.
    #[serde(default)]
    pub unless: Option<String>,
    #[serde(default = "default_within")]
    pub within: usize,
    /// Layers of the script in which it holds; empty: any, and pyramid commands.
    #[serde(default)]
    pub layers: Vec<u8>,
    /// Programs one of which the failed command names; empty: any.
    #[serde(default)]
    pub programs: Vec<String>,
    /// A capture whose first dotted part must be (`own`) or must not be (`foreign`) one of the repository's own modules.
    #[serde(default)]
    pub own: Option<String>,
    #[serde(default)]
    pub foreign: Option<String>,
    /// Programs often go on after it: weighs less, and the last one counts.
    #[serde(default)]
    pub soft: bool,
    /// In place of the unit's.
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub missing: Option<String>,
    #[serde(default)]
    pub attribution: Option<Attribution>,
    #[serde(default)]
    pub priority: Option<i32>,
    /// Captures that this signal adds.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

fn default_within() -> usize {
    3
}

/// A real log, and what the unit must find in it; of a near miss, what it must not.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Example {
    #[serde(default)]
    pub log: String,
    #[serde(default)]
    pub captures: BTreeMap<String, String>,
    /// Text form of the capability that must come out.
    #[serde(default)]
    pub missing: Option<String>,
    #[serde(default)]
    pub layer: Option<u8>,
    #[serde(default)]
    pub argv: Vec<String>,
    #[serde(default)]
    pub own_modules: Vec<String>,
    /// As in [`Unit::outcomes`]; without it, `exit-1`.
    #[serde(default)]
    pub outcome: Option<String>,
}

/// A signal with its expressions compiled, and the unit it belongs to.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub unit: usize,
    pub signal: usize,
    pub pattern: Regex,
    pub near: Option<Regex>,
    pub unless: Option<Regex>,
}

/// All units, ready to match.
#[derive(Debug)]
pub struct Knowledge {
    units: Vec<Unit>,
    pub(crate) compiled: Vec<Compiled>,
    /// Same order as `compiled`.
    pub(crate) set: RegexSet,
}

/// The embedded knowledge is not usable: an error of the build, which tests find.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    #[error("knowledge/failures/{file}: {why}")]
    File { file: String, why: String },
    #[error("knowledge/failures: the signals together: {0}")]
    Together(String),
}

impl Knowledge {
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    pub fn unit(&self, id: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.id == id)
    }

    /// The signal at `nth` of the set, with its unit.
    pub(crate) fn signal(&self, nth: usize) -> Option<(&Compiled, &Unit, &Signal)> {
        let compiled = self.compiled.get(nth)?;
        let unit = self.units.get(compiled.unit)?;
        Some((compiled, unit, unit.signals.get(compiled.signal)?))
    }

    /// Compiles `units`; `file` in errors is the unit's id.
    pub(crate) fn compile(units: Vec<Unit>) -> Result<Self, KnowledgeError> {
        let mut compiled = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let regex = |text: &str| {
                Regex::new(text).map_err(|error| KnowledgeError::File {
                    file: format!("{}.toml", unit.id),
                    why: error.to_string(),
                })
            };
            for (nth, signal) in unit.signals.iter().enumerate() {
                compiled.push(Compiled {
                    unit: at,
                    signal: nth,
                    pattern: regex(&signal.pattern)?,
                    near: signal.near.as_deref().map(regex).transpose()?,
                    unless: signal.unless.as_deref().map(regex).transpose()?,
                });
            }
        }
        let set = RegexSetBuilder::new(compiled.iter().map(|c| c.pattern.as_str()))
            .size_limit(AUTOMATON)
            .dfa_size_limit(AUTOMATON)
            .build()
            .map_err(|error| KnowledgeError::Together(error.to_string()))?;
        Ok(Self {
            units,
            compiled,
            set,
        })
    }
}

fn load() -> Result<Knowledge, KnowledgeError> {
    let mut units = Vec::new();
    for file in FILES.files() {
        let path = file.path();
        let name = path.display().to_string();
        let fail = |why: String| KnowledgeError::File {
            file: name.clone(),
            why,
        };
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = file
            .contents_utf8()
            .ok_or_else(|| fail("not UTF-8".to_owned()))?;
        let unit: Unit = toml::from_str(text).map_err(|error| fail(error.to_string()))?;
        if path.file_stem().and_then(|s| s.to_str()) != Some(unit.id.as_str()) {
            return Err(fail(format!("its id is {:?}", unit.id)));
        }
        units.push(unit);
    }
    units.sort_by(|a, b| a.id.cmp(&b.id));
    Knowledge::compile(units)
}

/// The knowledge that envc was built with, parsed at its first use.
///
/// # Errors
/// A file of `knowledge/failures/` is wrong; the text says which.
pub fn knowledge() -> Result<&'static Knowledge, &'static KnowledgeError> {
    static LOADED: LazyLock<Result<Knowledge, KnowledgeError>> = LazyLock::new(load);
    LOADED.as_ref()
}

/// The name of an outcome in [`Unit::outcomes`].
pub(crate) fn outcome_name(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exit-{code}"),
        Outcome::Signalled(number) => format!("signal-{number}"),
        Outcome::TimedOut => "timed-out".to_owned(),
        Outcome::Silent => "silent".to_owned(),
        Outcome::OutputLimit => "output-limit".to_owned(),
        Outcome::OutOfMemory => "out-of-memory".to_owned(),
        Outcome::DiskLimit => "disk-limit".to_owned(),
        Outcome::Interrupted => "interrupted".to_owned(),
    }
}
