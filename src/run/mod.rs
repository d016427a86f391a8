//! Stage 7: script and pyramid in a sandbox → [`Run`].
//!
//! `execution` runs `setup.sh` layer by layer and repairs it, `feedback` climbs the pyramid over the validated
//! script, `replay` proves the result from the clean base, `prune` drops the edits that the proof does without. `fix` repairs one command of the user. `session` holds what the three share.

mod budget;
mod capture;
mod execution;
mod feedback;
mod fix;
mod maturity;
mod model;
mod progress;
mod prune;
mod replay;
mod session;

pub use budget::Budget;
pub use execution::Given;
pub use fix::{Addition, FixEvent, Fixed, Fixer};
pub use model::*;
pub use progress::{Keeper, Progress};
pub use replay::{prove, run};
pub use session::{
    Replan, RunError, SCRIPT_PATH, Session, Work, command_spec, command_spec_at, tail,
};
