//! Stage 7: script and pyramid in a sandbox → [`Run`].

mod model;

pub use model::*;
