//! Which of the graph's projects are built, and in which order.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{CommandSource, EdgeKind, KnowledgeGraph, NodeId, ProjectFacts};

use super::beside;
use super::constraints::Constraints;
use super::model::{Conflict, Rejected};
use super::system::{for_linux, is_aside};

/// Build systems that describe one and the same C or C++ build, preferred first where nothing else decides.
const NATIVE: [&str; 4] = ["cmake", "meson", "autotools", "make"];

/// Projects to build, in order; what was decided against; what was left alone.
#[derive(Default)]
pub struct Selection {
    pub projects: Vec<NodeId>,
    pub conflicts: Vec<Conflict>,
    pub notes: Vec<String>,
}

/// Takes the root's projects, else the shallowest ones, and those that CI builds in a directory of their own; of
/// several build systems in one directory, the one that the strongest evidence uses.
pub fn select(graph: &KnowledgeGraph, constraints: &Constraints) -> Selection {
    let mut selection = Selection::default();
    let mut by_dir: BTreeMap<&str, Vec<(NodeId, &ProjectFacts)>> = BTreeMap::new();
    // Cargo builds a workspace as a whole, from its root.
    let built_by_root =
        |facts: &ProjectFacts| facts.ecosystem == "cargo" && facts.attr("workspace-root").is_some();
    for (id, facts) in graph.projects().filter(|(_, facts)| !built_by_root(facts)) {
        by_dir
            .entry(facts.dir.as_str())
            .or_default()
            .push((id, facts));
    }
    let taken = directories(graph, &by_dir);
    let mut apart: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (dir, projects) in &by_dir {
        if !taken.contains(dir) {
            let systems = projects.iter().map(|(_, facts)| facts.ecosystem.as_str());
            let systems = systems.collect::<Vec<_>>().join(" and ");
            apart.entry(systems).or_default().push(dir);
            continue;
        }
        one_directory(graph, constraints, dir, projects, &mut selection);
    }
    selection.notes.extend(
        apart
            .iter()
            .map(|(systems, dirs)| stand_apart(systems, dirs)),
    );
    selection.projects = ordered(graph, selection.projects);
    selection
}

/// Directories that a note names; a monorepo has hundreds of templates and examples.
const NAMED: usize = 4;

fn stand_apart(systems: &str, dirs: &[&str]) -> String {
    let mut named = dirs
        .iter()
        .take(NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if dirs.len() > NAMED {
        named.push_str(&format!(" and {} more", dirs.len() - NAMED));
    }
    let (what, there) = match dirs.len() {
        1 => (format!("a {systems} project that stands"), "there"),
        _ => (format!("{systems} projects that stand"), "in one"),
    };
    format!("{named}: {what} apart; not built (run envc {there})")
}

/// Directories whose projects are built.
fn directories<'a>(
    graph: &KnowledgeGraph,
    by_dir: &BTreeMap<&'a str, Vec<(NodeId, &ProjectFacts)>>,
) -> Vec<&'a str> {
    let depth = |dir: &str| {
        if dir.is_empty() {
            0
        } else {
            dir.split('/').count()
        }
    };
    let candidates: Vec<&str> = by_dir
        .keys()
        .copied()
        .filter(|dir| !is_aside(&format!("{dir}/x")))
        .collect();
    let pool = if candidates.is_empty() {
        by_dir.keys().copied().collect()
    } else {
        candidates
    };
    let shallowest = pool.iter().map(|dir| depth(dir)).min().unwrap_or(0);
    let in_ci = |dir: &str| {
        !dir.is_empty()
            && graph.commands().any(|(_, command)| {
                command.source == CommandSource::Ci && command.dir == dir && for_linux(command.os)
            })
    };
    by_dir
        .keys()
        .copied()
        .filter(|dir| (pool.contains(dir) && depth(dir) == shallowest) || in_ci(dir))
        .collect()
}

fn one_directory(
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    dir: &str,
    projects: &[(NodeId, &ProjectFacts)],
    selection: &mut Selection,
) {
    let primary = graph.primary_language();
    let (native, other): (Vec<_>, Vec<_>) = projects
        .iter()
        .copied()
        .partition(|(_, facts)| NATIVE.contains(&facts.ecosystem.as_str()));
    // An extension's backend runs the native build itself.
    let driven = other.iter().any(|(_, facts)| drives_native_build(facts));
    if !native.is_empty() && !driven {
        let (winner, conflict) = native_winner(graph, constraints, dir, &native);
        let facts = native.iter().find(|(id, _)| *id == winner);
        match facts.and_then(|(_, facts)| beside::foreign_native(facts, &other, primary)) {
            Some(note) => selection.notes.push(note),
            None => {
                selection.projects.push(winner);
                selection.conflicts.extend(conflict);
            }
        }
    }
    for (id, facts) in other {
        match beside::helper(graph, facts, projects, primary) {
            Some(note) => selection.notes.push(note),
            None => selection.projects.push(id),
        }
    }
}

fn drives_native_build(facts: &ProjectFacts) -> bool {
    facts.all("extension").iter().any(|attr| {
        matches!(
            attr.value.as_str(),
            "meson-python" | "scikit-build-core" | "scikit-build"
        )
    }) || (facts.ecosystem == "python" && !facts.all("extension").is_empty())
        || (facts.ecosystem == "cargo" && facts.attr("build-script").is_some())
}

