//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod files;
mod model;
mod syntax;

pub use build::build;
pub use model::*;
