//! What to try for a failure, best first.

use std::path::Path;

use super::atom::operations;
use super::{Edit, Operation, Telemetry, TriedSet, apply, fuse, honesty, in_force, tried};
use crate::diagnose::{Failure, expand, knowledge};
use crate::evidence::{Because, Trust};
use crate::packages::Capability;
use crate::plan::{Action, Step};
use crate::pyramid::{Pyramid, PyramidCommand};
use crate::script::Script;

/// Providers of one capability that are tried.
const PROVIDERS: usize = 3;
/// Candidates for one failure.
const MOST: usize = 12;

/// What repairs know beside the failure, the script and the pyramid.
pub struct Context<'a> {
    /// Distribution packages that provide a capability, best first, each with its reason.
    pub index: &'a dyn Fn(&Capability) -> Vec<(String, String)>,
    /// Paths of the repository's files, relative to its root.
    pub files: &'a [String],
    /// Names of its own importable Python modules.
    pub own_modules: &'a [String],
    /// Ids of the bases a re-plan may choose, oldest first.
    pub bases: &'a [String],
    /// The Python in use, e.g. `3.12`.
    pub python: Option<&'a str>,
    pub tried: &'a TriedSet,
    pub telemetry: &'a Telemetry,
}

/// Everything a strategy may look at.
pub(crate) struct Problem<'a> {
    pub failure: &'a Failure,
    pub script: &'a Script,
    pub pyramid: &'a Pyramid,
    pub context: &'a Context<'a>,
}

/// Edits to try for `failure`, best first; empty where nothing is known to help. None was tried on this failure before,
/// none is in force already, and none is dishonest.
pub fn candidates(
    failure: &Failure,
    script: &Script,
    pyramid: &Pyramid,
    context: &Context<'_>,
) -> Vec<Edit> {
    let problem = Problem {
        failure,
        script,
        pyramid,
        context,
    };
    let mut proposed = [problem.by_index(), problem.by_unit()];
    // Where a unit says that the Python environment has a program, the environment's is the one that fits it.
    let python = |edit: &Edit| matches!(edit.operation, Operation::AddPythonRequirement { .. });
    if proposed
        .last()
        .and_then(|unit| unit.first())
        .is_some_and(python)
    {
        proposed.reverse();
    }
    let names = proposed
        .each_ref()
        .map(|edits| edits.iter().map(|e| tried::name(&e.operation)).collect());
    let mut order = fuse::<String>(&names);
    let edit_of = |name: &String| {
        let mut all = proposed.iter().flatten();
        all.find(|edit| tried::name(&edit.operation) == *name)
    };
    // Two rankings give pairs of equal score: what did well before goes first in each.
    let rate = |name: &String| {
        edit_of(name).map_or(0.0, |edit| context.telemetry.usage(&edit.origin).rate())
    };
    for pair in order.chunks_mut(2) {
        pair.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    }
    let usable = |edit: &&Edit| {
        let operation = &edit.operation;
        !context.tried.contains(failure, operation)
            && !in_force(operation, script, pyramid)
            && honesty::objection(operation, script, pyramid, context.files).is_none()
            && apply::possible(operation, script, pyramid)
    };
    let mut kept: Vec<Edit> = order
        .iter()
        .filter_map(edit_of)
        .filter(usable)
        .cloned()
        .collect();
    kept.truncate(MOST);
    kept
}

impl<'a> Problem<'a> {
    /// The evidence that an edit for this failure carries into the script.
    pub fn because(&self) -> Because {
        Because::no_place(Trust::Observed, self.failure.title.clone())
    }

    pub fn fill(&self, template: &str) -> Option<String> {
        expand(template, &self.failure.captures)
    }

