//! What the build scripts of `-sys` crates look for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::packages::Capability;
use crate::repair::Operation;
use crate::repair::candidates::Problem;

static TABLE: LazyLock<BTreeMap<String, Vec<Capability>>> = LazyLock::new(|| {
    // A wrong table is a defect of the build, which a test finds.
    toml::from_str(include_str!("../../../knowledge/rust-sys.toml")).unwrap_or_default()
});

/// The libraries of the crate whose build failed, by `knowledge/rust-sys.toml`; else `pc:` and `lib:` of its stem.
pub(super) fn libraries(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(name) = problem.capture("crate") else {
        return Vec::new();
    };
    let guessed;
    let capabilities = if let Some(known) = TABLE.get(name) {
        known
    } else {
        let stem = name.trim_end_matches("-sys").trim_end_matches('-');
        guessed = vec![
            Capability::PkgConfig(stem.to_owned()),
            Capability::Library(stem.trim_start_matches("lib").to_owned()),
        ];
        &guessed
    };
    capabilities
        .iter()
        .flat_map(|capability| problem.packages_for(capability))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses() {
        let table: BTreeMap<String, Vec<Capability>> =
            toml::from_str(include_str!("../../../knowledge/rust-sys.toml")).unwrap();
        assert!(table.len() > 20);
        assert!(table.values().all(|capabilities| !capabilities.is_empty()));
    }
}
