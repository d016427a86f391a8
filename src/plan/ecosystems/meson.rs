//! Meson (meson(1)): `meson setup`, `meson compile`, `meson test`.

use crate::graph::{NodeId, ProjectFacts};
use crate::plan::model::{Action, Guard, Layer, ProjectPlan, Step};
use crate::pyramid::Level;

use super::native::{add_toolchain, build_dir, build_tool, has_suite, ready};
use super::{Context, Draft, declared, project_name, step_id};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "meson.build", "Meson project");
    add_toolchain(ctx, project, facts, draft);
    draft
        .packages
        .tool(ctx.index, "pkg-config", because.clone());
    draft.packages.tool(ctx.index, "ninja", because.clone());
    let mut steps: Vec<Step> = build_tool(ctx, draft, "meson", &because)
        .into_iter()
        .collect();
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
