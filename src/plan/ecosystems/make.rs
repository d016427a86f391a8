//! Plain Make: the default goal, and whatever target the makefile tests by.

use crate::evidence::{Because, Trust};
use crate::graph::{NodeId, ProjectFacts};
use crate::plan::model::{Action, Layer, ProjectPlan, Step};
use crate::pyramid::Level;

use super::native::{add_toolchain, ready};
use super::{Context, Draft, declared, project_name, step_id};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "Makefile", "makefile");
    add_toolchain(ctx, project, facts, draft);
    draft.packages.tool(ctx.index, "make", because.clone());
    let steps = vec![Step {
        id: step_id(&facts.dir, "build"),
        layer: Layer::Project,
        dir: facts.dir.clone(),
        action: Action::run(["make"]),
        unless: None,
        because: vec![because.clone()],
    }];
    let mut commands = vec![ready(
        Level::Installability,
        "make",
        &facts.dir,
        None,
        because,
    )];
    if let Some(attr) = facts.attr("test-target") {
        let why = Because::at(
            attr.place.clone(),
            Trust::Manifest,
            format!("target {}", attr.value),
        );
        let command = format!("make {}", attr.value);
        commands.push(ready(Level::Testability, command, &facts.dir, None, why));
    }
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: "make".to_owned(),
        steps,
        ready: commands,
    });
}
