//! Readers of build and package files: what a repository declares about itself.
//!
//! Each format has one file here and one line in [`READERS`]. A reader turns the text of a manifest into facts
//! of a [`drafts::Draft`]: the project it belongs to, its dependencies, entry points and test suites, each with
//! the line that says so. Several manifests may speak of one project (`pyproject.toml`, `setup.cfg`, `tox.ini`).
//! Nothing of the repository is executed.
//!
//! # Attributes that all ecosystems share
//! Set where the manifests or the files beside them say so; each with the place of the evidence. Commands are one line
//! of shell, to be run in the project's directory.
//! - `install-command`: fetches what the project needs (`npm ci` where a lock file stands, `npm install` where none)
//! - `build-command`: compiles (`./gradlew assemble` where the wrapper is there)
//! - `test-command`: runs the tests (`vendor/bin/phpunit` where PHPUnit is required)
//! - `run-command`: starts the program
//! - `lock`: path of a lock file
//! - `member`: directory of another project that is built from here; `workspace-root`: of a member, the directory it
//!   is installed and built from (`.` for the root). A member has no `install-command` of its own.
//! - `language`: what is compiled; `network`: what is fetched from version control
//!
//! Commands are conventions of the project's tool, chosen by evidence; what a repository itself writes down as a task
//! is a Command node, see `graph/runners/`. Projects that need each other have a Requires edge, members one to their root.
//!
//! Ecosystems besides those under `plan/ecosystems/`: `node`, `deno`, `go`, `maven`, `gradle`, `sbt`, `mill`, `ant`, `php`,
//! `ruby`, `elixir`, `erlang`, `dotnet`, `haskell`, `ocaml`, `swift`, `zig`, `lua`, `perl`, `r`, `julia`, `dart`, `bazel`, `gn`,
//! `scons`, `waf`, `qmake`, `xmake`, `premake`.

mod ant;
mod autotools;
mod builders;
mod cabal;
mod cargo;
mod cmake;
mod composer;
mod conan;
mod dart;
mod deno;
mod dotnet;
mod drafts;
mod dune;
mod go_mod;
mod gradle;
mod helpers;
mod ini;
pub(in crate::graph) mod json_doc;
mod julia;
mod jvm;
mod m4;
mod make;
mod malformed;
mod meson;
mod meson_syntax;
mod mix;
pub(in crate::graph) mod package_json;
mod perl;
mod pipfile;
mod pom;
mod pyproject;
mod python;
mod python_ast;
mod r;
mod rebar;
mod requirements;
mod rockspec;
mod ruby;
mod sbt;
mod setup_cfg;
mod setup_py;
mod swift;
mod task_envs;
pub(in crate::graph) mod tokens;
pub(in crate::graph) mod toml_doc;
pub(in crate::graph) mod tree;
mod workspace;
mod xml_doc;
mod zig;

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod testing;

use std::collections::BTreeSet;

use crate::graph::KnowledgeGraph;
use crate::scan::{FileEntry, Repository, is_vendored};

use drafts::Drafts;
pub(in crate::graph) use toml_doc::{Doc, Value as DocValue};
use tree::Tree;

/// A reader of one manifest format.
struct Reader {
    /// Stem of the reader's file; the `format` of its Manifest nodes.
    format: &'static str,
    /// Whether a path (relative to the root, `/`-separated) names such a manifest.
    matches: fn(&str) -> bool,
    read: fn(&mut Reading<'_>),
}

/// Every format, in the order of reading: a later reader may ask what an earlier one found (`make` leaves a
/// directory alone that another build system claims, requirements files join the project that declares itself).
static READERS: &[Reader] = &[
    cargo::READER,
    cmake::READER,
    meson::READER,
    autotools::READER,
    autotools::HANDWRITTEN,
    pyproject::READER,
    setup_cfg::READER,
    setup_py::READER,
    pipfile::READER,
    requirements::READER,
    task_envs::TOX,
    task_envs::NOX,
    python::PINS,
    package_json::READER,
    deno::READER,
    go_mod::READER,
    go_mod::WORK,
    go_mod::LEGACY,
    pom::READER,
    gradle::SETTINGS,
    gradle::READER,
    sbt::READER,
    sbt::MILL,
    composer::READER,
    ant::READER,
    ruby::GEMSPEC,
    ruby::READER,
    mix::READER,
    rebar::READER,
    dotnet::SOLUTION,
    dotnet::READER,
    cabal::PROJECT,
    cabal::READER,
    cabal::HPACK,
    dune::READER,
    dune::OPAM,
    swift::READER,
    zig::READER,
    rockspec::READER,
    perl::READER,
    r::READER,
    julia::READER,
    dart::READER,
    builders::READER,
    make::READER,
    conan::READER,
    conan::VCPKG,
];

/// A manifest being read.
struct Reading<'a> {
    tree: &'a Tree<'a>,
    format: &'static str,
    /// Path of the manifest, and of the directory it stands in (empty for the root).
    path: &'a str,
    dir: &'a str,
    text: &'a str,
    drafts: &'a mut Drafts,
}

