//! Directory and File nodes.

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository};

use super::{EdgeKind, Facts, KnowledgeGraph, NodeId};

/// One node for the root (empty path), one for each directory with files, one for each file.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    graph.add(
        repository.name.clone(),
        Some(Place::file("")),
        Facts::Directory,
    );
    graph.languages = repository.languages.clone();
    for entry in &repository.files {
        let (dir, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let parent = directory(graph, dir);
        let facts = Facts::File {
            language: entry.language.clone(),
            vendored: entry.vendored,
        };
        let file = graph.add(name, Some(Place::file(entry.path.clone())), facts);
        graph.link(parent, file, EdgeKind::Contains);
        if let Some(why) = unread(entry) {
            graph.warn(entry.path.clone(), why);
        }
    }
}

/// Why a file that looks like a source is not read.
fn unread(entry: &FileEntry) -> Option<String> {
    match entry.kind {
        FileKind::Huge if entry.language.is_some() => {
            Some(format!("{} bytes: too long to read", entry.size))
        }
        FileKind::Special => Some("a pipe, socket or device: not read".to_owned()),
        FileKind::OddName => Some("its name is not UTF-8: not read".to_owned()),
        _ => None,
    }
}

/// The node of a directory, made with its parents where missing.
fn directory(graph: &mut KnowledgeGraph, path: &str) -> NodeId {
    let mut parent = NodeId(0);
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    for end in ends {
        let Some(prefix) = path.get(..end) else {
            continue;
        };
        parent = match graph.directory(prefix) {
            Some(id) => id,
            None => {
                let name = prefix.rsplit('/').next().unwrap_or(prefix);
                let id = graph.add(name, Some(Place::file(prefix)), Facts::Directory);
                graph.link(parent, id, EdgeKind::Contains);
                id
            }
        };
    }
    parent
}
