//! Macros whose needs are known by name: `knowledge/autoconf-macros.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::packages::Capability;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    pub needs: Vec<Capability>,
    /// `configure` stops without it.
    #[serde(default)]
    pub required: bool,
    /// Only the tests use it.
    #[serde(default)]
    pub test: bool,
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(rename = "macro")]
    macros: BTreeMap<String, Known>,
    family: BTreeMap<String, String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../../knowledge/autoconf-macros.toml"))
        .expect("embedded data is checked by a test")
});

/// Parts of a family that are no library: what the others share, and headers only.
const NO_LIBRARY: [&str; 8] = [
    "base", "require", "static", "threads", "foreach", "optional", "bind", "asio",
];

/// What a macro asks for; `None` where its name says nothing.
pub fn known(name: &str) -> Option<Known> {
    if let Some(known) = FILE.macros.get(name) {
        return Some(known.clone());
    }
    let (prefix, pattern) = FILE
        .family
        .iter()
        .find(|(prefix, _)| name.starts_with(prefix.as_str()))?;
    let part = name.strip_prefix(prefix.as_str())?.to_ascii_lowercase();
    let pattern = if NO_LIBRARY.contains(&part.as_str()) {
        "header:boost/version.hpp".to_owned()
    } else {
        pattern.replace('*', &part)
    };
    Some(Known {
        needs: vec![pattern.parse().ok()?],
        required: false,
        test: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    #[test]
    fn every_need_has_a_provider() {
        let index = Index::embedded();
        // Gone from the release, or only in older ones.
        let gone = ["lib:Imlib", "lib:ntbtls"];
        let mut missing = Vec::new();
        for (name, known) in &FILE.macros {
            for need in &known.needs {
                let found = !index.providers(need).is_empty();
                if !found && !gone.contains(&need.to_string().as_str()) {
                    missing.push(format!("{name}: {need}"));
                }
            }
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn families() {
        let needs = |name: &str| {
            known(name).map(|known| {
                known
                    .needs
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        assert_eq!(
            needs("AX_BOOST_SYSTEM").as_deref(),
            Some("lib:boost_system")
        );
        assert_eq!(
            needs("AX_BOOST_BASE").as_deref(),
            Some("header:boost/version.hpp")
        );
        assert_eq!(needs("MY_OWN"), None);
    }
}
