//! The execution loop: run the script layer by layer, snapshot after each, repair what fails, resume where the repair
//! changed something.

use crate::diagnose::{Attribution, Failure};
use crate::plan::Layer;
use crate::repair::{self, Applied, Edit, Operation};
use crate::sandbox::SnapshotId;

use super::model::{EndReason, LayerResult, RepairRecord, What};
use super::session::{Ran, RunError, Session, Work};

/// Why the loop gave up, with the failure it could not get past.
#[derive(Debug, Clone)]
pub struct Given {
    pub end: EndReason,
    pub failure: Option<Failure>,
}

/// A layer's failure that a repair has to get past.
struct Failed {
    layer: Layer,
    /// What most likely is the cause.
    failure: Failure,
    /// What else the same output shows, likeliest first: a message at the end (`zlib.h is required`) may only follow from
    /// one of these (`cc: not found`).
    others: Vec<Failure>,
}

/// Other failures of one output that are tried.
const OTHERS: usize = 3;

/// One failure that candidates are tried for.
struct Cause<'f> {
    layer: Layer,
    failure: &'f Failure,
    /// It is the likeliest of its output. Of another one it is progress that it is gone.
    first: bool,
}

enum Repaired {
    Passed,
    Moved(Box<Failed>),
    Not,
}

/// How a candidate did.
enum Attempt {
    /// Every layer that it ran passed.
    Passed,
    /// Another failure, later or at least new.
    Moved(Failed),
    /// The same failure, an earlier one, or one that was there before.
    Useless(String),
}

