//! From what a file says to nodes of the graph.

use crate::evidence::Place;
use crate::graph::{EdgeKind, EntryKind, Facts, KnowledgeGraph, NodeId, SymbolKind};
use crate::scan::FileEntry;

use super::reading::Reading;

/// Definitions of one file, and of all, that become nodes. [`super::find_definitions`] finds the others: a node for
/// each would make a graph of definitions.
const MAX_OF_FILE: usize = 100;
pub(super) const MAX_OF_ALL: usize = 4000;

/// Tests and documents are run by hand at most: their `__main__` is no way into the program.
pub(super) fn is_beside(path: &str) -> bool {
    const BESIDE: &[&str] = &["test", "tests", "testing", "doc", "docs"];
    path.split('/').any(|part| {
        BESIDE
            .iter()
            .any(|beside| part.eq_ignore_ascii_case(beside))
            || part
                .get(..5)
                .is_some_and(|head| head.eq_ignore_ascii_case("test_"))
    })
}

pub(super) fn add(graph: &mut KnowledgeGraph, file: NodeId, entry: &FileEntry, reading: Reading) {
    let path = entry.path.as_str();
    if let Some(why) = reading.trouble {
        graph.warn(path, why);
    }
    for (line, import) in reading.imports {
        let place = Place::new(path, line);
        let node = graph.add(import.target.clone(), Some(place), Facts::Import(import));
        graph.link(file, node, EdgeKind::Imports);
    }
    let mut symbol = |name: String, line: u32, symbol: SymbolKind| {
        add_symbol(graph, file, entry, (line, symbol, name));
    };
    if let Some(line) = reading.main {
        symbol("main".to_owned(), line, SymbolKind::Main);
    }
    // One node a file with the count in its name: a project has thousands of tests, and no stage names one.
    if let Some((line, first)) = reading.first_test {
        let name = match reading.tests {
            1 => first,
            count => format!("{first} and {} more", count - 1),
        };
        symbol(name, line, SymbolKind::Test);
    }
    if let Some(line) = reading.script.filter(|_| !is_beside(path)) {
        let facts = Facts::EntryPoint {
            entry: EntryKind::Script,
        };
        let node = graph.add(path, Some(Place::new(path, line)), facts);
        graph.link(file, node, EdgeKind::Provides);
    }
}

fn add_symbol(
    graph: &mut KnowledgeGraph,
    file: NodeId,
    entry: &FileEntry,
    (line, symbol, name): (u32, SymbolKind, String),
) {
    let language = entry.language.clone().unwrap_or_default();
    let place = Place::new(entry.path.as_str(), line);
    let node = graph.add(name, Some(place), Facts::Symbol { symbol, language });
    graph.link(file, node, EdgeKind::Contains);
}

pub(super) fn add_definitions(
    graph: &mut KnowledgeGraph,
    file: NodeId,
    entry: &FileEntry,
    reading: Reading,
    room: &mut usize,
) {
    for definition in reading.definitions.into_iter().take(MAX_OF_FILE.min(*room)) {
        *room -= 1;
        add_symbol(graph, file, entry, definition);
    }
}
