//! `envc run --fix`: one command, run until it passes. What it misses is installed between two tries; it goes on where
//! it stopped, and starts anew only where it remembers what was missing (configure's and CMake's caches do).

mod install;
mod model;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::diagnose::{self, At, Failure};
use crate::evidence::Because;
use crate::packages::{Capability, Manager};
use crate::plan::{BaseChoice, EnvVar, RepositoryId, SystemPackage};
use crate::pyramid::{self, Level, Pyramid, PyramidCommand};
use crate::repair::{self, Edit, Operation, Telemetry, TriedSet};
use crate::sandbox::{CommandSpec, Outcome, Sandbox, SandboxError, SnapshotId};
use crate::script::{self, Script};

use super::budget::Budget;
use super::capture::Capture;
use super::session::RunError;

pub use model::*;

/// The command's id in the one-command pyramid that repairs are asked about.
const COMMAND: &str = "command";

/// Failures of one output that are looked at.
const MOST_FAILURES: usize = 4;

/// What a fixing run works with.
pub struct Fixer<'a> {
    pub sandbox: &'a mut dyn Sandbox,
    /// The base's package manager.
    pub manager: Manager,
    /// Packages of the base that provide a capability, best first, each with the reason.
    pub index: &'a dyn Fn(&Capability) -> Vec<(String, String)>,
    /// Paths of the repository's files, relative to its root.
    pub files: &'a [String],
    pub own_modules: &'a [String],
    pub budget: Budget,
    pub observer: &'a mut dyn FnMut(FixEvent<'_>),
}

/// A run of the command.
struct Tried {
    outcome: Outcome,
    output: String,
}

/// A state of the sandbox to start from; `listed`: the manager's package lists are there and fresh.
#[derive(Clone)]
struct Start {
    snapshot: SnapshotId,
    listed: bool,
    clean: bool,
}

/// One candidate, taken apart.
#[derive(Default)]
struct Parts {
    packages: Vec<Addition>,
    env: Vec<(String, String)>,
}

struct State {
    spec: CommandSpec,
    script: Script,
    pyramid: Pyramid,
    tried: TriedSet,
    seen: BTreeSet<String>,
    clean: Start,
    listed: bool,
    fixed: Fixed,
}

