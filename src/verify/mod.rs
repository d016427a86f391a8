//! Stage 10: [`crate::run::Run`] → [`Certificate`].

mod certificate;
mod judge;
pub mod reports;

pub use certificate::*;
pub use judge::{judge, judge_stream, proves_level};
