//! `graph.html`: one self-contained page to walk through a graph. No request leaves it, and whatever came from the
//! repository stands in it as data, never as markup or script.

use std::collections::{BTreeMap, HashMap, VecDeque};

use handlebars::Handlebars;
use serde::Serialize;

use crate::emit::terminal::{one_line, shorten};
use crate::graph::{EdgeKind, Facts, KnowledgeGraph, Node, NodeId, kind, line};

const PAGE: &str = include_str!("../../../templates/graph/graph.html.hbs");
const STYLE: &str = include_str!("../../../templates/graph/graph.css");
const SCRIPT: &str = include_str!("../../../templates/graph/graph.js");

/// Nodes that one page holds: about 8 MB. What is most numerous and least telling is left out first.
const MOST_NODES: usize = 60_000;

/// Kinds in the order in which they are left out of a page that would be too large.
const LEAST: [&str; 4] = ["symbol", "import", "section", "file"];

/// Characters of a label and of an excerpt.
const LABEL: usize = 160;

/// The page's template is defective.
#[derive(Debug, thiserror::Error)]
#[error("the graph page's template: {0}\n  this is a defect of envc, not of the repository")]
pub struct PageError(String);

#[derive(Serialize)]
struct Data<'a> {
    kinds: Vec<&'a str>,
    #[serde(rename = "edgeKinds")]
    edge_kinds: [&'static str; 8],
    /// Kind, label, place, excerpt, parent (-1: none).
    nodes: Vec<(usize, String, String, String, i64)>,
    /// From, to, kind: positions in the lists above.
    edges: Vec<(usize, usize, usize)>,
}

/// Writes the page. `excerpt` gives the text of a line of the repository, where that can be had.
///
/// # Errors
/// Only where the template is defective, never for what a repository holds.
pub fn page(
    graph: &KnowledgeGraph,
    name: &str,
    excerpt: &mut dyn FnMut(&str, u32) -> Option<String>,
) -> Result<String, PageError> {
    let (kept, left_out) = keep(graph);
    let data = data(graph, &kept, excerpt);
    let defect = |error: &dyn std::fmt::Display| PageError(error.to_string());
    let json = serde_json::to_string(&data).map_err(|error| defect(&error))?;
    let view = serde_json::json!({
        "name": one_line(name),
        "nodes": kept.len(),
        "edges": data.edges.len(),
        "left_out": left_out,
        "data": in_script(&json),
        "style": STYLE,
        "script": SCRIPT,
    });
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine
        .render_template(PAGE, &view)
        .map_err(|error| defect(&error))
}

/// JSON inside of a `<script>` element: nothing in it may end the element or begin a comment (HTML, 4.12.1.3).
fn in_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", c as u32))
            }
            c => text.push(c),
        }
    }
    text
}

/// Ids of the nodes to show, and how many of which kinds are left out (`12 import`).
fn keep(graph: &KnowledgeGraph) -> (Vec<NodeId>, String) {
    let mut count = graph.node_count();
    let mut without: BTreeMap<&str, usize> = BTreeMap::new();
    for least in LEAST {
        if count <= MOST_NODES {
            break;
        }
        let of_kind = graph
            .nodes()
            .filter(|node| kind(&node.facts) == least)
            .count();
        let gone = of_kind.min(count - MOST_NODES);
        without.insert(least, gone);
        count -= gone;
    }
    let mut over = without.clone();
    let mut kept: Vec<NodeId> = Vec::with_capacity(count);
    // The last ones of a kind go: those of the files that come first stay.
    let nodes: Vec<&Node> = graph.nodes().collect();
    for node in nodes.into_iter().rev() {
        match over.get_mut(kind(&node.facts)) {
            Some(rest) if *rest > 0 => *rest -= 1,
            _ => kept.push(node.id),
        }
    }
    kept.reverse();
    kept.truncate(MOST_NODES);
    let words = without
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"));
    (kept, words.collect::<Vec<_>>().join(", "))
}

fn data<'a>(
    graph: &'a KnowledgeGraph,
    kept: &[NodeId],
    excerpt: &mut dyn FnMut(&str, u32) -> Option<String>,
) -> Data<'a> {
    let place: HashMap<NodeId, usize> = kept.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let nodes: Vec<&Node> = kept.iter().filter_map(|id| graph.node(*id)).collect();
    let mut kinds: Vec<&str> = nodes.iter().map(|node| kind(&node.facts)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let edges: Vec<(usize, usize, usize)> = graph
        .edges()
        .filter_map(|(from, to, kind)| {
            let kind = EdgeKind::ALL.iter().position(|of| *of == kind)?;
            Some((*place.get(&from)?, *place.get(&to)?, kind))
        })
        .collect();
    let parents = parents(nodes.len(), &edges);
    let rows = nodes.iter().zip(parents).map(|(node, parent)| {
        let kind = kinds.binary_search(&kind(&node.facts)).unwrap_or(0);
        let at = node.place.as_ref();
        let said = at
            .filter(|place| place.line > 0 && !matches!(node.facts, Facts::File { .. }))
            .and_then(|place| excerpt(&place.path, place.line))
            .unwrap_or_default();
        (
            kind,
            shorten(&one_line(&line(node)), LABEL).into_owned(),
            at.map(|place| one_line(&place.to_string()))
                .unwrap_or_default(),
            shorten(&one_line(&said), LABEL).into_owned(),
            parent.map_or(-1, |at| at as i64),
        )
    });
    Data {
        nodes: rows.collect(),
        kinds,
        edge_kinds: EdgeKind::ALL.map(EdgeKind::name),
        edges,
    }
}

/// The node that each one is folded into: the first that leads to it, such that no node is folded into itself.
fn parents(count: usize, edges: &[(usize, usize, usize)]) -> Vec<Option<usize>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut has_in = vec![false; count];
    let contains = EdgeKind::ALL
        .iter()
        .position(|kind| *kind == EdgeKind::Contains);
    // Containment first: the tree of directories is what a reader knows.
    let (first, then): (Vec<_>, Vec<_>) = edges
        .iter()
        .partition(|(_, _, kind)| Some(*kind) == contains);
    for &(from, to, _) in first.into_iter().chain(then) {
        if let (Some(list), Some(has)) = (out.get_mut(from), has_in.get_mut(to)) {
            list.push(to);
            *has = true;
        }
    }
    let mut parents = vec![None; count];
    let mut seen = vec![false; count];
    let roots = (0..count).filter(|at| !has_in.get(*at).copied().unwrap_or(false));
    // Nodes of a cycle without a way in become roots themselves.
    for root in roots.chain(0..count) {
        let mut open = VecDeque::from([root]);
        while let Some(at) = open.pop_front() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            for next in &out[at] {
                if !seen[*next] && parents[*next].is_none() && *next != root {
                    parents[*next] = Some(at);
                    open.push_back(*next);
                }
            }
        }
    }
    parents
}
