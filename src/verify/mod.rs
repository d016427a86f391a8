//! Stage 10: [`crate::run::Run`] → [`Certificate`].

pub mod attest;
mod certificate;
pub mod prosecute;
#[cfg(test)]
pub(crate) mod sample;

pub use certificate::*;
