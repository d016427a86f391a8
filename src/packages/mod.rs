//! Stage 4: [`Capability`] → distribution package, and the facts of the bases that packages come from.

mod apt_lists;
mod apt_sources;
mod base;
mod build;
mod capability;
mod close;
mod cmake;
mod contents;
mod control;
mod explain;
mod generic;
mod homonyms;
mod index;
mod lookup;
mod macros;
mod managers;
mod preferred;
mod query;
mod rank;
mod standard;

pub use apt_lists::*;
pub use apt_sources::*;
pub use base::*;
pub use build::{BuildError, Builder};
pub use capability::*;
pub use cmake::cmake_find_module;
pub use explain::explain;
pub use homonyms::{Homonym, homonym, is_homonym};
pub use index::{Index, IndexError, cache_path};
pub use lookup::Candidate;
pub(crate) use lookup::is_exact_header;
pub use managers::{native_requirement, package_for, roles};
pub use query::{Answer, Reading, answer, readings};
pub(crate) use rank::similarity;
pub use standard::is_standard_header;

#[cfg(test)]
mod robustness;
#[cfg(test)]
mod tests;
