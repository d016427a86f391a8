//! What the build files of one project say.

use std::collections::BTreeSet;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{DependencyFacts, EdgeKind, Facts, KnowledgeGraph, NodeId, ProjectFacts, Scope};
use crate::packages::{Candidate, Capability, homonym};

use super::aside::{is_aside, is_sample, is_test};
use super::collect::{Ask, Collection};
use super::generated::Generated;
use super::model::Group;
use super::programs::PROGRAMS;

/// What the sources say, against which a declaration is weighed.
#[derive(Debug, Default)]
pub struct Witness {
    /// Packages that hold a header which the sources include, under any condition.
    pub packages: BTreeSet<String>,
    /// There are sources at all.
    pub sources: bool,
    /// The build system asks for whatever it may find, and does not mean it.
    pub strict: bool,
    pub flex: Option<Generated>,
    pub bison: Option<Generated>,
    /// Some pkg-config module is looked for.
    pub modules: bool,
}

/// What the build files of one project say.
pub fn declared(
    graph: &KnowledgeGraph,
    project: NodeId,
    facts: &ProjectFacts,
    witness: &Witness,
    out: &mut Collection<'_>,
) {
    for (node, dependency) in graph.dependencies(project) {
        let (Some(capability), "system") = (&dependency.capability, dependency.ecosystem.as_str())
        else {
            continue;
        };
        let place = node.place.clone().unwrap_or_else(|| Place::file(""));
        if unused(dependency, capability, out, witness) {
            continue;
        }
        if let Some((group, option)) = standing(dependency, capability, &place) {
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
            let place = node.place.clone().unwrap_or_else(|| Place::file(""));
            let because = Because::at(place, *trust, format!("runs {}", node.name));
            toolchain(&node.name, &because, out);
        }
    }
    build_system(graph, project, facts, out);
}

/// Sources of the distribution that build with a program, from which on a build that looks for it uses it. Below are
/// helpers of developers: caches, formatters, packagers, debuggers.
const USUAL_PROGRAM: u32 = 40;

/// What is looked for and not needed: helpers of developers, tools that make `configure` where it is there, and
/// libraries of which the sources never speak.
fn unused(
    facts: &DependencyFacts,
    capability: &Capability,
    out: &Collection<'_>,
    witness: &Witness,
) -> bool {
    if let Capability::Command(name) = capability {
        match name.as_str() {
            // Asked for by their sources, see `generators`.
            "flex" | "lex" | "bison" | "yacc" | "byacc" => return true,
            "pkg-config" => return !(witness.modules || witness.strict),
            _ => {}
        }
    }
    if facts.required {
        return false;
    }
    let providers = out.index.providers(capability);
    let Some(best) = providers.first() else {
        return false;
    };
    let used = |candidate: &Candidate| out.index.usage(&candidate.package);
    match capability {
        Capability::Command(name) => {
            // `configure` scripts look for far more than they use; other build systems name what they run.
            let least = if witness.strict {
                USUAL_PROGRAM
            } else {
                COINCIDENCE
            };
            PROGRAMS.makes_configure.contains(name)
                || PROGRAMS.helpers.contains(name)
                || !PROGRAMS.recipes.values().any(|program| program == name)
                    && providers.iter().map(used).max().unwrap_or(0) < least
        }
        Capability::Header(_) | Capability::Library(_) | Capability::CMake(_) => {
            let usage = used(best);
            let least = if witness.strict {
                USUAL_LIBRARY
            } else {
                RARE_LIBRARY
            };
            best.package == "valgrind"
                || usage < COINCIDENCE
                || witness.sources && !witness.packages.contains(&best.package) && usage < least
        }
        _ => false,
    }
}

/// The same for libraries that no source includes: for `configure`, which probes widely, and for others.
const USUAL_LIBRARY: u32 = 60;
const RARE_LIBRARY: u32 = 5;

