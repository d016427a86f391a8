//! A graph in figures and in words.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::{EdgeKind, Facts, KnowledgeGraph, Node};

/// Counts of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub nodes: usize,
    pub edges: usize,
    /// Nodes by kind, named as in the JSON form.
    pub kinds: BTreeMap<&'static str, usize>,
    /// `(ecosystem, directory)`, in the order in which they were found.
    pub projects: Vec<(String, String)>,
    /// Files by language, vendored ones left out.
    pub languages: BTreeMap<String, usize>,
    /// The language with the most bytes of the project's own code.
    pub primary: Option<String>,
    /// Files that were not read as a whole.
    pub warnings: usize,
}

/// The name of a node's kind, as in the JSON form.
pub fn kind(facts: &Facts) -> &'static str {
    match facts {
        Facts::Directory => "directory",
        Facts::File { .. } => "file",
        Facts::Manifest { .. } => "manifest",
        Facts::Section { .. } => "section",
        Facts::Command(_) => "command",
        Facts::Symbol { .. } => "symbol",
        Facts::Import(_) => "import",
        Facts::Dependency(_) => "dependency",
        Facts::Tool { .. } => "tool",
        Facts::EntryPoint { .. } => "entry-point",
        Facts::TestSuite { .. } => "test-suite",
        Facts::Service { .. } => "service",
        Facts::Variable { .. } => "variable",
        Facts::Project(_) => "project",
    }
}

pub fn summary(graph: &KnowledgeGraph) -> Summary {
    let mut summary = Summary {
        nodes: graph.node_count(),
        edges: graph.edge_count(),
        primary: graph.primary_language().map(str::to_owned),
        warnings: graph.warnings().len(),
        ..Summary::default()
    };
    for node in graph.nodes() {
        *summary.kinds.entry(kind(&node.facts)).or_default() += 1;
        match &node.facts {
            Facts::File {
                language: Some(language),
                vendored: false,
            } => {
                *summary.languages.entry(language.clone()).or_default() += 1;
            }
            Facts::Project(facts) => summary
                .projects
                .push((facts.ecosystem.clone(), facts.dir.clone())),
            _ => {}
        }
    }
    summary
}

/// Kinds that are worth a line each, in the order in which they are shown.
const SHOWN: &[(&str, &str)] = &[
    ("project", "Projects"),
    ("manifest", "Manifests"),
    ("tool", "Tools"),
    ("dependency", "Dependencies"),
    ("service", "Services"),
    ("test-suite", "Test suites"),
    ("entry-point", "Entry points"),
    ("command", "Commands"),
];

/// Lines of one kind that are shown.
const MAX_LINES: usize = 60;

/// The graph for a terminal: figures, then what was found with its place. Control characters of the repository's
/// own names and texts are escaped.
pub fn text(graph: &KnowledgeGraph) -> String {
    let summary = summary(graph);
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{} nodes, {} edges", summary.nodes, summary.edges);
    let languages: Vec<String> = summary
        .languages
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let _ = writeln!(out, "Files: {}", languages.join(", "));
    if let Some(primary) = &summary.primary {
        let _ = writeln!(out, "Primary language: {primary}");
    }
    for (wanted, title) in SHOWN {
        let nodes: Vec<&Node> = graph
            .nodes()
            .filter(|node| kind(&node.facts) == *wanted)
            .collect();
        if nodes.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{title} ({})", nodes.len());
        for node in nodes.iter().take(MAX_LINES) {
            let place = node
                .place
                .as_ref()
                .map(|place| format!("  {place}"))
                .unwrap_or_default();
            let _ = writeln!(out, "  {}{}", printable(&line(node)), printable(&place));
        }
        if nodes.len() > MAX_LINES {
            let _ = writeln!(out, "  and {} more", nodes.len() - MAX_LINES);
        }
    }
    let imports = imported(graph);
    if !imports.is_empty() {
        let _ = writeln!(out, "\nImports (files)");
        for (target, count) in imports.iter().take(MAX_LINES) {
            let _ = writeln!(out, "  {} ({count})", printable(target));
        }
    }
    let warnings = graph.warnings();
    if !warnings.is_empty() {
        let _ = writeln!(out, "\nNot read as a whole ({})", warnings.len());
        for warning in warnings.iter().take(MAX_LINES) {
            let line = format!("{}: {}", warning.path, warning.reason);
            let _ = writeln!(out, "  {}", printable(&line));
        }
        if warnings.len() > MAX_LINES {
            let _ = writeln!(out, "  and {} more", warnings.len() - MAX_LINES);
        }
    }
    out
}

