//! What CI systems run: the best evidence of how a project is built and tested, for it ran on a machine.
//!
//! One file a system; each turns its own terms into [`Script`]s, tools, services and packages.

mod actions;
mod azure;
mod circleci;
mod cirrus;
mod condition;
mod github;
mod gitlab;
mod matrix;
#[cfg(test)]
mod tests;
mod travis;

use std::collections::BTreeMap;

use crate::evidence::{Place, Trust};
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::shell::{Start, split};
use super::yaml::{Value, Yaml};
use super::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, Os, packages};

/// Bytes of a workflow that is read, and workflows of a repository.
const MAX_WORKFLOW: u64 = 512 * 1024;
const MAX_WORKFLOWS: usize = 100;

/// Tools, services and packages of one file that are kept.
const MAX_DECLARED: usize = 500;

type Reader = fn(&Yaml, &mut Emit);

/// The system whose file has this path.
fn reader(path: &str) -> Option<Reader> {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !yaml {
        return None;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match (dir, stem) {
        (".github/workflows", _) => Some(github::workflow),
        ("", ".gitlab-ci") => Some(gitlab::pipeline),
        ("", ".travis") => Some(travis::build),
        (".circleci", "config") => Some(circleci::config),
        ("", ".cirrus") => Some(cirrus::tasks),
        ("" | ".azure" | ".azure-pipelines" | "ci", "azure-pipelines") => Some(azure::pipeline),
        _ if stem == "action" && dir.starts_with(".github/") => Some(github::composite),
        _ if dir.starts_with(".gitlab") => Some(gitlab::pipeline),
        _ => None,
    }
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let readable = |entry: &&FileEntry| {
        entry.kind == FileKind::Text && !entry.vendored && entry.size <= MAX_WORKFLOW
    };
    let files: Vec<(&FileEntry, Reader)> = repository
        .files
        .iter()
        .filter(readable)
        .filter_map(|entry| Some((entry, reader(&entry.path)?)))
        .take(MAX_WORKFLOWS)
        .collect();
    for (entry, read) in files {
        let yaml = read_text(repository, &entry.path).and_then(|text| Yaml::parse(&text));
        if let (Some(file), Some(yaml)) = (graph.file(&entry.path), yaml) {
            read(
                &yaml,
                &mut Emit {
                    repository,
                    graph,
                    path: &entry.path,
                    file,
                },
            );
        }
    }
}

/// Lines that one shell is given.
#[derive(Debug, Clone, Default)]
struct Script {
    text: String,
    /// Line in the file of each row of `text`.
    lines: Vec<u32>,
    dir: String,
    env: BTreeMap<String, String>,
    os: Option<Os>,
    context: String,
    unresolved: Vec<String>,
}

impl Script {
    fn push(&mut self, line: u32, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.lines.push(line);
    }

    /// Adds the lines of a scalar, or of each item of a list.
    fn extend(&mut self, yaml: &Yaml) {
        match &yaml.value {
            Value::List(items) => {
                // GitLab allows lists in lists; deeper ones are no script.
                for item in items.iter().flat_map(Yaml::list) {
                    self.extend_scalar(item);
                }
            }
            _ => self.extend_scalar(yaml),
        }
    }

    fn extend_scalar(&mut self, yaml: &Yaml) {
        let Value::Scalar { text, literal } = &yaml.value else {
            return;
        };
        for (row, line) in (0..).zip(text.lines()) {
            self.push(if *literal { yaml.line + row } else { yaml.line }, line);
        }
    }
}

/// Where a reader puts what it finds.
struct Emit<'a> {
    repository: &'a Repository,
    graph: &'a mut KnowledgeGraph,
    path: &'a str,
    file: NodeId,
}

