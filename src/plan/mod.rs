//! Stage 3: [`crate::graph::KnowledgeGraph`] → [`Plan`].

mod model;

pub use model::*;