    pub fn capture(&self, name: &str) -> Option<&'a str> {
        self.failure.captures.get(name).map(String::as_str)
    }

    pub fn failed_step(&self) -> Option<&'a Step> {
        self.failure.layer?;
        self.script.step(self.failure.step.as_deref()?)
    }

    pub fn failed_command(&self) -> Option<&'a PyramidCommand> {
        if self.failure.layer.is_some() {
            return None;
        }
        let id = self.failure.step.as_deref()?;
        self.pyramid.commands.iter().find(|c| c.id == id)
    }

    /// The words of what failed.
    pub fn words(&self) -> Vec<String> {
        if let Some(step) = self.failed_step() {
            return words_of(&step.action);
        }
        self.failed_command()
            .map(|command| words_of_text(&command.command))
            .unwrap_or_default()
    }

    /// Whether what failed runs `program`, with or without a directory before its name.
    pub fn runs(&self, program: &str) -> bool {
        self.words().iter().any(|word| base_name(word) == program)
    }

    /// The first step that runs `program` as its command or, behind a wrapper such as `uv`, as a word of it.
    pub fn step_running(&self, program: &str) -> Option<&'a Step> {
        self.script.steps.iter().find(|step| {
            words_of(&step.action)
                .iter()
                .take(4)
                .any(|word| base_name(word) == program)
        })
    }

    pub fn has_file(&self, path: &str) -> bool {
        self.context.files.iter().any(|file| file == path)
    }

    /// The capability's packages, those of its usual other spellings behind them.
    pub fn packages_for(&self, capability: &Capability) -> Vec<Operation> {
        let mut operations = Vec::new();
        for variant in variants(capability) {
            if operations.len() >= PROVIDERS || self.is_own(&variant) {
                break;
            }
            for (package, _) in (self.context.index)(&variant) {
                let taken = operations.iter().any(
                    |o| matches!(o, Operation::AddPackage { package: p, .. } if *p == package),
                );
                if !taken && operations.len() < PROVIDERS {
                    operations.push(Operation::AddPackage {
                        capability: variant.clone(),
                        package,
                    });
                }
            }
        }
        operations
    }

    /// A header that the repository has itself is not had from a package: the include path is wrong.
    fn is_own(&self, capability: &Capability) -> bool {
        let Capability::Header(header) = capability else {
            return false;
        };
        let wanted = Path::new(header);
        self.context
            .files
            .iter()
            .any(|f| Path::new(f).ends_with(wanted))
    }

    fn by_index(&self) -> Vec<Edit> {
        let Some(missing) = &self.failure.missing else {
            return Vec::new();
        };
        let operations = self.packages_for(missing);
        let edit = |operation| self.edit(operation, "package-index", None);
        operations.into_iter().map(edit).collect()
    }

    fn by_unit(&self) -> Vec<Edit> {
        let Some(unit) = knowledge().ok().and_then(|k| k.unit(&self.failure.kind)) else {
            return Vec::new();
        };
        let mut edits: Vec<Edit> = Vec::new();
        for atom in &unit.atoms {
            for operation in operations(atom, self) {
                let edit = self.edit(operation, &unit.id, atom.why.as_deref());
                if !edits.contains(&edit) {
                    edits.push(edit);
                }
            }
        }
        edits
    }

    fn edit(&self, operation: Operation, origin: &str, why: Option<&str>) -> Edit {
        let mut because = self.because();
        if let Some(why) = why {
            because.text = format!("{}: {why}", because.text);
        }
        Edit {
            operation,
            origin: origin.to_owned(),
            because,
        }
    }
}

pub(crate) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

pub fn words_of(action: &Action) -> Vec<String> {
    match action {
        Action::Run { argv, .. } => argv.clone(),
        Action::Shell { text } => words_of_text(text),
        Action::Template { template, .. } => vec![template.clone()],
    }
}

/// The words of a shell text; where its quotes do not close, by blanks.
pub(crate) fn words_of_text(text: &str) -> Vec<String> {
    shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect())
}

/// The capability and the spellings that providers use for the same thing.
fn variants(capability: &Capability) -> Vec<Capability> {
    let mut all = vec![capability.clone()];
    match capability {
        // Windows and macOS spellings in a source that a Linux build reaches too.
        Capability::Header(header) => {
            all.push(Capability::Header(header.to_lowercase()));
            all.push(Capability::Header(header.replace('\\', "/")));
        }
        Capability::PkgConfig(module) => {
            all.push(Capability::PkgConfig(module.to_lowercase()));
            all.push(Capability::PkgConfig(format!("lib{module}")));
        }
        Capability::CMake(package) => {
            all.push(Capability::CMake(package.to_uppercase()));
            all.push(Capability::PkgConfig(package.to_lowercase()));
            all.push(Capability::PkgConfig(format!(
                "lib{}",
                package.to_lowercase()
            )));
            all.push(Capability::Library(package.to_lowercase()));
        }
        Capability::Library(name) => {
            if let Some(rest) = name.strip_prefix("lib") {
                all.push(Capability::Library(rest.to_owned()));
            }
            all.push(Capability::PkgConfig(name.clone()));
            all.push(Capability::PkgConfig(format!("lib{name}")));
        }
        Capability::Python(module) => {
            let top = module.split('.').next().unwrap_or(module);
            all.push(Capability::Python(top.to_owned()));
        }
        _ => {}
    }
    all.dedup();
    all
}
