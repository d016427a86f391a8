//! Stage 9: [`crate::diagnose::Failure`] → [`Edit`]s.
//!
//! [`candidates`] proposes, [`apply()`] changes the data, the caller runs what changed and keeps or drops the edit. Nothing
//! here runs a command or writes a file of the repository.

mod apply;
mod atom;
mod candidates;
mod edit;
mod fuse;
mod honesty;
mod python;
mod strategies;
mod superfluous;
mod telemetry;
mod tried;

#[cfg(test)]
mod tests;

pub use apply::{Applied, ApplyError, apply, in_force};
pub use atom::{Act, Atom};
pub use candidates::{Context, candidates, words_of};
pub use edit::*;
pub use fuse::fuse;
pub use honesty::objection;
pub use python::distribution_of;
pub use superfluous::superfluous;
pub use telemetry::{Telemetry, TelemetryError, Usage};
pub use tried::TriedSet;

/// Names that a knowledge unit's atom `op = "strategy"` may use.
#[cfg(test)]
pub(crate) fn strategy_names() -> Vec<&'static str> {
    strategies::names().collect()
}
