//! What the repository demands of each toolchain, and which evidence wins where demands disagree.

use crate::evidence::{Because, Place, Trust};
use crate::graph::{Facts, KnowledgeGraph};

use super::constraints::Constraints;
use super::model::{Conflict, Rejected};
use super::requirement::satisfies;

/// One statement about a toolchain.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    pub tool: String,
    /// As written; see [`satisfies`].
    pub requirement: String,
    pub because: Because,
}

/// All demands on `tool`, strongest evidence first.
pub fn demands(graph: &KnowledgeGraph, constraints: &Constraints, tool: &str) -> Vec<Demand> {
    let mut found: Vec<Demand> = constraints
        .toolchains
        .iter()
        .filter(|(name, _, _)| name == tool)
        .map(|(name, version, why)| Demand {
            tool: name.clone(),
            requirement: version.clone(),
            because: Because::no_place(Trust::Observed, why.clone()),
        })
        .collect();
    for node in graph.nodes() {
        let Facts::Tool {
            requirement: Some(requirement),
            trust,
        } = &node.facts
        else {
            continue;
        };
        if node.name != tool || !requirement.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let place = node.place.clone().unwrap_or_else(|| Place::file(""));
        found.push(Demand {
            tool: tool.to_owned(),
            requirement: as_minimum(tool, requirement),
            because: Because::at(place, *trust, format!("{tool} {requirement}")),
        });
    }
    found.sort_by_key(|demand| std::cmp::Reverse(demand.because.trust));
    found
}

/// A bare version of Go or Java is the language that the sources are written in: any later toolchain builds it (Go's
/// compatibility promise; `javac --release`).
fn as_minimum(tool: &str, requirement: &str) -> String {
    let bare = requirement.trim().starts_with(|c: char| c.is_ascii_digit());
    match tool {
        "go" | "java" if bare && !requirement.contains([' ', '|', ',']) => {
            // Java 1.8 and 8 are one.
            let version = requirement
                .trim()
                .trim_end_matches(".x")
                .trim_end_matches(".*");
            let version = match tool {
                "java" => version.strip_prefix("1.").unwrap_or(version),
                _ => version,
            };
            format!(">={version}")
        }
        _ => requirement.to_owned(),
    }
}

/// Which of `available` (best first) to take: the one that the strongest demands allow. A weaker demand that it
/// breaks is a [`Conflict`]. `None` where the strongest demand allows none of them.
pub fn choose(demands: &[Demand], available: &[&str]) -> Option<(String, Option<Conflict>)> {
    let strongest = demands.first().map(|demand| demand.because.trust);
    let binding: Vec<&Demand> = demands
        .iter()
        .filter(|demand| Some(demand.because.trust) == strongest)
        .collect();
    // A CI matrix names several versions: any one of them will do, the others are no conflict.
    let alternatives = matches!(strongest, Some(Trust::Ci)) || binding.len() < 2;
    let allows = |version: &str| {
        if alternatives {
            binding.is_empty() || binding.iter().any(|d| satisfies(&d.requirement, version))
        } else {
            binding.iter().all(|d| satisfies(&d.requirement, version))
        }
    };
    let weight = |version: &str| {
        demands
            .iter()
            .filter(|d| satisfies(&d.requirement, version))
            .count()
    };
    let mut fitting: Vec<&&str> = available.iter().filter(|version| allows(version)).collect();
    // Stable: among those that satisfy as many, the earlier (preferred) one stays first.
    fitting.sort_by_key(|version| std::cmp::Reverse(weight(version)));
    let chosen = (**fitting.first()?).to_owned();
    let losers: Vec<Rejected> = demands
        .iter()
        .filter(|d| Some(d.because.trust) != strongest && !satisfies(&d.requirement, &chosen))
        .map(|d| Rejected {
            value: d.requirement.clone(),
            reason: "weaker evidence".to_owned(),
            because: vec![d.because.clone()],
        })
        .collect();
    let conflict = match demands.first() {
        Some(first) if !losers.is_empty() => Some(Conflict {
            topic: format!("{} version", first.tool),
            winner: chosen.clone(),
            because: first.because.clone(),
            losers,
        }),
        _ => None,
    };
    Some((chosen, conflict))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(requirement: &str, trust: Trust) -> Demand {
        Demand {
            tool: "python".to_owned(),
            requirement: requirement.to_owned(),
            because: Because::no_place(trust, requirement),
        }
    }

    #[test]
    fn a_lock_beats_a_manifest_and_the_loser_is_named() {
        let (chosen, conflict) = choose(
            &[
                demand("3.9", Trust::Lock),
                demand(">=3.11", Trust::Manifest),
            ],
            &["3.11", "3.13", "3.9"],
        )
        .unwrap();
        assert_eq!(chosen, "3.9");
        assert_eq!(conflict.unwrap().losers[0].value, ">=3.11");
    }

    #[test]
    fn a_matrix_is_a_choice_and_no_conflict() {
        let (chosen, conflict) = choose(
            &[
                demand("3.10", Trust::Ci),
                demand("3.13", Trust::Ci),
                demand(">=3.10", Trust::Manifest),
            ],
            &["3.11", "3.13", "3.9"],
        )
        .unwrap();
        assert_eq!(chosen, "3.13");
        assert!(conflict.is_none());
    }

    #[test]
    fn nothing_fits() {
        assert!(choose(&[demand("3.7", Trust::Lock)], &["3.11", "3.9"]).is_none());
        assert_eq!(choose(&[], &["3.11"]).unwrap().0, "3.11");
    }
}
