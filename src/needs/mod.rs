//! What a repository needs of the distribution, read from its build files and sources: the analysis behind
//! `envc deps`. Nothing is executed, and every need has a place.

mod collect;
mod compiled;
mod conan;
mod includes;
mod machine;
mod model;
mod preprocess;
mod text;

pub use machine::keep_missing;
pub use model::*;
pub use text::{Format, format, install_words, words_for};

use crate::graph::KnowledgeGraph;
use crate::packages::Index;
use crate::plan::{Constraints, select};
use crate::scan::Repository;

use collect::Collection;

/// Projects whose needs are those of a C or C++ build.
const NATIVE: [&str; 4] = ["cmake", "meson", "autotools", "make"];

/// The needs of the projects that a plan would build, by the names that `index` has for them. `graph` needs the
/// manifests only, see [`crate::graph::declared`].
pub fn needs(repository: &Repository, graph: &KnowledgeGraph, index: &Index) -> Needs {
    let selection = select(graph, &Constraints::default());
    let mut out = Collection::new(index);
    let mut projects = Vec::new();
    let mut network = Vec::new();
    for id in &selection.projects {
        if let Some(node) = graph.node(*id) {
            out.own(&node.name);
        }
    }
    for id in &selection.projects {
        let Some((_, facts)) = graph.projects().find(|(other, _)| other == id) else {
            continue;
        };
        projects.push(ProjectName {
            ecosystem: facts.ecosystem.clone(),
            dir: facts.dir.clone(),
        });
        collect::declared(graph, *id, facts, &mut out);
        if NATIVE.contains(&facts.ecosystem.as_str()) {
            collect::included(repository, &facts.dir, &mut out);
        }
        network.extend(facts.all("network").iter().map(|attr| Download {
            what: attr.value.clone(),
            place: attr.place.clone(),
        }));
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
        notes: selection.notes,
    }
}
