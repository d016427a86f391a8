//! Which base gives the toolchains that the repository demands.

use crate::evidence::{Because, Trust};
use crate::graph::KnowledgeGraph;
use crate::packages::{BaseFacts, bases};

use super::constraints::Constraints;
use super::demand::{choose, demands};
use super::model::{BaseChoice, Conflict};

/// Toolchains that decide over a base, with the name its facts list them under.
const DECIDING: [(&str, &str); 4] = [
    ("python", "python"),
    ("rust", "cargo"),
    ("cmake", "cmake"),
    ("meson", "meson"),
];

/// The order in which bases are tried where nothing else decides: the stable release that most projects are tested
/// on first, then newer, then older.
const PREFERENCE: [&str; 3] = ["debian-bookworm", "debian-trixie", "debian-bullseye"];

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
