//! From the graph and the sources to packages.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{DependencyFacts, EdgeKind, Facts, KnowledgeGraph, NodeId, ProjectFacts, Scope};
use crate::packages::{Candidate, Capability, Index, is_exact_header, similarity};
use crate::scan::Repository;

use super::includes::{self, Wanted};
use super::model::{Group, Need, Unresolved};

/// Reasons of one package that are kept.
const MAX_REASONS: usize = 5;

/// One statement that something is needed.
pub struct Ask {
    pub capability: Capability,
    pub group: Group,
    pub option: Option<String>,
    pub because: Because,
}

/// Packages by name, in the order in which they were asked for.
pub struct Collection<'i> {
    index: &'i Index,
    /// Names of the projects: a build does not need the package that is made of it.
    own: Vec<String>,
    order: Vec<String>,
    needs: BTreeMap<String, Need>,
    pub unresolved: Vec<Unresolved>,
}

impl<'i> Collection<'i> {
    pub fn new(index: &'i Index) -> Self {
        Self {
            index,
            own: Vec::new(),
            order: Vec::new(),
            needs: BTreeMap::new(),
            unresolved: Vec::new(),
        }
    }

    /// Names a project that is read.
    pub fn own(&mut self, name: &str) {
        let name = name.trim().to_owned();
        if name.len() > 1 && !self.own.contains(&name) {
            self.own.push(name);
        }
    }

    /// The candidates without those that are made of the projects themselves.
    fn foreign(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let is_own = |package: &str| {
            let kind = package.ends_with("-dev") || self.own.iter().any(|name| name == package);
            kind && self.own.iter().any(|name| similarity(name, package) == 100)
        };
        candidates
            .into_iter()
            .filter(|each| !is_own(&each.package))
            .collect()
    }

    /// Takes the best provider; what nothing provides is unresolved.
    pub fn ask(&mut self, ask: Ask) {
        let all = self.index.providers(&ask.capability);
        let nothing = all.is_empty();
        let candidates = self.foreign(all);
        let Some((first, others)) = candidates.split_first() else {
            if !nothing {
                return;
            }
            let known = self
                .unresolved
                .iter()
                .any(|each| each.capability == ask.capability);
            if !known && ask.option.is_none() {
                self.unresolved.push(Unresolved {
                    capability: ask.capability,
                    group: ask.group,
                    because: ask.because,
                });
            }
            return;
        };
        let instead = others
            .iter()
            .take(3)
            .map(|other| other.package.clone())
            .collect();
        self.take(&first.package, ask, instead);
    }

    /// Takes a package by name.
    pub fn take(&mut self, package: &str, ask: Ask, instead: Vec<String>) {
        let Some(need) = self.needs.get_mut(package) else {
            self.order.push(package.to_owned());
            let need = Need {
                package: package.to_owned(),
                group: ask.group,
                option: ask.option,
                capabilities: vec![ask.capability],
                because: vec![ask.because],
                instead,
            };
            self.needs.insert(package.to_owned(), need);
            return;
        };
        // What some part of the build takes without an option is wanted without it.
        let stronger = (ask.option.is_some(), ask.group) < (need.option.is_some(), need.group);
        if stronger {
            need.group = ask.group;
            need.option = ask.option;
        }
        if !need.capabilities.contains(&ask.capability) {
            need.capabilities.push(ask.capability);
        }
        if !need.because.contains(&ask.because) {
            let at = if stronger { 0 } else { need.because.len() };
            need.because.insert(at, ask.because);
            need.because.truncate(MAX_REASONS);
        }
    }

    pub fn has(&self, package: &str) -> bool {
        self.needs.contains_key(package)
    }

    pub fn into_list(mut self) -> (Vec<Need>, Vec<Unresolved>) {
        let mut list: Vec<Need> = self
            .order
            .iter()
            .filter_map(|name| self.needs.remove(name))
            .collect();
        list.sort_by_key(|need| (need.option.is_some(), need.group));
        (list, self.unresolved)
    }
}

