//! Nodes and edges of the knowledge graph.

use std::collections::{BTreeMap, HashMap};

use petgraph::graph::{Graph, NodeIndex};
use petgraph::visit::EdgeRef;
use petgraph::{Directed, Direction};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::evidence::{Place, Trust};
use crate::packages::Capability;

use super::project::ProjectFacts;
use crate::scan::LanguageTotal;

/// Version of the JSON form of [`KnowledgeGraph`].
pub const SCHEMA: &str = "envc.graph/1";

/// Identity of a node within one graph: dense, from 0, in order of insertion. Nodes are never removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: NodeId,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    #[serde(flatten)]
    pub facts: Facts,
}

/// What a node is, with the facts that only its kind has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Facts {
    Directory,
    File {
        language: Option<String>,
        vendored: bool,
    },
    /// A build or package file; `format` is the stem of its reader under `graph/manifests/`, e.g. `pyproject`.
    Manifest {
        format: String,
    },
    /// A heading of a document. `os` where the heading names an operating system.
    Section {
        level: u8,
        os: Option<Os>,
    },
    Command(CommandFacts),
    Symbol {
        symbol: SymbolKind,
        language: String,
    },
    Import(ImportFacts),
    Dependency(DependencyFacts),
    /// A program the project needs by name, with a version requirement as written.
    Tool {
        requirement: Option<String>,
        trust: Trust,
    },
    EntryPoint {
        entry: EntryKind,
    },
    /// `framework` names a test runner: `pytest`, `unittest`, `cargo`, `ctest`, `meson`, `automake`, `make`.
    TestSuite {
        framework: String,
    },
    Service {
        image: String,
        ports: Vec<String>,
        env: BTreeMap<String, String>,
    },
    /// An environment variable that the program or its developers want set (`.env.example`, `.envrc`). The node's name
    /// is the variable's; `value` where one is given to start from.
    Variable {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        value: Option<String>,
    },
    Project(ProjectFacts),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Os {
    Linux,
    Macos,
    Windows,
    Bsd,
    Other,
}

/// A command that some text of the repository says to run. `text` is a shell command as written (several lines
/// where they belong together): data, never interpolated into another string.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandFacts {
    pub text: String,
    pub source: CommandSource,
    /// Working directory relative to the repository's root; empty for the root.
    pub dir: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub env: BTreeMap<String, String>,
    /// `None`: any or unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub os: Option<Os>,
    /// Heading, job and step, or target the command stands under, e.g. `Running the tests` or `test / unit`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub context: String,
    /// Prerequisites and variables that could not be resolved, e.g. `${{ matrix.toxenv }}`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unresolved: Vec<String>,
    /// `None`: `sh`, `bash` or another shell that reads POSIX text. Else the interpreter that the text is for, such as
    /// `pwsh`, `cmd` or `python`: then the text is no shell command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shell: Option<String>,
    /// The row of the CI matrix that the text was filled from.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub row: BTreeMap<String, String>,
    /// What the same line says in other rows of the matrix on the same system, at most a handful.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub alternatives: Vec<String>,
}

