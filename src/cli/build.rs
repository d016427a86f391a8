//! `envc build`: the whole pipeline, from a directory to artifacts and a verdict.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::emit::{self, Artifact, Journal, OutDir, ReportData, Tee, Verbosity};
use crate::repair::Telemetry;
use crate::run::{Budget, EndReason, Event, Observer, Run, What};
use crate::sandbox::{Base, Options, Sandbox};
use crate::scan::Repository;
use crate::script::{self, Script};
use crate::verify::{self, Certificate, Testimony};
use crate::{Analysis, Memory, decide, prove, understand};

use super::arguments::Build;
use super::exit::{Exit, Failure};
use super::recorder::{Recorder, Shifted};
use super::resume::{self, Place};
use super::start::{self, Start};
use super::{bases, certify, show, signals, source};

/// File that `envc shell` and `envc run` find the environment by.
pub const ENVIRONMENT: &str = "environment.json";

pub fn run(options: &Build, verbosity: Verbosity) -> Result<Exit, Failure> {
    if !options.emit.is_empty() {
        return show::emitted(options);
    }
    let root = source::resolve(&options.source.path)?;
    let interrupted = signals::flag()?;
    let started = Instant::now();
    let budget = Budget::start(
        options.budget,
        options.attempts,
        options.timeout,
        options.silence,
    );
    crate::prepare();
    let (repository, graph) = understand(&root)?;
    let understood = started.elapsed().as_secs_f64();
    let constraints = crate::plan::Constraints {
        level: options.level.map(Into::into),
        ..options.source.constraints()
    };
    let named = match &options.source.base {
        Some(base) => bases::facts_of(base)?,
        None => None,
    };
    let (plan, script, pyramid) = decide(&repository, &graph, &constraints, named.as_ref())?;
    let mut analysis = Analysis {
        repository,
        graph,
        plan,
        script,
        pyramid,
    };

    let out = OutDir::create(&out_dir(&root, options.out.as_deref()))?;
    let events = Recorder::default();
    let mut observer = Tee(vec![emit::for_user(
        verbosity,
        options.json_events,
        std::io::stderr().is_terminal(),
    )]);
    if !options.resume {
        observer.0.push(Box::new(Journal::create(&out)?));
        observer.0.push(Box::new(events.clone()));
    }
    let at = |what| Event {
        at: started.elapsed().as_secs_f64(),
        what,
    };
    let read = at(stage_done(
        "scan and graph",
        understood,
        graph_summary(&analysis),
    ));
    observer.event(&read);

    let sandbox_options = Options {
        interrupted,
        network: options.network.into(),
        memory: options.memory,
        disk: options.disk,
        ..Options::new()?
    };
    let sandbox_options = with_caches(sandbox_options, &analysis.repository.root);
    let mut start = start::start(
        options,
        &mut analysis,
        &constraints,
        out.path(),
        &sandbox_options,
        &mut |text| warn(Some(text), &mut observer, started),
    )?;
    if options.resume {
        go_on(&start, &out, &mut observer, &events)?;
        if let Some(why) = &start.anew {
            let text = format!("starting anew: {why}");
            observer.event(&at(What::Warning { text }));
        }
    }
    observer.event(&at(stage_done(
        "plan",
        started.elapsed().as_secs_f64(),
        plan_summary(&analysis),
    )));

    let mut telemetry = remembered(&mut observer, started);
    let result = prove(
        &analysis,
        &constraints,
        &start.facts,
        start.sandbox.as_mut(),
        budget,
        Memory {
            telemetry: &mut telemetry,
            keeper: Some(Box::new(start.saver)),
            resumed: start.progress.take(),
        },
        &mut observer,
    );
    remember(&telemetry, &mut observer, started);
    let mut run = result?;
    let mut finish = Finish {
        options,
        analysis: &analysis,
        out: &out,
        observer: &mut observer,
        sandbox_options: &sandbox_options,
        started,
    };
    let (certificate, text) = finish.judge(&mut run, start.sandbox.as_mut())?;
    finish.keep(start.sandbox.as_mut(), &run, &start.base)?;
    finish.write(&run, &certificate, &text, &events.take())?;
    let place = Place::of(out.path(), &sandbox_options);
    if certificate.predicate.verified {
        place.clear();
    } else {
        place.ended();
    }
    report(options, verbosity, &certificate, &out)
}

