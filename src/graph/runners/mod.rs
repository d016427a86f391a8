//! Task runners: what a repository itself writes down as something to do. Each reader turns a file into [`Task`]s; a
//! name decides which reader. Nothing is executed: a task that only running code would tell is not seen.

mod cargo;
mod cmake_presets;
mod composer;
mod deno;
mod earthly;
mod gradle;
mod invoke;
mod just;
mod mage;
mod make;
mod make_text;
mod maven;
mod mix;
mod monorepo;
mod nox;
mod package_json;
mod pyproject;
mod rake;
mod targets;
mod taskfile;
#[cfg(test)]
mod tests;
mod tox;

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::manifests::tree::is_auxiliary;
use super::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, Os, ProjectFacts};

/// Bytes of a runner's file that is read, and files of a repository.
const MAX_FILE: u64 = 512 * 1024;
const MAX_FILES: usize = 400;

/// Tasks of one file that are kept.
const MAX_TASKS: usize = 100;

/// Characters of what a task does that are kept.
const MAX_CONTEXT: usize = 200;

/// Something that a runner can be told to do.
#[derive(Debug, Clone, Default, PartialEq)]
struct Task {
    line: u32,
    /// `make check`
    command: String,
    name: String,
    /// What it runs, as written, lines joined by `; `.
    recipe: String,
    /// Working directory below the file's own.
    dir: String,
    env: BTreeMap<String, String>,
    os: Option<Os>,
    /// The file that it stands in, where another one includes that.
    file: Option<String>,
}

impl Task {
    fn new(line: u32, command: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            line,
            command: command.into(),
            name: name.into(),
            ..Self::default()
        }
    }

    fn recipe(mut self, recipe: impl Into<String>) -> Self {
        self.recipe = recipe.into();
        self
    }
}

/// A file and what stands around it.
struct Input<'a> {
    text: &'a str,
    path: &'a str,
    dir: &'a str,
    repository: &'a Repository,
    projects: &'a BTreeMap<(&'a str, &'a str), &'a ProjectFacts>,
}

impl Input<'_> {
    /// The project of an ecosystem in the file's directory.
    fn project(&self, ecosystem: &str) -> Option<&ProjectFacts> {
        self.projects.get(&(ecosystem, self.dir)).copied()
    }

    /// The path of a file beside this one, where it is there.
    fn beside(&self, name: &str) -> Option<String> {
        let path = if self.dir.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.dir)
        };
        self.repository.has(&path).then_some(path)
    }
}

type Reader = fn(&Input<'_>) -> Vec<Task>;

fn reader(path: &str, name: &str) -> Option<Reader> {
    Some(match name {
        "Makefile" | "makefile" | "GNUmakefile" => make::tasks,
        "justfile" | "Justfile" | ".justfile" => |input| just::tasks(input.text),
        "tox.ini" => |input| tox::ini(input.text),
        "setup.cfg" => |input| tox::setup_cfg(input.text),
        "noxfile.py" => |input| nox::tasks(input.text),
        "Taskfile.yml" | "Taskfile.yaml" | "taskfile.yml" | "Taskfile.dist.yml" => taskfile::tasks,
        "package.json" => package_json::tasks,
        "pyproject.toml" => pyproject::tasks,
        "hatch.toml" => pyproject::hatch_file,
        "Pipfile" => pyproject::pipfile,
        "tasks.py" => invoke::tasks,
        "Rakefile" | "rakefile" | "Rakefile.rb" => rake::tasks,
        "composer.json" => composer::tasks,
        "mix.exs" => mix::tasks,
        "CMakePresets.json" => cmake_presets::tasks,
        "deno.json" | "deno.jsonc" => deno::tasks,
        "turbo.json" => monorepo::turbo,
        "nx.json" => monorepo::nx,
        "Earthfile" => earthly::tasks,
        "magefile.go" => mage::tasks,
        "pom.xml" => maven::tasks,
        "build.gradle" | "build.gradle.kts" => gradle::tasks,
        "config.toml" | "config"
            if path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config") =>
        {
            cargo::tasks
        }
        "tasks.yml" if path.ends_with(".moon/tasks.yml") => monorepo::moon,
        "moon.yml" => monorepo::moon,
        _ => return None,
    })
}

/// Files of this kind speak of the whole even where they stand in a directory of documentation or tests.
const OLD: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "tox.ini",
    "setup.cfg",
    "noxfile.py",
    "justfile",
    "Justfile",
    ".justfile",
];

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let owned: Vec<ProjectFacts> = graph.projects().map(|(_, facts)| facts.clone()).collect();
    let projects: BTreeMap<(&str, &str), &ProjectFacts> = owned
        .iter()
        .map(|facts| ((facts.ecosystem.as_str(), facts.dir.as_str()), facts))
        .collect();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for (entry, dir, read) in files(repository) {
        let Some(text) = read_text(repository, &entry.path) else {
            continue;
        };
        let text = text.trim_start_matches('\u{feff}');
        let input = Input {
            text,
            path: &entry.path,
            dir,
            repository,
            projects: &projects,
        };
        for task in read(&input).into_iter().take(MAX_TASKS) {
            let at = join(dir, &task.dir);
            if seen.insert((at.clone(), task.command.clone())) {
                add_task(graph, &entry.path, at, task);
            }
        }
    }
}

