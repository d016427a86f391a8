//! From what a file says to nodes of the graph.

use crate::evidence::Place;
use crate::graph::{EdgeKind, EntryKind, Facts, KnowledgeGraph, NodeId, SymbolKind};
use crate::scan::FileEntry;

use super::reading::{Reading, Want};

/// Definitions of one file, and of all, that become nodes. [`super::find_definitions`] finds the others: a node for
/// each would make a graph of definitions.
const MAX_OF_FILE: usize = 100;
const MAX_OF_ALL: usize = 4000;

/// What is left of [`MAX_OF_ALL`].
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_OF_ALL)
    }
}

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

pub(super) fn add(
    graph: &mut KnowledgeGraph,
    file: NodeId,
    entry: &FileEntry,
    want: &Want,
    reading: Reading,
    budget: &mut Budget,
) {
    let path = entry.path.as_str();
    let language = entry.language.clone().unwrap_or_default();
    if let Some(why) = reading.trouble {
        graph.warn(path, why);
    }
    for (line, import) in reading.imports {
        let place = Place::new(path, line);
        let node = graph.add(import.target.clone(), Some(place), Facts::Import(import));
        graph.link(file, node, EdgeKind::Imports);
    }
    let mut symbol = |name: String, line: u32, symbol: SymbolKind| {
        let language = language.clone();
        let place = Place::new(path, line);
        let node = graph.add(name, Some(place), Facts::Symbol { symbol, language });
        graph.link(file, node, EdgeKind::Contains);
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
    let definitions = reading.definitions.into_iter().filter(|_| want.definitions);
    for (line, kind, name) in definitions.take(MAX_OF_FILE.min(budget.0)) {
        budget.0 -= 1;
        symbol(name, line, kind);
    }
    if let Some(line) = reading.script.filter(|_| !is_beside(path)) {
        let facts = Facts::EntryPoint {
            entry: EntryKind::Script,
        };
        let node = graph.add(path, Some(Place::new(path, line)), facts);
        graph.link(file, node, EdgeKind::Provides);
    }
}
