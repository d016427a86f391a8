//! Ecosystems whose own tool says how its projects are installed, built, tested and run: what the manifest's reader
//! found stands in the project's attributes (`install-command`, `build-command`, `test-command`, `run-command`), and
//! the toolchains are the tools that the project requires, from the distribution.

use crate::evidence::{Because, Trust};
use crate::graph::{Attr, EdgeKind, Facts, NodeId, ProjectFacts};
use crate::packages::{Capability, homonym, is_homonym};
use crate::plan::demand::{choose, demands};
use crate::plan::model::{Action, Channel, Layer, ProjectPlan, ReadyCommand, Step, Toolchain};
use crate::plan::system;
use crate::pyramid::Level;

use super::native::ready;
use super::{Context, Draft, project_name, step_id};

/// A toolchain by the graph's name for it.
struct Tool {
    name: &'static str,
    /// Its name among the tools of a base.
    base: &'static str,
    /// What has to be there to use it.
    commands: &'static [&'static str],
}

/// Names as `graph` writes them → programs. What is not here is a program of its own name.
const TOOLS: [Tool; 7] = [
    Tool {
        name: "node",
        base: "node",
        commands: &["node"],
    },
    Tool {
        name: "java",
        base: "jdk",
        commands: &["javac", "java"],
    },
    Tool {
        name: "maven",
        base: "maven",
        commands: &["mvn"],
    },
    Tool {
        name: "erlang",
        base: "erlang",
        commands: &["erl"],
    },
    Tool {
        name: "elixir",
        base: "elixir",
        commands: &["mix"],
    },
    Tool {
        name: "ocaml",
        base: "ocaml",
        commands: &["ocaml"],
    },
    Tool {
        name: "php",
        base: "php",
        commands: &["php"],
    },
];

/// What an ecosystem's projects run on, where they do not say it: yarn and pnpm need Node.js all the same.
const RUNTIMES: [(&str, &str); 12] = [
    ("node", "node"),
    ("php", "php"),
    ("ruby", "ruby"),
    ("go", "go"),
    ("maven", "java"),
    ("gradle", "java"),
    ("sbt", "java"),
    ("ant", "java"),
    ("elixir", "elixir"),
    ("perl", "perl"),
    ("swift", "swift"),
    ("zig", "zig"),
];

/// Whether a project can be planned from what its manifest says.
pub fn applies(facts: &ProjectFacts) -> bool {
    const COMMANDS: [&str; 4] = [
        "install-command",
        "build-command",
        "test-command",
        "run-command",
    ];
    COMMANDS.iter().any(|name| facts.attr(name).is_some())
}

pub fn plan(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts, draft: &mut Draft) {
    for node in ctx.graph.out(project, EdgeKind::Requires) {
        if let (Facts::Tool { .. }, Some(place)) = (&node.facts, &node.place) {
            let because = Because::at(
                place.clone(),
                Trust::Manifest,
                format!("needs {}", node.name),
            );
            toolchain(ctx, draft, &node.name, because);
        }
    }
    if let Some((_, runtime)) = RUNTIMES.iter().find(|(of, _)| *of == facts.ecosystem) {
        toolchain(
            ctx,
            draft,
            runtime,
            super::declared(ctx, project, "", "project"),
        );
    }
    system::add_declared(
        &mut draft.packages,
        ctx.index,
        &ctx.graph.dependencies(project),
    );
    let mut steps = Vec::new();
    for (what, layer) in [("install", Layer::Runtimes), ("build", Layer::Project)] {
        for (at, attr) in facts.all(&format!("{what}-command")).iter().enumerate() {
            program(ctx, draft, attr);
            let name = if at == 0 {
                what.to_owned()
            } else {
                format!("{what}-{}", at + 1)
            };
            steps.push(Step {
                id: step_id(&facts.dir, &name),
                layer,
                dir: facts.dir.clone(),
                action: action(&attr.value),
                unless: None,
                because: vec![said(attr)],
            });
        }
    }
    let ready = commands(ctx, project, facts, draft);
    draft.projects.push(ProjectPlan {
        name: project_name(ctx, facts),
        dir: facts.dir.clone(),
        ecosystem: facts.ecosystem.clone(),
        steps,
        ready,
    });
}

