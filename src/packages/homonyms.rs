//! Names that mean one tool to most people and another program in the distribution: `knowledge/packages/homonyms.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// What a name is in the distribution, and what is usually meant by it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Homonym {
    /// Packages that are the other one.
    pub packages: Vec<String>,
    pub is: String,
    pub meant: String,
}

static TABLE: LazyLock<BTreeMap<String, Homonym>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/packages/homonyms.toml"))
        .expect("embedded data is checked by a test")
});

/// What is known of a name that two programs share.
pub fn homonym(name: &str) -> Option<&'static Homonym> {
    TABLE.get(name)
}

/// Whether `package` has something of this name that is not the tool which is meant.
pub fn is_homonym(name: &str, package: &str) -> bool {
    homonym(name).is_some_and(|known| known.packages.iter().any(|other| other == package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::{Index, readings};

    /// Each entry names a package that the word leads to, or it would warn of nothing.
    #[test]
    fn homonyms_are_packages_of_the_distribution() {
        let index = Index::embedded();
        for (name, known) in TABLE.iter() {
            let found: Vec<String> = readings(name)
                .iter()
                .flat_map(|reading| index.providers(reading))
                .map(|candidate| candidate.package)
                .collect();
            for package in &known.packages {
                assert!(found.contains(package), "{name} {package}: {found:?}");
            }
        }
        assert!(is_homonym("yarn", "cmdtest") && !is_homonym("npm", "npm"));
    }
}
