//! Stage 10: [`crate::run::Run`] → [`Certificate`].

pub mod attest;
mod certificate;
mod container;
mod hearing;
mod judge;
pub mod prosecute;
pub mod reports;
#[cfg(test)]
pub(crate) mod sample;

pub use attest::{Testimony, certify, default_level, level_name, level_reached, recheck};
pub use certificate::*;
pub use container::{DockerProofError, prove_dockerfile};
pub use hearing::hear;
pub use judge::{judge, judge_stream, proves_level};
