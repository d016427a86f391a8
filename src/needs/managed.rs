//! What `vcpkg.json` and `conanfile` name, by the distribution's packages: by the table of Conan's recipes, else by a
//! CMake package, a pkg-config module or a library of the same name.

use crate::evidence::{Because, Place};
use crate::graph::{DependencyFacts, KnowledgeGraph, NodeId, Scope};
use crate::packages::Capability;

use super::collect::{Ask, Collection};
use super::conan::package_of_recipe;
use super::model::Group;

/// Adds the dependencies of a project that a package manager of C and C++ would bring.
pub fn add(graph: &KnowledgeGraph, project: NodeId, out: &mut Collection<'_>) {
    for (node, dependency) in graph.dependencies(project) {
        if !matches!(dependency.ecosystem.as_str(), "conan" | "vcpkg") {
            continue;
        }
        let Some((group, option)) = standing(dependency) else {
            continue;
        };
        let place = node.place.clone().unwrap_or_else(|| Place::file(""));
        let because = Because::at(
            place,
            dependency.trust,
            format!("{} {}", dependency.ecosystem, dependency.spec),
        );
        let name = node.name.as_str();
        let known = package_of_recipe(name).map(|package| Capability::Package(package.to_owned()));
        let Some(capability) = known.or_else(|| by_name(name, out)) else {
            continue;
        };
        out.ask_if_known(Ask {
            capability,
            group,
            option,
            because,
        });
    }
}

fn by_name(name: &str, out: &Collection<'_>) -> Option<Capability> {
    let bare = name.strip_prefix("lib").unwrap_or(name);
    [
        Capability::PkgConfig(name.to_owned()),
        Capability::PkgConfig(format!("lib{bare}")),
        Capability::CMake(name.to_owned()),
        Capability::Library(bare.to_owned()),
    ]
    .into_iter()
    .find(|capability| out.index.best(capability).is_some())
}

/// Tools come from the build files, which say what they run.
fn standing(facts: &DependencyFacts) -> Option<(Group, Option<String>)> {
    match &facts.scope {
        Scope::Runtime => Some((Group::Required, None)),
        Scope::Test => Some((Group::Test, None)),
        Scope::Optional(option) => Some((Group::Optional, Some(option.clone()))),
        Scope::Build | Scope::Dev => None,
    }
}
