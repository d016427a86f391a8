//! Containers: Dockerfiles, compose files, development containers, and what their images carry.

mod compose;
mod devcontainer;
mod dockerfile;
pub(super) mod images;
mod jsonc;

use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::KnowledgeGraph;

/// Bytes of a file that is read, and files of a repository.
const MAX_FILE: u64 = 256 * 1024;
const MAX_FILES: usize = 60;

type Reader = fn(&Repository, &mut KnowledgeGraph, &str, &str);

fn reader(entry: &FileEntry) -> Option<Reader> {
    let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
    let lower = name.to_ascii_lowercase();
    let yaml = lower.ends_with(".yml") || lower.ends_with(".yaml");
    // A template of a Dockerfile is none.
    let templates = [
        ".eex",
        ".erb",
        ".j2",
        ".jinja",
        ".tmpl",
        ".tpl",
        ".hbs",
        ".mustache",
        ".in",
        ".template",
        ".md",
        ".sh",
        ".py",
    ];
    if templates.iter().any(|end| lower.ends_with(end)) {
        return None;
    }
    if entry.language.as_deref() == Some("dockerfile")
        || lower.starts_with("dockerfile")
        || lower.ends_with(".dockerfile")
        || lower.starts_with("containerfile")
    {
        return Some(dockerfile::read);
    }
    if yaml && (lower.starts_with("docker-compose") || lower.starts_with("compose.")) {
        return Some(compose::read);
    }
    let container = entry.path.contains(".devcontainer/") && name == "devcontainer.json";
    (container || name == ".devcontainer.json").then_some(devcontainer::read)
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let readable = |entry: &&FileEntry| entry.kind == FileKind::Text && !entry.vendored;
    let mut files: Vec<(&FileEntry, Reader)> = repository
        .files
        .iter()
        .filter(readable)
        .filter_map(|entry| Some((entry, reader(entry)?)))
        .collect();
    // Nearest to the root first: those are about the whole.
    files.sort_by_key(|(entry, _)| entry.path.matches('/').count());
    for (entry, read) in files.into_iter().take(MAX_FILES) {
        if entry.size > MAX_FILE {
            graph.warn(entry.path.clone(), "not read: larger than 256 KiB");
            continue;
        }
        if let Some(text) = read_text(repository, &entry.path) {
            read(repository, graph, &entry.path, &text);
        }
    }
}