impl Fixer<'_> {
    /// Runs the command, repairing what it fails on, until it passes or nothing more is known to help. The sandbox is left
    /// in the state after the last run that counted.
    pub fn fix(&mut self, spec: &CommandSpec) -> Result<Fixed, RunError> {
        let clean = Start {
            snapshot: self.sandbox.snapshot()?,
            listed: false,
            clean: true,
        };
        let mut state = State {
            spec: spec.clone(),
            script: no_script(),
            pyramid: one_command(spec),
            tried: TriedSet::default(),
            seen: BTreeSet::new(),
            clean,
            listed: false,
            fixed: nothing_yet(),
        };
        let mut ran = self.run(&mut state)?;
        while !ran.outcome.ok() {
            let failures = self.diagnose(&state, &ran);
            if let Some(first) = failures.first() {
                (self.observer)(FixEvent::Failed(first));
            }
            match self.repair_any(&mut state, &failures)? {
                Ok(next) => ran = next,
                Err(why) => {
                    state.fixed.failure = failures.into_iter().next();
                    state.fixed.gave_up = Some(why);
                    break;
                }
            }
        }
        state.fixed.outcome = ran.outcome;
        Ok(state.fixed)
    }

    fn run(&mut self, state: &mut State) -> Result<Tried, RunError> {
        state.fixed.runs += 1;
        let mut spec = state.spec.clone();
        spec.limits = self.budget.limits();
        let mut capture = Capture::default();
        let observer = &mut *self.observer;
        let finished = self.sandbox.run(&spec, &mut |bytes| {
            capture.push(bytes);
            observer(FixEvent::Output(bytes));
        })?;
        if finished.outcome == Outcome::Interrupted {
            return Err(SandboxError::Interrupted.into());
        }
        Ok(Tried {
            outcome: finished.outcome,
            output: capture.text(),
        })
    }

    fn diagnose(&self, state: &State, ran: &Tried) -> Vec<Failure> {
        diagnose::ranked(
            &ran.output,
            &At {
                layer: None,
                step: Some(COMMAND),
                argv: &state.spec.argv,
                outcome: ran.outcome,
                own_modules: self.own_modules,
            },
        )
    }

    /// Repairs the likeliest failure that can be: a message at the end (`zlib.h is required`) may only follow from one
    /// before it (`cc: not found`). The run that it leads to, or why there is none.
    fn repair_any(
        &mut self,
        state: &mut State,
        failures: &[Failure],
    ) -> Result<Result<Tried, String>, RunError> {
        let mut first_reason = None;
        for (at, failure) in failures.iter().take(MOST_FAILURES).enumerate() {
            let others = if at == 0 { failures } else { &[] };
            match self.repair(state, failure, others)? {
                Ok(ran) => {
                    if at > 0 {
                        // What did not help before may help now.
                        state.tried = TriedSet::default();
                        state.seen.clear();
                    }
                    return Ok(Ok(ran));
                }
                Err(why) => first_reason = first_reason.or(Some(why)),
            }
        }
        Ok(Err(first_reason.unwrap_or_else(|| {
            "nothing in the output says what is missing".to_owned()
        })))
    }

    /// Tries what may help against `failure`; `others` stood in the same output.
    fn repair(
        &mut self,
        state: &mut State,
        failure: &Failure,
        others: &[Failure],
    ) -> Result<Result<Tried, String>, RunError> {
        state.seen.insert(failure.key());
        let as_failed = Start {
            snapshot: self.sandbox.snapshot()?,
            listed: state.listed,
            clean: false,
        };
        let edits = self.candidates(state, failure);
        let mut possible = false;
        for edit in edits {
            let Some(mut parts) = self.parts(&edit.operation, failure) else {
                state.fixed.advice.push(edit.to_string());
                continue;
            };
            if parts.env.is_empty() && self.is_installed(state, &parts.packages)? {
                continue;
            }
            if let Err(why) = self.budget.attempt() {
                return Ok(Err(why));
            }
            possible = true;
            state.tried.insert(failure, &edit);
            self.add_companions(state, failure, others, &mut parts)?;
            if let Some(ran) =
                self.attempt(state, failure, &parts, &as_failed, others.is_empty())?
            {
                return Ok(Ok(ran));
            }
        }
        self.sandbox.rollback(&as_failed.snapshot)?;
        state.listed = as_failed.listed;
        Ok(Err(if possible {
            "nothing that was tried helped".to_owned()
        } else if let Some(missing) = &failure.missing {
            format!("no package of the base is known to provide {missing}")
        } else {
            "no package is known to help".to_owned()
        }))
    }

    /// Installs one candidate and runs again: where the command stopped, then from the clean state. `None`: it did not
    /// help. `follows`: the failure is not the first of its output; that it is gone is progress enough.
    fn attempt(
        &mut self,
        state: &mut State,
        failure: &Failure,
        parts: &Parts,
        as_failed: &Start,
        follows: bool,
    ) -> Result<Option<Tried>, RunError> {
        let before = state.spec.env.clone();
        for start in [as_failed.clone(), state.clean.clone()] {
            self.sandbox.rollback(&start.snapshot)?;
            state.listed = start.listed;
            state.spec.env.clone_from(&before);
            let earlier = if start.clean {
                state.fixed.added.clone()
            } else {
                (self.observer)(FixEvent::Installing(&parts.packages));
                Vec::new()
            };
            let all: Vec<&Addition> = earlier.iter().chain(&parts.packages).collect();
            if let Err(why) = self.install(state, &all)? {
                self.useless(state, parts, &why);
                return Ok(None);
            }
            for (name, value) in &parts.env {
                (self.observer)(FixEvent::Setting(name, value));
                state.spec.env.push((name.clone(), value.clone()));
            }
            (self.observer)(FixEvent::Again { clean: start.clean });
            let ran = self.run(state)?;
            let next: Vec<String> = self
                .diagnose(state, &ran)
                .iter()
                .map(Failure::key)
                .collect();
            let same = next.contains(&failure.key());
            let new = next.first().is_some_and(|key| !state.seen.contains(key));
            if ran.outcome.ok() || !same && (new || follows) {
                keep(state, parts);
                return Ok(Some(ran));
            }
            if !same {
                break;
            }
        }
        state.spec.env = before;
        self.useless(state, parts, "the command still fails in the same way");
        Ok(None)
    }

    fn useless(&mut self, state: &mut State, parts: &Parts, why: &str) {
        let what = parts.to_string();
        (self.observer)(FixEvent::Useless { what: &what, why });
        state.fixed.useless.push((what, why.to_owned()));
    }

    fn candidates(&self, state: &State, failure: &Failure) -> Vec<Edit> {
        let telemetry = Telemetry::default();
        let context = repair::Context {
            index: self.index,
            files: self.files,
            own_modules: self.own_modules,
            bases: &[],
            python: None,
            tried: &state.tried,
            telemetry: &telemetry,
        };
        repair::candidates(failure, &state.script, &state.pyramid, &context)
    }

    /// What an operation installs and sets, where that is all it does.
    fn parts(&self, operation: &Operation, failure: &Failure) -> Option<Parts> {
        match operation {
            Operation::AddPackage {
                capability,
                package,
            } => Some(Parts {
                packages: vec![self.addition(capability, package, failure)?],
                env: Vec::new(),
            }),
            Operation::SetEnv { name, value } | Operation::SetCommandEnv { name, value, .. } => {
                Some(Parts {
                    packages: Vec::new(),
                    env: vec![(name.clone(), value.clone())],
                })
            }
            Operation::All { operations } => {
                let mut all = Parts::default();
                for one in operations {
                    let part = self.parts(one, failure)?;
                    all.packages.extend(part.packages);
                    all.env.extend(part.env);
                }
                Some(all)
            }
            _ => None,
        }
    }

    fn addition(
        &self,
        capability: &Capability,
        package: &str,
        failure: &Failure,
    ) -> Option<Addition> {
        Some(Addition {
            capability: capability.clone(),
            words: install::words(capability, package, self.manager)?,
            because: failure.title.clone(),
            lines: failure.lines.clone(),
        })
    }

    /// What the same output says is missing in the same way (a parallel build stops at several sources): one run less
    /// for each.
    fn add_companions(
        &mut self,
        state: &State,
        failure: &Failure,
        others: &[Failure],
        parts: &mut Parts,
    ) -> Result<(), RunError> {
        if parts.packages.is_empty() {
            return Ok(());
        }
        let alike = |other: &&Failure| {
            other.kind == failure.kind && other.missing.is_some() && other.key() != failure.key()
        };
        for other in others.iter().filter(alike) {
            let best = self.candidates(state, other).into_iter().next();
            let part = best.and_then(|edit| self.parts(&edit.operation, other));
            for package in part.into_iter().flat_map(|part| part.packages) {
                let known = parts.packages.iter().any(|p| p.words == package.words);
                if !known && !self.is_installed(state, std::slice::from_ref(&package))? {
                    parts.packages.push(package);
                }
            }
        }
        Ok(())
    }
}

