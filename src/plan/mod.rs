//! Stage 3: [`crate::graph::KnowledgeGraph`] → [`Plan`].
//!
//! `demand` collects what each toolchain must be, `base` chooses where that can be had, one file under
//! `ecosystems/` a build system writes the steps, and `system` turns capabilities into packages.

mod base;
mod beside;
mod compose;
mod constraints;
mod demand;
mod ecosystems;
mod model;
mod projects;
mod requirement;
mod system;

pub use compose::{PlanError, plan};
pub use constraints::Constraints;
pub use model::*;
pub(crate) use projects::select;
