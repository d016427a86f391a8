//! What is known of a buildable unit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::Place;

/// A buildable unit: one ecosystem in one directory. A repository may hold many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectFacts {
    /// `cmake`, `meson`, `autotools`, `make`, `python`, `cargo`: the stem of a file under `plan/ecosystems/`.
    pub ecosystem: String,
    /// Relative to the repository's root; empty for the root.
    pub dir: String,
    /// Ecosystem-specific facts by name, each with its place (documented in `graph/manifests/<format>.rs`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub attrs: BTreeMap<String, Vec<Attr>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attr {
    pub value: String,
    pub place: Place,
}

impl ProjectFacts {
    pub fn new(ecosystem: &str, dir: &str) -> Self {
        Self {
            ecosystem: ecosystem.to_owned(),
            dir: dir.to_owned(),
            attrs: BTreeMap::new(),
        }
    }

    /// Adds one value under `name`.
    pub fn set(&mut self, name: &str, value: impl Into<String>, place: Place) {
        self.attrs.entry(name.to_owned()).or_default().push(Attr {
            value: value.into(),
            place,
        });
    }

    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.get(name).and_then(|values| values.first())
    }

    pub fn all(&self, name: &str) -> &[Attr] {
        self.attrs.get(name).map_or(&[], Vec::as_slice)
    }
}
