//! Step 4: the commands meet the plan. What the plan builds in its own way is run in the plan's way, on the authority
//! of whoever said so first; what the environment lacks is replaced by what it would run; every level that the plan
//! knows a command for gets one.

use super::classify::Candidate;
use super::native;
use super::retrieve::{Known, join};
use super::rules::rules;
use super::{LeftOut, Level, normal, shell};
use crate::evidence::{Because, Trust};
use crate::plan::{Action, Layer, Plan};

/// How a level is commonly tried, by the plan.
const PLANNED_CONFIDENCE: f32 = 0.75;

pub fn refine(
    candidates: Vec<Candidate>,
    known: &Known,
    plan: &Plan,
) -> (Vec<Candidate>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut planned: Vec<Candidate> = Vec::new();
    for ready in &known.ready {
        let command = plan_command(ready);
        match never_ends_well(ready) {
            Some(reason) => left_out.push(left(&command, reason)),
            None => planned.push(command),
        }
    }
    let installs = |c: &Candidate| c.level == Level::Installability;
    let last = last_step(plan).filter(|_| !planned.iter().any(installs));
    planned.extend(last);
    let mut kept = Vec::new();
    for candidate in candidates {
        match settle(candidate, &mut planned, known) {
            Ok(candidate) => kept.push(candidate),
            Err(left) => left_out.push(left),
        }
    }
    // The last step is a stopgap: nobody asked for it where others install.
    let others = kept.iter().any(installs);
    planned.retain(|c| !(c.added && others && installs(c) && c.trust < Trust::Convention));
    for last in &mut planned {
        last.trust = last.trust.max(Trust::Convention);
    }
    kept.extend(planned);
    (kept, left_out)
}

/// Why a command that a manifest names is not run all the same: a `start` script serves until it is stopped.
/// Installing is the plan's part, whatever it looks like.
fn never_ends_well(ready: &crate::plan::ReadyCommand) -> Option<String> {
    let runs = ready.level != Level::Installability;
    let reason = rules().reason(&normal::normal(&ready.command), false);
    let reason = reason.or_else(|| rules().raw_reason(&ready.command));
    reason.filter(|_| runs).map(str::to_owned)
}

fn plan_command(ready: &crate::plan::ReadyCommand) -> Candidate {
    Candidate {
        level: ready.level,
        command: ready.command.clone(),
        dir: ready.dir.clone(),
        env: Default::default(),
        because: vec![ready.because.clone()],
        trust: ready.because.trust,
        rank: 0,
        confidence: PLANNED_CONFIDENCE,
        runner: ready.runner.clone(),
        probe: super::is_probe(&ready.command),
        added: ready.because.trust <= Trust::Convention,
        planned: true,
        in_build_dir: false,
        before: Vec::new(),
        before_joined: 0,
        needs_tool: None,
    }
}

/// Keeps a candidate, or lets the plan's command stand for it.
fn settle(
    mut candidate: Candidate,
    planned: &mut [Candidate],
    known: &Known,
) -> Result<Candidate, LeftOut> {
    if let Some(tool) = candidate.needs_tool.take()
        && !known.provided.contains(&tool)
    {
        let tests = |ready: &Candidate| {
            ready.level == candidate.level
                && (ready.dir == candidate.dir || candidate.dir.is_empty())
        };
        let note = format!("{tool} is not in the environment");
        let lent = lend(&candidate, planned, tests, &note);
        return Err(left(
            &candidate,
            if lent {
                format!("{note}; what it would run is tried instead")
            } else {
                note
            },
        ));
    }
    let below = |dir: &str| candidate.dir == dir || candidate.dir.starts_with(&format!("{dir}/"));
    if let Some((dir, ecosystem)) = known.apart.iter().find(|(dir, _)| below(dir)) {
        let why = format!("the plan does not build the {ecosystem} project in {dir}");
        return Err(left(&candidate, why));
    }
    name_runner(&mut candidate, planned);
    if let Some(reason) = native::other_build(&candidate, known) {
        return Err(left(&candidate, reason));
    }
    let in_source = native::configures_in_source(&candidate, known);
    if candidate.in_build_dir || in_source || needs_configure(&candidate, known) {
        // A build of C or C++ stands for another one of the kind, not a package of another language.
        let native =
            |ready: &Candidate| known.systems.is_empty() || known.systems.contains_key(&ready.dir);
        let same = |ready: &Candidate| {
            ready.level == candidate.level
                && native(ready)
                && match (&ready.runner, &candidate.runner) {
                    (Some(a), Some(b)) => a == b,
                    // `make check` in a build directory is whatever the build's own runner is.
                    (_, None) => true,
                    (None, Some(_)) => false,
                }
        };
        let differs = |ready: &Candidate| {
            normal::key(&ready.command) != normal::key(&candidate.command)
                || ready.dir != candidate.dir
        };
        let note = "in the plan's build directory";
        if lend(&candidate, planned, |r| same(r) && differs(r), note) {
            return Err(left(
                &candidate,
                "the plan builds in its own directory; its own command is tried instead".into(),
            ));
        }
    }
    if !candidate.before.is_empty() {
        chain(&mut candidate);
    }
    Ok(candidate)
}

