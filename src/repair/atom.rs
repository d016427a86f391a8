//! Atoms: the typed operations of a knowledge unit, as templates over the captures of its failure.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;

use super::candidates::Problem;
use super::{Operation, strategies};
use crate::diagnose::expand;
use crate::packages::Capability;
use crate::plan::{Action, Guard, Layer, Step};

/// One thing to try. Left out where a capture it names is absent, or a condition does not hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Atom {
    #[serde(flatten)]
    pub act: Act,
    /// Captures that must be there and match these expressions.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Programs one of which the failed step or command must run; empty: any.
    #[serde(default)]
    pub programs: Vec<String>,
    /// `script`: only for a failed layer; `pyramid`: only for a failed command.
    #[serde(default)]
    pub only: Option<Only>,
    /// In words, for the journal.
    #[serde(default)]
    pub why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Only {
    Script,
    Pyramid,
}

/// What an atom does. Names are those of [`Operation`], where it becomes one.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "op")]
pub enum Act {
    /// Up to three packages that provide it, by the index.
    AddPackage {
        capability: String,
    },
    /// The first package for each of several, which only help together.
    AddPackages {
        capabilities: Vec<String>,
    },
    /// A package by its Debian name, where no capability leads to it.
    InstallPackage {
        package: String,
    },
    /// Packages by their Debian names, separated by blanks, which a message asks for together.
    InstallPackages {
        packages: String,
    },
    SetEnv {
        name: String,
        value: String,
    },
    /// Before the failed step; at the end of the script where a pyramid command failed.
    AddStep {
        id: String,
        argv: Vec<String>,
        #[serde(default)]
        layer: Option<Layer>,
        /// Of the failed step by default.
        #[serde(default)]
        dir: Option<String>,
        /// The step is skipped where this path exists.
        #[serde(default)]
        exists: Option<String>,
    },
    /// To the failed step, or to the first step that runs `to`.
    AddArguments {
        arguments: Vec<String>,
        #[serde(default)]
        to: Option<String>,
    },
    AddPythonRequirement {
        requirement: String,
    },
    Replan {
        topic: String,
        value: String,
    },
    DropCommand {
        reason: String,
    },
    MoveCommand {
        dir: String,
    },
    SetCommandEnv {
        name: String,
        value: String,
    },
    /// What a file of `strategies/` works out.
    Strategy {
        name: String,
    },
}

/// The operations that `atom` comes to for this problem, best first.
pub(crate) fn operations(atom: &Atom, problem: &Problem<'_>) -> Vec<Operation> {
    if !applies(atom, problem) {
        return Vec::new();
    }
    match &atom.act {
        Act::AddPackage { capability } => problem
            .fill(capability)
            .and_then(|text| text.parse().ok())
            .map(|capability| problem.packages_for(&capability))
            .unwrap_or_default(),
        Act::AddPackages { capabilities } => together(capabilities, problem).into_iter().collect(),
        Act::Strategy { name } => strategies::run(name, problem),
        act => single(act, problem).into_iter().collect(),
    }
}

fn together(capabilities: &[String], problem: &Problem<'_>) -> Option<Operation> {
    let first = |template: &String| {
        let capability = problem.fill(template)?.parse().ok()?;
        problem.packages_for(&capability).into_iter().next()
    };
    Some(Operation::All {
        operations: capabilities.iter().map(first).collect::<Option<_>>()?,
    })
}

fn applies(atom: &Atom, problem: &Problem<'_>) -> bool {
    let captures = &problem.failure.captures;
    let place = match atom.only {
        Some(Only::Script) => problem.failure.layer.is_some(),
        Some(Only::Pyramid) => problem.failure.layer.is_none(),
        None => true,
    };
    // A unit's tests compile these; one that does not compile holds nowhere.
    let holds = |(name, pattern): (&String, &String)| {
        let Ok(regex) = Regex::new(pattern) else {
            return false;
        };
        captures
            .get(name)
            .is_some_and(|value| regex.is_match(value))
    };
    let program =
        atom.programs.is_empty() || atom.programs.iter().any(|program| problem.runs(program));
    place && program && atom.when.iter().all(holds)
}

