//! What the loops share: the sandbox, the work as it stands, and the means to run a command and tell of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::diagnose::{self, At, Failure};
use crate::packages::Capability;
use crate::plan::{Constraints, Layer, Plan};
use crate::pyramid::{Level, Pyramid, PyramidCommand};
use crate::repair::{ApplyError, Telemetry, TriedSet};
use crate::sandbox::{
    CommandSpec, Finished, Network, Outcome, REPOSITORY_DIR, Sandbox, SandboxError, SnapshotId,
};
use crate::scan::Repository;
use crate::script::{self, Script, ScriptError};
use crate::verify;

use super::budget::Budget;
use super::capture::{Capture, Lines};
use super::model::{CommandResult, Event, LayerResult, Observer, RepairRecord, What};
use super::progress::{Keeper, Progress};

/// Where the script stands in a sandbox: outside of the repository, so that nothing of it is mistaken for a file of
/// the project.
pub const SCRIPT_PATH: &str = "/opt/envc/setup.sh";

/// Why a run could not go on. A command's failure is no error: it is diagnosed and reported.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// What is run and repaired.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Work {
    pub plan: Plan,
    pub script: Script,
    pub pyramid: Pyramid,
    pub constraints: Constraints,
}

/// Plans again under other constraints; `None` where there is no such plan.
pub type Replan<'a> = dyn Fn(&Constraints) -> Option<Work> + 'a;

/// One run in one sandbox.
pub struct Session<'a> {
    pub sandbox: &'a mut dyn Sandbox,
    pub repository: &'a Repository,
    /// Relative to the repository's root.
    pub files: Vec<PathBuf>,
    /// The same as text, for repairs.
    pub(super) names: Vec<String>,
    /// Python modules that the repository itself holds.
    pub(super) own_modules: Vec<String>,
    pub work: Work,
    /// The work as it was planned, before any repair.
    pub(super) planned: Work,
    pub budget: Budget,
    pub observer: &'a mut dyn Observer,
    /// Packages of the base that provide a capability, best first, each with the reason.
    pub index: &'a dyn Fn(&Capability) -> Vec<(String, String)>,
    pub replan: &'a Replan<'a>,
    pub telemetry: Telemetry,
    /// Makes the progress last; `None`: it is not kept.
    pub keeper: Option<Box<dyn Keeper>>,
    /// Progress of an earlier run, in whose kept state the sandbox is.
    pub resumed: Option<Progress>,
    pub(super) tried: TriedSet,
    pub(super) seen: BTreeSet<String>,
    pub(super) repairs: Vec<RepairRecord>,
    /// The clean base with the repository in it.
    pub(super) clean: Option<SnapshotId>,
    pub(super) after: BTreeMap<Layer, SnapshotId>,
    /// Layers that passed, for the keeper.
    pub(super) passed: Vec<LayerResult>,
    /// Results of an earlier run.
    pub(super) done: BTreeMap<String, CommandResult>,
    /// The state that the keeper has, and the seconds it took to get there.
    pub(super) kept: Option<SnapshotId>,
    pub(super) kept_wall: f64,
}

/// A command's end with what it printed.
pub struct Ran {
    pub finished: Finished,
    pub output: String,
}

