//! Stage 2: [`crate::scan::Repository`] → [`KnowledgeGraph`].

mod build;
mod cache;
mod ci;
mod containers;
mod documents;
mod environments;
mod files;
pub mod manifests;
mod model;
mod packages;
mod project;
pub mod query;
mod runners;
mod shell;
mod summary;
mod syntax;
mod yaml;

pub use build::{build, build_with, declared};
pub use cache::{Cache, CacheUse};
pub use model::*;
pub use project::{Attr, ProjectFacts};
pub use summary::{Summary, kind, line, printable, summary, text};
pub use syntax::{Definition, add_definitions, ascii, find_definitions};
