//! Which base gives the toolchains that the repository demands.

use std::cmp::Reverse;

use crate::evidence::{Because, Trust};
use crate::graph::KnowledgeGraph;
use crate::packages::{BaseFacts, bases};

use super::constraints::Constraints;
use super::demand::{choose, demands};
use super::model::{BaseChoice, Conflict};

/// Toolchains that decide over a base, with the name its facts list them under.
const DECIDING: [(&str, &str); 9] = [
    ("python", "python"),
    ("rust", "rustc"),
    ("cmake", "cmake"),
    ("meson", "meson"),
    ("go", "go"),
    ("node", "node"),
    ("java", "jdk"),
    ("ruby", "ruby"),
    ("php", "php"),
];

/// The order in which bases are tried where nothing else decides: the stable release that most projects are tested
/// on first, then newer, then older.
const PREFERENCE: [&str; 3] = ["debian-bookworm", "debian-trixie", "debian-bullseye"];

/// Toolchains whose newest version is the best guess: crates move fast, declare late what they need, and build on any
/// later Rust (its stability promise).
const NEWEST: [(&str, &str); 1] = [("rust", "rustc")];

fn version_of(base: &BaseFacts, package: &str) -> Option<pep440_rs::Version> {
    base.tools.get(package)?.parse().ok()
}

/// What was chosen, and what had to give way.
pub struct Chosen {
    pub facts: BaseFacts,
    pub choice: BaseChoice,
    pub conflicts: Vec<Conflict>,
}

/// The base that breaks the fewest demands, the preferred one among equals. `fixed` is the base the sandbox already
/// stands on: it is taken as it is, and what it cannot give is left to other channels (uv, rustup).
pub fn choose_base(
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    fixed: Option<&BaseFacts>,
    needed: &[&str],
) -> Option<Chosen> {
    let mut candidates: Vec<&BaseFacts> = match (fixed, &constraints.base) {
        (Some(facts), _) => vec![facts],
        (None, Some(id)) => bases().iter().filter(|base| &base.id == id).collect(),
        (None, None) => bases().iter().collect(),
    };
    candidates.sort_by_key(|base| {
        PREFERENCE
            .iter()
            .position(|id| *id == base.id)
            .unwrap_or(PREFERENCE.len())
    });
    for (tool, package) in NEWEST {
        if needed.contains(&tool) {
            // Stable: bases with the same version stay in the order of preference.
            candidates.sort_by_key(|base| Reverse(version_of(base, package)));
        }
    }
    let mut best: Option<(usize, &BaseFacts, Vec<Because>)> = None;
    for base in candidates {
        let (broken, because) = weigh(graph, constraints, base, needed);
        if best.as_ref().is_none_or(|(least, _, _)| broken < *least) {
            best = Some((broken, base, because));
        }
    }
    let (_, facts, mut because) = best?;
    if fixed.is_some() {
        because.insert(
            0,
            Because::no_place(Trust::Lock, "the base the sandbox stands on"),
        );
    } else if because.is_empty() {
        because.push(Because::no_place(
            Trust::Convention,
            "no evidence asks for another release",
        ));
    }
    Some(Chosen {
        choice: BaseChoice {
            image: facts.image.clone(),
            id: facts.id.clone(),
            because,
        },
        facts: facts.clone(),
        conflicts: Vec::new(),
    })
}

/// How many deciding toolchains the base cannot give as demanded, and the evidence of those that it can.
fn weigh(
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    base: &BaseFacts,
    needed: &[&str],
) -> (usize, Vec<Because>) {
    let mut broken = 0;
    let mut because = Vec::new();
    for (tool, package) in DECIDING {
        if !needed.contains(&tool) {
            continue;
        }
        let demands = demands(graph, constraints, tool);
        let Some(version) = base.tools.get(package) else {
            broken += 1;
            continue;
        };
        match choose(&demands, &[version]) {
            Some(_) => because.extend(demands.into_iter().take(1).map(|demand| demand.because)),
            None => broken += 1,
        }
    }
    (broken, because)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(needed: &[&str], constraints: &Constraints) -> String {
        let graph = KnowledgeGraph::default();
        choose_base(&graph, constraints, None, needed)
            .unwrap()
            .choice
            .id
    }

    #[test]
    fn rust_stands_on_the_newest_cargo_unless_a_version_is_asked_for() {
        let free = Constraints::default();
        assert_eq!(chosen(&["cmake"], &free), "debian-bookworm");
        assert_eq!(chosen(&["rust"], &free), "debian-trixie");
        assert_eq!(chosen(&["python", "rust"], &free), "debian-trixie");
        let with = |version: &str| Constraints {
            toolchains: vec![("rust".into(), version.into(), "test".into())],
            ..Constraints::default()
        };
        assert_eq!(chosen(&["rust"], &with("1.63")), "debian-bookworm");
        // No base has it: the one that comes nearest.
        assert_eq!(chosen(&["rust"], &with(">=1.99")), "debian-trixie");
    }
}
