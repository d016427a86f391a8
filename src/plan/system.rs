//! Capabilities that the projects need → packages of the base.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{DependencyFacts, KnowledgeGraph, Node, Os, Scope};
use crate::packages::{Capability, Index, is_standard_header};

use super::model::SystemPackage;

/// Packages by name, each with every reason for it, in the order in which they were asked for.
#[derive(Debug, Default)]
pub struct Packages {
    order: Vec<String>,
    by_name: BTreeMap<String, SystemPackage>,
    /// Capabilities that no package of the base provides.
    pub unresolved: Vec<(Capability, Because)>,
}

impl Packages {
    /// Asks for a package by the base's own name for it.
    pub fn named(&mut self, package: &str, capability: Capability, because: Because) {
        match self.by_name.get_mut(package) {
            Some(known) => {
                if known.because.len() < 5 && !known.because.contains(&because) {
                    known.because.push(because);
                }
            }
            None => {
                self.order.push(package.to_owned());
                self.by_name.insert(
                    package.to_owned(),
                    SystemPackage {
                        capability,
                        package: package.to_owned(),
                        because: vec![because],
                    },
                );
            }
        }
    }

    /// Asks for the best provider of `capability`; remembers it as unresolved where there is none.
    pub fn need(&mut self, index: &Index, capability: Capability, because: Because) {
        let best = index.providers(&capability).into_iter().next();
        match best {
            Some(candidate) => self.named(&candidate.package, capability, because),
            None => self.unresolved.push((capability, because)),
        }
    }

    /// A program, by the package of the same name where the index does not know it.
    pub fn tool(&mut self, index: &Index, program: &str, because: Because) {
        let capability = Capability::Command(program.to_owned());
        let best = index.providers(&capability).into_iter().next();
        let package = best.map_or_else(|| program.to_owned(), |candidate| candidate.package);
        self.named(&package, capability, because);
    }

    pub fn into_list(mut self) -> Vec<SystemPackage> {
        self.order
            .iter()
            .filter_map(|name| self.by_name.remove(name))
            .collect()
    }
}

/// The evidence of a dependency node.
pub fn because_of(node: &Node, facts: &DependencyFacts) -> Because {
    let place = node.place.clone().unwrap_or_else(|| Place::file(""));
    Because::at(place, facts.trust, node.name.clone())
}

/// What the default configuration of a project needs of the system: required dependencies, and those of its tests.
pub fn add_declared(
    packages: &mut Packages,
    index: &Index,
    dependencies: &[(&Node, &DependencyFacts)],
) {
    for (node, facts) in dependencies {
        let Some(capability) = &facts.capability else {
            continue;
        };
        let wanted = facts.required && !matches!(facts.scope, Scope::Optional(_) | Scope::Dev);
        if facts.ecosystem == "system" && wanted {
            packages.need(index, capability.clone(), because_of(node, facts));
        }
    }
}

/// Development packages that CI workflows, Dockerfiles and documents install: people needed them. Tools they install
/// besides (linters, coverage, debuggers) are left out until something asks for them.
pub fn add_installed_by_others(packages: &mut Packages, index: &Index, graph: &KnowledgeGraph) {
    for node in graph.nodes() {
        let crate::graph::Facts::Dependency(facts) = &node.facts else {
            continue;
        };
        let Some(Capability::Package(name)) = &facts.capability else {
            continue;
        };
        let development = name.ends_with("-dev") && !name.starts_with("python3");
        if facts.ecosystem == "system" && development && index.knows_package(name) {
            packages.named(
                name,
                Capability::Package(name.clone()),
                because_of(node, facts),
            );
        }
    }
}

/// Headers that the sources include from the system: the only statement a project without `find_package` or
/// `configure` makes. Conditional includes are left to what the build finds.
pub fn add_included(packages: &mut Packages, index: &Index, graph: &KnowledgeGraph, dir: &str) {
    let own: std::collections::HashSet<&str> = graph
        .nodes()
        .filter(|node| matches!(node.facts, crate::graph::Facts::File { .. }))
        .filter_map(|node| node.place.as_ref())
        .filter_map(|place| place.path.rsplit('/').next())
        .collect();
    for (node, facts) in graph.imports() {
        let Some(place) = &node.place else { continue };
        let here = dir.is_empty() || place.path.starts_with(&format!("{dir}/"));
        let c = matches!(facts.language.as_str(), "c" | "cpp");
        if !here || !c || !facts.system || !facts.guard.is_empty() || is_aside(&place.path) {
            continue;
        }
        let target = facts.target.as_str();
        let base = target.rsplit('/').next().unwrap_or(target);
        if is_standard_header(target) || own.contains(base) {
            continue;
        }
        let capability = Capability::Header(target.to_owned());
        if let Some(best) = index.providers(&capability).into_iter().next() {
            let because = Because::at(place.clone(), Trust::Source, format!("#include <{target}>"));
            packages.named(&best.package, capability, because);
        }
    }
}

/// Directories whose sources a default build does not compile.
pub fn is_aside(path: &str) -> bool {
    const ASIDE: [&str; 17] = [
        "example",
        "examples",
        "doc",
        "docs",
        "test",
        "tests",
        "testing",
        "fuzz",
        "bench",
        "benchmark",
        "benchmarks",
        "contrib",
        "third_party",
        "vendor",
        "win32",
        "windows",
        "macos",
    ];
    path.split('/')
        .rev()
        .skip(1)
        .any(|part| ASIDE.contains(&part.to_ascii_lowercase().as_str()))
}

/// Whether a command is for this kind of machine.
pub fn for_linux(os: Option<Os>) -> bool {
    matches!(os, None | Some(Os::Linux))
}