/// One node in a line, as its repository wrote it (see [`printable`]).
pub fn line(node: &Node) -> String {
    match &node.facts {
        Facts::Command(facts) => {
            let dir = if facts.dir.is_empty() {
                String::new()
            } else {
                format!("{}$ ", facts.dir)
            };
            let os = facts
                .os
                .map(|os| format!(" [{os:?}]").to_lowercase())
                .unwrap_or_default();
            format!(
                "{dir}{}{os}",
                facts
                    .text
                    .lines()
                    .map(str::trim)
                    .collect::<Vec<_>>()
                    .join(" ⏎ ")
            )
        }
        Facts::Tool { requirement, .. } => {
            format!("{} {}", node.name, requirement.as_deref().unwrap_or(""))
        }
        Facts::Dependency(facts) => format!("{}: {}", facts.ecosystem, facts.spec),
        Facts::Service { image, .. } => format!("{} {image}", node.name),
        Facts::Project(facts) => format!(
            "{} {}",
            facts.ecosystem,
            if facts.dir.is_empty() {
                "."
            } else {
                &facts.dir
            }
        ),
        Facts::Manifest { format } => format!("{} ({format})", node.name),
        Facts::TestSuite { framework } => format!("{} ({framework})", node.name),
        _ => node.name.clone(),
    }
}

/// Imports from outside of a file's own tree, by the number of files that have them.
fn imported(graph: &KnowledgeGraph) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (node, facts) in graph.imports().filter(|(_, facts)| facts.system) {
        *counts.entry(&facts.target).or_default() += graph.into(node.id, EdgeKind::Imports).len();
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(target, count)| (std::cmp::Reverse(*count), *target));
    counts
}

/// Direction marks and overrides, invisible spaces, tags and line separators (Unicode TR9 and TR36): text that a reader
/// does not see, or sees in another order.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A hostile name must not drive the terminal: control characters and what hides or turns text are escaped.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() || is_hidden(c) {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::build;
    use crate::scan::{ScanOptions, scan};

    fn graph() -> KnowledgeGraph {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("thing");
        std::fs::create_dir_all(root.join("src/a")).unwrap();
        std::fs::write(
            root.join("src/a/x.c"),
            "#include <zlib.h>\nint main(void) {}\n",
        )
        .unwrap();
        std::fs::write(root.join("Makefile"), "test:\n\t./t\n").unwrap();
        std::fs::write(root.join("README.md"), "# T\n\n    make \u{1b}[31m test\n").unwrap();
        build(&scan(&root, &ScanOptions::default()).unwrap())
    }

    #[test]
    fn text_shows_what_was_found_and_no_control_characters() {
        insta::assert_snapshot!(text(&graph()), @r"
        14 nodes, 15 edges
        Files: c 1, make 1, markdown 1
        Primary language: c

        Projects (1)
          make .  Makefile

        Manifests (1)
          Makefile (make)  Makefile

        Test suites (1)
          make (make)  Makefile:1

        Commands (2)
          make \u{1b}[31m test  README.md:3
          make test  Makefile:1

        Imports (files)
          zlib.h (1)
        ");
    }

    #[test]
    fn a_graph_comes_back_from_json_with_its_index() {
        let graph = graph();
        let json = serde_json::to_string(&graph).unwrap();
        let back: KnowledgeGraph = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), json);
        let file = back.file("src/a/x.c").unwrap();
        assert_eq!(back.out(file, EdgeKind::Imports).len(), 1);
        assert_eq!(back.file("src/a"), None);
        assert_eq!(
            KnowledgeGraph::into(&back, file, EdgeKind::Contains)
                .first()
                .map(|node| node.id),
            back.directory("src/a")
        );
        assert_eq!(summary(&back), summary(&graph));
    }
}
