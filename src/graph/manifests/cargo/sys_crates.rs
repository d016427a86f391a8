//! What crates need from the system: `knowledge/sys-crates.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::packages::Capability;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SysCrate {
    pub name: String,
    #[serde(default)]
    pub via: Vec<String>,
    #[serde(default)]
    pub needs: Vec<Capability>,
    #[serde(default)]
    pub uses: Vec<Capability>,
    #[serde(default)]
    pub languages: Vec<String>,
    #[serde(default)]
    pub unless: Vec<String>,
    #[serde(default)]
    pub gated: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub then: Vec<Capability>,
    /// Near miss: a crate that this entry must not match.
    #[cfg_attr(not(test), allow(dead_code))]
    not: String,
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(rename = "crate")]
    crates: Vec<SysCrate>,
}

static KNOWN: LazyLock<Vec<SysCrate>> = LazyLock::new(|| {
    let text = include_str!("../../../../knowledge/sys-crates.toml");
    // Embedded at build time and read by the tests below.
    toml::from_str::<File>(text)
        .expect("knowledge/sys-crates.toml is well-formed")
        .crates
});

/// The entry of a crate by its own name.
pub fn named(name: &str) -> Option<&'static SysCrate> {
    KNOWN.iter().find(|known| known.name == name)
}

/// Entries that a crate brings with it, its own included.
pub fn brought_by(name: &str) -> impl Iterator<Item = &'static SysCrate> {
    KNOWN
        .iter()
        .filter(move |known| known.name == name || known.via.iter().any(|via| via == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_matches_its_name_and_not_its_near_miss() {
        for known in KNOWN.iter() {
            assert_eq!(named(&known.name).unwrap().name, known.name);
            assert!(
                brought_by(&known.not).all(|found| found.name != known.name),
                "{}",
                known.name
            );
            for feature in &known.unless {
                assert!(feature.contains('/'), "{feature} is not crate/feature");
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<&str> =
            KNOWN.iter().map(|known| known.name.as_str()).collect();
        assert_eq!(names.len(), KNOWN.len());
    }
}