/// Continues the journal of the earlier run where there is one to go on with, and begins a new one where not.
fn go_on(
    start: &Start,
    out: &OutDir,
    observer: &mut Tee,
    events: &Recorder,
) -> Result<(), Failure> {
    let Some(progress) = &start.progress else {
        observer.0.push(Box::new(Journal::create(out)?));
        observer.0.push(Box::new(events.clone()));
        return Ok(());
    };
    let text = out.read("journal.jsonl")?.unwrap_or_default();
    let earlier = emit::journal::read_events(&String::from_utf8_lossy(&text));
    let by = earlier.last().map_or(0.0, |event| event.at);
    let mut recorder = events.clone();
    earlier.iter().for_each(|event| recorder.event(event));
    let inner = Journal::resume(out)?;
    observer.0.push(Box::new(Shifted { by, inner }));
    observer.0.push(Box::new(Shifted {
        by,
        inner: recorder,
    }));
    let layer = progress.layers.last().map_or(0, |layer| layer.layer);
    let from = format!("layer {layer} and {} commands", progress.results.len());
    observer.event(&Event {
        at: 0.0,
        what: What::Resumed { from },
    });
    Ok(())
}

/// `.envc` in the repository, unless `--out` says otherwise.
pub fn out_dir(root: &Path, out: Option<&Path>) -> PathBuf {
    out.map_or_else(|| root.join(".envc"), Path::to_path_buf)
}

/// Options with the caches of a repository, or those of the scope that the user's settings name.
pub fn with_caches(options: Options, root: &Path) -> Options {
    let named = options.settings.cache.scope.clone();
    Options {
        cache_scope: Some(named.unwrap_or_else(|| cache_scope(root))),
        ..options
    }
}

/// One name for each repository's caches: a hostile build may spoil its own, and no other's.
pub fn cache_scope(root: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    verify::attest::sha256(root.as_os_str().as_bytes())
        .chars()
        .take(16)
        .collect()
}

/// What earlier runs of this user learned about repairs.
fn remembered(observer: &mut Tee, started: Instant) -> Telemetry {
    let Some(path) = Telemetry::default_path() else {
        return Telemetry::default();
    };
    let (telemetry, warning) = Telemetry::load(&path);
    warn(warning, observer, started);
    telemetry
}

fn remember(telemetry: &Telemetry, observer: &mut Tee, started: Instant) {
    if let Some(path) = Telemetry::default_path() {
        let error = telemetry.save(&path).err();
        warn(error.map(|error| error.to_string()), observer, started);
    }
}

fn warn(text: Option<String>, observer: &mut Tee, started: Instant) {
    if let Some(text) = text {
        let at = started.elapsed().as_secs_f64();
        observer.event(&Event {
            at,
            what: What::Warning { text },
        });
    }
}

fn stage_done(stage: &str, wall: f64, summary: String) -> What {
    What::StageFinished {
        stage: stage.to_owned(),
        wall,
        summary,
    }
}

fn graph_summary(analysis: &Analysis) -> String {
    format!(
        "{} files, {} nodes, {} edges",
        analysis.repository.files.len(),
        analysis.graph.node_count(),
        analysis.graph.edge_count()
    )
}

fn plan_summary(analysis: &Analysis) -> String {
    let systems: Vec<&str> = analysis
        .plan
        .projects
        .iter()
        .map(|project| project.ecosystem.as_str())
        .collect();
    format!(
        "{} on {}, {} packages, {} commands in the pyramid",
        systems.join(" and "),
        analysis.plan.base.image,
        analysis.script.packages.len(),
        analysis.pyramid.commands.len()
    )
}

/// What follows the loops: charges, the Dockerfile's proof, the certificate, the files.
struct Finish<'a> {
    options: &'a Build,
    analysis: &'a Analysis,
    out: &'a OutDir,
    observer: &'a mut Tee,
    sandbox_options: &'a Options,
    started: Instant,
}

