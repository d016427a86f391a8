//! The shortest way between two nodes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::{is_directory, neighbours};
use crate::graph::{EdgeKind, KnowledgeGraph, Node, NodeId};

/// A step of a way: over an edge, in its direction or against it, to a node.
#[derive(Debug, Clone, Copy)]
pub struct Hop<'a> {
    pub kind: EdgeKind,
    /// False where the edge is walked from its end to its beginning.
    pub forward: bool,
    pub node: &'a Node,
}

/// What it costs to walk into a directory: any way through what was written is better than "both are files here".
const DIRECTORY: u32 = 50;

/// The first node and the shortest way from any of `from` to any of `to`; edges may be walked in both directions.
/// `None` where there is no way. Dijkstra's, so the time is bounded by the number of edges.
pub fn path<'a>(
    graph: &'a KnowledgeGraph,
    from: &[NodeId],
    to: &[NodeId],
) -> Option<(&'a Node, Vec<Hop<'a>>)> {
    let goals: HashSet<NodeId> = to.iter().copied().collect();
    let mut came: HashMap<NodeId, (NodeId, Hop<'a>)> = HashMap::new();
    let mut cost: HashMap<NodeId, u32> = from.iter().map(|id| (*id, 0)).collect();
    let mut open: BinaryHeap<Reverse<(u32, u32)>> =
        from.iter().map(|id| Reverse((0, id.0))).collect();
    while let Some(Reverse((spent, id))) = open.pop() {
        let id = NodeId(id);
        if goals.contains(&id) {
            return walked(graph, id, &came);
        }
        if cost.get(&id).is_some_and(|best| *best < spent) {
            continue;
        }
        for next in neighbours(graph, id) {
            let step = if is_directory(next.node) {
                DIRECTORY
            } else {
                1
            };
            let total = spent + step;
            let known = cost.get(&next.node.id);
            if known.is_none_or(|best| total < *best) {
                cost.insert(next.node.id, total);
                let hop = Hop {
                    kind: next.kind,
                    forward: next.outgoing,
                    node: next.node,
                };
                came.insert(next.node.id, (id, hop));
                open.push(Reverse((total, next.node.id.0)));
            }
        }
    }
    None
}

fn walked<'a>(
    graph: &'a KnowledgeGraph,
    goal: NodeId,
    came: &HashMap<NodeId, (NodeId, Hop<'a>)>,
) -> Option<(&'a Node, Vec<Hop<'a>>)> {
    let mut hops = Vec::new();
    let mut at = goal;
    while let Some((before, hop)) = came.get(&at) {
        hops.push(*hop);
        at = *before;
    }
    hops.reverse();
    Some((graph.node(at)?, hops))
}