impl<'a> Session<'a> {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        sandbox: &'a mut dyn Sandbox,
        repository: &'a Repository,
        files: Vec<PathBuf>,
        work: Work,
        budget: Budget,
        observer: &'a mut dyn Observer,
        index: &'a dyn Fn(&Capability) -> Vec<(String, String)>,
        replan: &'a Replan<'a>,
    ) -> Self {
        Self {
            sandbox,
            repository,
            names: repository
                .files
                .iter()
                .map(|file| file.path.clone())
                .collect(),
            own_modules: own_modules(repository),
            files,
            planned: work.clone(),
            work,
            budget,
            observer,
            index,
            replan,
            telemetry: Telemetry::default(),
            keeper: None,
            resumed: None,
            tried: TriedSet::default(),
            seen: BTreeSet::new(),
            repairs: Vec::new(),
            clean: None,
            after: BTreeMap::new(),
            passed: Vec::new(),
            done: BTreeMap::new(),
            kept: None,
            kept_wall: 0.0,
        }
    }

    pub fn say(&mut self, what: What) {
        let at = self.budget.elapsed();
        self.observer.event(&Event { at, what });
    }

    /// Puts the repository into the empty sandbox. The state is kept as the clean base.
    pub fn enter(&mut self) -> Result<(), RunError> {
        self.sandbox
            .copy_in(&self.repository.root, &self.files, REPOSITORY_DIR)?;
        self.clean = Some(self.sandbox.snapshot()?);
        Ok(())
    }

    /// Returns to the clean base.
    pub fn leave(&mut self) -> Result<(), RunError> {
        self.after.clear();
        self.go_to_clean()
    }

    /// The clean base. A run that was taken up has it only from the first time on that it is asked for.
    pub(super) fn go_to_clean(&mut self) -> Result<(), RunError> {
        match self.clean.clone() {
            Some(clean) => Ok(self.sandbox.rollback(&clean)?),
            None => {
                self.sandbox.reset()?;
                self.enter()
            }
        }
    }

    /// Returns to the state after `layer`, where it was reached in this run; else stays where it is.
    pub fn return_to(&mut self, layer: Layer) -> Result<(), RunError> {
        if let Some(snapshot) = self.after.get(&layer) {
            self.sandbox.rollback(snapshot)?;
        }
        Ok(())
    }

    pub fn write_script(&mut self) -> Result<(), RunError> {
        let text = script::bash(&self.work.script)?;
        self.sandbox
            .write_file(SCRIPT_PATH, text.as_bytes(), 0o755)?;
        Ok(())
    }

    pub fn run_layer(
        &mut self,
        layer: Layer,
        attempt: u32,
    ) -> Result<(LayerResult, Ran), RunError> {
        let number = layer.number();
        self.say(What::LayerStarted {
            layer: number,
            attempt,
        });
        let spec = CommandSpec {
            argv: ["bash", SCRIPT_PATH, "--only", &number.to_string()]
                .map(str::to_owned)
                .to_vec(),
            dir: REPOSITORY_DIR.to_owned(),
            env: vec![("REPO".to_owned(), REPOSITORY_DIR.to_owned())],
            limits: self.budget.limits(),
            network: Network::Full,
        };
        let ran = self.run(&spec, &format!("layer-{number}"))?;
        let result = LayerResult {
            layer: number,
            outcome: ran.finished.outcome,
            wall: ran.finished.wall.as_secs_f64(),
        };
        self.say(What::LayerFinished {
            layer: number,
            outcome: result.outcome,
            wall: result.wall,
            reused: false,
        });
        Ok((result, ran))
    }

    /// Runs a pyramid command in the state the sandbox is in, and judges it.
    pub fn run_command(
        &mut self,
        command: &PyramidCommand,
    ) -> Result<(CommandResult, Ran), RunError> {
        self.say(What::CommandStarted {
            id: command.id.clone(),
            level: command.level,
            command: command.command.clone(),
        });
        let spec = command_spec(&self.work.script, command, self.budget.limits());
        let ran = self.run(&spec, &command.id)?;
        let (report, verdict, reason) = verify::judge(command, ran.finished.outcome, &ran.output);
        let result = CommandResult {
            id: command.id.clone(),
            level: command.level,
            command: command.command.clone(),
            dir: command.dir.clone(),
            outcome: ran.finished.outcome,
            wall: ran.finished.wall.as_secs_f64(),
            report,
            verdict,
            reason: reason.clone(),
            tail: tail(&ran.output, 40),
            journal: 0,
        };
        self.say(What::CommandFinished {
            id: command.id.clone(),
            outcome: result.outcome,
            wall: result.wall,
            verdict,
            reason,
        });
        Ok((result, ran))
    }

    fn run(&mut self, spec: &CommandSpec, name: &str) -> Result<Ran, RunError> {
        let mut capture = Capture::default();
        let mut lines = Lines::default();
        let (budget, observer) = (&self.budget, &mut *self.observer);
        let mut tell = |line: &str| {
            observer.event(&Event {
                at: budget.elapsed(),
                what: What::Output {
                    of: name.to_owned(),
                    text: format!("{}\n", crate::emit::sanitize(line)),
                },
            });
        };
        let finished = self.sandbox.run(spec, &mut |bytes| {
            capture.push(bytes);
            lines.push(bytes, &mut tell);
        })?;
        lines.flush(&mut tell);
        if finished.outcome == Outcome::Interrupted {
            return Err(SandboxError::Interrupted.into());
        }
        Ok(Ran {
            finished,
            output: capture.text(),
        })
    }

    /// What failed in a layer of the script: the likeliest cause, and what else its output shows.
    pub fn diagnose_layer(&mut self, layer: Layer, ran: &Ran) -> (Failure, Vec<Failure>) {
        let step = script::failed_step(&self.work.script, layer, &ran.output);
        let argv = step
            .map(|step| crate::repair::words_of(&step.action))
            .unwrap_or_default();
        let at = At {
            layer: Some(layer.number()),
            step: step.map(|step| step.id.as_str()),
            argv: &argv,
            outcome: ran.finished.outcome,
            own_modules: &self.own_modules,
        };
        let mut all = diagnose::ranked(&ran.output, &at).into_iter();
        let failure = all
            .next()
            .unwrap_or_else(|| diagnose::diagnose(&ran.output, &at));
        self.say(What::Diagnosed {
            failure: failure.clone(),
        });
        (failure, all.collect())
    }

    /// What failed in a command of the pyramid.
    pub fn diagnose_command(&mut self, command: &PyramidCommand, ran: &Ran) -> Failure {
        let failure = diagnose::diagnose(
            &ran.output,
            &At {
                layer: None,
                step: Some(&command.id),
                argv: &shlex::split(&command.command).unwrap_or_default(),
                outcome: ran.finished.outcome,
                own_modules: &self.own_modules,
            },
        );
        self.say(What::Diagnosed {
            failure: failure.clone(),
        });
        failure
    }
}

