//! Python (PEP 517, 518, 621, 735): an isolated environment made by uv, dependencies, then the project itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::{Because, Place, Trust};
use crate::graph::{
    DependencyFacts, EdgeKind, EntryKind, Facts, Node, NodeId, ProjectFacts, Scope,
};
use crate::packages::Capability;
use crate::plan::demand::{Demand, choose, demands};
use crate::plan::model::{Action, Channel, Layer, ProjectPlan, ReadyCommand, Step, Toolchain};
use crate::plan::system;
use crate::pyramid::Level;

use super::native::{has_suite, ready};
use super::{Context, Draft, declared, project_name, step_id, within};

/// Names of extras and groups by which projects mean "what the tests need", most usual first.
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

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "pyproject.toml", "Python project");
    interpreter(ctx, draft, &because);
    native_needs(ctx, project, facts, draft, &because);
    let mut steps = vec![environment(ctx, draft, &because)];
    steps.extend(requirement_files(ctx, project, facts, &because));
    if facts
        .attr("layout")
        .is_none_or(|attr| attr.value != "requirements")
    {
        steps.push(install(ctx, facts, &because));
    }
    let suite = test_suite(ctx, project);
    steps.extend(test_tools(ctx, project, facts, suite.as_ref()));
    let mut commands = Vec::new();
    if let Some((framework, why)) = suite {
        let command = match framework {
            "pytest" => "python -m pytest".to_owned(),
            _ => unittest(facts),
        };
        commands.push(ready(
            Level::Testability,
            command,
            &facts.dir,
            Some(framework),
            why,
        ));
    }
    commands.extend(entry_points(ctx, project, facts));
    commands.extend(import_probe(facts));
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "python".to_owned(),
        steps,
        ready: commands,
    });
}

/// A step that puts a build tool from the Python package index on `PATH`, for other ecosystems.
pub fn tool_step(
    ctx: &Context<'_>,
    draft: &mut Draft,
    tool: &str,
    demands: &[Demand],
    because: &Because,
) -> Step {
    let why = demands
        .first()
        .map_or(because, |demand| &demand.because)
        .clone();
    python_packages(ctx, draft, &why);
    let requirement = demands
        .first()
        .and_then(|demand| crate::plan::requirement::minimum(&demand.requirement))
        .map_or_else(|| tool.to_owned(), |minimum| format!("{tool}>={minimum}"));
    Step {
        id: format!("tools/{tool}"),
        layer: Layer::Runtimes,
        dir: String::new(),
        action: Action::Template {
            template: "python-tool".to_owned(),
            values: BTreeMap::from([
                ("tool".to_owned(), tool.to_owned()),
                ("requirement".to_owned(), requirement),
            ]),
        },
        unless: None,
        because: vec![why],
    }
}

fn python_packages(_ctx: &Context<'_>, draft: &mut Draft, because: &Because) {
    let command = |name: &str| Capability::Command(name.to_owned());
    draft
        .packages
        .named("python3", command("python3"), because.clone());
    draft.packages.named(
        "python3-venv",
        Capability::Python("ensurepip".to_owned()),
        because.clone(),
    );
}

fn interpreter(ctx: &Context<'_>, draft: &mut Draft, because: &Because) {
    python_packages(ctx, draft, because);
    if draft
        .toolchains
        .iter()
        .any(|toolchain| toolchain.name == "python")
    {
        return;
    }
    let demands = demands(ctx.graph, ctx.constraints, "python");
    let offered = ctx.base.tools.get("python").cloned();
    let chosen = offered
        .as_deref()
        .and_then(|version| choose(&demands, &[version]));
    let (version, channel) = match &chosen {
        Some((version, conflict)) => {
            draft.conflicts.extend(conflict.clone());
            (Some(version.clone()), Channel::Distribution)
        }
        None => (None, Channel::Uv),
    };
    draft.toolchains.push(Toolchain {
        name: "python".to_owned(),
        requirement: demands
            .first()
            .map(|d| d.requirement.clone())
            .unwrap_or_default(),
        version,
        channel,
        because: demands
            .iter()
            .map(|demand| demand.because.clone())
            .chain([because.clone()])
            .take(3)
            .collect(),
        rejected: Vec::new(),
    });
}

