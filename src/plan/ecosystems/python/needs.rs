//! What the tests of a Python project need beside the project itself, and who says so: extras and groups of the
//! manifest, what tox or nox install, requirements files for tests, and the test runner.

use std::collections::BTreeSet;

use crate::evidence::{Because, Place, Trust};
use crate::graph::{DependencyFacts, Node, NodeId, ProjectFacts, Scope};
use crate::plan::ecosystems::Context;

use super::commands::Suite;

/// Names of extras by which projects mean "what the tests need", most usual first; `all` last, as it brings the most.
const TEST_NAMES: [&str; 12] = [
    "test",
    "tests",
    "testing",
    "test-all",
    "tests-all",
    "unittest",
    "dev",
    "develop",
    "development",
    "all",
    "dev-test",
    "ci",
];

/// What to install, each with its reason.
#[derive(Debug, Default)]
pub struct Needs {
    /// Names of extras of the project.
    pub extras: Vec<(String, Because)>,
    /// Names of dependency groups, in the manifest's own form (PEP 735, Poetry, PDM).
    pub groups: Vec<(String, Because)>,
    /// Requirements files, from the repository's root.
    pub files: Vec<(String, Because)>,
    /// Requirements (PEP 508).
    pub packages: Vec<(String, Because)>,
}

pub fn of(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    suite: Option<&Suite>,
) -> Needs {
    let mut needs = Needs {
        extras: extras(facts),
        groups: groups(facts),
        ..Needs::default()
    };
    needs.files = files(ctx, facts, &needs);
    // Without tests to run, nothing more is needed for them.
    if let Some(suite) = suite {
        needs.packages = packages(ctx, project, facts, suite, &needs);
    }
    needs
}

fn is_packaged(facts: &ProjectFacts) -> bool {
    facts
        .attr("layout")
        .is_none_or(|attr| attr.value != "requirements")
}

fn because(place: &Place, trust: Trust, text: String) -> Because {
    Because::at(place.clone(), trust, text)
}

/// Those that the manifest's reader or a task runner named; else the likeliest of the declared ones.
fn extras(facts: &ProjectFacts) -> Vec<(String, Because)> {
    let declared = facts.all("extra");
    let known = |name: &str| declared.iter().any(|attr| attr.value == name);
    let mut chosen: Vec<(String, Because)> = Vec::new();
    for kind in ["test-extra", "tox-extra"] {
        for attr in facts.all(kind) {
            let trust = if kind == "tox-extra" {
                Trust::TaskRunner
            } else {
                Trust::Manifest
            };
            if known(&attr.value) && !chosen.iter().any(|(name, _)| *name == attr.value) {
                let why = because(&attr.place, trust, format!("extra {}", attr.value));
                chosen.push((attr.value.clone(), why));
            }
        }
    }
    if chosen.is_empty() {
        let usual = TEST_NAMES
            .iter()
            .find_map(|name| declared.iter().find(|attr| attr.value == *name));
        chosen.extend(usual.map(|attr| {
            let why = because(
                &attr.place,
                Trust::Manifest,
                format!("extra {}", attr.value),
            );
            (attr.value.clone(), why)
        }));
    }
    chosen
}

fn groups(facts: &ProjectFacts) -> Vec<(String, Because)> {
    facts
        .all("test-group")
        .iter()
        .map(|attr| {
            let why = because(
                &attr.place,
                Trust::Manifest,
                format!("group {}", attr.value),
            );
            (attr.value.clone(), why)
        })
        .collect()
}

/// The main requirements of what is no package; files for tests; files for development only where nothing else says
/// what tests need, as they bring linters and documentation tools with them.
fn files(ctx: &Context<'_>, facts: &ProjectFacts, needs: &Needs) -> Vec<(String, Because)> {
    let exists = |path: &str| ctx.repository.files.iter().any(|file| file.path == path);
    let mut files: Vec<(String, Because)> = Vec::new();
    let mut add = |kind: &str| {
        let found = files.len();
        for attr in facts.all(kind) {
            if exists(&attr.value) && !files.iter().any(|(path, _)| *path == attr.value) {
                let why = because(&attr.place, Trust::Manifest, attr.value.clone());
                files.push((attr.value.clone(), why));
            }
        }
        files.len() > found
    };
    if !is_packaged(facts) {
        add("requirements");
    }
    let tests = add("requirements-test");
    if !tests && needs.extras.is_empty() && needs.groups.is_empty() {
        add("requirements-dev");
    }
    files
}

/// What is declared for tests outside of extras, groups and files (tox `deps`, `tests_require`), and the runner.
fn packages(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    suite: &Suite,
    needs: &Needs,
) -> Vec<(String, Because)> {
    let mut have = BTreeSet::new();
    let mut chosen: Vec<(String, Because)> = Vec::new();
    let lock = locked(facts);
    let dependencies = ctx.graph.dependencies(project);
    for (node, dep) in &dependencies {
        if dep.ecosystem == "pypi" && is_installed(facts, node, dep, needs) {
            have.insert(node.name.to_ascii_lowercase());
        }
    }
    for (node, dep) in &dependencies {
        let listed = matches!(&dep.scope, Scope::Optional(name)
            if is_listed(facts, name) && needs.groups.iter().any(|(group, _)| group == name));
        let wanted = dep.ecosystem == "pypi" && (dep.scope == Scope::Test || listed) && !lock;
        if wanted && have.insert(node.name.to_ascii_lowercase()) {
            let place = node.place.clone().unwrap_or_else(|| Place::file(""));
            chosen.push((
                dep.spec.clone(),
                because(&place, dep.trust, node.name.clone()),
            ));
        }
    }
    let (framework, why) = suite;
    if *framework == "pytest" && !lock && have.insert("pytest".to_owned()) {
        chosen.push(("pytest".to_owned(), why.clone()));
    }
    chosen
}

/// A group that only its manager reads, as a list of requirements.
pub fn is_listed(facts: &ProjectFacts, group: &str) -> bool {
    facts
        .all("listed-group")
        .iter()
        .any(|attr| attr.value == group)
}

/// A lock file that is installed with all its groups.
fn locked(facts: &ProjectFacts) -> bool {
    let names = ["uv.lock", "poetry.lock", "pdm.lock"];
    facts
        .all("lock")
        .iter()
        .any(|attr| names.iter().any(|name| attr.value.ends_with(name)))
}

/// Whether an extra, a group, a file or the project itself brings it.
fn is_installed(facts: &ProjectFacts, node: &Node, dep: &DependencyFacts, needs: &Needs) -> bool {
    let path = node.place.as_ref().map_or("", |place| place.path.as_str());
    let chosen = |list: &[(String, Because)], name: &str| list.iter().any(|(n, _)| n == name);
    let in_file = chosen(&needs.files, path);
    match &dep.scope {
        Scope::Optional(name) => {
            let group = chosen(&needs.groups, name) && !is_listed(facts, name);
            in_file || chosen(&needs.extras, name) || group
        }
        // A package's requirements file is no part of its metadata.
        Scope::Runtime => in_file || (is_packaged(facts) && !is_requirements(path)),
        Scope::Test | Scope::Dev | Scope::Build => in_file,
    }
}

fn is_requirements(path: &str) -> bool {
    path.ends_with(".txt") || path.ends_with(".in")
}