/// What the build files of one project say.
pub fn declared(
    graph: &KnowledgeGraph,
    project: NodeId,
    facts: &ProjectFacts,
    out: &mut Collection<'_>,
) {
    for (node, dependency) in graph.dependencies(project) {
        let (Some(capability), "system") = (&dependency.capability, dependency.ecosystem.as_str())
        else {
            continue;
        };
        let place = node.place.clone().unwrap_or_else(|| Place::file(""));
        if unused(dependency, capability, out.index) {
            continue;
        }
        if let Some((group, option)) = standing(dependency, capability) {
            out.ask(Ask {
                capability: capability.clone(),
                group,
                option,
                because: Because::at(place, dependency.trust, dependency.spec.clone()),
            });
        }
    }
    for node in graph.out(project, EdgeKind::Requires) {
        if let Facts::Tool { trust, .. } = &node.facts {
            let name = if node.name == "python" {
                "python3"
            } else {
                &node.name
            };
            let place = node.place.clone().unwrap_or_else(|| Place::file(""));
            let because = Because::at(place, *trust, format!("runs {}", node.name));
            out.ask(command(name, because));
        }
    }
    build_system(graph, project, facts, out);
}

/// Sources of the distribution that build with a program, from which on a build that looks for it uses it. Below are
/// helpers of developers: caches, formatters, packagers, debuggers.
const USUAL_PROGRAM: u32 = 40;

/// What is looked for and not needed: helpers of developers, and tools that make `configure` where it is there.
fn unused(facts: &DependencyFacts, capability: &Capability, index: &Index) -> bool {
    if facts.required {
        return false;
    }
    match capability {
        Capability::Command(name) => {
            let makes_configure = [
                "autoreconf",
                "aclocal",
                "automake",
                "autoconf",
                "libtoolize",
                "autopoint",
                "autoheader",
            ];
            let usual = index
                .best(capability)
                .is_some_and(|best| index.usage(&best.package) >= USUAL_PROGRAM);
            makes_configure.contains(&name.as_str()) || !usual || HELPERS.contains(&name.as_str())
        }
        _ => false,
    }
}

/// Programs that builds look for to serve developers, however usual their packages are for other uses.
const HELPERS: &[&str] = &[
    "git",
    "svn",
    "hg",
    "bzr",
    "cvs",
    "valgrind",
    "gdb",
    "lcov",
    "gcov",
    "genhtml",
    "gcovr",
    "clang-format",
    "clang-tidy",
    "cppcheck",
    "indent",
    "astyle",
    "ctags",
    "etags",
    "cscope",
    "ccache",
    "sendmail",
    "mail",
    "ssh",
    "scp",
    "rsync",
    "wget",
    "curl",
    "gpg",
    "gpg2",
    "makensis",
    "rpmbuild",
    "rpm",
    "dpkg",
    "dpkg-buildpackage",
    "emacs",
    "vi",
    "vim",
    "less",
    "more",
    "ps",
    "hostname",
    "uname",
    "nproc",
    "sudo",
    "su",
    "mount",
    "umount",
    "zip",
    "ldconfig",
    "dot",
    "convert",
    "rst2html",
    "clang",
    "clang++",
    "lld",
    "ld.gold",
    "iwyu",
    "include-what-you-use",
    "splint",
    "objdump",
    "readelf",
    "objcopy",
    "dsymutil",
    "otool",
    "lipo",
    "cygpath",
    "wine",
    "windres",
    "rc",
    "link",
    "cl",
    "icc",
    "icpc",
    "xcrun",
    "sphinx-build",
    "java",
    "node",
    "npm",
    "ar",
    "ranlib",
    "nm",
    "strip",
    "ld",
];

fn command(name: &str, because: Because) -> Ask {
    Ask {
        capability: Capability::Command(name.to_owned()),
        group: Group::Tools,
        option: None,
        because,
    }
}

