//! The whole of a run, and its proof: script and pyramid once more from the clean base.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::plan::Layer;
use crate::pyramid::PyramidCommand;
use crate::sandbox::Outcome;
use crate::verify::attest::level_reached;

use super::model::{CommandResult, EndReason, LayerResult, Run, SCHEMA, Verdict, What};
use super::session::{RunError, Session};

/// Both loops, then the replay. A run that needed no repair *was* a run from the clean base: it is its own proof.
pub fn run(session: &mut Session<'_>) -> Result<Run, RunError> {
    let started = Instant::now();
    let (from, passed, earlier) = match session.resumed.take() {
        Some(progress) => session.take_up(progress)?,
        None => {
            session.enter()?;
            (Some(Layer::Base), Vec::new(), 0.0)
        }
    };
    session.passed.clone_from(&passed);
    let layers = match from {
        None => passed,
        Some(from) => match session.execute(from, passed)? {
            Ok(layers) => layers,
            Err(given) => return Ok(unfinished(session, given.end)),
        },
    };
    let (results, end) = session.feedback()?;
    let repaired = session.repairs.iter().any(|repair| repair.kept);
    if !repaired {
        let wall = earlier + started.elapsed().as_secs_f64();
        return Ok(finished(session, layers, results, end, wall));
    }
    session.say(What::Replay {
        why: "repairs were kept: the result is proved from the clean base".to_owned(),
    });
    let proof = prove_again(session, None)?;
    if proof.layers.iter().any(|layer| !layer.outcome.ok()) {
        let end = EndReason::NoRepair("the repaired script fails from the clean base".to_owned());
        return Ok(finished(
            session,
            proof.layers,
            proof.results,
            end,
            proof.wall,
        ));
    }
    let Proof {
        layers,
        results,
        wall,
    } = session.drop_superfluous(proof)?;
    Ok(finished(session, layers, results, end, wall))
}

/// What a replay showed.
pub(super) struct Proof {
    pub layers: Vec<LayerResult>,
    pub results: BTreeMap<String, CommandResult>,
    /// Seconds.
    pub wall: f64,
}

/// [`prove`] from the clean base. With `measure`, it ends at the first command that does worse than there.
pub(super) fn prove_again(
    session: &mut Session<'_>,
    measure: Option<&Proof>,
) -> Result<Proof, RunError> {
    let started = Instant::now();
    session.leave()?;
    let (layers, results) = prove_until(session, measure)?;
    Ok(Proof {
        layers,
        results,
        wall: started.elapsed().as_secs_f64(),
    })
}

/// Runs script and pyramid once, without repairs, in the state the sandbox is in (the clean base).
pub fn prove(session: &mut Session<'_>) -> Result<Shown, RunError> {
    prove_until(session, None)
}

/// Layers, and commands by id.
type Shown = (Vec<LayerResult>, BTreeMap<String, CommandResult>);

fn prove_until(session: &mut Session<'_>, measure: Option<&Proof>) -> Result<Shown, RunError> {
    session.write_script()?;
    let mut layers = Vec::new();
    for layer in Layer::ALL {
        let (result, _) = session.run_layer(layer, 0)?;
        let ok = result.outcome.ok();
        layers.push(result);
        if !ok {
            return Ok((layers, BTreeMap::new()));
        }
        let snapshot = session.sandbox.snapshot()?;
        session.after.insert(layer, snapshot);
    }
    let mut results = BTreeMap::new();
    for command in session.work.pyramid.commands.clone() {
        if session.budget.exhausted().is_some() {
            break;
        }
        if let Some(snapshot) = session.validated() {
            session.sandbox.rollback(&snapshot)?;
        }
        let (result, _) = session.run_command(&command)?;
        let before = measure.and_then(|proof| proof.results.get(&command.id));
        let worse = before.is_some_and(|before| super::prune::is_worse(&result, before));
        results.insert(command.id.clone(), result);
        if worse {
            break;
        }
    }
    Ok((layers, results))
}

fn unfinished(session: &mut Session<'_>, end: EndReason) -> Run {
    finished(session, Vec::new(), BTreeMap::new(), end, 0.0)
}

/// The run as data, in the pyramid's order; commands that were not run are listed as such. Leaves the sandbox in the
/// validated state.
fn finished(
    session: &mut Session<'_>,
    layers: Vec<LayerResult>,
    mut results: BTreeMap<String, CommandResult>,
    end: EndReason,
    replay_wall: f64,
) -> Run {
    let commands: Vec<PyramidCommand> = session.work.pyramid.commands.clone();
    let results: Vec<CommandResult> = commands
        .iter()
        .map(|command| {
            results
                .remove(&command.id)
                .unwrap_or_else(|| not_tried(command, &end))
        })
        .collect();
    let reached = match layers.len() == Layer::ALL.len() {
        true => level_reached(&layers, &results),
        false => None,
    };
    if let Some(snapshot) = session.validated()
        && let Err(error) = session.sandbox.rollback(&snapshot)
    {
        session.say(What::Warning {
            text: error.to_string(),
        });
    }
    Run {
        schema: SCHEMA.to_owned(),
        sandbox: session.sandbox.facts().clone(),
        script: session.work.script.clone(),
        pyramid: session.work.pyramid.clone(),
        layers,
        results,
        repairs: session.repairs.clone(),
        reached,
        end,
        wall: session.budget.elapsed(),
        replay_wall,
    }
}

fn not_tried(command: &PyramidCommand, end: &EndReason) -> CommandResult {
    let reason = match end {
        EndReason::Complete => "not tried".to_owned(),
        EndReason::Budget(why) | EndReason::NoRepair(why) | EndReason::Transient(why) => {
            why.clone()
        }
        EndReason::Interrupted => "interrupted".to_owned(),
    };
    CommandResult {
        id: command.id.clone(),
        level: command.level,
        command: command.command.clone(),
        dir: command.dir.clone(),
        outcome: Outcome::Interrupted,
        wall: 0.0,
        report: None,
        verdict: Verdict::NotTried,
        reason,
        tail: Vec::new(),
        journal: 0,
    }
}