/// Gives the evidence of `candidate` to the plan's commands that stand for it.
fn lend(
    candidate: &Candidate,
    planned: &mut [Candidate],
    stands: impl Fn(&Candidate) -> bool,
    note: &str,
) -> bool {
    let mut lent = false;
    for ready in planned.iter_mut().filter(|ready| stands(ready)) {
        lent = true;
        ready.added = false;
        for because in &candidate.because {
            push_because(
                &mut ready.because,
                Because {
                    text: format!("{}, {note}", because.text),
                    ..because.clone()
                },
            );
        }
        if candidate.trust > ready.trust {
            ready.trust = candidate.trust;
            ready.rank = candidate.rank;
            ready.confidence = ready.confidence.max(0.9 * candidate.confidence);
        }
    }
    lent
}

/// Adds a reason once, strongest first, and no more than a reader wants to see.
pub fn push_because(list: &mut Vec<Because>, because: Because) {
    if !list.contains(&because) {
        list.push(because);
        list.sort_by_key(|b| std::cmp::Reverse(b.trust));
        list.truncate(8);
    }
}

fn left(candidate: &Candidate, reason: String) -> LeftOut {
    LeftOut {
        command: candidate.command.clone(),
        place: candidate.because.first().and_then(|b| b.place.clone()),
        reason,
    }
}

/// Makes one command of it and the statements before it that it needs, each in its directory.
fn chain(candidate: &mut Candidate) {
    let mut lines = Vec::new();
    let mut here = String::new();
    let last = (candidate.dir.clone(), candidate.command.clone());
    for (dir, text) in std::mem::take(&mut candidate.before)
        .into_iter()
        .chain([last])
    {
        let is_last = (&dir, &text) == (&candidate.dir, &candidate.command);
        if !is_last && !builds(&text) {
            continue;
        }
        if dir != here {
            lines.push(format!("cd {}", shell::quote(&relative(&here, &dir))));
            here = dir;
        }
        let text = text.trim();
        lines.push(match text.strip_prefix("mkdir ") {
            Some(rest) if !rest.starts_with('-') => format!("mkdir -p {rest}"),
            _ => text.strip_prefix("sudo ").unwrap_or(text).to_owned(),
        });
    }
    candidate.before_joined = lines.len().saturating_sub(1);
    candidate.command = lines.join("\n");
    candidate.dir = String::new();
}

/// What may stand before a command: making directories and building. Tests and what is left out by itself are not
/// smuggled in by what follows them.
fn builds(text: &str) -> bool {
    let normal = normal::normal(text);
    let class = rules().class(&normal);
    rules().reason(&normal, false).is_none()
        && (normal.starts_with("mkdir ")
            || class.is_some_and(|class| class.level == Level::Installability))
}

/// `make check` reports as what the plan says that the build in its directory is tested by.
fn name_runner(candidate: &mut Candidate, planned: &[Candidate]) {
    if candidate.runner.is_none() && candidate.level == Level::Testability && !candidate.probe {
        let same = |ready: &&Candidate| {
            ready.dir == candidate.dir
                && normal::key(&ready.command) == normal::key(&candidate.command)
        };
        candidate.runner = planned
            .iter()
            .find(same)
            .and_then(|ready| ready.runner.clone());
    }
}

/// `make` where the repository has no makefile and the plan does not run it: it needs a configuration that only
/// whoever wrote the command has made.
fn needs_configure(candidate: &Candidate, known: &Known) -> bool {
    let normal = normal::normal(&candidate.command);
    let mut words = normal.split(' ');
    let is_make = matches!(words.next(), Some("make" | "gmake" | "ninja"));
    let makefile = ["Makefile", "GNUmakefile", "makefile", "build.ninja"]
        .iter()
        .any(|name| known.files.contains(&join(&candidate.dir, name)));
    is_make && !makefile && !known.make_dirs.contains(&candidate.dir) && !normal.contains(" -C ")
}

/// The way from one directory of the repository to another.
fn relative(from: &str, to: &str) -> String {
    let split = |path: &str| {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let (from, to) = (split(from), split(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let way: Vec<String> = up.chain(to.into_iter().skip(shared)).collect();
    if way.is_empty() {
        ".".to_owned()
    } else {
        // A directory whose name begins with a dash is not an option.
        join("", &way.join("/")).replacen('-', "./-", usize::from(way[0].starts_with('-')))
    }
}

/// The last step of building, run once more: a finished environment can repeat it.
fn last_step(plan: &Plan) -> Option<Candidate> {
    let steps = plan
        .projects
        .iter()
        .rev()
        .flat_map(|project| project.steps.iter().rev());
    let (step, argv, env) = steps
        .filter(|step| step.layer != Layer::Base)
        .find_map(|step| match &step.action {
            Action::Run { argv, env } => Some((step, argv, env)),
            _ => None,
        })?;
    let words: Option<Vec<_>> = argv
        .iter()
        .map(|word| shlex::try_quote(word).ok())
        .collect();
    Some(Candidate {
        level: Level::Installability,
        command: words?.join(" "),
        dir: step.dir.clone(),
        env: env.iter().cloned().collect(),
        because: step.because.clone(),
        trust: Trust::Guess,
        rank: 0,
        confidence: 0.7,
        runner: None,
        probe: false,
        added: true,
        planned: true,
        in_build_dir: false,
        before: Vec::new(),
        before_joined: 0,
        needs_tool: None,
    })
}

/// Levels that no command stands at.
pub fn missing(candidates: &[Candidate]) -> impl Iterator<Item = Level> + '_ {
    Level::ALL
        .into_iter()
        .filter(|level| !candidates.iter().any(|c| c.level == *level && !c.probe))
}