/// How a pyramid command is run: in its directory, in the environment that the script made.
pub fn command_spec(
    script: &Script,
    command: &PyramidCommand,
    limits: crate::sandbox::Limits,
) -> CommandSpec {
    command_spec_at(script, command, limits, &script::Location::default())
}

/// The same where the environment stands somewhere else, as it does in an image.
pub fn command_spec_at(
    script: &Script,
    command: &PyramidCommand,
    limits: crate::sandbox::Limits,
    location: &script::Location<'_>,
) -> CommandSpec {
    let mut env = script::activation_at(script, location);
    env.extend(
        command
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    let dir = match command.dir.trim_matches('/') {
        "" | "." => REPOSITORY_DIR.to_owned(),
        dir => format!("{REPOSITORY_DIR}/{dir}"),
    };
    CommandSpec {
        argv: vec!["bash".to_owned(), "-ec".to_owned(), command.command.clone()],
        dir,
        env,
        limits,
        network: match command.level {
            Level::Installability => Network::Full,
            Level::Testability | Level::Runnability => Network::Judged,
        },
    }
}

/// Top-level Python modules and packages in the repository, with and without `src/`.
fn own_modules(repository: &Repository) -> Vec<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in repository
        .files
        .iter()
        .filter(|file| file.path.ends_with(".py"))
    {
        let path = file.path.strip_prefix("src/").unwrap_or(&file.path);
        let top = path.split('/').next().unwrap_or(path);
        found.insert(top.trim_end_matches(".py").to_owned());
    }
    found.into_iter().collect()
}

/// The last `count` lines, safe to show.
pub fn tail(output: &str, count: usize) -> Vec<String> {
    let lines: Vec<&str> = output.lines().collect();
    let from = lines.len().saturating_sub(count);
    lines
        .get(from..)
        .unwrap_or(&[])
        .iter()
        .map(|line| {
            let short: String = line.chars().take(400).collect();
            crate::emit::sanitize(&short).into_owned()
        })
        .collect()
}
