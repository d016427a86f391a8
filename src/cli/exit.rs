//! Exit codes, and errors that carry one.

use std::process::ExitCode;

use crate::AnalyseError;
use crate::emit::OutError;
use crate::plan::PlanError;
use crate::run::RunError;
use crate::sandbox::SandboxError;
use crate::script::ScriptError;

/// Stable; see the README.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Verified at the level asked for; for the other commands: done.
    Verified = 0,
    NotReached = 1,
    Usage = 2,
    Unsupported = 3,
    /// `EX_TEMPFAIL` of sysexits.h.
    Transient = 75,
    /// 128 + SIGINT.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// What went wrong, where, and what to do, with the exit code that goes with it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }
}

/// The message for the terminal: nothing from a repository can write escape sequences.
pub fn message(failure: &Failure) -> String {
    let text = crate::emit::sanitize(&failure.message);
    match failure.exit {
        Exit::Interrupted => format!("envc: {text}"),
        _ => format!("envc: error: {text}"),
    }
}

impl From<AnalyseError> for Failure {
    fn from(error: AnalyseError) -> Self {
        let exit = match &error {
            AnalyseError::Scan(scan) if scan.is_usage() => Exit::Usage,
            AnalyseError::Scan(_) => Exit::Transient,
            AnalyseError::Unsupported(_) => Exit::Unsupported,
            AnalyseError::Plan(plan) => plan_exit(plan),
        };
        Self::new(exit, error.to_string())
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::new(plan_exit(&error), error.to_string())
    }
}

fn plan_exit(error: &PlanError) -> Exit {
    match error {
        PlanError::Unsupported { .. } => Exit::Unsupported,
        PlanError::UnknownBase(..) => Exit::Usage,
    }
}

impl From<OutError> for Failure {
    fn from(error: OutError) -> Self {
        let exit = if error.transient() {
            Exit::Transient
        } else {
            Exit::Usage
        };
        Self::new(exit, error.to_string())
    }
}

impl From<SandboxError> for Failure {
    fn from(error: SandboxError) -> Self {
        let exit = match &error {
            SandboxError::Interrupted => Exit::Interrupted,
            SandboxError::NoSpace(_) | SandboxError::Io { .. } | SandboxError::Engine(_) => {
                Exit::Transient
            }
            SandboxError::Unavailable { .. }
            | SandboxError::Permission(_)
            | SandboxError::Store(..)
            | SandboxError::Settings(..)
            | SandboxError::Base(..) => Exit::Usage,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Self {
        Self::new(Exit::Unsupported, error.to_string())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Sandbox(error) => error.into(),
            RunError::Script(error) => error.into(),
            RunError::Apply(error) => Self::new(Exit::NotReached, error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new(Exit::Transient, format!("cannot write JSON: {error}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(Exit::Transient, error.to_string())
    }
}
