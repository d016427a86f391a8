//! Plan → script: what is installed, in which order, and what is said at the end.

use std::collections::BTreeMap;

use crate::evidence::{Because, Trust};
use crate::plan::{Action, Plan, Step, SystemPackage};
use crate::pyramid::Level;

use super::{SCHEMA, Script, toolchain};

/// The script of a plan: packages sorted by name and each named once, steps by layer (in the plan's order within a
/// layer), and the lines that say how to use the result.
pub fn from_plan(plan: &Plan) -> Script {
    let mut steps: Vec<Step> = plan
        .projects
        .iter()
        .flat_map(|project| project.steps.iter().cloned())
        .collect();
    steps.sort_by_key(|step| step.layer);
    Script {
        schema: SCHEMA.to_owned(),
        repository: plan.repository.clone(),
        base: plan.base.clone(),
        env: plan.env.clone(),
        packages: packages(plan, &steps),
        steps,
        ready: ready(plan),
        verified: None,
    }
}

/// The plan's packages and those that the steps' templates need, by name; reasons of doubles are joined.
fn packages(plan: &Plan, steps: &[Step]) -> Vec<SystemPackage> {
    let mut by_name: BTreeMap<String, SystemPackage> = BTreeMap::new();
    for package in plan.packages.iter().cloned().chain(of_templates(steps)) {
        match by_name.get_mut(&package.package) {
            None => {
                by_name.insert(package.package.clone(), package);
            }
            Some(known) => {
                for because in package.because {
                    if !known.because.contains(&because) {
                        known.because.push(because);
                    }
                }
            }
        }
    }
    by_name.into_values().collect()
}

fn of_templates(steps: &[Step]) -> Vec<SystemPackage> {
    let mut packages = Vec::new();
    for step in steps {
        let Action::Template { template, .. } = &step.action else {
            continue;
        };
        // An unknown template is reported when the text is written.
        let Ok(toolchain) = toolchain(template) else {
            continue;
        };
        for (capability, package) in toolchain.head.packages {
            let Ok(capability) = capability.parse() else {
                continue;
            };
            packages.push(SystemPackage {
                capability,
                package,
                because: vec![Because::no_place(
                    Trust::Convention,
                    format!("{template} needs it"),
                )],
            });
        }
    }
    packages
}

/// `test: …` and `run: …` lines, each once.
fn ready(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for level in [Level::Testability, Level::Runnability] {
        let verb = if level == Level::Testability {
            "test"
        } else {
            "run"
        };
        for project in &plan.projects {
            for ready in project.ready.iter().filter(|ready| ready.level == level) {
                let line = if ready.dir.is_empty() {
                    format!("{verb}: {}", ready.command)
                } else {
                    format!("{verb} (in {}): {}", ready.dir, ready.command)
                };
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
    }
    lines
}
