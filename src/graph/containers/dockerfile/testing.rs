//! What the readers of containers find, for the tests.

use crate::graph::{Facts, build};
use crate::scan::{Repository, ScanOptions, scan};

pub(in crate::graph::containers) fn repository(
    path: &str,
    text: &str,
) -> (tempfile::TempDir, Repository) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("thing");
    for (path, text) in [(path, text), ("sub/a.c", "")] {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let repository = scan(&root, &ScanOptions::default()).unwrap();
    (dir, repository)
}

/// A line for each fact: `line: what`.
pub(in crate::graph::containers) fn shown(path: &str, text: &str) -> String {
    let graph = build(&repository(path, text).1);
    let mut lines = Vec::new();
    for node in graph.nodes() {
        let line = node.place.as_ref().map_or(0, |place| place.line);
        let text = match &node.facts {
            Facts::Command(facts) => {
                let env: String = facts
                    .env
                    .iter()
                    .map(|(key, value)| format!(" {key}={value}"))
                    .collect();
                let shell = facts
                    .shell
                    .as_ref()
                    .map(|shell| format!(" <{shell}>"))
                    .unwrap_or_default();
                format!(
                    "[{}] {} ({}){shell}{env}",
                    facts.dir,
                    facts.text.replace('\n', "⏎"),
                    facts.context
                )
            }
            Facts::Tool { requirement, .. } => {
                format!(
                    "tool {} {}",
                    node.name,
                    requirement.as_deref().unwrap_or("*")
                )
            }
            Facts::Service { image, ports, env } => {
                format!("service {} {image} {ports:?} {env:?}", node.name)
            }
            Facts::Variable { value } => format!("variable {}={value:?}", node.name),
            Facts::Dependency(facts) => format!("needs {}", facts.spec),
            _ => continue,
        };
        lines.push(format!("{line}: {text}"));
    }
    lines.join("\n")
}
