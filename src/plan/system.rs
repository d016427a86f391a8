//! Capabilities that the projects need → packages of the base.

use std::collections::{BTreeMap, HashSet};

use crate::evidence::{Because, Place, Trust};
use crate::graph::{DependencyFacts, Facts, KnowledgeGraph, Node, Os, Scope};
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

/// Development packages that CI workflows, Dockerfiles and documents install, where the sources or the build files speak
/// of the same package, be it as an option: people needed them for this build. A side job's packages (another
/// interpreter built from source, a distribution of binaries) have no such second witness, and tools (linters,
/// coverage, debuggers) are left out until something asks for them.
pub fn add_installed_by_others(packages: &mut Packages, index: &Index, graph: &KnowledgeGraph) {
    let mut spoken_of: Option<HashSet<String>> = None;
    for node in graph.nodes() {
        let Facts::Dependency(facts) = &node.facts else {
            continue;
        };
        let Some(Capability::Package(name)) = &facts.capability else {
            continue;
        };
        let development = name.ends_with("-dev") && !name.starts_with("python3");
        if facts.ecosystem != "system" || !development || !index.knows_package(name) {
            continue;
        }
        let spoken_of = spoken_of.get_or_insert_with(|| spoken_of_packages(index, graph));
        if spoken_of.contains(name) {
            let capability = Capability::Package(name.clone());
            packages.named(name, capability, because_of(node, facts));
        }
    }
}

/// Packages that provide what a build file or an `#include` names, required or not.
fn spoken_of_packages(index: &Index, graph: &KnowledgeGraph) -> HashSet<String> {
    let mut capabilities: HashSet<Capability> = HashSet::new();
    for node in graph.nodes() {
        match &node.facts {
            Facts::Dependency(DependencyFacts {
                capability: Some(capability),
                ..
            }) if !matches!(capability, Capability::Package(_)) => {
                capabilities.insert(capability.clone());
            }
            Facts::Import(facts)
                if matches!(facts.language.as_str(), "c" | "cpp")
                    && facts.system
                    && !is_standard_header(&facts.target) =>
            {
                capabilities.insert(Capability::Header(facts.target.clone()));
            }
            _ => {}
        }
    }
    capabilities
        .iter()
        .flat_map(|capability| index.providers(capability))
        .map(|candidate| candidate.package)
        .collect()
}

/// Headers that the sources include from the system: the only statement a project without `find_package` or
/// `configure` makes. Conditional includes are left to what the build finds.
pub fn add_included(packages: &mut Packages, index: &Index, graph: &KnowledgeGraph, dir: &str) {
    let own: HashSet<&str> = graph
        .nodes()
        .filter(|node| matches!(node.facts, Facts::File { .. }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ImportFacts;

    fn installed(graph: &mut KnowledgeGraph, package: &str) {
        let facts = DependencyFacts {
            ecosystem: "system".to_owned(),
            spec: package.to_owned(),
            scope: Scope::Build,
            capability: Some(Capability::Package(package.to_owned())),
            required: false,
            trust: Trust::Ci,
        };
        let place = Some(Place::new(".github/workflows/ci.yml", 9));
        graph.add(package, place, Facts::Dependency(facts));
    }

    #[test]
    fn a_package_that_ci_installs_needs_a_second_witness() {
        let mut graph = KnowledgeGraph::new();
        installed(&mut graph, "zlib1g-dev");
        installed(&mut graph, "tk-dev");
        let include = ImportFacts {
            language: "c".to_owned(),
            target: "zlib.h".to_owned(),
            system: true,
            guard: "defined(WITH_ZLIB)".to_owned(),
        };
        graph.add("zlib.h", Some(Place::new("a.c", 3)), Facts::Import(include));
        let mut packages = Packages::default();
        add_installed_by_others(&mut packages, &Index::embedded(), &graph);
        let names: Vec<String> = packages
            .into_list()
            .into_iter()
            .map(|p| p.package)
            .collect();
        assert_eq!(names, ["zlib1g-dev"]);
    }
}
