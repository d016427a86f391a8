//! Stage 8: failed output → [`Failure`].

mod failure;

pub use failure::*;
