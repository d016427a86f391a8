//! envc, the environment compiler: a repository in, a verified environment out.
//!
//! The modules are the stages of the pipeline, in order, and this page is the pipeline: [`analyse`] reads a
//! repository and decides, [`prove`] runs what was decided. `docs/ARCHITECTURE.md` says what may depend on what.

pub mod evidence;

pub mod diagnose;
pub mod emit;
pub mod graph;
pub mod needs;
pub mod packages;
pub mod plan;
pub mod pyramid;
pub mod repair;
pub mod run;
pub mod sandbox;
pub mod scan;
pub mod script;
pub mod verify;

pub mod cli;
pub mod compdb;

#[doc(hidden)]
pub mod fuzzing;

use std::path::Path;

use graph::{Cache, KnowledgeGraph};
use packages::{BaseFacts, Capability, Index};
use plan::{Constraints, Plan, PlanError};
use pyramid::Pyramid;
use repair::Telemetry;
use run::{Budget, Keeper, Observer, Progress, Run, RunError, Session, Work};
use sandbox::Sandbox;
use scan::{Repository, ScanError, ScanOptions, Stamp};
use script::Script;

/// Everything that is known before the first command runs.
pub struct Analysis {
    pub repository: Repository,
    pub graph: KnowledgeGraph,
    pub plan: Plan,
    pub script: Script,
    pub pyramid: Pyramid,
}

/// Why a repository could not be analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalyseError {
    #[error(transparent)]
    Scan(#[from] ScanError),
    #[error("{0}")]
    Unsupported(String),
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Stages 1 and 2: directory → repository → knowledge graph.
pub fn understand(root: &Path) -> Result<(Repository, KnowledgeGraph), AnalyseError> {
    let cache = Cache::open(root);
    let known = |path: &str, stamp: &Stamp| cache.head(path, stamp);
    let repository = scan::scan_with(root, &ScanOptions::default(), &known)?;
    if let Some(why) = repository.is_unsupported() {
        return Err(AnalyseError::Unsupported(why));
    }
    let graph = graph::build_with(&repository, &cache);
    cache.save(&repository);
    Ok((repository, graph))
}

/// Stages 3 to 6: knowledge graph → plan → script and Test Pyramid. `base`: what the sandbox stands on, if that is
/// settled.
pub fn decide(
    repository: &Repository,
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    base: Option<&BaseFacts>,
) -> Result<(Plan, Script, Pyramid), PlanError> {
    let plan = plan::plan(repository, graph, constraints, base)?;
    let script = script::from_plan(&plan);
    let mut pyramid = pyramid::build(graph, &plan);
    pyramid.up_to(constraints.level);
    Ok((plan, script, pyramid))
}

/// Has another core compile and unpack the knowledge that [`decide`] needs, while [`understand`] reads files.
pub fn prepare() {
    std::thread::spawn(|| {
        pyramid::prepare();
        Index::prepare();
    });
}

/// Stages 1 to 6 in one call.
pub fn analyse(
    root: &Path,
    constraints: &Constraints,
    base: Option<&BaseFacts>,
) -> Result<Analysis, AnalyseError> {
    prepare();
    let (repository, graph) = understand(root)?;
    let (plan, script, pyramid) = decide(&repository, &graph, constraints, base)?;
    Ok(Analysis {
        repository,
        graph,
        plan,
        script,
        pyramid,
    })
}

/// What a run brings along from earlier ones, and leaves for later ones.
pub struct Memory<'a> {
    /// Read to order candidates; counts how they did.
    pub telemetry: &'a mut Telemetry,
    /// Makes the progress last, so that another process can go on.
    pub keeper: Option<Box<dyn Keeper>>,
    /// Progress of an earlier run, in whose kept state the sandbox is.
    pub resumed: Option<Progress>,
}

/// Stages 7 to 9: the two loops in a sandbox, with diagnosis and repair, and the replay from the clean base.
/// Stage 10 (`verify`) judges the run and stage 11 (`emit`) writes it down.
pub fn prove(
    analysis: &Analysis,
    constraints: &Constraints,
    base: &BaseFacts,
    sandbox: &mut dyn Sandbox,
    budget: Budget,
    memory: Memory<'_>,
    observer: &mut dyn Observer,
) -> Result<Run, RunError> {
    let index = Index::for_base(base);
    let providers = |capability: &Capability| index.named_providers(capability);
    let replan = |constraints: &Constraints| {
        let (plan, script, pyramid) = decide(
            &analysis.repository,
            &analysis.graph,
            constraints,
            Some(base),
        )
        .ok()?;
        Some(Work {
            plan,
            script,
            pyramid,
            constraints: constraints.clone(),
        })
    };
    let work = Work {
        plan: analysis.plan.clone(),
        script: analysis.script.clone(),
        pyramid: analysis.pyramid.clone(),
        constraints: constraints.clone(),
    };
    let files = scan::files_to_copy(&analysis.repository);
    let mut session = Session::new(
        sandbox,
        &analysis.repository,
        files,
        work,
        budget,
        observer,
        &providers,
        &replan,
    );
    session.telemetry = std::mem::take(memory.telemetry);
    session.keeper = memory.keeper;
    session.resumed = memory.resumed;
    let result = run::run(&mut session);
    *memory.telemetry = session.telemetry;
    result
}
