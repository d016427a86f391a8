//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod files;
pub mod manifests;
mod model;
mod syntax;

pub use build::build;
pub use model::*;
