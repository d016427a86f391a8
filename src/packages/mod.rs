//! Stage 4: [`Capability`] → distribution package.

mod capability;

pub use capability::*;
