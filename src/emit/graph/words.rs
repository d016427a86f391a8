//! Answers to questions about a graph, for a terminal.

use std::fmt::Write;

use crate::emit::terminal::one_line;
use crate::graph::query::{Hop, Reason, neighbours};
use crate::graph::{
    Definition, EdgeKind, Facts, KnowledgeGraph, Node, NodeId, kind, line, summary,
};

/// Lines of one list.
const MOST: usize = 200;

/// Figures of the whole graph.
pub fn stats(graph: &KnowledgeGraph) -> String {
    let summary = summary(graph);
    let mut text = format!(
        "{} nodes, {} edges\n\nnodes by kind\n",
        summary.nodes, summary.edges
    );
    // Writing to a string does not fail, here and below.
    for (kind, count) in &summary.kinds {
        let _ = writeln!(text, "  {kind:<12} {count:>7}");
    }
    text.push_str("\nedges by kind\n");
    for kind in EdgeKind::ALL {
        let count = graph.edges().filter(|(_, _, of)| *of == kind).count();
        if count > 0 {
            let _ = writeln!(text, "  {:<12} {count:>7}", kind.name());
        }
    }
    text.push_str("\nfiles by language\n");
    let mut languages: Vec<_> = summary.languages.iter().collect();
    languages.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (language, count) in languages {
        let _ = writeln!(text, "  {language:<12} {count:>7}");
    }
    text
}

/// One line a node: id, kind, what it is, where it stands.
pub fn found(nodes: &[&Node]) -> String {
    let mut text = String::new();
    for node in nodes.iter().take(MOST) {
        let _ = writeln!(text, "{}", row(node));
    }
    if nodes.len() > MOST {
        let _ = writeln!(text, "and {} more", nodes.len() - MOST);
    }
    text
}

/// One line a definition of the sources.
pub fn defined(definitions: &[Definition]) -> String {
    let mut text = String::new();
    for definition in definitions.iter().take(MOST) {
        let kind = format!("{:?}", definition.kind).to_lowercase();
        let name = one_line(&definition.name);
        let place = one_line(&definition.place.to_string());
        let _ = writeln!(text, "{:<6} {kind:<11} {name}  {place}", "");
    }
    if definitions.len() > MOST {
        let _ = writeln!(text, "and {} more definitions", definitions.len() - MOST);
    }
    text
}

/// Everything about one node: its facts, then what it is connected with.
pub fn shown(graph: &KnowledgeGraph, node: &Node) -> String {
    let mut text = format!("{}\n", row(node));
    for (name, value) in facts(node) {
        let _ = writeln!(text, "  {name:<11} {value}");
    }
    let all = neighbours(graph, node.id);
    for next in all.iter().take(MOST) {
        let arrow = match next.outgoing {
            true => format!("-{}->", next.kind.name()),
            false => format!("<-{}-", next.kind.name()),
        };
        let _ = writeln!(text, "  {arrow:<13} {}", row(next.node));
    }
    if all.len() > MOST {
        let _ = writeln!(text, "  and {} more", all.len() - MOST);
    }
    text
}

/// A way, one node a line.
pub fn way(first: &Node, hops: &[Hop<'_>]) -> String {
    let mut text = format!("{}\n", row(first));
    for hop in hops {
        let arrow = match hop.forward {
            true => format!("-{}->", hop.kind.name()),
            false => format!("<-{}-", hop.kind.name()),
        };
        let _ = writeln!(text, "  {arrow:<13} {}", row(hop.node));
    }
    text
}

/// Why nodes are there: each with the tree of what leads to it.
pub fn whys(graph: &KnowledgeGraph, asked: &[(NodeId, Vec<Reason<'_>>)]) -> String {
    let mut text = String::new();
    for (id, reasons) in asked.iter().take(MOST) {
        let Some(node) = graph.node(*id) else {
            continue;
        };
        let _ = writeln!(text, "{}", row(node));
        match reasons.is_empty() {
            true => text.push_str("  it stands in the repository; nothing else speaks of it\n"),
            false => told(reasons, 1, &mut text),
        }
    }
    if asked.len() > MOST {
        let _ = writeln!(text, "and {} more", asked.len() - MOST);
    }
    text
}

fn told(reasons: &[Reason<'_>], depth: usize, text: &mut String) {
    for reason in reasons {
        let indent = "  ".repeat(depth);
        let _ = writeln!(
            text,
            "{indent}{} {}",
            passive(reason.kind),
            row(reason.node)
        );
        told(&reason.because, depth + 1, text);
    }
}

/// What the far end does, seen from the near one.
fn passive(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Contains => "in",
        EdgeKind::Imports => "imported by",
        EdgeKind::Declares => "declared by",
        EdgeKind::Requires => "required by",
        EdgeKind::Documents => "written in",
        EdgeKind::Runs => "run by",
        EdgeKind::Tests => "tested by",
        EdgeKind::Provides => "provided by",
    }
}

fn row(node: &Node) -> String {
    let place = node
        .place
        .as_ref()
        .map(|place| one_line(&place.to_string()));
    let place = place.map_or_else(String::new, |place| format!("  {place}"));
    let id = format!("#{}", node.id.0);
    let kind = kind(&node.facts);
    format!("{id:<6} {kind:<11} {}{place}", one_line(&line(node)))
}

/// Facts of a node that its line does not show.
fn facts(node: &Node) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(&node.facts) else {
        return Vec::new();
    };
    let mut rows: Vec<(String, String)> = fields
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "kind" | "attrs"))
        .filter_map(|(name, value)| Some((one_line(name), plain(value)?)))
        .collect();
    if let Facts::Project(facts) = &node.facts {
        for (name, values) in &facts.attrs {
            for attr in values {
                let value = format!(
                    "{}  {}",
                    one_line(&attr.value),
                    one_line(&attr.place.to_string())
                );
                rows.push((one_line(name), value));
            }
        }
    }
    rows
}

/// A JSON value as a person writes it; nothing for what is empty.
fn plain(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    Some(match value {
        Value::Null => return None,
        Value::String(text) if text.is_empty() => return None,
        Value::String(text) => one_line(text),
        Value::Array(items) if items.is_empty() => return None,
        Value::Array(items) => items
            .iter()
            .filter_map(plain)
            .collect::<Vec<_>>()
            .join(", "),
        Value::Object(fields) => {
            let pairs = fields
                .iter()
                .filter_map(|(name, value)| Some(format!("{}={}", one_line(name), plain(value)?)));
            pairs.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    })
}
