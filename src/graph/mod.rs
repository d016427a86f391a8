//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod ci;
mod documents;
mod files;
pub mod manifests;
mod model;
mod packages;
mod shell;
mod syntax;
mod yaml;

pub use build::build;
pub use model::*;