fn single(act: &Act, problem: &Problem<'_>) -> Option<Operation> {
    let fill = |text: &String| problem.fill(text);
    Some(match act {
        Act::InstallPackage { package } => {
            let package = fill(package)?;
            Operation::AddPackage {
                capability: Capability::Package(package.clone()),
                package,
            }
        }
        Act::InstallPackages { packages } => Operation::All {
            operations: fill(packages)?
                .split_whitespace()
                .map(|package| Operation::AddPackage {
                    capability: Capability::Package(package.to_owned()),
                    package: package.to_owned(),
                })
                .collect(),
        },
        Act::SetEnv { name, value } => Operation::SetEnv {
            name: name.clone(),
            value: with_flags(problem, name, fill(value)?),
        },
        Act::AddStep { .. } => return add_step(act, problem),
        Act::AddArguments { arguments, to } => Operation::AddArguments {
            id: match to {
                Some(program) => problem.step_running(program)?.id.clone(),
                None => problem.failed_step()?.id.clone(),
            },
            arguments: arguments.iter().map(fill).collect::<Option<_>>()?,
        },
        Act::AddPythonRequirement { requirement } => Operation::AddPythonRequirement {
            requirement: fill(requirement)?,
        },
        Act::Replan { topic, value } => Operation::Replan {
            topic: topic.clone(),
            value: fill(value)?,
        },
        Act::DropCommand { reason } => Operation::DropCommand {
            id: problem.failed_command()?.id.clone(),
            reason: fill(reason)?,
        },
        Act::MoveCommand { dir } => Operation::MoveCommand {
            id: problem.failed_command()?.id.clone(),
            dir: fill(dir)?,
        },
        Act::SetCommandEnv { name, value } => Operation::SetCommandEnv {
            id: problem.failed_command()?.id.clone(),
            name: name.clone(),
            value: fill(value)?,
        },
        Act::AddPackage { .. } | Act::AddPackages { .. } | Act::Strategy { .. } => return None,
    })
}

/// Flags join those that the script sets already; any other variable has one value.
fn with_flags(problem: &Problem<'_>, name: &str, value: String) -> String {
    let set = problem.script.env.iter().find(|var| var.name == name);
    let Some(old) = set.filter(|_| name.ends_with("FLAGS") && name != "MAKEFLAGS") else {
        return value;
    };
    let mut words: Vec<&str> = old.value.split_whitespace().collect();
    for word in value.split_whitespace() {
        // The defaults of autoconf stand for "nothing was set".
        if !words.contains(&word) && !matches!(word, "-g" | "-O2") {
            words.push(word);
        }
    }
    words.join(" ")
}

fn add_step(act: &Act, problem: &Problem<'_>) -> Option<Operation> {
    let Act::AddStep {
        id,
        argv,
        layer,
        dir,
        exists,
    } = act
    else {
        return None;
    };
    let failed = problem.failed_step();
    let fill = |text: &String| expand(text, &problem.failure.captures);
    let argv: Vec<String> = argv.iter().map(fill).collect::<Option<_>>()?;
    let dir = match dir {
        Some(dir) => fill(dir)?,
        None => failed.map(|step| step.dir.clone()).unwrap_or_default(),
    };
    Some(Operation::AddStep {
        step: Step {
            id: fill(id)?,
            layer: layer
                .or_else(|| failed.map(|step| step.layer))
                .unwrap_or(Layer::Project),
            dir,
            action: Action::run(argv),
            unless: exists.as_ref().and_then(fill).map(Guard::Exists),
            because: vec![problem.because()],
        },
        before: failed.map(|step| step.id.clone()),
    })
}
