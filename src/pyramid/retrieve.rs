//! Step 1: what the graph and the plan say about commands.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::{Place, Trust};
use crate::graph::{CommandSource, EdgeKind, EntryKind, Facts, KnowledgeGraph, Os};
use crate::packages::Capability;
use crate::plan::{Action, Channel, Plan, ReadyCommand};

/// Ecosystems that build C and C++.
const NATIVE: [&str; 4] = ["cmake", "meson", "autotools", "make"];

/// A text of the repository that says to run something.
#[derive(Debug, Clone)]
pub struct Evidence {
    pub text: String,
    pub dir: String,
    pub env: BTreeMap<String, String>,
    pub place: Option<Place>,
    pub source: CommandSource,
    pub os: Option<Os>,
    pub context: String,
    pub unresolved: Vec<String>,
    /// An interpreter that is no POSIX shell (`pwsh`, `cmd`, `python`).
    pub shell: Option<String>,
    /// Row of the CI matrix that the text was filled from.
    pub row: BTreeMap<String, String>,
    /// Texts of one group share a file system, one after another: the steps of a CI job, the blocks of a section.
    pub group: String,
}

/// What a command is judged against.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub repository: String,
    /// Directories and files of the repository; the root is the empty path.
    pub dirs: BTreeSet<String>,
    pub files: BTreeSet<String>,
    pub entries: Vec<Entry>,
    /// Frameworks of test suites, with the place that declares them.
    pub suites: Vec<(String, Option<Place>)>,
    /// What the plan itself would run, in its order.
    pub ready: Vec<ReadyCommand>,
    /// Directories that the plan's steps build in.
    pub build_dirs: BTreeSet<String>,
    /// Directories that the plan runs `make` in.
    pub make_dirs: BTreeSet<String>,
    /// Names of programs and packages that the plan provides.
    pub provided: BTreeSet<String>,
    /// Names of variables that the script exports.
    pub variables: BTreeSet<String>,
    /// Build system of C or C++ that the plan builds each directory with.
    pub systems: BTreeMap<String, String>,
    /// Directories of projects that the plan leaves alone, with the ecosystem.
    pub apart: BTreeMap<String, String>,
    /// Python comes from uv, and `pip` is not installed in its environment.
    pub uv_without_pip: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
    pub place: Option<Place>,
    /// Ecosystem and directory of the project that provides it.
    pub ecosystem: String,
    pub dir: String,
}

impl Evidence {
    /// How far the source is to be trusted, and its rank among sources of one trust (higher is better). A document
    /// deep in the tree speaks of its corner (an example, a test's data), not of the whole.
    pub fn trust(&self) -> (Trust, u8) {
        let path = self.place.as_ref().map_or("", |place| place.path.as_str());
        let own = ["docs/", "doc/", ".github/"]
            .iter()
            .find_map(|dir| path.strip_prefix(dir));
        let corner = own.unwrap_or(path).contains('/');
        match self.source {
            CommandSource::Ci => (Trust::Ci, 7),
            CommandSource::TaskRunner => (Trust::TaskRunner, 6),
            CommandSource::Dockerfile => (Trust::Manifest, 5),
            _ if corner => (Trust::Document, 0),
            CommandSource::Contributing => (Trust::Document, 4),
            CommandSource::Readme => (Trust::Document, 3),
            CommandSource::Document => (Trust::Document, 2),
            CommandSource::Script => (Trust::Document, 1),
        }
    }
}

/// Commands of the graph, most trusted source first, and everything they are judged against.
pub fn retrieve(graph: &KnowledgeGraph, plan: &Plan) -> (Vec<Evidence>, Known) {
    let mut evidence: Vec<Evidence> = graph
        .commands()
        // A script in Python or PowerShell is no command of a shell.
        .filter(|(_, facts)| facts.shell.is_none())
        .map(|(node, facts)| {
            let path = node.place.as_ref().map_or("", |place| place.path.as_str());
            let job = match facts.source {
                CommandSource::Ci => facts.context.split(" / ").next().unwrap_or_default(),
                _ => facts.context.as_str(),
            };
            Evidence {
                text: facts.text.clone(),
                dir: facts.dir.trim_matches('/').to_owned(),
                env: facts.env.clone(),
                place: node.place.clone(),
                source: facts.source,
                os: facts.os,
                context: facts.context.clone(),
                unresolved: facts.unresolved.clone(),
                shell: facts.shell.clone(),
                row: facts.row.clone(),
                group: format!("{path}\n{job}"),
            }
        })
        .collect();
    // Stable: within a source the order of the repository stays.
    evidence.sort_by_key(|item| std::cmp::Reverse(item.trust().1));
    (evidence, known(graph, plan))
}

