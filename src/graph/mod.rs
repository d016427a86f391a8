//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod model;

pub use model::*;