/// Adds what the repository's manifests declare: nodes Manifest, Project, Dependency, Tool, EntryPoint and
/// TestSuite; edges Declares, Contains, Requires, Provides and Tests. Unreadable and malformed manifests give
/// fewer facts, never an error.
pub fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let tree = Tree::new(repository);
    let mut drafts = Drafts::default();
    for reader in READERS {
        for path in candidates(&tree, reader) {
            read_one(&tree, reader, &path, &mut drafts);
        }
    }
    cargo::drop_built_by_scripts(&mut drafts);
    python::finish(&tree, &mut drafts);
    helpers::drop(&tree, &mut drafts);
    helpers::drop_fronts(&mut drafts);
    package_json::finish(&mut drafts);
    go_mod::finish(&mut drafts);
    pom::finish(&mut drafts);
    composer::finish(&mut drafts);
    drafts.link_by_name("haskell", "package");
    for ecosystem in ["gradle", "maven", "dotnet", "haskell", "elixir"] {
        drafts.lift(ecosystem);
    }
    for (path, reason) in drafts.warnings() {
        graph.warn(path, reason);
    }
    drafts.write(&repository.name, graph);
}

/// Paths for one reader, shallow ones first: a parent manifest claims those it includes.
fn candidates(tree: &Tree<'_>, reader: &Reader) -> BTreeSet<Candidate> {
    tree.files()
        .filter(|entry| (reader.matches)(&entry.path) && is_own(entry, reader))
        .map(|entry| Candidate {
            depth: entry.path.matches('/').count(),
            path: entry.path.clone(),
        })
        .collect()
}

/// `configure` counts as generated by its name; many are written by hand, and a release may ship no source of it. It is
/// somebody else's where any file beside it would be.
fn is_own(entry: &FileEntry, reader: &Reader) -> bool {
    !entry.vendored
        || reader.format == autotools::HANDWRITTEN.format
            && !is_vendored(&format!("{}/a.c", tree::parent(&entry.path)))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    depth: usize,
    path: String,
}

fn read_one(tree: &Tree<'_>, reader: &Reader, candidate: &Candidate, drafts: &mut Drafts) {
    let path = candidate.path.as_str();
    let dir = tree::parent(path);
    if drafts.is_claimed(path) || drafts.manifest_count() >= MAX_MANIFESTS {
        return;
    }
    // A fixture or an example is a project of its own, but not one that this repository is built from.
    if tree::is_auxiliary(dir) && !reader.reads_auxiliary() {
        drafts.manifest_only(path, reader.format);
        return;
    }
    let Some(text) = tree.read(path) else {
        return;
    };
    if let Some(reason) = malformed::malformed(path, &text) {
        drafts.warn(path, reason);
    }
    (reader.read)(&mut Reading {
        tree,
        format: reader.format,
        path,
        dir,
        text: &text,
        drafts,
    });
}

/// A repository with more manifests than this is a collection; the first ones by depth are read.
const MAX_MANIFESTS: usize = 4000;

impl Reader {
    /// `docs/requirements.txt` and `tests/requirements.txt` speak of the project above them; a solution names
    /// projects below `tests/`.
    fn reads_auxiliary(&self) -> bool {
        matches!(self.format, "requirements" | "dotnet")
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{project, repo};
    use super::*;

    #[test]
    fn fixtures_and_examples_are_no_projects_of_the_repository() {
        let graph = repo(&[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nversion = \"1.0.0\"\n",
            ),
            ("tests/fixtures/b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ]);
        assert_eq!(graph.projects().count(), 1);
        assert_eq!(project(&graph, "cargo", "").ecosystem, "cargo");
    }

    #[test]
    fn formats_are_unique() {
        let formats: BTreeSet<&str> = READERS.iter().map(|reader| reader.format).collect();
        assert_eq!(formats.len(), READERS.len());
    }

    #[test]
    fn an_empty_repository_gives_an_empty_graph() {
        assert_eq!(repo(&[]).node_count(), 0);
    }
}
