//! Stage 11: everything → files for people and tools.

pub mod files;
pub mod journal;
pub mod progress;
pub mod report;
pub mod terminal;
