//! Stage 8: failed output → [`Failure`].
//!
//! What is known of failures is data: `knowledge/failures/<kind>.toml`, one [`Unit`] a file. [`diagnose`] reads an
//! output once, finds the lines that units know, and picks the one that caused the rest.

mod clean;
mod failure;
mod knowledge;
mod matching;
mod template;

#[cfg(test)]
mod knowledge_tests;
#[cfg(test)]
mod tests;

pub use clean::plain_text;
pub use failure::*;
pub use knowledge::{Example, Knowledge, KnowledgeError, Signal, Unit, knowledge};
pub use matching::{At, diagnose, ranked};
pub use template::expand;
