//! Stage 5: [`crate::plan::Plan`] → [`Script`] → Bash text.

mod model;

pub use model::*;
