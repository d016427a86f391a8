//! Some nodes of a graph and the edges between them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::graph::query::{Hop, Reason, neighbours};
use crate::graph::{Definition, EdgeKind, KnowledgeGraph, Node, NodeId};

/// Version of the JSON form of a part. Ids are those of the whole graph.
const SCHEMA: &str = "envc.graph.part/1";

/// What one question is answered with.
#[derive(Debug, Clone, Serialize)]
pub struct Part<'a> {
    schema: &'static str,
    pub nodes: Vec<&'a Node>,
    pub edges: Vec<(NodeId, NodeId, EdgeKind)>,
    /// Functions and types of the sources that are no nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Definition>,
}

impl<'a> Part<'a> {
    pub fn whole(graph: &'a KnowledgeGraph) -> Self {
        Self {
            schema: SCHEMA,
            nodes: graph.nodes().collect(),
            edges: graph.edges().collect(),
            definitions: Vec::new(),
        }
    }

    /// These nodes and every edge between two of them.
    pub fn of(graph: &'a KnowledgeGraph, ids: impl IntoIterator<Item = NodeId>) -> Self {
        let ids: BTreeSet<NodeId> = ids.into_iter().collect();
        let inside =
            |(from, to, _): &(NodeId, NodeId, EdgeKind)| ids.contains(from) && ids.contains(to);
        Self {
            schema: SCHEMA,
            nodes: ids.iter().filter_map(|id| graph.node(*id)).collect(),
            edges: graph.edges().filter(inside).collect(),
            definitions: Vec::new(),
        }
    }

    /// Nodes with everything that an edge connects them to.
    pub fn around(graph: &'a KnowledgeGraph, ids: &[NodeId]) -> Self {
        let near = ids
            .iter()
            .flat_map(|id| neighbours(graph, *id).into_iter().map(|next| next.node.id));
        Self::of(graph, near.chain(ids.iter().copied()))
    }

    pub fn along(graph: &'a KnowledgeGraph, first: &Node, hops: &[Hop<'_>]) -> Self {
        let rest = hops.iter().map(|hop| hop.node.id);
        Self::of(graph, rest.chain([first.id]))
    }

    pub fn behind(graph: &'a KnowledgeGraph, asked: &[(NodeId, Vec<Reason<'_>>)]) -> Self {
        let mut ids = Vec::new();
        for (id, reasons) in asked {
            ids.push(*id);
            collect(reasons, &mut ids);
        }
        Self::of(graph, ids)
    }
}

fn collect(reasons: &[Reason<'_>], ids: &mut Vec<NodeId>) {
    for reason in reasons {
        ids.push(reason.node.id);
        collect(&reason.because, ids);
    }
}