/// Takes over what helped.
fn keep(state: &mut State, parts: &Parts) {
    for addition in &parts.packages {
        for word in &addition.words {
            state.script.packages.push(SystemPackage {
                capability: addition.capability.clone(),
                package: word.clone(),
                because: Vec::new(),
            });
        }
    }
    for (name, value) in &parts.env {
        state.script.env.push(EnvVar {
            name: name.clone(),
            value: value.clone(),
            because: Vec::new(),
        });
    }
    state.fixed.added.extend(parts.packages.iter().cloned());
    state.fixed.env.extend(parts.env.iter().cloned());
}

impl std::fmt::Display for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.packages.iter().flat_map(|part| part.words.clone());
        let sets = self
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = words.chain(sets).collect();
        write!(f, "{}", all.join(" "))
    }
}

fn nothing_yet() -> Fixed {
    Fixed {
        schema: SCHEMA,
        outcome: Outcome::Exited(0),
        runs: 0,
        added: Vec::new(),
        env: Vec::new(),
        useless: Vec::new(),
        failure: None,
        gave_up: None,
        advice: Vec::new(),
    }
}

/// Repairs are edits of a script: here of one that has nothing but what is added.
fn no_script() -> Script {
    Script {
        schema: script::SCHEMA.to_owned(),
        repository: RepositoryId {
            name: String::new(),
            commit: None,
            as_of: None,
            marker: None,
        },
        base: BaseChoice {
            image: String::new(),
            id: String::new(),
            because: Vec::new(),
        },
        env: Vec::new(),
        packages: Vec::new(),
        steps: Vec::new(),
        ready: Vec::new(),
        verified: None,
    }
}

fn one_command(spec: &CommandSpec) -> Pyramid {
    let command = PyramidCommand {
        id: COMMAND.to_owned(),
        level: Level::Installability,
        command: shlex::try_join(spec.argv.iter().map(String::as_str)).unwrap_or_default(),
        dir: String::new(),
        env: std::collections::BTreeMap::new(),
        because: Vec::<Because>::new(),
        confidence: 1.0,
        runner: None,
        added: false,
    };
    Pyramid {
        schema: pyramid::SCHEMA.to_owned(),
        commands: vec![command],
        left_out: Vec::new(),
    }
}
