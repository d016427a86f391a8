//! Where the package data leaves several equal answers, the one that distributions and documents recommend.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Capability;
use super::lookup::Candidate;

/// One entry of `knowledge/packages/preferred.toml`.
#[derive(Debug, Deserialize)]
pub(super) struct Preference {
    /// The package to put first.
    pub package: String,
    /// Where one of these comes first.
    #[serde(default)]
    pub over: Vec<String>,
    /// For these capabilities, whatever comes first: where the file stands outside of the usual directories.
    #[serde(default)]
    pub when: Vec<Capability>,
    pub reason: String,
    /// A capability for which this decides.
    #[cfg_attr(not(test), expect(dead_code, reason = "the entry's own test"))]
    pub example: Capability,
    /// A capability that it must leave alone.
    #[cfg_attr(not(test), expect(dead_code, reason = "the entry's own test"))]
    pub not: Capability,
}

#[derive(Debug, Deserialize)]
struct File {
    prefer: Vec<Preference>,
}

pub(super) static PREFERENCES: LazyLock<Vec<Preference>> = LazyLock::new(|| {
    toml::from_str::<File>(include_str!("../../knowledge/packages/preferred.toml"))
        .expect("embedded data is checked by a test")
        .prefer
});

/// Puts the preferred package in front where one of those that it goes before leads.
pub(super) fn apply(capability: &Capability, candidates: &mut Vec<Candidate>) {
    // What a document of the repository names is taken at its word.
    if matches!(capability, Capability::Package(_)) {
        return;
    }
    let first = candidates.first().cloned();
    let leads = |p: &&Preference| {
        first
            .as_ref()
            .is_some_and(|first| p.over.contains(&first.package))
    };
    // A preference for this very capability goes before one for whoever leads.
    let named = PREFERENCES.iter().find(|p| p.when.contains(capability));
    let Some(preference) = named.or_else(|| PREFERENCES.iter().find(leads)) else {
        return;
    };
    let (score, path, why) = match first {
        Some(first) => (
            first.score + 1,
            first.path,
            format!("is {} ({})", preference.reason, first.why),
        ),
        None => (100, String::new(), format!("is {}", preference.reason)),
    };
    candidates.retain(|c| c.package != preference.package);
    candidates.insert(
        0,
        Candidate {
            package: preference.package.clone(),
            score,
            path,
            why,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    #[test]
    fn every_preference_decides_its_example_and_nothing_else() {
        let index = Index::embedded();
        for each in PREFERENCES.iter() {
            let best = |c: &Capability| index.providers(c).first().map(|c| c.package.clone());
            assert_eq!(
                best(&each.example).as_deref(),
                Some(each.package.as_str()),
                "{}",
                each.example
            );
            let other = best(&each.not);
            assert!(other.is_some(), "{} has no provider at all", each.not);
            assert_ne!(
                other.as_deref(),
                Some(each.package.as_str()),
                "{}",
                each.not
            );
            assert!(!each.reason.is_empty());
        }
    }
}
