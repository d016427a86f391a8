//! Files that describe the environment a repository is worked on in: version managers, Conda, Nix, Homebrew, Vagrant,
//! lists of distribution packages, variables that a program wants.
//!
//! One file a format, one line in [`FORMATS`]. Nothing is evaluated.
//!
//! # Names of tools
//! A Tool node has the name below whatever its file calls it (`nodejs`, `golang`, `openjdk`), so that the plan finds
//! all that is said of one toolchain: `python`, `rust`, `node`, `go`, `java`, `ruby`, `php`, `dotnet`, `elixir`,
//! `erlang`, `ghc`, `ocaml`, `swift`, `zig`, `lua`, `perl`, `r`, `julia`, `dart`, `flutter`, `crystal`, `kotlin`,
//! `scala`, `clojure`, `nim`, `deno`, `bun`, `gcc`, `clang`, `llvm`, `cmake`, `meson`, `ninja`, `bazel`, `gradle`,
//! `maven`, `ant`, `sbt`, `npm`, `pnpm`, `yarn`, `uv`, `poetry`, `pdm`, `pipenv`, `hatch`, `nox`, `tox`, `pixi`,
//! `conda`, `just`, `task`, `mise`, `nix`, `protoc`, `terraform`; any other program by its own name. The table of
//! other names is [`names`].

mod app_json;
mod apt_list;
mod brewfile;
mod conda;
mod direnv;
mod dotenv;
mod mise;
mod names;
mod nix;
mod procfile;
mod sdkman;
mod single;
mod tool_versions;
mod vagrant;
mod versions;

#[cfg(test)]
mod testing;

pub(super) use names::{plain_version, version};
pub(super) use versions::version_in;

use std::collections::HashSet;

use crate::evidence::{Place, Trust};
use crate::scan::{FileKind, Repository, read_text};

use super::packages::add_one;
use super::shell::{Start, split};
use super::{
    CommandFacts, CommandSource, DependencyFacts, EdgeKind, Facts, KnowledgeGraph, NodeId, Os,
    Scope,
};

/// Bytes of a file that is read, and files of a repository.
const MAX_FILE: u64 = 256 * 1024;
const MAX_FILES: usize = 200;

/// Facts of one file that are kept.
const MAX_FACTS: usize = 1000;

/// A format: whether a path is of it, and its reader.
struct Format {
    matches: fn(&str) -> bool,
    read: fn(&mut Reading),
    /// Its versions are what a version manager installs, to the letter.
    pins: bool,
}

static FORMATS: &[Format] = &[
    single::FORMAT,
    tool_versions::FORMAT,
    mise::FORMAT,
    sdkman::FORMAT,
    conda::FORMAT,
    nix::FORMAT,
    apt_list::FORMAT,
    brewfile::FORMAT,
    vagrant::FORMAT,
    direnv::FORMAT,
    procfile::FORMAT,
    app_json::FORMAT,
    dotenv::FORMAT,
];

/// A file being read, and what was found in it.
struct Reading<'a> {
    path: &'a str,
    text: &'a str,
    trust: Trust,
    facts: Vec<Found>,
    /// What could not be read, for a person.
    warnings: Vec<String>,
}

/// A fact, by its line.
#[derive(Debug, PartialEq)]
enum Found {
    Node(u32, String, Facts),
    /// A distribution's package.
    Package(u32, String),
    /// Shell text, its first line, and where it stands.
    Shell(u32, String, String),
}

impl Reading<'_> {
    fn push(&mut self, found: Found) {
        if self.facts.len() < MAX_FACTS {
            self.facts.push(found);
        }
    }

    /// A toolchain, by any of its names.
    fn tool(&mut self, line: u32, name: &str, requirement: Option<&str>) {
        let name = names::tool(name);
        let facts = Facts::Tool {
            requirement: requirement
                .map(|text| names::version(name, text))
                .filter(|text| !text.is_empty()),
            trust: self.trust,
        };
        self.push(Found::Node(line, name.to_owned(), facts));
    }

    /// A package from a registry.
    fn dependency(&mut self, line: u32, ecosystem: &str, name: &str, spec: &str, scope: Scope) {
        let facts = DependencyFacts {
            ecosystem: ecosystem.to_owned(),
            spec: spec.to_owned(),
            scope,
            capability: None,
            required: false,
            trust: self.trust.min(Trust::Manifest),
        };
        self.push(Found::Node(line, name.to_owned(), Facts::Dependency(facts)));
    }

    fn variable(&mut self, line: u32, name: &str, value: Option<&str>) {
        let facts = Facts::Variable {
            value: value.map(str::to_owned),
        };
        self.push(Found::Node(line, name.to_owned(), facts));
    }
}

