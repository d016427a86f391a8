//! A `conanfile.txt` for those needs whose names Conan's own recipes are known to have.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::Deserialize;

use super::model::{Features, Group, Needs};

#[derive(Deserialize)]
struct File {
    /// Debian package → reference of a recipe, `name/version-range`.
    recipe: BTreeMap<String, String>,
}

static RECIPES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    toml::from_str::<File>(include_str!("../../knowledge/packages/conan.toml"))
        .expect("embedded data is checked by a test")
        .recipe
});

/// The Debian package of a recipe.
pub fn package_of_recipe(recipe: &str) -> Option<&'static str> {
    let mut all = RECIPES.iter();
    all.find(|(_, reference)| reference.split('/').next() == Some(recipe))
        .map(|(package, _)| package.as_str())
}

/// The needs as Conan's requirements; those without a known recipe are comments.
pub fn conanfile(needs: &Needs, features: &Features) -> String {
    let mut out = String::from("[requires]\n");
    for need in needs
        .wanted(features)
        .filter(|need| need.group != Group::Tools)
    {
        match RECIPES.get(&need.package) {
            Some(reference) => {
                let _ = writeln!(out, "{reference}");
            }
            None => {
                let _ = writeln!(out, "# {}: no recipe known", need.package);
            }
        }
    }
    let generators = match needs
        .projects
        .first()
        .map(|project| project.ecosystem.as_str())
    {
        Some("cmake") => "CMakeDeps\nCMakeToolchain",
        Some("meson") => "PkgConfigDeps\nMesonToolchain",
        _ => "PkgConfigDeps",
    };
    let _ = write!(out, "\n[generators]\n{generators}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    #[test]
    fn every_recipe_stands_for_a_package_that_exists() {
        let index = Index::embedded();
        for (package, reference) in RECIPES.iter() {
            assert!(index.knows_package(package), "{package}");
            assert!(reference.contains("/["), "{reference}");
        }
    }
}
