//! Dropping the edits that script and pyramid do as well without (`DESIGN.md`, execution loop): a later repair often
//! removes the cause that an earlier one had only moved.

use std::time::Duration;

use crate::repair::{self, Operation};

use super::model::{CommandResult, Verdict, What};
use super::replay::{Proof, prove_again};
use super::session::{RunError, Session, Work};

/// Replays that may be spent on a smaller script.
const MOST_TRIES: usize = 3;
/// Longest script, in seconds of its own, that is run again only to be made smaller.
const LONGEST_SCRIPT: f64 = 120.0;

impl Session<'_> {
    /// Tries the replay without one kept edit after another, those first that stand least firmly. The proof of the
    /// smallest script that does as well is given back; script, pyramid and snapshots are those that it proves.
    pub(super) fn drop_superfluous(&mut self, mut proof: Proof) -> Result<Proof, RunError> {
        for at in self.doubtful().into_iter().take(MOST_TRIES) {
            if !self.affordable(&proof) {
                break;
            }
            let Some(smaller) = self.without(at) else {
                continue;
            };
            let (work, after) = (self.work.clone(), self.after.clone());
            self.say(What::Replay {
                why: format!("is this needed: {}?", self.name_of(at)),
            });
            self.work = smaller;
            let next = prove_again(self, Some(&proof))?;
            if as_good(&next, &proof) {
                self.unkeep(at, "superfluous: script and pyramid do as well without it");
                proof = next;
            } else {
                self.work = work;
                self.after = after;
            }
        }
        Ok(proof)
    }

    /// Positions of the kept repairs that may be superfluous, in the order in which to try. None where the repairs do
    /// not add up to the script as it stands: then it is not known what leaving one out would give.
    fn doubtful(&self) -> Vec<usize> {
        let kept: Vec<usize> = (0..self.repairs.len())
            .filter(|at| self.repairs.get(*at).is_some_and(|repair| repair.kept))
            .collect();
        // A single edit stands between a failure that was seen and a success that was seen: it is needed.
        if kept.len() < 2 {
            return Vec::new();
        }
        let adds_up = self
            .without(usize::MAX)
            .is_some_and(|work| work.script == self.work.script);
        if !adds_up {
            return Vec::new();
        }
        let edits: Vec<_> = kept
            .iter()
            .filter_map(|at| self.repairs.get(*at))
            .map(|repair| repair.edit.clone())
            .collect();
        repair::superfluous(&edits)
            .into_iter()
            .filter_map(|index| kept.get(index).copied())
            .collect()
    }

    fn name_of(&self, at: usize) -> String {
        self.repairs
            .get(at)
            .map_or_else(String::new, |repair| repair.edit.to_string())
    }

    /// Cheap enough, and twice its time is left.
    fn affordable(&self, proof: &Proof) -> bool {
        let script: f64 = proof.layers.iter().map(|layer| layer.wall).sum();
        let left = self.budget.left();
        script < LONGEST_SCRIPT && left > Duration::from_secs_f64((2.0 * proof.wall).max(0.0))
    }

    /// The plan's work with every kept repair but the one at `skip`. Under a re-plan, the plan is the one of all
    /// constraints.
    fn without(&self, skip: usize) -> Option<Work> {
        let kept = self.repairs.iter().enumerate().filter(|(_, r)| r.kept);
        let is_replan = |operation: &Operation| matches!(operation, Operation::Replan { .. });
        let mut work = if kept.clone().any(|(_, r)| is_replan(&r.edit.operation)) {
            (self.replan)(&self.work.constraints)?
        } else {
            self.planned.clone()
        };
        for (_, repair) in kept.filter(|(at, r)| *at != skip && !is_replan(&r.edit.operation)) {
            // An edit that no longer fits was passed over by the re-plan as well.
            let _ = repair::apply(&repair.edit, &mut work.script, &mut work.pyramid);
        }
        Some(work)
    }
}

/// Every layer passes, and no command does worse.
fn as_good(next: &Proof, before: &Proof) -> bool {
    next.layers.len() == before.layers.len()
        && next.layers.iter().all(|layer| layer.outcome.ok())
        && before.results.iter().all(|(id, result)| {
            next.results
                .get(id)
                .is_some_and(|next| !is_worse(next, result))
        })
}

/// A lower verdict, or fewer tests that passed or ran under the same one.
pub(super) fn is_worse(next: &CommandResult, before: &CommandResult) -> bool {
    let rank = |result: &CommandResult| {
        let verdict = match result.verdict {
            Verdict::NotTried => 0,
            Verdict::Failed => 1,
            Verdict::RepositoryFails => 2,
            Verdict::Passed => 3,
        };
        let report = result.report.as_ref();
        (
            verdict,
            report.map_or(0, |report| report.passed),
            report.map_or(0, crate::verify::TestReport::executed),
        )
    };
    rank(next) < rank(before)
}

#[cfg(test)]
mod tests;
