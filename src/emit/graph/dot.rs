//! Graphviz's DOT language (<https://graphviz.org/doc/info/lang.html>).

use std::fmt::Write;

use super::Part;
use crate::emit::terminal::{one_line, shorten};
use crate::graph::{kind, line};

/// Characters of a label; longer ones make a drawing unreadable.
const LABEL: usize = 60;

/// A digraph: the kind of each node as its class and colour, its place as the tooltip.
pub fn dot(part: &Part<'_>) -> String {
    let mut text = String::from(
        "digraph envc {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n",
    );
    for node in &part.nodes {
        let kind = kind(&node.facts);
        let place = node.place.as_ref().map(ToString::to_string);
        let label = format!("{kind}\n{}", shorten(&one_line(&line(node)), LABEL));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  n{} [label={}, class={}, fillcolor=\"{}\", tooltip={}];",
            node.id.0,
            quoted(&label),
            quoted(kind),
            colour(kind),
            quoted(&one_line(place.as_deref().unwrap_or(kind))),
        );
    }
    for (from, to, kind) in &part.edges {
        let _ = writeln!(
            text,
            "  n{} -> n{} [label={}];",
            from.0,
            to.0,
            quoted(kind.name())
        );
    }
    text.push_str("}\n");
    text
}

/// A quoted string: `\"` is its only escape of its own; `\` before other letters means something to labels.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The page's colours, lighter: dark text stands on them.
fn colour(kind: &str) -> &'static str {
    match kind {
        "project" => "#cfe0fb",
        "manifest" | "tool" => "#d9f0e3",
        "dependency" | "import" => "#fcecc9",
        "command" | "entry-point" | "test-suite" => "#f6d9f0",
        "service" => "#fbdcd8",
        _ => "#eceff4",
    }
}
