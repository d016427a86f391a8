//! Stage 5: [`crate::plan::Plan`] → [`Script`] → Bash text and Dockerfile, and the honesty check of a script's text.

mod activation;
mod bash;
mod compose;
mod dockerfile;
pub mod honesty;
mod locate;
mod managers;
mod model;
mod quote;
mod step;
mod toolchain;

pub use activation::*;
pub use bash::*;
pub use compose::*;
pub use dockerfile::*;
pub use honesty::{Finding, Rule, check, check_edit, is_vacuous_test};
pub use locate::{failed_step, programs_of};
pub use managers::{Manager, managers};
pub use model::*;
pub use quote::{NulError, comment, quote, slug};
pub use toolchain::{Head, Toolchain, names as toolchain_names, toolchain};

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;

/// Why no text can be written from a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    #[error("{what} {source}: take the byte out of it")]
    Nul {
        what: String,
        #[source]
        source: NulError,
    },
    #[error("step {step}: the command is empty: give it a program")]
    Empty { step: String },
    #[error("step {step}: {name:?} cannot be the name of an environment variable")]
    EnvName { step: String, name: String },
    #[error("base image {image:?} is not an image reference: choose another with --base")]
    Base { image: String },
    #[error("toolchain template {name:?}: {why}")]
    Template { name: String, why: String },
}
