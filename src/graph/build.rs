//! The order in which a graph is filled.

use crate::scan::Repository;

use super::{Cache, KnowledgeGraph};
use super::{ci, containers, documents, environments, files, manifests, packages, runners, syntax};

/// Reads every file of the repository once and collects what they say. Never fails: a file that cannot be read
/// or parsed says nothing.
pub fn build(repository: &Repository) -> KnowledgeGraph {
    build_with(repository, &Cache::disabled())
}

/// The same, with what an earlier run read of files that did not change. What is read anew is kept in `cache`, which
/// [`Cache::save`] writes down.
pub fn build_with(repository: &Repository, cache: &Cache) -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    files::add(repository, &mut graph);
    manifests::add(repository, &mut graph);
    syntax::add(repository, &mut graph, cache);
    documents::add(repository, &mut graph);
    ci::add(repository, &mut graph);
    runners::add(repository, &mut graph);
    containers::add(repository, &mut graph);
    environments::add(repository, &mut graph);
    // Last: it reads the commands that the others found.
    packages::add(repository, &mut graph);
    graph
}

/// Only what manifests declare: enough to tell what has to be installed, in a fraction of the time.
pub fn declared(repository: &Repository) -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    manifests::add(repository, &mut graph);
    graph
}