fn join(dir: &str, below: &str) -> String {
    super::manifests::tree::join(dir, below).unwrap_or_else(|| dir.to_owned())
}

/// Files with a reader, the shallowest where there are too many.
fn files(repository: &Repository) -> Vec<(&FileEntry, &str, Reader)> {
    let readable = |entry: &&FileEntry| {
        entry.kind == FileKind::Text && !entry.vendored && entry.size <= MAX_FILE
    };
    let mut found: Vec<(&FileEntry, &str, Reader)> = repository
        .files
        .iter()
        .filter(readable)
        .filter_map(|entry| {
            let (dir, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
            let read = reader(&entry.path, name)?;
            // A documentation's own Makefile builds pages.
            let about_pages = dir.split('/').any(|part| matches!(part, "doc" | "docs"));
            let hidden = dir.ends_with(".cargo") || dir.ends_with(".moon");
            let aside = !OLD.contains(&name) && !hidden && is_auxiliary(dir);
            // The configuration of cargo and moon stands below the directory that it is for.
            let dir = if hidden {
                dir.rsplit_once('/').map_or("", |(dir, _)| dir)
            } else {
                dir
            };
            (!about_pages && !aside).then_some((entry, dir, read))
        })
        .collect();
    if found.len() > MAX_FILES {
        found.sort_by_key(|(entry, ..)| entry.path.matches('/').count());
        found.truncate(MAX_FILES);
    }
    found
}

fn add_task(graph: &mut KnowledgeGraph, path: &str, dir: String, task: Task) {
    let path = task.file.as_deref().unwrap_or(path);
    let Some(file) = graph.file(path) else {
        return;
    };
    let context = if task.recipe.is_empty() {
        task.name
    } else {
        format!("{}: {}", task.name, task.recipe)
    };
    let facts = CommandFacts {
        text: task.command.clone(),
        source: CommandSource::TaskRunner,
        dir,
        env: task.env,
        os: task.os,
        context: context.chars().take(MAX_CONTEXT).collect(),
        ..CommandFacts::new("", CommandSource::TaskRunner)
    };
    let place = Place::new(path, task.line);
    let node = graph.add(task.command, Some(place), Facts::Command(facts));
    graph.link(file, node, EdgeKind::Contains);
}

/// A name as an argument of a command: quoted where a shell would read more into it.
fn argument(name: &str) -> Option<String> {
    shlex::try_quote(name)
        .ok()
        .map(|quoted| quoted.into_owned())
}

/// A task of a runner that is called with the task's name.
fn named(line: u32, runner: &str, name: &str, recipe: &str) -> Option<Task> {
    let word = argument(name)?;
    Some(Task::new(line, format!("{runner} {word}"), name).recipe(recipe.trim()))
}
