//! How far a run has come, so that another process can go on from there after a crash, a kill or a reboot.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::plan::Layer;
use crate::sandbox::{Sandbox, SandboxError};

use super::model::{CommandResult, LayerResult, RepairRecord, What};
use super::session::{RunError, Session, Work};

/// Seconds of work that are worth the keeping of a state.
const WORTH: f64 = 1.0;

/// What is known of a run beside the files in its sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Progress {
    /// As it stands after the repairs so far.
    pub work: Work,
    /// Layers that passed, in order; the kept state is the one after the last.
    pub layers: Vec<LayerResult>,
    /// Commands of the pyramid that are done, by id.
    pub results: BTreeMap<String, CommandResult>,
    pub repairs: Vec<RepairRecord>,
    /// Nothing was running any more when this was written: repairs that did not help then may help now.
    pub ended: bool,
}

impl Progress {
    /// The last layer that passed.
    pub fn layer(&self) -> Option<Layer> {
        let number = self.layers.last()?.layer;
        Layer::ALL
            .into_iter()
            .find(|layer| layer.number() == number)
    }

    /// Seconds that the layers and commands took.
    fn wall(&self) -> f64 {
        let layers = self.layers.iter().map(|layer| layer.wall);
        let commands = self.results.values().map(|result| result.wall);
        layers.chain(commands).sum()
    }
}

/// Makes a run's progress last.
pub trait Keeper {
    /// Keeps `progress`, and the state that `sandbox` is in; `None`: the state kept before is still the right one.
    fn keep(
        &mut self,
        progress: &Progress,
        sandbox: Option<&mut dyn Sandbox>,
    ) -> Result<(), SandboxError>;
}

impl Session<'_> {
    /// Takes up an earlier run whose kept state the sandbox is in. Gives the first layer to run, if one is left, the
    /// layers that passed, and the seconds they and the commands took.
    pub(super) fn take_up(
        &mut self,
        progress: Progress,
    ) -> Result<(Option<Layer>, Vec<LayerResult>, f64), RunError> {
        let wall = progress.wall();
        let state = self.sandbox.snapshot()?;
        let last = progress.layer();
        if let Some(layer) = last {
            self.after.insert(layer, state.clone());
        }
        self.kept = Some(state);
        self.work = progress.work;
        if !progress.ended {
            for repair in &progress.repairs {
                self.tried.insert(&repair.failure, &repair.edit);
            }
        }
        self.repairs = progress.repairs;
        self.done = progress.results;
        let next = Layer::ALL
            .into_iter()
            .find(|layer| last.is_none_or(|last| *layer > last));
        Ok((next, progress.layers, wall))
    }

    /// A layer passed and the sandbox is in the state after it.
    pub(super) fn keep_layer(&mut self, layer: Layer, layers: &[LayerResult]) {
        layers.clone_into(&mut self.passed);
        let progress = self.progress(BTreeMap::new());
        if progress.wall() - self.kept_wall < WORTH {
            return;
        }
        let state = self.after.get(&layer).cloned();
        if self.hand_over(&progress, true) {
            self.kept = state;
            self.kept_wall = progress.wall();
        }
    }

    /// A command of the pyramid is done. The validated state is kept first where it changed.
    pub(super) fn keep_results(
        &mut self,
        results: &BTreeMap<String, CommandResult>,
    ) -> Result<(), RunError> {
        let progress = self.progress(results.clone());
        let validated = self.validated();
        if self.keeper.is_none() || validated.is_none() || progress.wall() < WORTH {
            return Ok(());
        }
        let changed = self.kept != validated;
        if let Some(snapshot) = validated.as_ref().filter(|_| changed) {
            self.sandbox.rollback(snapshot)?;
        }
        if self.hand_over(&progress, changed) {
            self.kept = validated;
        }
        Ok(())
    }

    fn progress(&self, results: BTreeMap<String, CommandResult>) -> Progress {
        Progress {
            work: self.work.clone(),
            layers: self.passed.clone(),
            results,
            repairs: self.repairs.clone(),
            ended: false,
        }
    }

    /// A run that cannot be taken up again is still a run: a failure is told once.
    fn hand_over(&mut self, progress: &Progress, state: bool) -> bool {
        let Some(keeper) = self.keeper.as_mut() else {
            return false;
        };
        let sandbox: Option<&mut dyn Sandbox> = if state {
            Some(&mut *self.sandbox)
        } else {
            None
        };
        match keeper.keep(progress, sandbox) {
            Ok(()) => true,
            Err(error) => {
                self.keeper = None;
                self.say(What::Warning {
                    text: format!("from here on --resume cannot go on: {error}"),
                });
                false
            }
        }
    }
}
