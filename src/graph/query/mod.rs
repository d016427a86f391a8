//! Questions to a graph: which node is meant, what stands around it, how two are connected, and who says so.

mod find;
mod path;
mod why;

#[cfg(test)]
mod tests;

pub use find::{Named, find, named};
pub use path::{Hop, path};
pub use why::{Reason, why};

use super::{EdgeKind, Facts, KnowledgeGraph, Node, NodeId};

/// One edge at a node.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    pub node: &'a Node,
    pub kind: EdgeKind,
    /// True where the edge leads from the node that was asked about to `node`.
    pub outgoing: bool,
}

/// Every edge at a node, outgoing ones first, each side in order of insertion.
pub fn neighbours(graph: &KnowledgeGraph, id: NodeId) -> Vec<Neighbour<'_>> {
    let mut found = Vec::new();
    for kind in EdgeKind::ALL {
        found.extend(graph.out(id, kind).into_iter().map(|node| Neighbour {
            node,
            kind,
            outgoing: true,
        }));
    }
    for kind in EdgeKind::ALL {
        let into = KnowledgeGraph::into(graph, id, kind);
        found.extend(into.into_iter().map(|node| Neighbour {
            node,
            kind,
            outgoing: false,
        }));
    }
    found
}

/// Directories hold everything: what is connected only through them has nothing to do with each other.
fn is_directory(node: &Node) -> bool {
    matches!(node.facts, Facts::Directory)
}