fn environment(ctx: &Context<'_>, draft: &Draft, because: &Because) -> Step {
    let toolchain = draft
        .toolchains
        .iter()
        .find(|toolchain| toolchain.name == "python");
    // An interpreter of the base is named by path: uv would prefer one it manages.
    let python = match toolchain {
        Some(toolchain) if toolchain.channel == Channel::Uv => toolchain.requirement.clone(),
        _ => "/usr/bin/python3".to_owned(),
    };
    let mut values = BTreeMap::from([("python".to_owned(), python)]);
    if let Some(date) = ctx.as_of {
        values.insert("exclude-newer".to_owned(), date.to_owned());
    }
    Step {
        id: "python/environment".to_owned(),
        layer: Layer::Runtimes,
        dir: String::new(),
        action: Action::Template {
            template: "python-uv".to_owned(),
            values,
        },
        unless: None,
        because: toolchain
            .map(|toolchain| toolchain.because.clone())
            .unwrap_or_else(|| vec![because.clone()]),
    }
}

/// Compiler and headers for extensions; system libraries that manifests name.
fn native_needs(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    draft: &mut Draft,
    because: &Because,
) {
    let dependencies = ctx.graph.dependencies(project);
    system::add_declared(&mut draft.packages, ctx.index, &dependencies);
    let Some(extension) = facts.attr("extension") else {
        return;
    };
    let why = Because::at(
        extension.place.clone(),
        Trust::Manifest,
        format!("{} extension", extension.value),
    );
    let cpp = ctx
        .repository
        .files
        .iter()
        .any(|file| !file.vendored && file.language.as_deref() == Some("cpp"));
    draft
        .packages
        .named("gcc", Capability::Command("gcc".to_owned()), why.clone());
    draft.packages.named(
        "libc6-dev",
        Capability::Header("stdio.h".to_owned()),
        why.clone(),
    );
    if cpp
        || matches!(
            extension.value.as_str(),
            "meson-python" | "scikit-build-core" | "scikit-build"
        )
    {
        draft
            .packages
            .named("g++", Capability::Command("g++".to_owned()), why.clone());
    }
    if extension.value.contains("rust") || extension.value == "maturin" {
        draft.packages.tool(ctx.index, "cargo", why.clone());
    }
    draft.packages.named(
        "python3-dev",
        Capability::Header("Python.h".to_owned()),
        why.clone(),
    );
    system::add_included(&mut draft.packages, ctx.index, ctx.graph, &facts.dir);
    if facts.attr("pkg-config").is_some() {
        draft
            .packages
            .tool(ctx.index, "pkg-config", because.clone());
    }
}

