//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

pub mod manifests;
mod model;

pub use model::*;