fn commands(
    ctx: &Context<'_>,
    project: NodeId,
    facts: &ProjectFacts,
    draft: &mut Draft,
) -> Vec<ReadyCommand> {
    let levels = [
        ("install-command", Level::Installability),
        ("build-command", Level::Installability),
        ("test-command", Level::Testability),
        ("run-command", Level::Runnability),
    ];
    let suite = ctx
        .graph
        .into(project, EdgeKind::Tests)
        .into_iter()
        .find_map(|node| match &node.facts {
            Facts::TestSuite { framework } => Some(framework.clone()),
            _ => None,
        });
    let mut ready_commands = Vec::new();
    for (name, level) in levels {
        for attr in facts.all(name) {
            program(ctx, draft, attr);
            let runner = suite.as_deref().filter(|_| level == Level::Testability);
            ready_commands.push(ready(
                level,
                attr.value.clone(),
                &facts.dir,
                runner,
                said(attr),
            ));
        }
    }
    ready_commands
}

/// Words where the command is plain words; else the text as its repository wrote it.
fn action(command: &str) -> Action {
    let plain = !command.contains(['$', '`', '|', '&', ';', '<', '>', '(', '*', '?', '~', '\n']);
    match shlex::split(command).filter(|words| plain && !words.is_empty()) {
        Some(words) => Action::run(words),
        None => Action::Shell {
            text: command.to_owned(),
        },
    }
}

fn said(attr: &Attr) -> Because {
    Because::at(attr.place.clone(), Trust::Convention, attr.value.clone())
}

/// The program that a command begins with, where the distribution has it; one of the repository's own needs nothing.
fn program(ctx: &Context<'_>, draft: &mut Draft, attr: &Attr) {
    let words = shlex::split(&attr.value).unwrap_or_default();
    let name = words.iter().find(|word| !word.contains('='));
    let Some(name) = name.filter(|name| !name.contains('/')) else {
        return;
    };
    let capability = Capability::Command(name.clone());
    match provider(ctx, &capability) {
        Some(package) => draft.packages.named(&package, capability, said(attr)),
        None if homonym(name).is_some() => {
            draft.packages.unresolved.push((capability, said(attr)));
        }
        None => {}
    }
}

/// The best package with a command that is the tool which is meant.
fn provider(ctx: &Context<'_>, capability: &Capability) -> Option<String> {
    let name = capability.parts().1;
    let packages = ctx
        .index
        .providers(capability)
        .into_iter()
        .map(|found| found.package);
    packages
        .into_iter()
        .find(|package| !is_homonym(name, package))
}

fn toolchain(ctx: &Context<'_>, draft: &mut Draft, name: &str, because: Because) {
    if draft
        .toolchains
        .iter()
        .any(|toolchain| toolchain.name == name)
    {
        return;
    }
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    let own = [name];
    let commands = tool.map_or(&own[..], |tool| tool.commands);
    let demands = demands(ctx.graph, ctx.constraints, name);
    let offered = ctx
        .base
        .tools
        .get(tool.map_or(name, |tool| tool.base))
        .cloned();
    let fits = offered
        .as_deref()
        .is_some_and(|version| choose(&demands, &[version]).is_some());
    let requirement = demands
        .first()
        .map(|demand| demand.requirement.clone())
        .unwrap_or_default();
    if let Some(version) = offered.as_deref().filter(|_| !fits) {
        draft.notes.push(format!(
            "{name} {requirement} is asked for ({because}); {} has {version}, and envc has no other channel for {name} yet",
            ctx.base.image
        ));
    }
    for command in commands {
        let capability = Capability::Command((*command).to_owned());
        match provider(ctx, &capability) {
            Some(package) => draft.packages.named(&package, capability, because.clone()),
            None => draft
                .packages
                .unresolved
                .push((capability, because.clone())),
        }
    }
    draft.toolchains.push(Toolchain {
        name: name.to_owned(),
        requirement,
        version: offered,
        channel: Channel::Distribution,
        because: demands
            .iter()
            .map(|demand| demand.because.clone())
            .chain([because])
            .take(3)
            .collect(),
        rejected: Vec::new(),
    });
}

/// Toolchains of a project that decide over the base, by the names of `plan/base.rs`.
pub fn deciding(ctx_graph: &crate::graph::KnowledgeGraph, project: NodeId) -> Vec<String> {
    let tools = ctx_graph.out(project, EdgeKind::Requires);
    let names = tools
        .into_iter()
        .filter(|node| matches!(node.facts, Facts::Tool { .. }));
    names.map(|node| node.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_arguments_and_anything_else_stays_text() {
        assert_eq!(action("npm ci"), Action::run(["npm", "ci"]));
        assert_eq!(
            action("go test './...'"),
            Action::run(["go", "test", "./..."])
        );
        for text in ["a && b", "echo $HOME", "x > y", "", "'open"] {
            assert_eq!(
                action(text),
                Action::Shell {
                    text: text.to_owned()
                },
                "{text}"
            );
        }
    }
}
