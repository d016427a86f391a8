//! `envc graph`: the knowledge graph as text, data, a drawing or a page, and answers to questions about it.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::emit::graph::{self as written, Part};
use crate::graph::query::{Named, find, named, path, why};
use crate::graph::{Definition, KnowledgeGraph, Node, NodeId, find_definitions};
use crate::scan::{Repository, read_text};

use super::exit::{Exit, Failure};
use super::show::{print, print_json};
use super::source::resolve;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct GraphArguments {
    #[command(subcommand)]
    pub question: Option<Question>,
    /// Directory or git URL of the repository (one that is called like a subcommand: ./find).
    #[arg(default_value = ".")]
    pub path: String,
    #[command(flatten)]
    pub form: Form,
    /// Write an interactive page, searchable and without any request to a network [default file: graph.html].
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "graph.html",
          conflicts_with_all = ["format", "json"])]
    pub html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    /// Graphviz.
    Dot,
    Graphml,
}

/// In what form the answer is printed.
#[derive(Debug, Args)]
pub struct Form {
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl Form {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

#[derive(Debug, Args)]
pub struct Where {
    /// Directory or git URL of the repository.
    #[arg(long = "path", short = 'C', default_value = ".", value_name = "PATH")]
    pub path: String,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Subcommand)]
pub enum Question {
    /// Count nodes, edges and files by kind and language.
    Stats {
        #[command(flatten)]
        at: Where,
    },
    /// List nodes by name, part of a name, path, path:line or glob, and functions and types of that name; best first.
    Find {
        pattern: String,
        /// Only nodes of this kind (project, tool, dependency, command, import, …); may be given again.
        #[arg(long, value_name = "KIND")]
        kind: Vec<String>,
        #[command(flatten)]
        at: Where,
    },
    /// Show a node's facts and what it is connected with. WHAT: a name, kind:name, path:line or #id.
    Show {
        what: String,
        #[command(flatten)]
        at: Where,
    },
    /// Show the shortest way between two nodes.
    Path {
        a: String,
        b: String,
        #[command(flatten)]
        at: Where,
    },
    /// Say who declares, requires, imports or documents something, back to the file it stands in.
    Why {
        what: String,
        #[command(flatten)]
        at: Where,
    },
}

pub fn run(options: &GraphArguments) -> Result<Exit, Failure> {
    if let Some(question) = &options.question {
        return answer(question);
    }
    let (repository, graph) = understood(&options.path)?;
    if let Some(file) = &options.html {
        return write_page(&repository, &graph, file);
    }
    match options.form.format() {
        Format::Text => print(&crate::graph::text(&graph))?,
        Format::Json => print_json(&graph)?,
        format => put(format, &Part::whole(&graph), String::new)?,
    }
    Ok(Exit::Verified)
}

/// The graph that stages work with, and what the project's API defines, for a person to find.
fn understood(path: &str) -> Result<(Repository, KnowledgeGraph), Failure> {
    let (repository, mut graph) = crate::understand(&resolve(path)?)?;
    crate::graph::add_definitions(&repository, &mut graph);
    Ok((repository, graph))
}

fn answer(question: &Question) -> Result<Exit, Failure> {
    let at = match question {
        Question::Stats { at }
        | Question::Find { at, .. }
        | Question::Show { at, .. }
        | Question::Path { at, .. }
        | Question::Why { at, .. } => at,
    };
    let (repository, graph) = understood(&at.path)?;
    let format = at.form.format();
    match question {
        Question::Stats { .. } => match format {
            Format::Text => print(&written::stats(&graph))?,
            Format::Json => print_json(&crate::graph::summary(&graph))?,
            format => put(format, &Part::whole(&graph), String::new)?,
        },
        Question::Find { pattern, kind, .. } => {
            let nodes = find(&graph, pattern, kind);
            let symbols = kind.is_empty() || kind.iter().any(|kind| kind == "symbol");
            let defined = match symbols {
                true => elsewhere(&nodes, find_definitions(&repository, pattern)),
                false => Vec::new(),
            };
            if nodes.is_empty() && defined.is_empty() {
                return Err(nothing(&graph, pattern));
            }
            let mut part = Part::of(&graph, nodes.iter().map(|node| node.id));
            let text = || written::found(&nodes) + &written::defined(&defined);
            part.definitions.clone_from(&defined);
            put(format, &part, text)?;
        }
        Question::Show { what, .. } => {
            let nodes = meant(&graph, what)?;
            let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
            put(format, &Part::around(&graph, &ids), || {
                let texts = nodes.iter().map(|node| written::shown(&graph, node));
                texts.collect::<Vec<_>>().join("\n")
            })?;
        }
        Question::Path { a, b, .. } => {
            let ids = |name| meant(&graph, name).map(|nodes| nodes.iter().map(|n| n.id).collect());
            let (from, to): (Vec<NodeId>, Vec<NodeId>) = (ids(a)?, ids(b)?);
            let Some((first, hops)) = path(&graph, &from, &to) else {
                let text = format!("nothing connects {a:?} with {b:?}");
                return Err(Failure::new(Exit::NotReached, text));
            };
            let part = Part::along(&graph, first, &hops);
            put(format, &part, || written::way(first, &hops))?;
        }
        Question::Why { what, .. } => {
            let nodes = meant(&graph, what)?;
            let asked: Vec<_> = nodes.iter().map(|n| (n.id, why(&graph, n.id))).collect();
            let part = Part::behind(&graph, &asked);
            put(format, &part, || written::whys(&graph, &asked))?;
        }
    }
    Ok(Exit::Verified)
}

/// Definitions that are no nodes of the graph: it holds those that tell what a project offers, and not each function.
fn elsewhere(nodes: &[&Node], defined: Vec<Definition>) -> Vec<Definition> {
    let known = |definition: &Definition| {
        nodes
            .iter()
            .any(|node| node.place.as_ref() == Some(&definition.place))
    };
    defined
        .into_iter()
        .filter(|definition| !known(definition))
        .collect()
}

fn put(format: Format, part: &Part<'_>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match format {
        Format::Text => print(&text()),
        Format::Json => print_json(part),
        Format::Dot => print(&written::dot(part)),
        Format::Graphml => print(&written::graphml(part)?),
    }
}

