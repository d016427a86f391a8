//! Projects that stand in one directory: which of them the repository is about.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::graph::{CommandSource, KnowledgeGraph, NodeId, ProjectFacts};

use super::ecosystems::has_planner;

/// Ecosystem → languages that its projects are written in.
static LANGUAGES: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/ecosystem-languages.toml"))
        .expect("embedded data is checked by a test")
});

/// Whether a project is of the kind that is written in `language`.
fn writes(facts: &ProjectFacts, language: &str) -> bool {
    let languages = LANGUAGES.get(&facts.ecosystem);
    languages.is_some_and(|all| all.iter().any(|one| one == language))
}

/// Why the native build of a directory is left alone: the repository's language is another one, and a project of that
/// language stands here (a CMake build of a Swift package).
pub fn foreign_native(
    native: &ProjectFacts,
    others: &[(NodeId, &ProjectFacts)],
    primary: Option<&str>,
) -> Option<String> {
    let primary = primary.filter(|language| !writes(native, language))?;
    let (_, main) = others
        .iter()
        .find(|(_, facts)| !has_planner(&facts.ecosystem) && writes(facts, primary))?;
    Some(format!(
        "{}: the {} build stands beside the {} project, which is written in the repository's language, {primary}; not built",
        shown(&native.dir),
        native.ecosystem,
        main.ecosystem
    ))
}

/// Why a project is left alone: it stands beside one that envc has a planner of its own for, it is not written in the
/// repository's language, and no CI runs its tool (a `package.json` that formats a C library's documents).
pub fn helper(
    graph: &KnowledgeGraph,
    facts: &ProjectFacts,
    beside: &[(NodeId, &ProjectFacts)],
    primary: Option<&str>,
) -> Option<String> {
    if has_planner(&facts.ecosystem) || primary.is_some_and(|language| writes(facts, language)) {
        return None;
    }
    let (_, main) = beside
        .iter()
        .find(|(_, other)| has_planner(&other.ecosystem))?;
    let programs: Vec<&str> = ["install-command", "build-command", "test-command"]
        .iter()
        .flat_map(|name| facts.all(name))
        .filter_map(|attr| attr.value.split_whitespace().next())
        .collect();
    let in_ci = graph.commands().any(|(_, command)| {
        let program = command.text.split_whitespace().next().unwrap_or_default();
        command.source == CommandSource::Ci && programs.contains(&program)
    });
    (!in_ci).then(|| {
        format!(
            "{}: a {} project beside the {} project, and no CI runs its tool; not built",
            shown(&facts.dir),
            facts.ecosystem,
            main.ecosystem
        )
    })
}

fn shown(dir: &str) -> &str {
    if dir.is_empty() { "." } else { dir }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(ecosystem: &str) -> ProjectFacts {
        ProjectFacts::new(ecosystem, "")
    }

    #[test]
    fn the_repositorys_language_decides_between_a_native_build_and_a_package() {
        let (cmake, swift) = (project("cmake"), project("swift"));
        let others = [(NodeId(0), &swift)];
        assert!(foreign_native(&cmake, &others, Some("swift")).is_some());
        assert_eq!(foreign_native(&cmake, &others, Some("cpp")), None);
        assert_eq!(foreign_native(&cmake, &[], Some("swift")), None);
        assert_eq!(foreign_native(&cmake, &others, None), None);
    }

    #[test]
    fn a_helper_is_left_alone_unless_it_is_what_the_repository_is_written_in() {
        let graph = KnowledgeGraph::default();
        let (cmake, node) = (project("cmake"), project("node"));
        let beside = [(NodeId(0), &cmake), (NodeId(1), &node)];
        assert!(helper(&graph, &node, &beside, Some("cpp")).is_some());
        assert_eq!(helper(&graph, &node, &beside, Some("typescript")), None);
        assert_eq!(helper(&graph, &cmake, &beside, Some("typescript")), None);
        assert_eq!(helper(&graph, &node, &beside[1..], Some("cpp")), None);
    }
}
