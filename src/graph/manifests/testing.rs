//! Repositories of a few inline files, for the readers' tests.

use std::path::Path;

use crate::graph::{DependencyFacts, EdgeKind, Facts, KnowledgeGraph, ProjectFacts, Scope};
use crate::scan::{FileEntry, FileKind, Repository, SCHEMA};

/// The graph of a repository with these files.
pub fn repo(files: &[(&str, &str)]) -> KnowledgeGraph {
    let bytes: Vec<(&str, &[u8])> = files.iter().map(|(p, t)| (*p, t.as_bytes())).collect();
    repo_bytes(&bytes)
}

pub fn repo_bytes(files: &[(&str, &[u8])]) -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let full = dir.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        let script = bytes.starts_with(b"#!");
        std::fs::write(&full, bytes).unwrap();
        if script {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&full, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let mut graph = KnowledgeGraph::new();
    super::add(&listing(dir.path()), &mut graph);
    graph
}

/// A plain listing of a directory as text files (the real scan is another module's).
pub fn listing(root: &Path) -> Repository {
    let mut files: Vec<FileEntry> = walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| FileEntry {
            path: entry
                .path()
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned(),
            size: entry.metadata().map_or(0, |data| data.len()),
            kind: FileKind::Text,
            language: None,
            executable: is_executable(entry.path()),
            vendored: false,
            seen: Default::default(),
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Repository {
        schema: SCHEMA.to_owned(),
        name: "test".to_owned(),
        root: root.to_path_buf(),
        git: None,
        files,
        languages: Default::default(),
        warnings: Vec::new(),
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

pub fn project<'g>(graph: &'g KnowledgeGraph, ecosystem: &str, dir: &str) -> &'g ProjectFacts {
    graph
        .projects()
        .map(|(_, facts)| facts)
        .find(|facts| facts.ecosystem == ecosystem && facts.dir == dir)
        .unwrap_or_else(|| panic!("no {ecosystem} project in {dir:?}:\n{}", summary(graph)))
}

/// Every project with its facts, one a line, for snapshots and for reading by eye.
pub fn summary(graph: &KnowledgeGraph) -> String {
    let mut lines = Vec::new();
    for (id, facts) in graph.projects() {
        let node = graph.node(id).unwrap();
        let place = node
            .place
            .as_ref()
            .map_or(String::new(), ToString::to_string);
        lines.push(format!(
            "{} {:?} {} ({place})",
            facts.ecosystem, facts.dir, node.name
        ));
        for (name, values) in &facts.attrs {
            for value in values {
                lines.push(format!("  {name} = {} ({})", value.value, value.place));
            }
        }
        let suites = graph.into(id, EdgeKind::Tests);
        let items = graph.out(id, EdgeKind::Requires).into_iter();
        let items = items.chain(graph.out(id, EdgeKind::Provides)).chain(suites);
        for item in items {
            let place = item
                .place
                .as_ref()
                .map_or(String::new(), ToString::to_string);
            lines.push(format!("  {} ({place})", fact(&item.name, &item.facts)));
        }
    }
    lines.join("\n")
}

fn fact(name: &str, facts: &Facts) -> String {
    match facts {
        Facts::Dependency(facts) => dependency(facts),
        Facts::Tool { requirement, trust } => {
            format!(
                "tool {name} {} {trust:?}",
                requirement.as_deref().unwrap_or("any")
            )
        }
        Facts::EntryPoint { entry } => format!("entry {entry:?} {name}"),
        Facts::TestSuite { framework } => format!("suite {framework}"),
        Facts::Project(facts) => format!("project {} {:?}", facts.ecosystem, facts.dir),
        other => format!("{other:?}"),
    }
}

fn dependency(facts: &DependencyFacts) -> String {
    let scope = match &facts.scope {
        Scope::Optional(name) => format!("optional:{name}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let need = if facts.required { "" } else { " if-present" };
    format!("{} {} [{scope}]{need}", facts.ecosystem, facts.spec)
}

/// `ENVC_MANIFESTS=/path cargo test --lib manifests::testing::show -- --ignored --nocapture`
#[test]
#[ignore = "prints the manifests of the directory in ENVC_MANIFESTS"]
fn show() {
    let Some(root) = std::env::var_os("ENVC_MANIFESTS") else {
        return;
    };
    for root in std::env::split_paths(&root) {
        let mut graph = KnowledgeGraph::new();
        let start = std::time::Instant::now();
        super::add(&listing(&root), &mut graph);
        println!(
            "== {} ({:?})\n{}",
            root.display(),
            start.elapsed(),
            summary(&graph)
        );
    }
}