fn run(id: String, layer: Layer, dir: &str, argv: Vec<String>, because: Vec<Because>) -> Step {
    Step {
        id,
        layer,
        dir: dir.to_owned(),
        action: Action::run(argv),
        unless: None,
        because,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// `uv pip install -r` for the requirements files that installing and testing need.
fn requirement_files(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    because: &Because,
) -> Vec<Step> {
    let mut files: Vec<(String, Place)> = Vec::new();
    let packaged = facts
        .attr("layout")
        .is_none_or(|attr| attr.value != "requirements");
    for attr in facts.all("requirements") {
        let name = attr
            .value
            .rsplit('/')
            .next()
            .unwrap_or("")
            .to_ascii_lowercase();
        let parent = attr.value.to_ascii_lowercase();
        let tests = ["test", "dev", "ci"]
            .iter()
            .any(|word| parent.contains(word));
        let aside = [
            "doc", "lint", "release", "publish", "bench", "mypy", "typ", "style", "fmt",
        ]
        .iter()
        .any(|word| parent.contains(word));
        let main =
            !packaged && (name == "requirements.txt" || name == "base.txt" || name == "main.txt");
        if (main || tests) && !aside {
            files.push((attr.value.clone(), attr.place.clone()));
        }
    }
    if files.is_empty() {
        return Vec::new();
    }
    let _ = (ctx, project);
    let mut argv = words("uv pip install");
    let mut why = Vec::new();
    for (file, place) in files {
        let relative = file
            .strip_prefix(&within(&facts.dir, ""))
            .unwrap_or(&file)
            .to_owned();
        argv.extend(["-r".to_owned(), relative]);
        why.push(Because::at(place, Trust::Manifest, file));
    }
    if why.is_empty() {
        why.push(because.clone());
    }
    vec![run(
        step_id(&facts.dir, "requirements"),
        Layer::Runtimes,
        &facts.dir,
        argv,
        why,
    )]
}

/// The project itself: from its lock file where uv can, else with the extra its tests need.
fn install(ctx: &Context<'_>, facts: &ProjectFacts, because: &Because) -> Step {
    let id = step_id(&facts.dir, "install");
    let locks = facts.all("lock");
    let lock = |name: &str| locks.iter().find(|attr| attr.value.ends_with(name));
    if let Some(attr) = lock("uv.lock") {
        let why = vec![Because::at(attr.place.clone(), Trust::Lock, "uv.lock")];
        return run(
            id,
            Layer::Project,
            &facts.dir,
            words("uv sync --active --frozen --all-extras --all-groups"),
            why,
        );
    }
    if let Some(attr) = lock("poetry.lock") {
        let why = vec![Because::at(attr.place.clone(), Trust::Lock, "poetry.lock")];
        return run(
            id,
            Layer::Project,
            &facts.dir,
            words("uv tool run poetry install --no-interaction --all-extras"),
            why,
        );
    }
    if let Some(attr) = lock("pdm.lock") {
        let why = vec![Because::at(attr.place.clone(), Trust::Lock, "pdm.lock")];
        return run(
            id,
            Layer::Project,
            &facts.dir,
            words("uv tool run pdm sync --group :all --no-isolation"),
            why,
        );
    }
    let mut why = vec![because.clone()];
    let extras: BTreeSet<String> = ctx_extras(facts).into_iter().collect();
    let target = match extras.is_empty() {
        true => ".".to_owned(),
        false => {
            why.extend(
                facts
                    .all("extra")
                    .iter()
                    .filter(|attr| extras.contains(&attr.value))
                    .map(|attr| {
                        Because::at(
                            attr.place.clone(),
                            Trust::Manifest,
                            format!("extra {}", attr.value),
                        )
                    }),
            );
            format!(".[{}]", extras.into_iter().collect::<Vec<_>>().join(","))
        }
    };
    let mut argv = words("uv pip install");
    // These backends' editable installs rebuild at import time with tools of the build environment that is gone.
    let editable = !facts
        .all("extension")
        .iter()
        .any(|attr| matches!(attr.value.as_str(), "meson-python" | "scikit-build-core"));
    if editable {
        argv.push("-e".to_owned());
    }
    argv.push(target);
    for attr in facts.all("test-group") {
        argv.extend(["--group".to_owned(), attr.value.clone()]);
        why.push(Because::at(
            attr.place.clone(),
            Trust::Manifest,
            format!("group {}", attr.value),
        ));
    }
    let _ = ctx;
    run(id, Layer::Project, &facts.dir, argv, why)
}

/// Extras that hold what the tests need: as the manifest reader saw, by their usual names otherwise.
fn ctx_extras(facts: &ProjectFacts) -> Vec<String> {
    let named: Vec<String> = facts
        .all("test-extra")
        .iter()
        .map(|attr| attr.value.clone())
        .collect();
    if !named.is_empty() {
        return named;
    }
    TEST_NAMES
        .iter()
        .find(|name| facts.all("extra").iter().any(|attr| attr.value == **name))
        .map(|name| vec![(*name).to_owned()])
        .unwrap_or_default()
}

fn test_suite(ctx: &Context<'_>, project: NodeId) -> Option<(&'static str, Because)> {
    ["pytest", "unittest"].into_iter().find_map(|framework| {
        has_suite(ctx, project, framework).map(|because| (framework, because))
    })
}

/// The test runner where no extra, group or requirements file that is installed brings it.
fn test_tools(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    suite: Option<&(&'static str, Because)>,
) -> Option<Step> {
    let (framework, because) = suite?;
    let mut needed: Vec<String> = Vec::new();
    if *framework == "pytest" && !installs(ctx, project, facts, "pytest") {
        needed.push("pytest".to_owned());
    }
    // What tox or nox installs beside the project, where no extra or group does.
    if ctx_extras(facts).is_empty() && facts.all("test-group").is_empty() {
        needed.extend(facts.all("tox-dep").iter().map(|attr| attr.value.clone()));
    }
    needed.dedup();
    if needed.is_empty() {
        return None;
    }
    let mut argv = words("uv pip install");
    argv.extend(needed);
    Some(run(
        step_id(&facts.dir, "test-tools"),
        Layer::Project,
        &facts.dir,
        argv,
        vec![because.clone()],
    ))
}

/// Whether what is installed anyway declares `package` as a dependency.
fn installs(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, package: &str) -> bool {
    if facts
        .all("lock")
        .iter()
        .any(|attr| attr.value.ends_with("uv.lock"))
    {
        return true;
    }
    let chosen: Vec<String> = ctx_extras(facts)
        .into_iter()
        .chain(
            facts
                .all("test-group")
                .iter()
                .map(|attr| attr.value.clone()),
        )
        .collect();
    let is = |node: &Node, dep: &DependencyFacts| {
        let name = dep
            .spec
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
            .next()
            .unwrap_or(&node.name);
        dep.ecosystem == "pypi" && name.eq_ignore_ascii_case(package)
    };
    ctx.graph
        .dependencies(project)
        .into_iter()
        .any(|(node, dep)| {
            let installed = match &dep.scope {
                Scope::Optional(name) => chosen.contains(name),
                Scope::Runtime | Scope::Test => true,
                Scope::Dev | Scope::Build => false,
            };
            installed && is(node, dep)
        })
}

fn unittest(facts: &ProjectFacts) -> String {
    let start = facts
        .attr("test-dir")
        .map_or("", |attr| attr.value.as_str());
    match shlex::try_quote(start) {
        Ok(quoted) if !start.is_empty() => {
            format!("python -m unittest discover -v -s {quoted} -t .")
        }
        _ => "python -m unittest discover -v".to_owned(),
    }
}

fn entry_points(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts) -> Vec<ReadyCommand> {
    ctx.graph
        .out(project, EdgeKind::Provides)
        .into_iter()
        .filter_map(|node| {
            let place = node
                .place
                .clone()
                .unwrap_or_else(|| Place::file("pyproject.toml"));
            let name = shlex::try_quote(&node.name).ok()?.into_owned();
            let command = match node.facts {
                Facts::EntryPoint {
                    entry: EntryKind::Command,
                } => format!("{name} --help"),
                Facts::EntryPoint {
                    entry: EntryKind::Script,
                } if node.name.ends_with(".py") => {
                    format!("python {name} --help")
                }
                Facts::EntryPoint {
                    entry: EntryKind::Script,
                } => format!("python -m {name} --help"),
                _ => return None,
            };
            let because = Because::at(place, Trust::Manifest, format!("entry point {}", node.name));
            Some(ready(
                Level::Runnability,
                command,
                &facts.dir,
                None,
                because,
            ))
        })
        .collect()
}

/// Importing the package: a smoke probe, which alone proves no level.
fn import_probe(facts: &ProjectFacts) -> Option<ReadyCommand> {
    let attr = facts.attr("import")?;
    let module: String = attr
        .value
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
        .collect();
    (module == attr.value && !module.is_empty()).then(|| {
        ready(
            Level::Testability,
            format!("python -c 'import {module}'"),
            &facts.dir,
            None,
            Because::at(
                attr.place.clone(),
                Trust::Convention,
                format!("package {module}"),
            ),
        )
    })
}