impl Session<'_> {
    /// Runs the script from `from` until all layers pass. `Ok(Err(_))`: it cannot be made to pass.
    /// `results`: of the layers below, which passed in an earlier run.
    pub fn execute(
        &mut self,
        from: Layer,
        mut results: Vec<LayerResult>,
    ) -> Result<Result<Vec<LayerResult>, Given>, RunError> {
        let mut failed = match self.climb(from, &mut results)? {
            None => return Ok(Ok(results)),
            Some(failed) => failed,
        };
        loop {
            match self.repair_layer(&failed)? {
                Ok(None) => match self.climb(failed.layer, &mut results)? {
                    None => return Ok(Ok(results)),
                    Some(next) => failed = next,
                },
                Ok(Some(next)) => failed = next,
                Err(end) => {
                    return Ok(Err(Given {
                        end,
                        failure: Some(failed.failure),
                    }));
                }
            }
        }
    }

    /// Runs the layers from `from` on; the first failure ends it.
    fn climb(
        &mut self,
        from: Layer,
        results: &mut Vec<LayerResult>,
    ) -> Result<Option<Failed>, RunError> {
        self.write_script()?;
        for layer in Layer::ALL.into_iter().filter(|layer| *layer >= from) {
            let (result, ran) = self.run_layer(layer, 0)?;
            if !result.outcome.ok() {
                return Ok(Some(self.failed(layer, &ran)));
            }
            results.retain(|other| other.layer != result.layer);
            results.push(result);
            if layer == Layer::Base && self.after.is_empty() && self.repairs.is_empty() {
                // Nothing of the repository has run in this sandbox.
                self.sandbox.share_downloads();
            }
            let snapshot = self.sandbox.snapshot()?;
            self.after.insert(layer, snapshot);
            self.keep_layer(layer, results);
        }
        Ok(None)
    }

    fn failed(&mut self, layer: Layer, ran: &Ran) -> Failed {
        let (failure, others) = self.diagnose_layer(layer, ran);
        self.seen.insert(failure.key());
        Failed {
            layer,
            failure,
            others,
        }
    }

    /// Tries candidates for a failed layer, best first. `Ok(Ok(None))`: the layer passes; `Ok(Ok(Some(_)))`: the
    /// failure moved.
    fn repair_layer(
        &mut self,
        failed: &Failed,
    ) -> Result<Result<Option<Failed>, EndReason>, RunError> {
        if let Some(end) = hopeless(&failed.failure) {
            return Ok(Err(end));
        }
        self.seen.insert(failed.failure.key());
        let as_failed = self.sandbox.snapshot()?;
        let others = failed.others.iter().take(OTHERS);
        for (at, failure) in [&failed.failure].into_iter().chain(others).enumerate() {
            if at > 0 && hopeless(failure).is_some() {
                continue;
            }
            let cause = Cause {
                layer: failed.layer,
                failure,
                first: at == 0,
            };
            match self.repair_cause(&cause, &as_failed)? {
                Ok(Repaired::Not) => {}
                other => {
                    if at > 0 {
                        // What did not help before may help now.
                        self.tried = repair::TriedSet::default();
                        self.seen.clear();
                    }
                    return Ok(other.map(|repaired| match repaired {
                        Repaired::Moved(next) => Some(*next),
                        Repaired::Passed | Repaired::Not => None,
                    }));
                }
            }
        }
        self.sandbox.rollback(&as_failed)?;
        Ok(Err(EndReason::NoRepair(format!(
            "{} ({})",
            failed.failure.title, failed.failure.kind
        ))))
    }

    fn repair_cause(
        &mut self,
        cause: &Cause<'_>,
        as_failed: &SnapshotId,
    ) -> Result<Result<Repaired, EndReason>, RunError> {
        for edit in self.candidates(cause.failure) {
            let attempt = match self.budget.attempt() {
                Ok(number) => number,
                Err(why) => return Ok(Err(EndReason::Budget(why))),
            };
            let before = self.work.clone();
            let started = self.budget.elapsed();
            let outcome = self.try_edit(&edit, cause, as_failed, attempt)?;
            let wall = self.budget.elapsed() - started;
            let (kept, reason, repaired) = match outcome {
                Attempt::Passed => (true, "the layer passes".to_owned(), Repaired::Passed),
                Attempt::Moved(next) => {
                    let reason = format!("the failure moved: {}", next.failure.title);
                    (true, reason, Repaired::Moved(Box::new(next)))
                }
                Attempt::Useless(reason) => {
                    self.work = before;
                    (false, reason, Repaired::Not)
                }
            };
            self.record(attempt, cause.failure, edit, kept, reason, wall);
            if kept {
                return Ok(Ok(repaired));
            }
        }
        Ok(Ok(Repaired::Not))
    }

    pub(super) fn candidates(&self, failure: &Failure) -> Vec<Edit> {
        let python = self
            .work
            .plan
            .toolchains
            .iter()
            .find(|toolchain| toolchain.name == "python")
            .and_then(|toolchain| toolchain.version.as_deref());
        let context = repair::Context {
            index: self.index,
            files: &self.names,
            own_modules: &self.own_modules,
            // The sandbox stands on one base: another is another run's.
            bases: &[],
            python,
            tried: &self.tried,
            telemetry: &self.telemetry,
        };
        repair::candidates(failure, &self.work.script, &self.work.pyramid, &context)
    }

    /// Applies one edit to the work. The error says why it cannot be, or may not be, applied.
    pub(super) fn apply(&mut self, edit: &Edit) -> Result<Applied, String> {
        let (script, pyramid) = (&self.work.script, &self.work.pyramid);
        if let Some(objection) = repair::objection(&edit.operation, script, pyramid, &self.names) {
            return Err(format!("refused: {objection}"));
        }
        let applied = repair::apply(edit, &mut self.work.script, &mut self.work.pyramid)
            .map_err(|error| error.to_string())?;
        let Applied::Replan { topic, value } = &applied else {
            return Ok(applied);
        };
        let why = edit.because.to_string();
        let constraints = self
            .work
            .constraints
            .with(topic, value, &why)
            .ok_or_else(|| format!("no plan differs by {topic} {value}"))?;
        let mut work: Work = (self.replan)(&constraints)
            .ok_or_else(|| format!("there is no plan with {topic} {value}"))?;
        // Earlier repairs stay in force under the new plan, where they still fit.
        for repair in self.repairs.iter().filter(|repair| repair.kept) {
            let _ = repair::apply(&repair.edit, &mut work.script, &mut work.pyramid);
        }
        if work.script == self.work.script {
            return Err("the plan stays the same".to_owned());
        }
        self.work = work;
        Ok(Applied::Script { first: Layer::Base })
    }

    fn try_edit(
        &mut self,
        edit: &Edit,
        cause: &Cause<'_>,
        as_failed: &SnapshotId,
        attempt: u32,
    ) -> Result<Attempt, RunError> {
        self.tried.insert(cause.failure, edit);
        self.say(What::EditTried {
            edit: edit.to_string(),
            because: edit.because.to_string(),
        });
        let changed = match self.apply(edit) {
            Ok(Applied::Script { first }) => first.min(cause.layer),
            Ok(Applied::Pyramid { .. } | Applied::Replan { .. }) => {
                return Ok(Attempt::Useless("it does not change the script".to_owned()));
            }
            Err(why) => return Ok(Attempt::Useless(why)),
        };
        if !only_adds(&edit.operation) {
            let from = self.start_below(changed)?;
            return Ok(self.run_layers(from, cause, attempt)?.0);
        }
        self.sandbox.rollback(as_failed)?;
        let (outcome, same) = self.run_layers(changed, cause, attempt)?;
        if !same {
            return Ok(outcome);
        }
        // Configure and CMake remember what they did not find: once more, from before the layer that failed.
        let from = self.start_below(changed)?;
        Ok(self.run_layers(from, cause, attempt)?.0)
    }

    /// Runs the layers `from` to the cause's. Also: whether the cause is what it failed on again.
    fn run_layers(
        &mut self,
        from: Layer,
        cause: &Cause<'_>,
        attempt: u32,
    ) -> Result<(Attempt, bool), RunError> {
        self.write_script()?;
        for layer in Layer::ALL {
            if layer < from || layer > cause.layer {
                continue;
            }
            let (result, ran) = self.run_layer(layer, attempt)?;
            if result.outcome.ok() {
                let snapshot = self.sandbox.snapshot()?;
                self.after.insert(layer, snapshot);
                continue;
            }
            let known = self.seen.clone();
            let next = self.failed(layer, &ran);
            let key = cause.failure.key();
            let same = layer == cause.layer
                && [&next.failure]
                    .into_iter()
                    .chain(&next.others)
                    .any(|other| other.key() == key);
            let new = !known.contains(&next.failure.key());
            let moved = layer >= cause.layer
                && match cause.first {
                    true => new && is_progress(cause.failure, &next.failure),
                    false => !same,
                };
            let outcome = if moved {
                Attempt::Moved(next)
            } else {
                Attempt::Useless(format!("still fails: {}", next.failure.title))
            };
            return Ok((outcome, same && !moved));
        }
        Ok((Attempt::Passed, false))
    }

    /// Returns to the state before `from`. Gives the layer to run first: an earlier one where that state is not there any
    /// more, as in a run that was taken up.
    fn start_below(&mut self, from: Layer) -> Result<Layer, RunError> {
        let below = Layer::ALL.into_iter().rfind(|layer| *layer < from);
        match below.and_then(|layer| self.after.get(&layer)).cloned() {
            Some(snapshot) => {
                self.sandbox.rollback(&snapshot)?;
                Ok(from)
            }
            None => {
                self.go_to_clean()?;
                Ok(Layer::Base)
            }
        }
    }

    pub(super) fn record(
        &mut self,
        attempt: u32,
        failure: &Failure,
        edit: Edit,
        kept: bool,
        reason: String,
        wall: f64,
    ) {
        self.telemetry.record(&edit.origin, kept);
        self.say(if kept {
            What::EditKept {
                edit: edit.to_string(),
            }
        } else {
            What::EditDropped {
                edit: edit.to_string(),
                reason: reason.clone(),
            }
        });
        self.repairs.push(RepairRecord {
            attempt,
            failure: failure.clone(),
            edit,
            kept,
            reason,
            wall,
        });
    }

    /// Takes the mark of a kept repair away; `false` where it had none.
    pub(super) fn unkeep(&mut self, at: usize, reason: &str) -> bool {
        let Some(repair) = self.repairs.get_mut(at).filter(|repair| repair.kept) else {
            return false;
        };
        repair.kept = false;
        reason.clone_into(&mut repair.reason);
        let edit = repair.edit.clone();
        self.telemetry.record(&edit.origin, false);
        self.say(What::EditDropped {
            edit: edit.to_string(),
            reason: reason.to_owned(),
        });
        true
    }
}

/// What only adds (a package, a requirement, a variable) goes on from the failed state, where a build resumes; what changes
/// a step starts before the layer it changes.
fn only_adds(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::AddPackage { .. }
            | Operation::AddPythonRequirement { .. }
            | Operation::SetEnv { .. }
    )
}

/// A failure that no edit of the script can help; `None`: it is worth trying.
pub(super) fn hopeless(failure: &Failure) -> Option<EndReason> {
    match failure.attribution {
        Attribution::Transient => Some(EndReason::Transient(failure.title.clone())),
        Attribution::Host | Attribution::Repository => {
            Some(EndReason::NoRepair(failure.title.clone()))
        }
        Attribution::Script | Attribution::Pyramid | Attribution::Unknown => None,
    }
}

/// An unknown failure in place of a known one is no progress: it may be the same thing, worse.
fn is_progress(before: &Failure, after: &Failure) -> bool {
    after.kind != "unknown" || before.kind == "unknown" || after.position > before.position
}