impl CommandFacts {
    /// A shell command with nothing else known about it.
    pub fn new(text: impl Into<String>, source: CommandSource) -> Self {
        Self {
            text: text.into(),
            source,
            dir: String::new(),
            env: BTreeMap::new(),
            os: None,
            context: String::new(),
            unresolved: Vec::new(),
            shell: None,
            row: BTreeMap::new(),
            alternatives: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandSource {
    Ci,
    TaskRunner,
    Dockerfile,
    Contributing,
    Readme,
    Document,
    Script,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymbolKind {
    Function,
    Type,
    Test,
    Main,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFacts {
    pub language: String,
    /// As written: `zlib.h`, `numpy.linalg`, `serde::Deserialize`.
    pub target: String,
    /// `<...>` rather than `"..."` for C and C++; true for an absolute import elsewhere.
    pub system: bool,
    /// The preprocessor condition or `try:` that surrounds it, innermost last, joined by ` && `. Empty: always.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub guard: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependencyFacts {
    /// `pypi`, `cargo`, or `system` for what a distribution provides.
    pub ecosystem: String,
    /// As written: a PEP 508 requirement, a crate and its version, a capability.
    pub spec: String,
    pub scope: Scope,
    /// For `system` dependencies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub capability: Option<Capability>,
    /// False where the build goes on without it (`find_package` without REQUIRED, `required: false`).
    pub required: bool,
    pub trust: Trust,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    Build,
    Runtime,
    Test,
    Dev,
    /// Named extra, feature, dependency group or build option.
    Optional(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// An installed command (console script, `[[bin]]`, `install(TARGETS …)`). The node's name is the command.
    Command,
    /// A file run by an interpreter: `main.py`, `__main__.py`. The node's name is the path or module.
    Script,
    /// A library: the node's name is what a user imports.
    Library,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// Directory → file, file → what stands in it, project → its manifest.
    Contains,
    /// File → import.
    Imports,
    /// Manifest → project, dependency, tool, entry point, test suite.
    Declares,
    /// Project → dependency, tool, service, other project.
    Requires,
    /// Section → command.
    Documents,
    /// Project → command, command → tool.
    Runs,
    /// Test suite → project.
    Tests,
    /// Project → entry point.
    Provides,
}

impl EdgeKind {
    /// Every kind, what declares and requires before what merely contains.
    pub const ALL: [Self; 8] = [
        Self::Declares,
        Self::Requires,
        Self::Provides,
        Self::Runs,
        Self::Tests,
        Self::Documents,
        Self::Imports,
        Self::Contains,
    ];

    /// Its name in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Imports => "imports",
            Self::Declares => "declares",
            Self::Requires => "requires",
            Self::Documents => "documents",
            Self::Runs => "runs",
            Self::Tests => "tests",
            Self::Provides => "provides",
        }
    }
}

/// Why the graph may lack what a file says: it could not be read or parsed as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Warning {
    /// Relative to the repository's root; empty where it is about the whole.
    pub path: String,
    pub reason: String,
}

/// Warnings of one graph that are kept: they are for a person to read.
const MAX_WARNINGS: usize = 1000;

/// Everything a repository says about itself.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeGraph {
    inner: Graph<Node, EdgeKind, Directed, u32>,
    warnings: Vec<Warning>,
    /// Files and bytes of the project's own code by language (see `scan::Repository::languages`).
    pub languages: BTreeMap<String, LanguageTotal>,
    /// File and Directory nodes by path, made again when a graph is read from JSON.
    by_path: HashMap<String, NodeId>,
}

impl KnowledgeGraph {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, place: Option<Place>, facts: Facts) -> NodeId {
        let id = NodeId(self.inner.node_count() as u32);
        self.insert(Node {
            id,
            name: name.into(),
            place,
            facts,
        });
        id
    }

    /// Takes note that a file was not read as a whole.
    pub fn warn(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let warning = Warning {
            path: path.into(),
            reason: reason.into(),
        };
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// In the order in which they were found.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn insert(&mut self, node: Node) {
        if matches!(node.facts, Facts::File { .. } | Facts::Directory)
            && let Some(place) = &node.place
        {
            self.by_path.entry(place.path.clone()).or_insert(node.id);
        }
        self.inner.add_node(node);
    }

    /// The File node of a path relative to the repository's root.
    pub fn file(&self, path: &str) -> Option<NodeId> {
        let id = *self.by_path.get(path)?;
        matches!(self.node(id)?.facts, Facts::File { .. }).then_some(id)
    }

    /// The Directory node of a path relative to the repository's root; the root itself is the empty path.
    pub fn directory(&self, path: &str) -> Option<NodeId> {
        let id = *self.by_path.get(path)?;
        matches!(self.node(id)?.facts, Facts::Directory).then_some(id)
    }

    /// Adds an edge, unless it is there. Looked for among the edges into `to`, which are few, while a directory or
    /// a file has many edges out.
    pub fn link(&mut self, from: NodeId, to: NodeId, kind: EdgeKind) {
        let index = |id: NodeId| NodeIndex::new(id.0 as usize);
        let mut into = self.inner.edges_directed(index(to), Direction::Incoming);
        if !into.any(|edge| edge.source() == index(from) && *edge.weight() == kind) {
            self.inner.add_edge(index(from), index(to), kind);
        }
    }

    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.inner.node_weight(NodeIndex::new(id.0 as usize))
    }

