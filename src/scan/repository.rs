//! The data of a scanned repository.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::seen::Seen;

/// Version of the JSON form of [`Repository`].
pub const SCHEMA: &str = "envc.repository/1";

/// What stands in a directory, before anything is interpreted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repository {
    pub schema: String,
    /// Short name: of the git remote, else of the directory. Never empty; no path separators.
    pub name: String,
    /// Absolute path on this machine. Left out of every artifact.
    #[serde(skip)]
    pub root: PathBuf,
    pub git: Option<GitFacts>,
    /// Every file that is not ignored, sorted by path.
    pub files: Vec<FileEntry>,
    /// Totals by language name, counting neither vendored nor generated files.
    pub languages: BTreeMap<String, LanguageTotal>,
    /// What a user should know: unpopulated submodules, links out of the tree, huge files left unread.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFacts {
    pub commit: Option<String>,
    /// Committer time, seconds since 1970 UTC.
    pub commit_time: Option<i64>,
    pub branch: Option<String>,
    pub remote: Option<String>,
    /// Tracked files differ from the commit.
    pub dirty: bool,
    pub submodules: Vec<Submodule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submodule {
    pub path: String,
    pub url: String,
    /// False where the checkout has an empty directory in its place.
    pub populated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the root, `/`-separated; bytes that are not UTF-8 are replaced (see [`FileKind::OddName`]).
    pub path: String,
    /// Bytes.
    pub size: u64,
    pub kind: FileKind,
    /// Folder name under `grammars/`, e.g. `cpp`, or another lower-case language name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub executable: bool,
    /// Third-party code kept in the tree, or generated output: not counted as the repository's own.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub vendored: bool,
    /// Of this machine and this moment: left out of every artifact.
    #[serde(skip)]
    pub seen: Seen,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    Text,
    Binary,
    /// Larger than the scan reads (see `scan::MAX_TEXT`); listed, never parsed.
    Huge,
    /// Target as written; `outside` when it leaves the repository. Never followed.
    Symlink {
        target: String,
        outside: bool,
    },
    /// A Git LFS pointer whose content was not fetched.
    LfsPointer,
    /// A file whose name is not UTF-8: copied into the sandbox, never parsed.
    OddName,
    /// Socket, pipe, device: neither read nor copied.
    Special,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageTotal {
    pub files: u64,
    pub bytes: u64,
}

impl Repository {
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        self.files
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()
            .and_then(|at| self.files.get(at))
    }

    pub fn has(&self, path: &str) -> bool {
        self.file(path).is_some()
    }
}