/// The build system with the strongest evidence of use; ties go by [`NATIVE`].
fn native_winner(
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    dir: &str,
    native: &[(NodeId, &ProjectFacts)],
) -> (NodeId, Option<Conflict>) {
    let fixed = constraints
        .build_systems
        .iter()
        .rev()
        .find(|(at, _)| at == dir)
        .map(|(_, system)| system.as_str());
    let mut ranked: Vec<(u8, usize, NodeId, &str, Because)> = native
        .iter()
        .map(|(id, facts)| {
            let system = facts.ecosystem.as_str();
            let (weight, because) = match fixed {
                Some(name) if name == system => {
                    (u8::MAX, Because::no_place(Trust::Observed, "asked for"))
                }
                _ => evidence_of_use(graph, dir, system),
            };
            let released = released(facts);
            let preference = match NATIVE.iter().position(|name| *name == system) {
                Some(_) if released.is_some() => 0,
                Some(at) => at + 1,
                None => NATIVE.len() + 1,
            };
            let (weight, because) = match released {
                Some(configure) if weight < RELEASED => (RELEASED, configure),
                _ => (weight, because),
            };
            (weight, preference, *id, system, because)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let Some((_, _, winner, system, because)) = ranked.first().cloned() else {
        return (NodeId(0), None);
    };
    let losers: Vec<Rejected> = ranked
        .iter()
        .skip(1)
        .map(|(_, _, _, name, why)| Rejected {
            value: (*name).to_owned(),
            reason: format!("{system} has stronger evidence or is preferred"),
            because: vec![why.clone()],
        })
        .collect();
    let conflict = (!losers.is_empty()).then(|| Conflict {
        topic: format!(
            "build system{}",
            if dir.is_empty() {
                String::new()
            } else {
                format!(" of {dir}")
            }
        ),
        winner: system.to_owned(),
        because,
        losers,
    });
    (winner, conflict)
}

/// A generated `configure` in the tree is as good as a document that says to run it.
const RELEASED: u8 = 3;

/// A `configure` that a release ships: its authors built this tree with it. CI and a Dockerfile say more.
fn released(facts: &ProjectFacts) -> Option<Because> {
    let configure = facts.attr("configure")?;
    (facts.ecosystem == "autotools" && facts.attr("handwritten").is_none()).then(|| {
        Because::at(
            configure.place.clone(),
            Trust::Convention,
            "a generated configure",
        )
    })
}

/// The strongest command of the repository that uses the build system.
fn evidence_of_use(graph: &KnowledgeGraph, dir: &str, system: &str) -> (u8, Because) {
    let uses = |text: &str| match system {
        "cmake" => text.contains("cmake "),
        "meson" => {
            text.contains("meson setup") || text.contains("meson build") || text.contains("meson .")
        }
        "autotools" => {
            text.contains("./configure")
                || text.contains("autogen.sh")
                || text.contains("autoreconf")
        }
        "make" => text.trim_start().starts_with("make"),
        _ => false,
    };
    let weight = |source: CommandSource| match source {
        CommandSource::Ci => 5,
        CommandSource::Dockerfile => 4,
        CommandSource::TaskRunner | CommandSource::Script => 1,
        CommandSource::Contributing => 3,
        CommandSource::Readme => 3,
        CommandSource::Document => 2,
    };
    graph
        .commands()
        .filter(|(_, command)| command.dir == dir && for_linux(command.os) && uses(&command.text))
        .map(|(node, command)| {
            let place = node.place.clone().unwrap_or_else(|| Place::file(""));
            let line = command.text.lines().next().unwrap_or("").to_owned();
            (
                weight(command.source),
                Because::at(place, Trust::Document, line),
            )
        })
        // `make` alone follows `./configure` and `cmake ..` as well: it is no evidence against them.
        .map(|(weight, because)| {
            if system == "make" {
                (weight.min(1), because)
            } else {
                (weight, because)
            }
        })
        .max_by_key(|(weight, _)| *weight)
        .unwrap_or((
            0,
            Because::no_place(Trust::Convention, format!("a {system} build file")),
        ))
}

/// Projects that others require come first; otherwise native before language packages, shallow before deep.
fn ordered(graph: &KnowledgeGraph, mut ids: Vec<NodeId>) -> Vec<NodeId> {
    let rank = |id: &NodeId| {
        let required_by_others = graph
            .into(*id, EdgeKind::Requires)
            .iter()
            .filter(|node| matches!(node.facts, crate::graph::Facts::Project(_)))
            .count();
        let native = graph
            .projects()
            .any(|(other, facts)| other == *id && NATIVE.contains(&facts.ecosystem.as_str()));
        (std::cmp::Reverse(required_by_others), !native, id.0)
    };
    ids.sort_by_key(rank);
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Attr, Facts};

    fn project(graph: &mut KnowledgeGraph, ecosystem: &str, attrs: &[&str]) -> NodeId {
        let mut facts = ProjectFacts::new(ecosystem, "");
        for name in attrs {
            let attr = Attr {
                value: "present".to_owned(),
                place: Place::file("configure"),
            };
            facts.attrs.insert((*name).to_owned(), vec![attr]);
        }
        graph.add(ecosystem, None, Facts::Project(facts))
    }

    #[test]
    fn a_configure_that_a_release_ships_goes_before_cmake() {
        let mut graph = KnowledgeGraph::new();
        let cmake = project(&mut graph, "cmake", &[]);
        let autotools = project(&mut graph, "autotools", &["configure"]);
        let chosen = |graph: &KnowledgeGraph| select(graph, &Constraints::default()).projects;
        assert_eq!(chosen(&graph), [autotools]);
        let mut graph = KnowledgeGraph::new();
        let by_hand = ["configure", "handwritten"];
        assert_eq!(project(&mut graph, "cmake", &[]), cmake);
        project(&mut graph, "autotools", &by_hand);
        assert_eq!(chosen(&graph), [cmake]);
    }
}
