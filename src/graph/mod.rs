//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod documents;
mod files;
pub mod manifests;
mod model;
mod shell;
mod syntax;

pub use build::build;
pub use model::*;