impl Emit<'_> {
    fn script(&mut self, script: &Script) {
        let start = Start {
            repository: self.repository,
            dir: &script.dir,
        };
        for command in split(&script.text, &start) {
            let mut env = script.env.clone();
            env.extend(command.env);
            let unresolved = script
                .unresolved
                .iter()
                .filter(|text| command.text.contains(*text));
            let facts = CommandFacts {
                text: command.text.clone(),
                source: CommandSource::Ci,
                dir: command.dir,
                env,
                os: script.os,
                context: script.context.clone(),
                unresolved: unresolved.cloned().collect(),
            };
            let line = script
                .lines
                .get(command.row as usize)
                .copied()
                .unwrap_or_default();
            self.node(
                command.text,
                line,
                Facts::Command(facts),
                EdgeKind::Contains,
            );
        }
    }

    fn node(&mut self, name: String, line: u32, facts: Facts, edge: EdgeKind) {
        let node = self
            .graph
            .add(name, Some(Place::new(self.path, line)), facts);
        self.graph.link(self.file, node, edge);
    }

    /// A tool with the version that CI sets up; said once a file for each version.
    fn tool(&mut self, name: &str, requirement: Option<&str>, line: u32) {
        let facts = Facts::Tool {
            requirement: requirement.map(str::to_owned),
            trust: Trust::Ci,
        };
        let known = self.graph.out(self.file, EdgeKind::Declares);
        let repeated = known
            .iter()
            .any(|node| node.name == name && node.facts == facts);
        if repeated || known.len() >= MAX_DECLARED {
            return;
        }
        self.node(name.to_owned(), line, facts, EdgeKind::Declares);
    }

    fn service(
        &mut self,
        name: &str,
        image: &str,
        ports: Vec<String>,
        env: BTreeMap<String, String>,
        line: u32,
    ) {
        let facts = Facts::Service {
            image: image.to_owned(),
            ports,
            env,
        };
        let known = self.graph.out(self.file, EdgeKind::Declares);
        let repeated = known
            .iter()
            .any(|node| node.name == name && node.facts == facts);
        if !repeated && known.len() < MAX_DECLARED {
            self.node(name.to_owned(), line, facts, EdgeKind::Declares);
        }
    }

    fn package(&mut self, name: &str, line: u32) {
        packages::add_one(
            self.graph,
            self.file,
            Place::new(self.path, line),
            name,
            Trust::Ci,
        );
    }
}

/// A map of scalars, as `env:` and `variables:` have it; GitLab may write `{value: …}`.
fn variables(yaml: Option<&Yaml>) -> BTreeMap<String, String> {
    let entries = yaml.map_or(&[][..], Yaml::map);
    let pair = |(key, value): &(String, Yaml)| {
        let nothing = matches!(value.value, Value::Scalar { .. }).then_some("");
        let text = value
            .text()
            .or_else(|| value.text_at(&["value"]))
            .or(nothing)?;
        Some((key.clone(), text.to_owned()))
    };
    entries.iter().filter_map(pair).collect()
}

/// The system of an image or runner label.
fn os_of_label(label: &str) -> Option<Os> {
    let label = label.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    if has(&["windows", "win-", "vs20", "msvc"]) {
        Some(Os::Windows)
    } else if has(&["macos", "osx", "mac-", "xcode"]) {
        Some(Os::Macos)
    } else if has(&["bsd"]) {
        Some(Os::Bsd)
    } else if has(&[
        "ubuntu",
        "linux",
        "debian",
        "fedora",
        "alpine",
        "centos",
        "self-hosted",
    ]) {
        Some(Os::Linux)
    } else {
        None
    }
}

/// `DIR` of a working directory as written; empty where it is not known before a run.
fn plain_dir(dir: &str) -> Option<String> {
    let dir = dir.trim().trim_start_matches("./").trim_end_matches('/');
    let plain = !dir.contains(['$', '{', '~'])
        && !dir.starts_with('/')
        && !dir.split('/').any(|part| part == "..");
    plain.then(|| {
        if dir == "." {
            String::new()
        } else {
            dir.to_owned()
        }
    })
}
