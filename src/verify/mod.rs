//! Stage 10: [`crate::run::Run`] → [`Certificate`].

mod certificate;

pub use certificate::*;
