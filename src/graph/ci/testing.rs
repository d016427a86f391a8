//! What the readers of CI files find, for the tests.

use crate::graph::{CommandFacts, Facts, KnowledgeGraph, build};
use crate::scan::{ScanOptions, scan};

pub(super) fn graph(path: &str, text: &str) -> KnowledgeGraph {
    graph_of(&[(path, text), ("sub/a.c", "")])
}

pub(super) fn graph_of(files: &[(&str, &str)]) -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = dir.path().join("thing").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    build(&scan(&dir.path().join("thing"), &ScanOptions::default()).unwrap())
}

pub(super) fn shown(path: &str, text: &str) -> String {
    lines(&graph(path, text), false)
}

/// The facts of several files, each with its file.
pub(super) fn shown_of(files: &[(&str, &str)]) -> String {
    lines(&graph_of(files), true)
}

fn lines(graph: &KnowledgeGraph, with_path: bool) -> String {
    let mut lines = Vec::new();
    for node in graph.nodes() {
        let Some(place) = &node.place else { continue };
        let text = match &node.facts {
            Facts::Command(facts) => command(facts),
            Facts::Tool { requirement, .. } => {
                let requirement = requirement.as_deref().unwrap_or("*");
                format!("tool {} {requirement}", node.name)
            }
            Facts::Service { image, ports, env } => {
                format!("service {} {image} {ports:?} {env:?}", node.name)
            }
            Facts::Dependency(facts) => format!("needs {}", facts.spec),
            _ => continue,
        };
        let place = if with_path {
            place.to_string()
        } else {
            place.line.to_string()
        };
        lines.push(format!("{place}: {text}"));
    }
    lines.join("\n")
}

fn command(facts: &CommandFacts) -> String {
    let pairs = |map: &std::collections::BTreeMap<String, String>, mark: &str| -> String {
        map.iter()
            .map(|(key, value)| format!(" {mark}{key}={value}"))
            .collect()
    };
    let os = facts.os.map(|os| format!(" {os:?}")).unwrap_or_default();
    let shell = facts
        .shell
        .as_ref()
        .map(|shell| format!(" <{shell}>"))
        .unwrap_or_default();
    let list = |mark: &str, list: &[String]| {
        if list.is_empty() {
            String::new()
        } else {
            format!(" {mark}{}", list.join("|"))
        }
    };
    format!(
        "[{}] {} ({}){os}{shell}{}{}{}{}",
        facts.dir,
        facts.text.replace('\n', "⏎"),
        facts.context,
        pairs(&facts.env, ""),
        pairs(&facts.row, "@"),
        list("?", &facts.unresolved),
        list("or ", &facts.alternatives),
    )
}
