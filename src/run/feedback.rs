//! The feedback loop: climb the pyramid over the validated script, cheap and low first; repair, and go back to the
//! execution loop, where the environment is at fault.

use std::collections::BTreeMap;

use crate::diagnose::Attribution;
use crate::plan::Layer;
use crate::pyramid::{Level, PyramidCommand};
use crate::repair::Applied;
use crate::sandbox::SnapshotId;

use super::execution::hopeless;
use super::maturity::{Maturity, Move};
use super::model::{CommandResult, EndReason, Verdict, What};
use super::session::{Ran, RunError, Session, Work};

impl Session<'_> {
    /// Tries every command of the pyramid that the budget allows. Results are by command id.
    pub fn feedback(&mut self) -> Result<(BTreeMap<String, CommandResult>, EndReason), RunError> {
        let mut results = std::mem::take(&mut self.done);
        let mut maturity = Maturity::default();
        loop {
            let Some(command) = self.next_command(maturity.level(), &results) else {
                match maturity.next(None, 0) {
                    Move::Done => return Ok((results, EndReason::Complete)),
                    _ => continue,
                }
            };
            if let Some(why) = self.budget.exhausted() {
                return Ok((results, EndReason::Budget(why)));
            }
            let result = self.try_command(&command)?;
            let verdict = result.verdict;
            results.insert(command.id.clone(), result);
            self.keep_results(&results)?;
            let left = self.left(maturity.level(), &results);
            match maturity.next(Some(verdict), left) {
                Move::Done => return Ok((results, EndReason::Complete)),
                Move::StepBack(level) => self.check_ground(level, &results)?,
                Move::Stay | Move::Climb(_) => {}
            }
        }
    }

    fn next_command(
        &self,
        level: Level,
        results: &BTreeMap<String, CommandResult>,
    ) -> Option<PyramidCommand> {
        self.work
            .pyramid
            .level(level)
            .find(|command| !results.contains_key(&command.id))
            .cloned()
    }

    fn left(&self, level: Level, results: &BTreeMap<String, CommandResult>) -> usize {
        self.work
            .pyramid
            .level(level)
            .filter(|command| !results.contains_key(&command.id))
            .count()
    }

    /// The snapshot of the validated script.
    pub(super) fn validated(&self) -> Option<SnapshotId> {
        self.after.get(&Layer::Project).cloned()
    }

    fn run_validated(
        &mut self,
        command: &PyramidCommand,
    ) -> Result<(CommandResult, Ran), RunError> {
        if let Some(snapshot) = self.validated() {
            self.sandbox.rollback(&snapshot)?;
        }
        self.run_command(command)
    }

    /// Runs a command; repairs the environment while that is at fault and a repair helps.
    fn try_command(&mut self, command: &PyramidCommand) -> Result<CommandResult, RunError> {
        let mut command = command.clone();
        let ground = (self.work.clone(), self.after.clone(), self.repairs.len());
        let (mut result, mut ran) = self.run_validated(&command)?;
        while result.verdict == Verdict::Failed {
            let failure = self.diagnose_command(&command, &ran);
            self.seen.insert(failure.key());
            if hopeless(&failure).is_some() {
                result.reason = format!("{}: {}", result.reason, failure.title);
                break;
            }
            let mut better = None;
            for edit in self.candidates(&failure) {
                let Ok(attempt) = self.budget.attempt() else {
                    break;
                };
                let started = self.budget.elapsed();
                let before = self.work.clone();
                let snapshots = self.after.clone();
                let next = self.try_for_command(&command.id, &failure, &edit)?;
                let wall = self.budget.elapsed() - started;
                match next {
                    Ok((next_result, next_ran)) => {
                        let reason = next_result.reason.clone();
                        self.record(attempt, &failure, edit, true, reason, wall);
                        better = Some((next_result, next_ran));
                        break;
                    }
                    Err(reason) => {
                        self.work = before;
                        self.after = snapshots;
                        self.record(attempt, &failure, edit, false, reason, wall);
                    }
                }
            }
            let Some((next_result, next_ran)) = better else {
                if failure.attribution != Attribution::Unknown {
                    result.reason = format!("{}: {}", result.reason, failure.title);
                }
                break;
            };
            (result, ran) = (next_result, next_ran);
            if let Some(changed) = self
                .work
                .pyramid
                .commands
                .iter()
                .find(|c| c.id == command.id)
            {
                command = changed.clone();
            }
        }
        if result.verdict == Verdict::Failed {
            self.take_back(ground);
        }
        Ok(result)
    }

    /// Edits that only moved the failure of a command, which fails to the end, have earned no place in the script.
    fn take_back(&mut self, (work, after, since): (Work, BTreeMap<Layer, SnapshotId>, usize)) {
        let reason = "the command fails with it all the same";
        let mut any = false;
        for at in since..self.repairs.len() {
            any |= self.unkeep(at, reason);
        }
        if any {
            self.work = work;
            self.after = after;
        }
    }

    /// Applies one edit, validates the script again where it changed, and runs the command. `Err`: no better.
    fn try_for_command(
        &mut self,
        id: &str,
        failure: &crate::diagnose::Failure,
        edit: &crate::repair::Edit,
    ) -> Result<Result<(CommandResult, Ran), String>, RunError> {
        self.tried.insert(failure, edit);
        self.say(What::EditTried {
            edit: edit.to_string(),
            because: edit.because.to_string(),
        });
        match self.apply(edit) {
            Err(why) => return Ok(Err(why)),
            Ok(Applied::Pyramid { .. } | Applied::Replan { .. }) => {}
            Ok(Applied::Script { first }) => {
                if let Err(why) = self.revalidate(first)? {
                    return Ok(Err(why));
                }
            }
        }
        let Some(command) = self
            .work
            .pyramid
            .commands
            .iter()
            .find(|c| c.id == id)
            .cloned()
        else {
            return Ok(Err("the command was left out".to_owned()));
        };
        let (result, ran) = self.run_validated(&command)?;
        if result.verdict != Verdict::Failed {
            return Ok(Ok((result, ran)));
        }
        let next = self.diagnose_command(&command, &ran);
        if next.kind != "unknown" && self.seen.insert(next.key()) {
            return Ok(Ok((result, ran)));
        }
        Ok(Err(format!("still fails: {}", next.title)))
    }

    /// Runs the changed script over the validated state (it is idempotent: only what changed does work); the replay
    /// proves it from the clean base.
    fn revalidate(&mut self, from: Layer) -> Result<Result<(), String>, RunError> {
        if let Some(snapshot) = self.validated() {
            self.sandbox.rollback(&snapshot)?;
        }
        self.write_script()?;
        for layer in Layer::ALL.into_iter().filter(|layer| *layer >= from) {
            let (result, ran) = self.run_layer(layer, 0)?;
            if !result.outcome.ok() {
                let failure = self.diagnose_layer(layer, &ran);
                return Ok(Err(format!(
                    "the script fails with it: {}",
                    failure.0.title
                )));
            }
            let snapshot = self.sandbox.snapshot()?;
            self.after.insert(layer, snapshot);
        }
        Ok(Ok(()))
    }

    /// A step back: a command that passed at a lower level is run again. Where it fails now, the environment drifted,
    /// and the user is told.
    fn check_ground(
        &mut self,
        level: Level,
        results: &BTreeMap<String, CommandResult>,
    ) -> Result<(), RunError> {
        let cheapest = self
            .work
            .pyramid
            .level(level)
            .filter_map(|command| results.get(&command.id).map(|result| (command, result)))
            .filter(|(_, result)| result.verdict == Verdict::Passed)
            .min_by(|a, b| a.1.wall.total_cmp(&b.1.wall))
            .map(|(command, _)| command.clone());
        let Some(command) = cheapest else {
            return Ok(());
        };
        let (again, _) = self.run_validated(&command)?;
        if again.verdict == Verdict::Failed {
            self.say(What::Warning {
                text: format!(
                    "{} passed before and fails now: {}",
                    command.command, again.reason
                ),
            });
        }
        Ok(())
    }
}
