//! What a repository needs of the distribution, read from its build files and sources: the analysis behind
//! `envc deps`. Nothing is executed, and every need has a place.

mod aside;
mod build_scripts;
mod collect;
mod compiled;
mod conan;
mod conditional;
mod declared;
mod directives;
mod generated;
mod included;
mod includes;
mod machine;
mod managed;
mod model;
mod preprocess;
mod programs;
mod qmake;
mod recipes;
mod scripts;
#[cfg(test)]
mod tests;
mod text;

pub use machine::keep_missing;
pub use model::*;
pub use text::{Format, format, install_words, words_for};

use crate::graph::{KnowledgeGraph, NodeId, ProjectFacts, Scope};
use crate::packages::{Capability, Index};
use crate::scan::Repository;

use collect::Collection;
use compiled::Compiled;
use declared::Witness;

/// Projects whose needs are those of a C or C++ build.
pub const NATIVE: [&str; 4] = ["cmake", "meson", "autotools", "make"];

/// The needs of `projects`, those that a plan builds, by the names that `index` has for them. `graph` needs the manifests
/// only, see [`crate::graph::declared`].
pub fn needs(
    repository: &Repository,
    graph: &KnowledgeGraph,
    index: &Index,
    projects: &[NodeId],
) -> Needs {
    let chosen = chosen(graph, projects);
    let compiled = Compiled::of(repository);
    let mut out = Collection::new(index);
    let (mut projects, mut network, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    out.own(&repository.name);
    for (id, _) in &chosen {
        if let Some(node) = graph.node(*id) {
            out.own(&node.name);
        }
    }
    for (id, facts) in &chosen {
        projects.push(ProjectName {
            ecosystem: facts.ecosystem.clone(),
            dir: facts.dir.clone(),
        });
        one_project(repository, graph, (*id, facts), &compiled, &mut out);
        notes.extend(facts.all("computed").iter().map(|attr| {
            format!(
                "{}: {} is made up when the build runs; what it finds is not known",
                attr.place, attr.value
            )
        }));
        network.extend(facts.all("network").iter().map(|attr| Download {
            what: attr.value.clone(),
            place: attr.place.clone(),
        }));
    }
    build_scripts::add(repository, &mut out);
    if !projects.is_empty() {
        let flags = projects.iter().any(|project| project.ecosystem == "make");
        recipes::add(repository, "", &compiled, flags, &mut out);
    }
    if !projects
        .iter()
        .any(|project| NATIVE.contains(&project.ecosystem.as_str()))
    {
        projects.extend(other_build(repository, &compiled, &mut out));
    }
    let (needs, unresolved) = out.into_list();
    Needs {
        schema: SCHEMA.to_owned(),
        name: repository.name.clone(),
        release: index.release().to_owned(),
        projects,
        needs,
        unresolved,
        network,
        notes,
    }
}

/// Where no build system is understood in full: qmake's projects, what the sources include, what recipes run.
fn other_build(
    repository: &Repository,
    compiled: &Compiled,
    out: &mut Collection<'_>,
) -> Option<ProjectName> {
    let qmake = qmake::add(repository, "", out);
    included::included(&includes::wanted(repository, "", &[], compiled), false, out);
    recipes::add(repository, "", compiled, true, out);
    qmake.then(|| ProjectName {
        ecosystem: "qmake".to_owned(),
        dir: String::new(),
    })
}

/// Directories of `AC_CONFIG_SUBDIRS` in `configure.ac` itself: not those that a macro names when it finds nothing
/// better on the machine.
fn parts(facts: &ProjectFacts) -> Vec<String> {
    let own = |path: &str| path.ends_with("configure.ac") || path.ends_with("configure.in");
    facts
        .all("subdir")
        .iter()
        .filter(|attr| own(&attr.place.path))
        .map(|attr| {
            if facts.dir.is_empty() {
                attr.value.clone()
            } else {
                format!("{}/{}", facts.dir, attr.value)
            }
        })
        .collect()
}

fn one_project(
    repository: &Repository,
    graph: &KnowledgeGraph,
    (id, facts): (NodeId, &ProjectFacts),
    compiled: &Compiled,
    out: &mut Collection<'_>,
) {
    let native = NATIVE.contains(&facts.ecosystem.as_str());
    let wanted = if native {
        includes::wanted(repository, &facts.dir, &parts(facts), compiled)
    } else {
        Vec::new()
    };
    let witness = Witness {
        packages: wanted
            .iter()
            .flat_map(|each| {
                out.index
                    .providers(&Capability::Header(each.header.clone()))
            })
            .map(|candidate| candidate.package)
            .collect(),
        sources: native,
        strict: facts.ecosystem == "autotools",
        // The macros that look for modules come with pkg-config itself.
        modules: graph.dependencies(id).iter().any(|(_, dependency)| {
            matches!(dependency.capability, Some(Capability::PkgConfig(_)))
                && (facts.ecosystem == "autotools"
                    || !matches!(dependency.scope, Scope::Optional(_)))
        }),
        flex: generated::find(repository, &facts.dir, generated::FLEX, compiled),
        bison: generated::find(repository, &facts.dir, generated::BISON, compiled),
    };
    declared::declared(graph, id, facts, &witness, out);
    declared::generators(graph, id, &witness, out);
    managed::add(graph, id, out);
    included::included(&wanted, facts.ecosystem == "autotools", out);
    if native {
        scripts::add(repository, &facts.dir, out);
    }
}

/// The projects of a plan with the native build of each directory: a plan leaves it to a language's own build where
/// that drives it. A `configure` that a release ships goes before other build systems beside it.
fn chosen<'g>(graph: &'g KnowledgeGraph, planned: &[NodeId]) -> Vec<(NodeId, &'g ProjectFacts)> {
    let all: Vec<(NodeId, &ProjectFacts)> = graph.projects().collect();
    let mut out: Vec<(NodeId, &ProjectFacts)> = Vec::new();
    for (id, facts) in all.iter().filter(|(id, _)| planned.contains(id)) {
        let natives: Vec<_> = all
            .iter()
            .filter(|(_, other)| {
                other.dir == facts.dir && NATIVE.contains(&other.ecosystem.as_str())
            })
            .collect();
        let released = natives.iter().find(|(_, other)| {
            other.ecosystem == "autotools"
                && other.attr("configure").is_some()
                && other.attr("handwritten").is_none()
        });
        let native = released
            .or_else(|| natives.iter().find(|(other, _)| planned.contains(other)))
            .or(natives.first());
        if !NATIVE.contains(&facts.ecosystem.as_str()) {
            out.push((*id, facts));
        }
        if let Some((id, facts)) = native
            && !out.iter().any(|(known, _)| known == id)
        {
            out.push((*id, facts));
        }
    }
    out
}
