//! Where a build begins: in a new sandbox, or where an earlier run stopped.

use crate::packages::BaseFacts;
use crate::plan::Constraints;
use crate::run::Progress;
use crate::sandbox::{Backend, Base, Kept, Options, Sandbox, fingerprint};
use crate::{Analysis, decide};

use super::arguments::Build;
use super::exit::Failure;
use super::resume::{self, Content, Place, Saver};
use super::{bases, place};

/// A sandbox with what it stands on, and what keeps the run's progress.
pub struct Start {
    pub sandbox: Box<dyn Sandbox>,
    pub base: Base,
    pub facts: BaseFacts,
    pub saver: Saver,
    /// Of the earlier run that is gone on with.
    pub progress: Option<Progress>,
    /// Why there is none, where one was asked for.
    pub anew: Option<String>,
}

/// Begins. The analysis is made anew for the base that the sandbox turns out to have.
pub fn start(
    asked: &Build,
    analysis: &mut Analysis,
    constraints: &Constraints,
    out: &std::path::Path,
    options: &Options,
    tell: &mut dyn FnMut(String),
) -> Result<Start, Failure> {
    let mut content = Content::of(&analysis.repository);
    let place = Place::of(out, options);
    let mut anew = None;
    if asked.resume {
        match take_up(&place, &mut content, asked, analysis, constraints, options) {
            Ok((sandbox, facts, progress, kept)) => {
                let base = kept.base.clone();
                let print = fingerprint(&base, sandbox.facts());
                return Ok(Start {
                    saver: Saver::new(place, content, analysis, print, Some(kept))?,
                    sandbox,
                    base,
                    facts,
                    progress: Some(progress),
                    anew,
                });
            }
            Err(why) => anew = Some(why),
        }
    }
    let (base, sandbox) = place::sandbox(asked, &analysis.plan, options, tell)?;
    let facts = settle(analysis, sandbox.as_ref(), constraints)?;
    let print = fingerprint(&base, sandbox.facts());
    Ok(Start {
        saver: Saver::new(place, content, analysis, print, None)?,
        sandbox,
        base,
        facts,
        progress: None,
        anew,
    })
}

type TakenUp = (Box<dyn Sandbox>, BaseFacts, Progress, Kept);

/// The earlier run's state, if it still fits; else why not.
fn take_up(
    place: &Place,
    content: &mut Content,
    asked: &Build,
    analysis: &mut Analysis,
    constraints: &Constraints,
    options: &Options,
) -> Result<TakenUp, String> {
    let state = place.load()?;
    // Where no sandbox was asked for, the earlier run's is the one.
    let backend = match asked.sandbox {
        Some(name) => name.into(),
        None if state.kept.backend == Backend::Docker.name() => Backend::Docker,
        None => Backend::Overlay,
    };
    let named = asked.source.base.clone();
    let base = named.unwrap_or_else(|| bases::default_base(backend, &analysis.plan));
    if state.kept.backend != backend.name() {
        return Err(format!(
            "the earlier run used the {} sandbox",
            state.kept.backend
        ));
    }
    if state.kept.base != base {
        return Err("the earlier run stood on another base".to_owned());
    }
    let sandbox = crate::sandbox::resume(backend, &state.kept, options)
        .map_err(|error| format!("the earlier run's state cannot be used: {error}"))?;
    let facts =
        settle(analysis, sandbox.as_ref(), constraints).map_err(|failure| failure.message)?;
    resume::check(&state, content, analysis, sandbox.as_ref())?;
    Ok((sandbox, facts, state.progress, state.kept))
}

/// Plans again where the sandbox's base is not the one that was planned for.
fn settle(
    analysis: &mut Analysis,
    sandbox: &dyn Sandbox,
    constraints: &Constraints,
) -> Result<BaseFacts, Failure> {
    let facts = bases::facts_of_sandbox(sandbox.facts()).ok_or_else(|| {
        Failure::usage(format!(
            "the base's distribution ({} {}) is not known to envc; give another with --base",
            sandbox.facts().distribution,
            sandbox.facts().release
        ))
    })?;
    let (plan, script, pyramid) = decide(
        &analysis.repository,
        &analysis.graph,
        constraints,
        Some(&facts),
    )?;
    (analysis.plan, analysis.script, analysis.pyramid) = (plan, script, pyramid);
    Ok(facts)
}
