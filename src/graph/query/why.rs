//! Who says that something is there: the edges into it, back to a project or a file.

use std::collections::HashSet;

use super::is_directory;
use crate::graph::{EdgeKind, KnowledgeGraph, Node, NodeId};

/// A node that leads to the one asked about, with what leads to it in turn.
#[derive(Debug, Clone)]
pub struct Reason<'a> {
    /// The edge from `node` to the one that it explains.
    pub kind: EdgeKind,
    pub node: &'a Node,
    pub because: Vec<Reason<'a>>,
}

/// Steps back from the node that was asked about; nothing in a graph is declared further away than that.
const DEEPEST: usize = 5;

/// Reasons of one node that are told; a header may be included by thousands of files.
const MOST: usize = 12;

/// The reasons for a node. Directories say nothing, and a node that was told already is not told again.
pub fn why(graph: &KnowledgeGraph, id: NodeId) -> Vec<Reason<'_>> {
    let mut told = HashSet::from([id]);
    reasons(graph, id, DEEPEST, &mut told)
}

fn reasons<'a>(
    graph: &'a KnowledgeGraph,
    id: NodeId,
    deep: usize,
    told: &mut HashSet<NodeId>,
) -> Vec<Reason<'a>> {
    if deep == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for kind in EdgeKind::ALL {
        // `Tests` leads from a suite to its project: the suite is no reason for the project.
        if kind == EdgeKind::Tests {
            continue;
        }
        for node in KnowledgeGraph::into(graph, id, kind) {
            if is_directory(node) || found.len() >= MOST || !told.insert(node.id) {
                continue;
            }
            found.push((kind, node));
        }
    }
    found
        .into_iter()
        .map(|(kind, node)| Reason {
            kind,
            node,
            because: reasons(graph, node.id, deep - 1, told),
        })
        .collect()
}
