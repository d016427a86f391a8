//! Programs by what they mean to a build: `knowledge/needs/programs.toml`.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    /// Make `configure`: needed where it is not in the tree, which the build system's reader says.
    pub makes_configure: HashSet<String>,
    /// Looked for to serve developers and packagers, however usual their packages are for other uses.
    pub helpers: HashSet<String>,
    /// Names in recipes, also of make variables in lower case → what to ask for.
    pub recipes: BTreeMap<String, String>,
}

pub static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/needs/programs.toml"))
        .expect("embedded data is checked by a test")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::{Capability, Index};

    #[test]
    fn every_program_of_recipes_has_a_package_and_is_no_helper() {
        let index = Index::embedded();
        for program in PROGRAMS.recipes.values() {
            assert!(
                index.best(&Capability::Command(program.clone())).is_some(),
                "{program}"
            );
            assert!(!PROGRAMS.helpers.contains(program), "{program}");
        }
    }
}