fn known(graph: &KnowledgeGraph, plan: &Plan) -> Known {
    let mut known = Known {
        repository: plan.repository.name.clone(),
        ..Known::default()
    };
    known.dirs.insert(String::new());
    for node in graph.nodes() {
        if let Some(place) = &node.place {
            with_parents(&mut known.dirs, &place.path);
            if !matches!(node.facts, Facts::Directory) {
                known.files.insert(place.path.clone());
            }
        }
        match &node.facts {
            Facts::Directory => {
                let path = node.place.as_ref().map_or(&node.name, |place| &place.path);
                known.dirs.insert(path.trim_matches('/').to_owned());
            }
            Facts::Project(project) => {
                if !project.dir.is_empty() && !is_built(project, plan) {
                    let apart = (project.dir.clone(), project.ecosystem.clone());
                    known.apart.extend([apart]);
                }
                known.dirs.insert(project.dir.clone());
            }
            Facts::TestSuite { framework } => {
                known.suites.push((framework.clone(), node.place.clone()));
            }
            Facts::EntryPoint { entry } => {
                let project = graph.into(node.id, EdgeKind::Provides);
                let owner = project.iter().find_map(|node| match &node.facts {
                    Facts::Project(facts) => Some((facts.ecosystem.clone(), facts.dir.clone())),
                    _ => None,
                });
                let (ecosystem, dir) = owner.unwrap_or_default();
                known.entries.push(Entry {
                    name: node.name.clone(),
                    kind: *entry,
                    place: node.place.clone(),
                    ecosystem,
                    dir,
                });
            }
            _ => {}
        }
    }
    add_plan(&mut known, plan);
    known
}

/// Whether the plan builds something in a project's directory, or a workspace of its kind that it stands in.
fn is_built(project: &crate::graph::ProjectFacts, plan: &Plan) -> bool {
    plan.projects.iter().any(|built| {
        let below = built.dir.is_empty() || project.dir.starts_with(&format!("{}/", built.dir));
        built.dir == project.dir || (below && built.ecosystem == project.ecosystem)
    })
}

fn with_parents(dirs: &mut BTreeSet<String>, path: &str) {
    let mut rest = path;
    while let Some((parent, _)) = rest.rsplit_once('/') {
        if !dirs.insert(parent.to_owned()) {
            break;
        }
        rest = parent;
    }
}

fn add_plan(known: &mut Known, plan: &Plan) {
    for package in &plan.packages {
        known.provided.insert(package.package.clone());
        if let Capability::Command(name) = &package.capability {
            known.provided.insert(name.clone());
        }
    }
    known
        .variables
        .extend(plan.env.iter().map(|variable| variable.name.clone()));
    let mut pip = false;
    for project in &plan.projects {
        if NATIVE.contains(&project.ecosystem.as_str()) {
            let system = (project.dir.clone(), project.ecosystem.clone());
            known.systems.extend([system]);
        }
        known.ready.extend(project.ready.iter().cloned());
        for step in &project.steps {
            let words: Vec<String> = match &step.action {
                Action::Run { argv, .. } => argv.clone(),
                Action::Shell { text } => shlex::split(text).unwrap_or_default(),
                Action::Template { values, .. } => values
                    .values()
                    .flat_map(|value| value.split_whitespace())
                    .map(str::to_owned)
                    .collect(),
            };
            // `uv pip install` names pip as its own subcommand, which installs none.
            let own = usize::from(words.first().is_some_and(|word| word == "uv"));
            pip |= words
                .iter()
                .skip(1 + own)
                .any(|word| name_of(word) == "pip");
            known
                .build_dirs
                .extend(build_dirs(&words).map(|dir| join(&step.dir, &dir)));
            if words.first().is_some_and(|word| word == "make") {
                known.make_dirs.insert(step.dir.clone());
            }
            known
                .provided
                .extend(words.iter().map(|word| name_of(word).to_owned()));
        }
    }
    for ready in plan.projects.iter().flat_map(|project| &project.ready) {
        let words = shlex::split(&ready.command).unwrap_or_default();
        if words.first().is_some_and(|word| word == "make") {
            known.make_dirs.insert(ready.dir.clone());
        }
        known
            .build_dirs
            .extend(build_dirs(&words).map(|dir| join(&ready.dir, &dir)));
    }
    let uv = |toolchain: &crate::plan::Toolchain| {
        toolchain.name == "python" && toolchain.channel == Channel::Uv
    };
    known.uv_without_pip = !pip && plan.toolchains.iter().any(uv);
}

/// The name in a requirement: `tox>=4` is `tox`.
fn name_of(word: &str) -> &str {
    word.split(['=', '<', '>', '~', '!', '[', ';', ' '])
        .next()
        .unwrap_or(word)
}

/// Build directories that a command line names.
pub fn build_dirs(words: &[String]) -> impl Iterator<Item = String> + '_ {
    let program = words.first().map_or("", String::as_str);
    let flag = move |word: &str| match program {
        "cmake" => matches!(word, "-B" | "--build"),
        "ctest" => word == "--test-dir",
        "meson" | "ninja" | "make" => word == "-C",
        _ => false,
    };
    let pairs = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(move |(word, _)| flag(word))
        .map(|(_, dir)| dir.clone());
    let glued = words
        .iter()
        .filter(move |_| program == "cmake")
        .filter_map(|word| word.strip_prefix("-B").filter(|dir| !dir.is_empty()))
        .map(str::to_owned);
    let setup = words
        .iter()
        .skip(1)
        .filter(move |_| program == "meson" && words.get(1).is_some_and(|w| w == "setup"))
        .skip(1)
        .find(|word| !word.starts_with('-'))
        .cloned();
    pairs.chain(glued).chain(setup).map(|dir| {
        dir.trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned()
    })
}

/// `dir/name` without `.` and with `..` resolved; what leaves the root stays recognisable by its `..`.
pub fn join(dir: &str, name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
