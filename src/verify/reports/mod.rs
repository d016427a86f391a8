//! What test runners say about themselves: output text → [`TestReport`].
//!
//! A runner is one file under `knowledge/reports/`: the lines it prints, what each line means, real outputs with
//! the counts they stand for, and near misses that must not count. The files drive one small machine
//! ([`ReportReader`]) that sees the output line by line, so that memory stays constant however much a test prints.

mod clean;
mod counts;
mod format;
mod reader;

pub use reader::ReportReader;

use super::TestReport;

/// Reads the report out of a finished command's output. The runner named by `runner` (a stem under
/// `knowledge/reports/`, or one of its other names) is believed first, then whichever printed its summary last.
/// Several reports of one runner (a workspace, a recursive make) are added up.
pub fn parse(runner: Option<&str>, output: &str) -> Option<TestReport> {
    let mut reader = ReportReader::new();
    reader.push(output.as_bytes());
    reader.finish(runner)
}

/// Names of all runners whose reports can be read, sorted.
pub fn runners() -> impl Iterator<Item = &'static str> {
    format::catalogue().runners.iter().map(|r| r.name.as_str())
}

#[cfg(test)]
mod tests;
