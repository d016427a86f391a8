//! Task runners: make, just, tox, nox. Each reader turns a file into [`Task`]s.

mod just;
mod make;
mod nox;
mod targets;
#[cfg(test)]
mod tests;
mod tox;

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph};

/// Bytes of a runner's file that is read, and files of a repository.
const MAX_FILE: u64 = 512 * 1024;
const MAX_FILES: usize = 100;

/// Tasks of one file that are kept.
const MAX_TASKS: usize = 100;

/// Characters of what a task does that are kept.
const MAX_CONTEXT: usize = 200;

/// Something that a runner can be told to do.
#[derive(Debug, Clone, PartialEq)]
struct Task {
    line: u32,
    /// `make check`
    command: String,
    name: String,
    /// What it runs, as written, lines joined by `; `.
    recipe: String,
}

type Reader = fn(&str) -> Vec<Task>;

fn reader(name: &str) -> Option<Reader> {
    Some(match name {
        "Makefile" | "makefile" | "GNUmakefile" => make::tasks,
        "justfile" | "Justfile" | ".justfile" => just::tasks,
        "tox.ini" => tox::ini,
        "setup.cfg" => tox::setup_cfg,
        "noxfile.py" => nox::tasks,
        _ => return None,
    })
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let readable = |entry: &&FileEntry| {
        entry.kind == FileKind::Text && !entry.vendored && entry.size <= MAX_FILE
    };
    let files = repository
        .files
        .iter()
        .filter(readable)
        .filter_map(|entry| {
            let (dir, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
            // A documentation's own Makefile builds pages.
            let about_pages = dir.split('/').any(|part| matches!(part, "doc" | "docs"));
            Some((entry, dir, reader(name).filter(|_| !about_pages)?))
        });
    for (entry, dir, read) in files.take(MAX_FILES) {
        let (Some(file), Some(text)) =
            (graph.file(&entry.path), read_text(repository, &entry.path))
        else {
            continue;
        };
        for task in read(&text).into_iter().take(MAX_TASKS) {
            let context = if task.recipe.is_empty() {
                task.name
            } else {
                format!("{}: {}", task.name, task.recipe)
            };
            let facts = CommandFacts {
                text: task.command.clone(),
                source: CommandSource::TaskRunner,
                dir: dir.to_owned(),
                env: Default::default(),
                os: None,
                context: context.chars().take(MAX_CONTEXT).collect(),
                ..CommandFacts::new("", CommandSource::TaskRunner)
            };
            let place = Place::new(entry.path.clone(), task.line);
            let node = graph.add(task.command, Some(place), Facts::Command(facts));
            graph.link(file, node, EdgeKind::Contains);
        }
    }
}

/// A name as an argument of a command: quoted where a shell would read more into it.
fn argument(name: &str) -> Option<String> {
    shlex::try_quote(name)
        .ok()
        .map(|quoted| quoted.into_owned())
}
