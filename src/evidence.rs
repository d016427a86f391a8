//! Where a fact stands and how far it is to be trusted.
//!
//! Every toolchain, package, step and command that envc decides on carries at least one [`Because`], so that
//! `envc explain` can print the chain from a line of the repository to a line of the script.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A line of a file of the repository. `line` counts from 1; 0 means the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Path relative to the repository's root, `/`-separated. A name that is not UTF-8 is shown lossily.
    pub path: String,
    pub line: u32,
}

impl Place {
    pub fn new(path: impl Into<String>, line: u32) -> Self {
        Self {
            path: path.into(),
            line,
        }
    }

    pub fn file(path: impl Into<String>) -> Self {
        Self::new(path, 0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str(&self.path)
        } else {
            write!(f, "{}:{}", self.path, self.line)
        }
    }
}

/// How much a kind of evidence weighs where two disagree, weakest first: lock files and CI workflows beat
/// task runners and manifests, manifests beat documents, documents beat conventions and guesses.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    #[default]
    Guess,
    /// What the ecosystem does by default (`cargo test` for a `Cargo.toml`).
    Convention,
    /// Prose and command blocks of README, CONTRIBUTING and the like.
    Document,
    /// What the sources themselves ask for (`#include`, `import`).
    Source,
    /// A declaration in a build or package file.
    Manifest,
    /// tox, nox, make, just, cargo aliases.
    TaskRunner,
    /// A CI workflow: it ran on somebody's machine.
    Ci,
    /// A lock file or a file that pins a toolchain (`rust-toolchain.toml`, `.python-version`).
    Lock,
    /// Something envc ran and saw: a failure that named what was missing.
    Observed,
}

/// One reason for something in a plan, a script or a pyramid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Because {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    /// The evidence in a few words, e.g. `find_package(ZLIB REQUIRED)`.
    pub text: String,
    pub trust: Trust,
}

impl Because {
    pub fn at(place: Place, trust: Trust, text: impl Into<String>) -> Self {
        Self {
            place: Some(place),
            text: text.into(),
            trust,
        }
    }

    pub fn no_place(trust: Trust, text: impl Into<String>) -> Self {
        Self {
            place: None,
            text: text.into(),
            trust,
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place} {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
