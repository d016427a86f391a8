//! Stage 11: everything → files for people and tools.

pub mod artifacts;
pub mod files;
pub mod graph;
pub mod journal;
pub mod progress;
pub mod report;
pub mod terminal;
pub mod text;

pub use files::{Artifact, OutDir, OutError};
pub use journal::Journal;
pub use progress::{Quiet, Tee, Verbosity, for_user};
pub use report::{ReportData, ReportError, report};
pub use terminal::{sanitize, sanitize_bytes};
pub use text::{explain, headline, known_subjects, near_names, plan_table, summary};
