//! Packages that Conan and vcpkg would fetch, under the distribution's names. What the build files look for decides
//! how much each is needed; a manifest alone says that it is of use.

use crate::evidence::{Because, Place};
use crate::graph::{KnowledgeGraph, NodeId, Scope};
use crate::packages::Capability;

use super::collect::{Ask, Collection};
use super::conan::package_of_recipe;
use super::model::Group;

/// Programs that both managers have as packages.
const PROGRAMS: [&str; 10] = [
    "cmake", "ninja", "meson", "bison", "flex", "nasm", "yasm", "pkgconf", "protobuf", "doxygen",
];

/// Adds what the manifests of other managers beside a project name.
pub fn add(graph: &KnowledgeGraph, project: NodeId, out: &mut Collection<'_>) {
    for (node, dependency) in graph.dependencies(project) {
        if !matches!(dependency.ecosystem.as_str(), "conan" | "vcpkg") {
            continue;
        }
        let tool = dependency.scope == Scope::Build;
        let Some(capability) = capability(&node.name, tool, out) else {
            continue;
        };
        let (group, option) = match &dependency.scope {
            Scope::Dev => continue,
            Scope::Test => (Group::Test, None),
            Scope::Optional(option) => (Group::Optional, Some(option.clone())),
            Scope::Build | Scope::Runtime => (Group::Optional, None),
        };
        let place = node.place.clone().unwrap_or_else(|| Place::file(""));
        let text = format!("{} {}", dependency.ecosystem, dependency.spec);
        out.ask_if_known(Ask {
            capability,
            group,
            option,
            because: Because::at(place, dependency.trust, text),
        });
    }
}

/// What a package of Conan or vcpkg is here; `None` where that is not known, and for helpers of the manager itself.
fn capability(name: &str, tool: bool, out: &Collection<'_>) -> Option<Capability> {
    let name = name.to_ascii_lowercase();
    if tool {
        let program = PROGRAMS.contains(&name.as_str()).then_some(name)?;
        return Some(Capability::Command(program));
    }
    if let Some(package) = package_of_recipe(&name) {
        return Some(Capability::Package(package.to_owned()));
    }
    if let Some(part) = name.strip_prefix("boost-") {
        let library = Capability::Library(format!("boost_{}", part.replace('-', "_")));
        let known = out.index.best(&library).is_some();
        return Some(if known {
            library
        } else {
            Capability::Package("libboost-dev".to_owned())
        });
    }
    let guesses = [
        Capability::PkgConfig(name.clone()),
        Capability::PkgConfig(format!("lib{name}")),
        Capability::CMake(name),
    ];
    guesses
        .into_iter()
        .find(|guess| out.index.best(guess).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    #[test]
    fn names_of_other_managers() {
        let index = Index::embedded();
        let out = Collection::new(&index);
        let best = |name: &str, tool: bool| {
            let capability = capability(name, tool, &out)?;
            index.best(&capability).map(|best| best.package)
        };
        assert_eq!(best("zlib", false).as_deref(), Some("zlib1g-dev"));
        assert_eq!(best("boost-asio", false).as_deref(), Some("libboost-dev"));
        assert_eq!(
            best("boost-regex", false).as_deref(),
            Some("libboost-regex-dev")
        );
        assert_eq!(best("cairo", false).as_deref(), Some("libcairo2-dev"));
        assert_eq!(best("cmake", true).as_deref(), Some("cmake"));
        assert_eq!(best("vcpkg-cmake", true), None);
        assert_eq!(best("no-such-thing-here", false), None);
    }
}