/// Programs that every project of a kind runs.
fn build_system(
    graph: &KnowledgeGraph,
    project: NodeId,
    facts: &ProjectFacts,
    out: &mut Collection<'_>,
) {
    let place = graph
        .node(project)
        .and_then(|node| node.place.clone())
        .unwrap_or_else(|| Place::file(""));
    let tools: &[&str] = match facts.ecosystem.as_str() {
        "cmake" => &["cmake", "make"],
        "meson" => &["meson", "ninja", "pkg-config"],
        "autotools" | "make" => &["make"],
        _ => &[],
    };
    for tool in tools {
        let because = Because::at(
            place.clone(),
            Trust::Convention,
            format!("{} project", facts.ecosystem),
        );
        out.ask(command(tool, because));
    }
    for attr in facts.all("language") {
        let compiler = match attr.value.to_ascii_lowercase().as_str() {
            "cxx" => "g++",
            "c" => "gcc",
            "fortran" => "gfortran",
            "vala" => "valac",
            "asm_nasm" => "nasm",
            _ => continue,
        };
        let because = Because::at(
            attr.place.clone(),
            Trust::Manifest,
            format!("language {}", attr.value),
        );
        out.ask(command(compiler, because));
    }
}

/// The group of a declared dependency, and the option that alone asks for it. `None`: it asks for nothing.
fn standing(facts: &DependencyFacts, capability: &Capability) -> Option<(Group, Option<String>)> {
    let tool = matches!(capability, Capability::Command(_));
    let strength = match (facts.required, tool) {
        (true, true) => Group::Tools,
        (true, false) => Group::Required,
        (false, _) => Group::Optional,
    };
    match &facts.scope {
        Scope::Test => Some((Group::Test, None)),
        Scope::Optional(option) => Some((Group::Optional, Some(option.clone()))),
        Scope::Dev => None,
        Scope::Build | Scope::Runtime => Some((strength, None)),
    }
}

/// What the sources of one project include.
pub fn included(repository: &Repository, dir: &str, out: &mut Collection<'_>) {
    for wanted in includes::wanted(repository, dir) {
        let Some((group, package, instead)) = judge(&wanted, out) else {
            continue;
        };
        let ask = Ask {
            capability: Capability::Header(wanted.header.clone()),
            group,
            option: None,
            because: Because::at(
                wanted.place.clone(),
                Trust::Source,
                format!("#include <{}>", wanted.header),
            ),
        };
        out.take(&package, ask, instead);
    }
}

/// Whether a header of the sources asks for a package, which one, and how much.
fn judge(wanted: &Wanted, out: &Collection<'_>) -> Option<(Group, String, Vec<String>)> {
    let candidates = out.foreign(
        out.index
            .providers(&Capability::Header(wanted.header.clone())),
    );
    let (first, others) = candidates.split_first()?;
    let instead = || {
        others
            .iter()
            .take(3)
            .map(|other| other.package.clone())
            .collect()
    };
    if out.has(&first.package) {
        // The build files have said how much it is needed.
        let group = if wanted.product {
            Group::Optional
        } else {
            Group::Test
        };
        return Some((group, first.package.clone(), instead()));
    }
    // One of several packages that the build files ask for already.
    if others.iter().any(|other| out.has(&other.package)) {
        return None;
    }
    let exact = is_exact_header(&first.path, &wanted.header);
    if !wanted.system && !exact {
        return None;
    }
    let test = is_test(&wanted.place.path);
    let group = match (wanted.product, wanted.sure) {
        (true, true) => Group::Required,
        (true, false) if exact => Group::Optional,
        (false, true) if exact && test => Group::Test,
        _ => return None,
    };
    Some((group, first.package.clone(), instead()))
}

fn is_test(path: &str) -> bool {
    path.to_ascii_lowercase()
        .split('/')
        .any(|part| part.starts_with("test") || part.ends_with("test") || part.ends_with("tests"))
}