impl Finish<'_> {
    fn say(&mut self, what: What) {
        let at = self.started.elapsed().as_secs_f64();
        self.observer.event(&Event { at, what });
    }

    fn stage(&mut self, stage: &str) {
        self.say(What::StageStarted {
            stage: stage.to_owned(),
        });
    }

    fn judge(
        &mut self,
        run: &mut Run,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(Certificate, String), Failure> {
        let repository = &self.analysis.repository;
        let mut charges = Vec::new();
        if run.reached.is_some() {
            self.stage("prosecute");
            charges = verify::hear(sandbox, repository, &self.analysis.plan, run)?;
        }
        let (docker, docker_skipped) = if run.reached.is_some() {
            self.stage("certify");
            certify::docker(
                self.options.certify,
                repository,
                run,
                self.sandbox_options,
                self.observer,
                self.started,
            )?
        } else {
            (None, Some("the sandbox's own proof is missing".to_owned()))
        };
        let ran = script::bash(&run.script)?;
        let certificate = verify::certify(Testimony {
            run,
            setup_sh: ran.as_bytes(),
            asked: self.options.level.map(Into::into),
            docker,
            docker_skipped,
            charges,
            finished: jiff::Timestamp::now(),
        });
        self.say(What::Finished {
            reached: certificate.predicate.reached,
            reason: emit::headline(&certificate),
        });
        Ok((certificate, ran))
    }

    /// Keeps the finished environment for `envc shell` and `envc run`.
    fn keep(&mut self, sandbox: &mut dyn Sandbox, run: &Run, base: &Base) -> Result<(), Failure> {
        if run.layers.is_empty() {
            return Ok(());
        }
        let dir = self.out.path().to_path_buf();
        match sandbox.keep(&dir) {
            Ok(kept) => {
                let environment = Environment {
                    kept,
                    script: run.script.clone(),
                };
                let file = Artifact::json(ENVIRONMENT, &environment)?;
                resume::remember(self.out.path(), &file.contents, self.sandbox_options)?;
                self.out.write(&file)?;
            }
            Err(error) => self.say(What::Warning {
                text: format!(
                    "the environment on {base:?} could not be kept for `envc shell`: {error}"
                ),
            }),
        }
        Ok(())
    }

    fn write(
        &mut self,
        run: &Run,
        certificate: &Certificate,
        setup: &str,
        events: &[Event],
    ) -> Result<(), Failure> {
        let report = emit::report(&ReportData {
            repository: &run.script.repository,
            graph_summary: &graph_counts(&self.analysis.graph),
            plan: &self.analysis.plan,
            script_text: setup,
            pyramid: &run.pyramid,
            run,
            certificate,
            events,
        })
        .map_err(|error| {
            Failure::new(Exit::Transient, format!("cannot write the report: {error}"))
        })?;
        self.out.publish(&[
            Artifact::setup(setup),
            Artifact::text("Dockerfile", dockerfile(&run.script, &run.pyramid)?),
            Artifact::text(
                "Dockerfile.dockerignore",
                script::dockerignore(&tracked(&self.analysis.repository)),
            ),
            Artifact::json("plan.json", &self.analysis.plan)?,
            Artifact::json("pyramid.json", &run.pyramid)?,
            Artifact::json("certificate.json", certificate)?,
            Artifact::text("report.html", report),
        ])?;
        Ok(())
    }
}

/// Nodes by kind, and the number of edges, for the report.
fn graph_counts(graph: &crate::graph::KnowledgeGraph) -> std::collections::BTreeMap<String, usize> {
    let summary = crate::graph::summary(graph);
    let mut counts: std::collections::BTreeMap<String, usize> = summary
        .kinds
        .into_iter()
        .map(|(kind, count)| (kind.to_string(), count))
        .collect();
    counts.insert("edges".to_owned(), summary.edges);
    counts
}

/// What `envc shell` and `envc run` need.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Environment {
    pub kept: crate::sandbox::Kept,
    pub script: Script,
}

fn report(
    options: &Build,
    verbosity: Verbosity,
    certificate: &Certificate,
    out: &OutDir,
) -> Result<Exit, Failure> {
    if options.json {
        show::print_json(certificate)?;
    } else if !options.json_events {
        let text = match verbosity {
            Verbosity::Quiet => emit::headline(certificate),
            _ => emit::summary(certificate, out.path()),
        };
        show::print(&text)?;
    }
    Ok(
        match (&certificate.predicate.end, certificate.predicate.verified) {
            (_, true) => Exit::Verified,
            (EndReason::Transient(_), false) => Exit::Transient,
            (EndReason::Interrupted, false) => Exit::Interrupted,
            (_, false) => Exit::NotReached,
        },
    )
}

/// The Dockerfile for BuildKit.
pub fn dockerfile(script: &Script, pyramid: &crate::pyramid::Pyramid) -> Result<String, Failure> {
    let commands: Vec<String> = pyramid
        .commands
        .iter()
        .map(|command| command.command.clone())
        .collect();
    let options = script::DockerOptions {
        commands: &commands,
        ..script::DockerOptions::default()
    };
    Ok(script::dockerfile(script, &options)?)
}

/// The name of every file.
pub fn tracked(repository: &Repository) -> Vec<String> {
    repository
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect()
}
