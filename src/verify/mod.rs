//! Stage 10: [`crate::run::Run`] → [`Certificate`].

pub mod attest;
mod certificate;
mod judge;
pub mod reports;
#[cfg(test)]
pub(crate) mod sample;

pub use certificate::*;
pub use judge::{judge, judge_stream, proves_level};
