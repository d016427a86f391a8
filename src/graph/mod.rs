//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod ci;
mod containers;
mod documents;
mod environments;
mod files;
pub mod manifests;
mod model;
mod packages;
mod runners;
mod shell;
mod summary;
mod syntax;
mod yaml;

pub use build::build;
pub use model::*;
pub use summary::{Summary, kind, summary, text};
pub use syntax::ascii;