/// The last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Lines with their numbers from 1, comments after `#` cut off, empty ones left out.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| {
            let comment = line.match_indices('#').find(|(at, _)| {
                line.get(..*at)
                    .is_none_or(|before| before.is_empty() || before.ends_with([' ', '\t']))
            });
            let end = comment.map_or(line.len(), |(at, _)| at);
            (number, line.get(..end).unwrap_or(line).trim())
        })
        .filter(|(_, line)| !line.is_empty())
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let files = repository
        .files
        .iter()
        .filter(|entry| entry.kind == FileKind::Text && !entry.vendored)
        .filter(|entry| !is_aside(&entry.path))
        .filter_map(|entry| {
            let format = FORMATS
                .iter()
                .find(|format| (format.matches)(&entry.path))?;
            Some((entry, format))
        })
        .take(MAX_FILES);
    let known = known_tools(graph);
    for (entry, format) in files {
        if entry.size > MAX_FILE {
            graph.warn(entry.path.clone(), "not read: larger than 256 KiB");
            continue;
        }
        let (Some(file), Some(text)) =
            (graph.file(&entry.path), read_text(repository, &entry.path))
        else {
            continue;
        };
        // A pin further down speaks for its corner of the repository.
        let root = !entry.path.contains('/');
        let mut reading = Reading {
            path: &entry.path,
            text: &text,
            trust: if root && format.pins {
                Trust::Lock
            } else {
                Trust::Manifest
            },
            facts: Vec::new(),
            warnings: Vec::new(),
        };
        (format.read)(&mut reading);
        let (facts, warnings) = (reading.facts, reading.warnings);
        for why in warnings {
            graph.warn(entry.path.clone(), why);
        }
        write(repository, graph, &entry.path, file, &known, facts);
    }
}

/// Examples and fixtures have environments of their own.
fn is_aside(path: &str) -> bool {
    const ASIDE: [&str; 8] = [
        "example",
        "examples",
        "fixture",
        "fixtures",
        "testdata",
        "template",
        "templates",
        "samples",
    ];
    let mut parts = path.split('/').rev().skip(1);
    parts.any(|part| ASIDE.contains(&part.to_ascii_lowercase().as_str()))
}

fn write(
    repository: &Repository,
    graph: &mut KnowledgeGraph,
    path: &str,
    file: NodeId,
    known: &HashSet<(String, Place)>,
    facts: Vec<Found>,
) {
    for found in facts {
        match found {
            Found::Node(line, name, facts) => {
                let place = Place::new(path, line);
                let edge = match facts {
                    Facts::Command(_) => EdgeKind::Contains,
                    _ => EdgeKind::Declares,
                };
                if !known.contains(&(name.clone(), place.clone())) {
                    let node = graph.add(name, Some(place), facts);
                    graph.link(file, node, edge);
                }
            }
            Found::Package(line, name) => {
                add_one(graph, file, Place::new(path, line), &name, Trust::Manifest);
            }
            Found::Shell(line, text, context) => {
                let start = Start {
                    repository,
                    dir: "",
                };
                for command in split(&text, &start) {
                    let facts = CommandFacts {
                        dir: command.dir,
                        env: command.env,
                        os: Some(Os::Linux),
                        context: context.clone(),
                        ..CommandFacts::new(command.text.clone(), CommandSource::Script)
                    };
                    let place = Place::new(path, line + command.row);
                    let node = graph.add(command.text, Some(place), Facts::Command(facts));
                    graph.link(file, node, EdgeKind::Contains);
                }
            }
        }
    }
}

/// Tools that the readers of manifests have found already, by name and place (`.python-version` of a Python project).
fn known_tools(graph: &KnowledgeGraph) -> HashSet<(String, Place)> {
    let tools = graph
        .nodes()
        .filter(|node| matches!(node.facts, Facts::Tool { .. }));
    tools
        .filter_map(|node| Some((node.name.clone(), node.place.clone()?)))
        .collect()
}
