//! What CI systems run: the best evidence of how a project is built and tested, for it ran on a machine.
//!
//! One file a system; each turns its own terms into [`Script`]s, tools, services and packages.

mod appveyor;
mod azure;
mod bitbucket;
mod buildkite;
mod circleci;
mod cirrus;
mod emit;
mod github;
mod gitlab;
mod jenkins;
mod script;
mod sourcehut;
mod terms;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod travis;
mod woodpecker;

use crate::scan::{FileKind, Repository};

use super::KnowledgeGraph;
use super::yaml::Yaml;
use emit::Emit;
use script::Script;
use terms::{os_of_label, plain_dir, shell, short_name, variables};

/// Workflows of a repository that are read.
const MAX_WORKFLOWS: usize = 100;

/// How a system's file is read.
#[derive(Clone, Copy)]
enum Reader {
    Yaml(fn(&Yaml, &mut Emit)),
    /// Every document of a file is a pipeline of its own.
    Documents(fn(&Yaml, &mut Emit)),
    /// No YAML: the text, and the number of its file.
    Text(fn(&str, u16, &mut Emit)),
    /// Part of another file: read for itself only where no other file has led to it.
    Part(fn(&Yaml, &mut Emit)),
}

/// The system whose file has this path.
fn reader(path: &str) -> Option<Reader> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lower = name.to_ascii_lowercase();
    if lower == "jenkinsfile"
        || lower.starts_with("jenkinsfile.")
        || lower.ends_with(".jenkinsfile")
    {
        return Some(Reader::Text(jenkins::pipeline));
    }
    let stem = name
        .strip_suffix(".yml")
        .or_else(|| name.strip_suffix(".yaml"))?;
    let under = |top: &str| dir == top || dir.starts_with(&format!("{top}/"));
    Some(match (dir, stem) {
        (".github/workflows" | ".forgejo/workflows" | ".gitea/workflows", _) => {
            Reader::Yaml(github::workflow)
        }
        ("", ".gitlab-ci") => Reader::Yaml(gitlab::pipeline),
        ("", ".travis") => Reader::Yaml(travis::build),
        (".circleci", "config") => Reader::Yaml(circleci::config),
        ("", ".cirrus") => Reader::Yaml(cirrus::tasks),
        ("", ".appveyor" | "appveyor") | (".appveyor" | "ci", "appveyor") => {
            Reader::Yaml(appveyor::build)
        }
        ("", ".woodpecker") | (".woodpecker", _) => Reader::Documents(woodpecker::pipeline),
        ("", ".drone") => Reader::Documents(woodpecker::pipeline),
        ("", ".build" | ".builds") | (".builds", _) => Reader::Yaml(sourcehut::manifest),
        ("", "bitbucket-pipelines") => Reader::Yaml(bitbucket::pipelines),
        (".buildkite", _) | ("", "buildkite") => Reader::Yaml(buildkite::pipeline),
        _ if stem.starts_with("azure-pipelines") && path.matches('/').count() < 3 => {
            Reader::Yaml(azure::pipeline)
        }
        _ if under(".azure-pipelines") || under(".azure") || under(".ado") => {
            Reader::Part(azure::pipeline)
        }
        _ if stem == "action" && under(".github") => Reader::Part(github::composite),
        _ if under(".gitlab") || under(".gitlab-ci") => Reader::Part(gitlab::pipeline),
        _ => return None,
    })
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let files: Vec<(&str, Reader)> = repository
        .files
        .iter()
        .filter(|entry| entry.kind == FileKind::Text && !entry.vendored)
        .filter_map(|entry| Some((entry.path.as_str(), reader(&entry.path)?)))
        .take(MAX_WORKFLOWS)
        .collect();
    let mut emit = Emit::new(repository, graph);
    let (parts, whole): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(_, reader)| matches!(reader, Reader::Part(_)));
    // A workflow that only others call is read with what they say, else with its own defaults.
    let (called, whole): (Vec<_>, Vec<_>) = whole
        .into_iter()
        .partition(|(path, _)| path.contains("/workflows/") && is_only_called(&mut emit, path));
    for (path, reader) in whole {
        read(path, reader, &mut emit);
    }
    for (path, reader) in called.into_iter().chain(parts) {
        if !emit.was_used(path) {
            read(path, reader, &mut emit);
        }
    }
}

fn is_only_called(emit: &mut Emit, path: &str) -> bool {
    let yaml = emit.peek(path);
    yaml.is_some_and(|yaml| github::is_only_called(&yaml))
}

fn read(path: &str, reader: Reader, emit: &mut Emit) {
    match reader {
        Reader::Yaml(read) | Reader::Part(read) => {
            if let Some(yaml) = emit.load(path) {
                read(&yaml, emit);
            }
        }
        Reader::Documents(read) => {
            for yaml in emit.documents(path) {
                read(&yaml, emit);
            }
        }
        Reader::Text(read) => {
            if let Some((text, file)) = emit.text(path) {
                read(&text, file, emit);
            }
        }
    }
}
