//! CMake (cmake(1), ctest(1)): configure into a build directory, build, `ctest`.

use crate::evidence::{Because, Place, Trust};
use crate::graph::{EdgeKind, EntryKind, Facts, NodeId, ProjectFacts};
use crate::plan::model::{Action, Layer, ProjectPlan, ReadyCommand, Step};
use crate::pyramid::Level;

use super::native::{add_toolchain, build_dir, build_tool, has_suite, ready};
use super::{Context, Draft, declared, project_name, step_id};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "CMakeLists.txt", "CMake project");
    add_toolchain(ctx, project, facts, draft);
    draft.packages.tool(ctx.index, "make", because.clone());
    let fetches = !facts.all("network").is_empty();
    if fetches && let Some(attr) = facts.attr("network") {
        let because = Because::at(attr.place.clone(), Trust::Manifest, attr.value.clone());
        draft.packages.tool(ctx.index, "git", because);
    }
    let uv_cmake = build_tool(ctx, draft, "cmake", &because);
    let build = build_dir(ctx, &facts.dir);
    let mut configure = vec![
        "cmake".to_owned(),
        "-S".to_owned(),
        ".".to_owned(),
        "-B".to_owned(),
        build.clone(),
        "-DCMAKE_BUILD_TYPE=Release".to_owned(),
    ];
    let mut configure_because = vec![because.clone()];
    for attr in facts.all("test-option") {
        let Some((name, default)) = attr.value.split_once('=') else {
            continue;
        };
        if matches!(
            default.to_ascii_uppercase().as_str(),
            "ON" | "TRUE" | "1" | "YES"
        ) {
            continue;
        }
        configure.push(format!("-D{name}=ON"));
        let text = format!("option {name} switches the tests on");
        configure_because.push(Because::at(attr.place.clone(), Trust::Manifest, text));
    }
    let step = |what: &str, argv: Vec<String>, because: Vec<Because>| Step {
        id: step_id(&facts.dir, what),
        layer: Layer::Project,
        dir: facts.dir.clone(),
        action: Action::run(argv),
        unless: None,
        because,
    };
    let mut steps: Vec<Step> = uv_cmake.into_iter().collect();
    steps.push(step("configure", configure, configure_because));
    steps.push(step(
        "build",
        ["cmake", "--build", &build].map(str::to_owned).to_vec(),
        vec![because.clone()],
    ));
    let mut commands = vec![ready(
        Level::Installability,
        format!("cmake --build {build}"),
        &facts.dir,
        None,
        because,
    )];
    if let Some(suite) = has_suite(ctx, project, "ctest") {
        let command = format!("ctest --test-dir {build} --output-on-failure");
        commands.push(ready(
            Level::Testability,
            command,
            &facts.dir,
            Some("ctest"),
            suite,
        ));
    }
    commands.extend(programs(ctx, project, facts, &build));
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "cmake".to_owned(),
        steps,
        ready: commands,
    });
}

/// Programs the build makes, where CMake puts them by default: the binary directory of their `CMakeLists.txt`.
fn programs(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    build: &str,
) -> Vec<ReadyCommand> {
    let mut found = Vec::new();
    for node in ctx.graph.out(project, EdgeKind::Provides) {
        let Facts::EntryPoint {
            entry: EntryKind::Command,
        } = node.facts
        else {
            continue;
        };
        if is_helper(facts, &node.name) {
            continue;
        }
        let place = node
            .place
            .clone()
            .unwrap_or_else(|| Place::file("CMakeLists.txt"));
        let dir = place.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let below = dir
            .strip_prefix(facts.dir.as_str())
            .unwrap_or(dir)
            .trim_start_matches('/');
        let path = [build, below, &node.name]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        let Ok(program) = shlex::try_quote(&path) else {
            continue;
        };
        found.push(ready(
            Level::Runnability,
            format!("./{program} --help"),
            &facts.dir,
            None,
            Because::at(place, Trust::Convention, format!("program {}", node.name)),
        ));
    }
    found
}

/// A program that nobody installs and whose name says that it serves the project's own tests or documents.
fn is_helper(facts: &ProjectFacts, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let helps = |word: &str| {
        ["test", "example", "bench", "fuzz", "demo", "sample"]
            .iter()
            .any(|kind| word.starts_with(kind) || word.ends_with(kind))
            || word.ends_with("tests")
    };
    facts
        .all("uninstalled")
        .iter()
        .any(|attr| attr.value == name)
        && words.into_iter().any(helps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_tests_is_no_entry_point() {
        let mut facts = ProjectFacts::new("cmake", "");
        for name in ["test_array", "run-tests", "server"] {
            let attr = crate::graph::Attr {
                value: name.into(),
                place: Place::file("CMakeLists.txt"),
            };
            facts
                .attrs
                .entry("uninstalled".into())
                .or_default()
                .push(attr);
        }
        assert!(is_helper(&facts, "test_array"));
        assert!(is_helper(&facts, "run-tests"));
        assert!(!is_helper(&facts, "server"));
        // It is installed: `speedtest` may be what the project is about.
        assert!(!is_helper(&facts, "speedtest"));
    }
}
