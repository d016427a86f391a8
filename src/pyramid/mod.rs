//! Stage 6: graph and plan → [`Pyramid`].

mod model;

pub use model::*;