/// Packages that fewer build with are not what anyone looks for; a name is shared by chance.
const COINCIDENCE: u32 = 3;

/// The generators of scanners and parsers: needed where the build has to run them, of use where the build system
/// looks for them to make anew what the repository ships.
pub fn generators(
    graph: &KnowledgeGraph,
    project: NodeId,
    witness: &Witness,
    out: &mut Collection<'_>,
) {
    for (source, names) in [
        (&witness.flex, &["flex", "lex"][..]),
        (&witness.bison, &["bison", "yacc", "byacc"]),
    ] {
        let (Some(source), Some(tool)) = (source, names.first()) else {
            continue;
        };
        let asked = graph
            .dependencies(project)
            .iter()
            .any(|(_, dependency)| matches!(&dependency.capability, Some(Capability::Command(name)) if names.contains(&name.as_str())));
        let group = match (source.must, asked) {
            (true, _) => Group::Tools,
            (false, true) => Group::Optional,
            (false, false) => continue,
        };
        let because = Because::at(
            source.place.clone(),
            Trust::Source,
            format!("a source of {tool}"),
        );
        out.ask(Ask {
            group,
            ..command(tool, because)
        });
    }
}

/// The commands of a toolchain that the graph names, and those of the ecosystem's own installer, as a plan takes them.
const TOOLCHAINS: &[(&str, &[&str])] = &[
    ("python", &["python3"]),
    ("node", &["node"]),
    ("npm", &["node", "npm"]),
    ("java", &["javac", "java"]),
    ("maven", &["mvn", "javac"]),
    ("gradle", &["gradle", "javac"]),
    ("erlang", &["erl"]),
    ("elixir", &["mix"]),
    ("ocaml", &["ocaml"]),
    ("rust", &["rustc", "cargo"]),
];

/// Asks for a toolchain's commands; a name that is another program in the distribution asks for nothing.
fn toolchain(name: &str, because: &Because, out: &mut Collection<'_>) {
    let known = TOOLCHAINS.iter().find(|(known, _)| *known == name);
    let own = [name];
    for tool in known.map_or(&own[..], |(_, commands)| commands) {
        if homonym(tool).is_none() {
            out.ask(command(tool, because.clone()));
        }
    }
}

/// What runs the projects of an ecosystem, whether or not a manifest asks for a version of it.
const RUNTIMES: &[(&str, &str)] = &[
    ("node", "npm"),
    ("maven", "maven"),
    ("gradle", "java"),
    ("ant", "ant"),
    ("go", "go"),
    ("ruby", "ruby"),
    ("perl", "perl"),
    ("php", "php"),
    ("cargo", "rust"),
    ("python", "python"),
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
    if let Some((_, tool)) = RUNTIMES.iter().find(|(known, _)| *known == facts.ecosystem) {
        let because = Because::at(
            place.clone(),
            Trust::Convention,
            format!("{} project", facts.ecosystem),
        );
        toolchain(tool, &because, out);
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
fn standing(
    facts: &DependencyFacts,
    capability: &Capability,
    place: &Place,
) -> Option<(Group, Option<String>)> {
    let tool = matches!(capability, Capability::Command(_));
    let strength = match (facts.required, tool) {
        (true, true) => Group::Tools,
        (true, false) => Group::Required,
        (false, _) => Group::Optional,
    };
    // Build files of samples and the like: a default build may skip them.
    let aside = is_aside(&place.path) && !is_test(&place.path);
    match &facts.scope {
        Scope::Dev => None,
        Scope::Test if aside || is_sample(&place.path) => None,
        _ if aside && !facts.required => None,
        Scope::Test => Some((Group::Test, None)),
        Scope::Optional(_) if matches!(capability, Capability::Command(name) if name == "pkg-config") => {
            Some((Group::Tools, None))
        }
        Scope::Optional(option) => Some((Group::Optional, Some(option.clone()))),
        Scope::Build | Scope::Runtime => Some((strength, None)),
    }
}
