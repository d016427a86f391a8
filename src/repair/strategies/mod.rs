//! Strategies: repairs that need more than a template, one file each. A knowledge unit names them in an atom
//! `op = "strategy"`. A new one is a file and a line of [`ALL`].

mod autotools;
mod base;
mod directory;
mod own_module;
mod python_module;
mod python_version;
mod rust_sys;
mod submodule;

use super::Operation;
use super::candidates::Problem;

/// From a problem to operations, best first; empty where it has nothing to say.
type Strategy = fn(&Problem<'_>) -> Vec<Operation>;

const ALL: [(&str, Strategy); 11] = [
    ("autoreconf", autotools::autoreconf),
    ("base-newer", base::newer),
    ("base-older", base::older),
    ("manifest-directory", directory::of_manifest),
    ("own-module", own_module::importable),
    ("python-build-requirement", python_module::for_build),
    ("python-module", python_module::install),
    ("python-older", python_version::older),
    ("python-required", python_version::required),
    ("rust-sys", rust_sys::libraries),
    ("submodule", submodule::populate),
];

pub(crate) fn run(name: &str, problem: &Problem<'_>) -> Vec<Operation> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, strategy)| strategy(problem))
        .unwrap_or_default()
}

#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}
