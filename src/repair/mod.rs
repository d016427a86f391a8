//! Stage 9: [`crate::diagnose::Failure`] → [`Edit`]s.

mod edit;

pub use edit::*;
