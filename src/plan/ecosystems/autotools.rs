//! Autotools (the GNU Coding Standards' `./configure && make && make check`), with and without a generated
//! `configure`, and hand-written `configure` scripts that are used the same way.

use crate::evidence::{Because, Trust};
use crate::graph::{NodeId, ProjectFacts};
use crate::plan::model::{Action, Guard, Layer, ProjectPlan, Step};
use crate::pyramid::Level;

use super::native::{add_toolchain, has_suite, ready};
use super::{Context, Draft, declared, project_name, step_id, within};

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    let because = declared(ctx, project, "configure.ac", "autotools project");
    add_toolchain(ctx, project, facts, draft);
    draft.packages.tool(ctx.index, "make", because.clone());
    let mut steps = Vec::new();
    let step = |what: &str, action: Action, unless: Option<&str>, because: &Because| Step {
        id: step_id(&facts.dir, what),
        layer: Layer::Project,
        dir: facts.dir.clone(),
        action,
        unless: unless.map(|file| Guard::Exists(file.to_owned())),
        because: vec![because.clone()],
    };
    if facts.attr("configure").is_none() && facts.attr("handwritten").is_none() {
        for tool in ["autoconf", "automake", "libtool", "pkg-config"] {
            let why =
                Because::no_place(Trust::Convention, "the checkout has no generated configure");
            draft.packages.tool(
                ctx.index,
                if tool == "libtool" {
                    "libtoolize"
                } else {
                    tool
                },
                why,
            );
        }
        let (action, why) = bootstrap(facts, &because);
        steps.push(step("bootstrap", action, Some("configure"), &why));
    }
    // A hand-written configure leaves no config.status; running it again costs seconds and changes nothing. One that
    // stands in the tree is of another machine.
    let done = (facts.attr("handwritten").is_none()
        && !ctx.repository.has(&within(&facts.dir, "config.status")))
    .then_some("config.status");
    let script = facts
        .attr("configure-script")
        .map_or("configure", |attr| attr.value.as_str());
    steps.push(step(
        "configure",
        Action::run([format!("./{script}")]),
        done,
        &because,
    ));
    steps.push(step("build", Action::run(["make"]), None, &because));
    let mut commands = vec![ready(
        Level::Installability,
        "make",
        &facts.dir,
        None,
        because.clone(),
    )];
    if let Some(suite) = has_suite(ctx, project, "automake") {
        commands.push(ready(
            Level::Testability,
            "make check",
            &facts.dir,
            Some("automake"),
            suite,
        ));
    } else if let Some(attr) = facts.attr("test-target") {
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
        ecosystem: "autotools".to_owned(),
        steps,
        ready: commands,
    });
}

/// The project's own script where it has one (told not to configure, as GNOME's convention has it), else autoreconf.
fn bootstrap(facts: &ProjectFacts, because: &Because) -> (Action, Because) {
    match facts.attr("bootstrap") {
        Some(attr) => (
            Action::Run {
                argv: vec!["sh".to_owned(), attr.value.clone()],
                env: vec![("NOCONFIGURE".to_owned(), "1".to_owned())],
            },
            Because::at(attr.place.clone(), Trust::Manifest, attr.value.clone()),
        ),
        None => (Action::run(["autoreconf", "-fi"]), because.clone()),
    }
}