    pub fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.inner.node_weight_mut(NodeIndex::new(id.0 as usize))
    }

    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.inner.node_weights()
    }

    /// `(from, to, kind)` of every edge, in order of insertion.
    pub fn edges(&self) -> impl Iterator<Item = (NodeId, NodeId, EdgeKind)> {
        self.inner.edge_references().map(|edge| {
            (
                NodeId(edge.source().index() as u32),
                NodeId(edge.target().index() as u32),
                *edge.weight(),
            )
        })
    }

    /// Nodes that `id` points at by an edge of `kind`, in order of insertion.
    pub fn out(&self, id: NodeId, kind: EdgeKind) -> Vec<&Node> {
        self.neighbours(id, kind, Direction::Outgoing)
    }

    /// Nodes that point at `id` by an edge of `kind`, in order of insertion.
    pub fn into(&self, id: NodeId, kind: EdgeKind) -> Vec<&Node> {
        self.neighbours(id, kind, Direction::Incoming)
    }

    fn neighbours(&self, id: NodeId, kind: EdgeKind, direction: Direction) -> Vec<&Node> {
        let index = NodeIndex::new(id.0 as usize);
        let mut found: Vec<&Node> = self
            .inner
            .edges_directed(index, direction)
            .filter(|edge| *edge.weight() == kind)
            .filter_map(|edge| {
                let other = match direction {
                    Direction::Outgoing => edge.target(),
                    Direction::Incoming => edge.source(),
                };
                self.inner.node_weight(other)
            })
            .collect();
        found.sort_by_key(|node| node.id);
        found
    }

    pub fn projects(&self) -> impl Iterator<Item = (NodeId, &ProjectFacts)> {
        self.nodes().filter_map(|node| match &node.facts {
            Facts::Project(facts) => Some((node.id, facts)),
            _ => None,
        })
    }

    pub fn commands(&self) -> impl Iterator<Item = (&Node, &CommandFacts)> {
        self.nodes().filter_map(|node| match &node.facts {
            Facts::Command(facts) => Some((node, facts)),
            _ => None,
        })
    }

    pub fn imports(&self) -> impl Iterator<Item = (&Node, &ImportFacts)> {
        self.nodes().filter_map(|node| match &node.facts {
            Facts::Import(facts) => Some((node, facts)),
            _ => None,
        })
    }

    /// Dependencies that `project` requires.
    pub fn dependencies(&self, project: NodeId) -> Vec<(&Node, &DependencyFacts)> {
        self.out(project, EdgeKind::Requires)
            .into_iter()
            .filter_map(|node| match &node.facts {
                Facts::Dependency(facts) => Some((node, facts)),
                _ => None,
            })
            .collect()
    }

    /// The language that most of the project's own code is written in.
    pub fn primary_language(&self) -> Option<&str> {
        crate::scan::support::primary(&self.languages)
    }

    pub fn node_count(&self) -> usize {
        self.inner.node_count()
    }

    pub fn edge_count(&self) -> usize {
        self.inner.edge_count()
    }
}

/// The serialised form: ids of our own, so that it does not depend on petgraph's.
#[derive(Serialize, Deserialize)]
struct Flat {
    schema: String,
    nodes: Vec<Node>,
    edges: Vec<(NodeId, NodeId, EdgeKind)>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    languages: BTreeMap<String, LanguageTotal>,
}

impl Serialize for KnowledgeGraph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Flat {
            schema: SCHEMA.to_owned(),
            nodes: self.nodes().cloned().collect(),
            edges: self.edges().collect(),
            warnings: self.warnings.clone(),
            languages: self.languages.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KnowledgeGraph {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = Flat::deserialize(deserializer)?;
        let mut graph = Self::new();
        for (at, node) in flat.nodes.into_iter().enumerate() {
            if node.id.0 as usize != at {
                return Err(serde::de::Error::custom("node ids are not dense"));
            }
            graph.insert(node);
        }
        for (from, to, kind) in flat.edges {
            if graph.node(from).is_none() || graph.node(to).is_none() {
                return Err(serde::de::Error::custom(
                    "edge names a node that is not there",
                ));
            }
            graph.link(from, to, kind);
        }
        graph.warnings = flat.warnings;
        graph.languages = flat.languages;
        Ok(graph)
    }
}
