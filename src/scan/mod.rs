//! Stage 1: directory → [`Repository`].
//!
//! Nothing of the repository is executed and nothing outside of it is read: the tree is untrusted input.

mod classify;
mod copy;
mod error;
mod git;
mod heuristics;
mod ignored;
pub(crate) mod languages;
mod repository;
mod safe_read;
mod seen;
mod submodules;
pub(crate) mod support;
#[cfg(test)]
mod tests;
mod vendored;
mod walk;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

pub use copy::{CopyList, files_to_copy, list_to_copy};
pub use error::ScanError;
pub use repository::*;
pub(crate) use safe_read::open_regular;
pub use safe_read::{SourceBytes, decode, read_source_bytes, read_text};
pub use seen::{Head, HeadKind, Known, Seen, Stamp};
pub(crate) use vendored::is_vendored;

/// Bytes. A larger file is listed as [`FileKind::Huge`] and never read: no hand-written source is that long, and
/// reading one file must not decide how long a scan takes.
pub const MAX_TEXT: u64 = 4 * 1024 * 1024;

/// What a caller may choose about a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanOptions {
    /// Ask git for tracked files, commit and remote. Without it a git repository is scanned like any directory.
    pub git: bool,
    /// Files beyond this number are left out, with a warning.
    pub max_files: usize,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            git: true,
            max_files: 500_000,
        }
    }
}

/// Reads what stands in the directory `root`.
///
/// # Errors
/// When `root` is missing, is not a directory, or cannot be listed. Trouble below the root is a warning in the
/// result instead: one unreadable file must not stop a build.
pub fn scan(root: &Path, options: &ScanOptions) -> Result<Repository, ScanError> {
    scan_with(root, options, &|_, _| None)
}

/// The same, without reading again the files that are `known` (see [`crate::graph::Cache`]).
///
/// # Errors
/// As [`scan`].
pub fn scan_with(
    root: &Path,
    options: &ScanOptions,
    known: &Known,
) -> Result<Repository, ScanError> {
    let root = error::check_root(root)?;
    let mut warnings = Vec::new();
    let git = options
        .git
        .then(|| git::Git::open(&root, &mut warnings))
        .flatten();
    // Git's processes and the walk take about as long as each other.
    let (facts, listed) = std::thread::scope(|scope| {
        let facts = git.as_ref().map(|git| scope.spawn(|| git.facts()));
        let listed = listed(&root, options, git.as_ref(), known);
        (facts.and_then(|facts| facts.join().ok()), listed)
    });
    let (files, submodules, more) = listed?;
    warnings.extend(more);
    let facts = facts.map(|facts| GitFacts {
        submodules,
        ..facts
    });
    Ok(Repository {
        schema: SCHEMA.to_owned(),
        name: support::name(&root, facts.as_ref()),
        languages: support::totals(&files),
        root,
        git: facts,
        files,
        warnings,
    })
}

/// Files, submodules and warnings.
type Listed = (Vec<FileEntry>, Vec<Submodule>, Vec<String>);

fn listed(
    root: &Path,
    options: &ScanOptions,
    git: Option<&git::Git>,
    known: &Known,
) -> Result<Listed, ScanError> {
    let mut listing = walk::list(root, git)?;
    let mut warnings = std::mem::take(&mut listing.warnings);
    if listing.paths.len() > options.max_files {
        warnings.push(format!(
            "{} files found; only the first {} are read",
            listing.paths.len(),
            options.max_files
        ));
        listing.paths.truncate(options.max_files);
    }
    let submodules = submodules::read(root, git.map_or(&[], |git| git.links()));
    warnings.extend(submodules::warnings(&submodules));
    let (files, trouble) = classify_all(root, &listing.paths, &submodules, known);
    warnings.extend(trouble);
    Ok((files, submodules, warnings))
}

/// Looks at every path, in parallel, and sorts the entries for [`Repository::file`].
fn classify_all(
    root: &Path,
    paths: &[PathBuf],
    submodules: &[Submodule],
    known: &Known,
) -> (Vec<FileEntry>, Vec<String>) {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let context = classify::Context {
        root,
        real: &real,
        submodules,
        known,
    };
    let found: Vec<(Option<FileEntry>, Option<String>)> = paths
        .par_iter()
        .with_min_len(16)
        .map(|path| context.classify(path))
        .collect();
    let mut files = Vec::with_capacity(found.len());
    let mut warnings = Vec::new();
    for (entry, warning) in found {
        files.extend(entry);
        warnings.extend(warning);
    }
    // Sorted already, but for names that are not UTF-8.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    languages::settle_shared(&mut files);
    const SHOWN: usize = 20;
    if warnings.len() > SHOWN {
        let more = warnings.len() - SHOWN;
        warnings.truncate(SHOWN);
        warnings.push(format!("{more} more files with such remarks"));
    }
    (files, warnings)
}
