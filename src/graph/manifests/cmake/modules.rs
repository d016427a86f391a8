//! CMake's own find modules: `knowledge/cmake-modules.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::packages::Capability;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Module {
    /// Nothing to install; what the empty lists say already, spelled out in the data.
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code))]
    none: bool,
    #[serde(default)]
    pub python: bool,
    #[serde(default)]
    pub needs: Vec<Capability>,
    #[serde(default)]
    pub component: BTreeMap<String, Vec<Capability>>,
}

#[derive(Debug, Deserialize)]
struct File {
    module: BTreeMap<String, Module>,
}

static KNOWN: LazyLock<BTreeMap<String, Module>> = LazyLock::new(|| {
    let text = include_str!("../../../../knowledge/cmake-modules.toml");
    // Embedded at build time and read by the test below.
    toml::from_str::<File>(text)
        .expect("knowledge/cmake-modules.toml is well-formed")
        .module
});

pub fn named(name: &str) -> Option<&'static Module> {
    KNOWN.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_says_something_and_only_modules_are_listed() {
        for (name, module) in KNOWN.iter() {
            let says = [module.none, module.python, !module.needs.is_empty()];
            assert_eq!(says.iter().filter(|said| **said).count(), 1, "{name}");
        }
        assert!(named("ZLIB").is_none(), "a package of the distribution");
        assert!(named("Threads").is_some_and(|module| module.none));
    }
}
