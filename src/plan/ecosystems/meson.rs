//! Meson (meson(1)): `meson setup`, `meson compile`, `meson test`.

use crate::graph::{NodeId, ProjectFacts};
use crate::plan::demand::{choose, demands};
use crate::plan::model::{Action, Channel, Guard, Layer, ProjectPlan, Step, Toolchain};
use crate::pyramid::Level;

use super::native::{add_toolchain, build_dir, has_suite, ready};
use super::{Context, Draft, declared, project_name, step_id};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "meson.build", "Meson project");
    add_toolchain(ctx, project, facts, draft);
    draft
        .packages
        .tool(ctx.index, "pkg-config", because.clone());
    draft.packages.tool(ctx.index, "ninja", because.clone());
    let demands = demands(ctx.graph, ctx.constraints, "meson");
    let offered = ctx.base.tools.get("meson").cloned();
    let fits = offered
        .as_deref()
        .is_some_and(|version| choose(&demands, &[version]).is_some());
    draft.toolchains.push(Toolchain {
        name: "meson".to_owned(),
        requirement: demands
            .first()
            .map(|d| d.requirement.clone())
            .unwrap_or_default(),
        version: if fits { offered } else { None },
        channel: if fits {
            Channel::Distribution
        } else {
            Channel::Uv
        },
        because: demands
            .iter()
            .map(|d| d.because.clone())
            .chain([because.clone()])
            .take(3)
            .collect(),
        rejected: Vec::new(),
    });
    let mut steps = Vec::new();
    if fits {
        draft.packages.tool(ctx.index, "meson", because.clone());
    } else {
        steps.push(super::python::tool_step(
            ctx, draft, "meson", &demands, &because,
        ));
    }
    let build = build_dir(ctx, &facts.dir);
    let step = |what: &str, argv: Vec<&str>, unless: Option<Guard>| Step {
        id: step_id(&facts.dir, what),
        layer: Layer::Project,
        dir: facts.dir.clone(),
        action: Action::run(argv),
        unless,
        because: vec![because.clone()],
    };
    steps.push(step(
        "configure",
        vec!["meson", "setup", &build],
        Some(Guard::Exists(format!("{build}/build.ninja"))),
    ));
    steps.push(step("build", vec!["meson", "compile", "-C", &build], None));
    let mut commands = vec![ready(
        Level::Installability,
        format!("meson compile -C {build}"),
        &facts.dir,
        None,
        because.clone(),
    )];
    if let Some(suite) = has_suite(ctx, project, "meson") {
        commands.push(ready(
            Level::Testability,
            format!("meson test -C {build} --print-errorlogs"),
            &facts.dir,
            Some("meson"),
            suite,
        ));
    }
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "meson".to_owned(),
        steps,
        ready: commands,
    });
}