fn meant<'a>(graph: &'a KnowledgeGraph, what: &str) -> Result<Vec<&'a Node>, Failure> {
    match named(graph, what) {
        Named::Nodes(ids) => Ok(ids.iter().filter_map(|id| graph.node(*id)).collect()),
        Named::Nothing(similar) => Err(unknown(what, &similar)),
    }
}

fn nothing(graph: &KnowledgeGraph, what: &str) -> Failure {
    match named(graph, what) {
        Named::Nothing(similar) => unknown(what, &similar),
        // It is there, but not of a kind that was asked for.
        Named::Nodes(_) => Failure::new(
            Exit::NotReached,
            format!("{what:?} is in the graph, but not as a node of the kind asked for"),
        ),
    }
}

fn unknown(what: &str, similar: &[String]) -> Failure {
    let hint = match similar.is_empty() {
        true => "`envc graph` lists what is in it".to_owned(),
        false => format!("did you mean {}?", similar.join(", ")),
    };
    Failure::new(
        Exit::NotReached,
        format!("nothing called {what:?} is in the graph; {hint}"),
    )
}

fn write_page(
    repository: &Repository,
    graph: &KnowledgeGraph,
    file: &Path,
) -> Result<Exit, Failure> {
    // The last file only: what stands in one file stands together in the graph.
    let mut last: (String, Vec<String>) = Default::default();
    let mut excerpt = |path: &str, line: u32| {
        if last.0 != path {
            let text = read_text(repository, path).unwrap_or_default();
            let short = |line: &str| line.chars().take(400).collect();
            last = (path.to_owned(), text.lines().map(short).collect());
        }
        last.1.get((line as usize).checked_sub(1)?).cloned()
    };
    let html = written::page(graph, &repository.name, &mut excerpt)
        .map_err(|error| Failure::new(Exit::NotReached, error.to_string()))?;
    replace_page(file, &html)?;
    print(&crate::emit::sanitize(&format!(
        "wrote {}; open it in a browser",
        file.display()
    )))?;
    Ok(Exit::Verified)
}

/// What every page of envc's holds, and no source file.
const PAGE_MARK: &str = ": knowledge graph</title>";

/// Writes the page where nothing stands, or an older page: a name that was mistyped must not cost a source file.
fn replace_page(file: &Path, html: &str) -> Result<(), Failure> {
    let shown = file.display();
    let refuse = |why: &str| Err(Failure::usage(format!("cannot write {shown}: {why}")));
    match std::fs::symlink_metadata(file) {
        Ok(found) if found.is_dir() => {
            return refuse(
                "it is a directory; give the page a name: envc graph --html page.html PATH",
            );
        }
        Ok(found) if found.is_symlink() => return refuse("it is a link"),
        Ok(found) if found.is_file() => {
            let old = std::fs::read_to_string(file).unwrap_or_default();
            if !old.is_empty() && !old.contains(PAGE_MARK) {
                return refuse("it is there and no page of envc's; choose another name");
            }
        }
        _ => {}
    }
    std::fs::write(file, html).map_err(|error| {
        let exit = match error.kind() {
            std::io::ErrorKind::StorageFull => Exit::Transient,
            _ => Exit::Usage,
        };
        Failure::new(exit, format!("cannot write {shown}: {error}"))
    })
}
