//! The Dockerfile's proof: built by an engine, and the pyramid run in the image.

use std::time::{Duration, Instant};

use crate::emit::sanitize_bytes;
use crate::pyramid::PyramidCommand;
use crate::run::{CommandResult, Event, LayerResult, Observer, Run, What, command_spec_at, tail};
use crate::sandbox::{
    Backend, Base, BuildRequest, BuildStyle, Company, Engine, Limits, Options, Outcome, Sandbox,
    SandboxError, docker_engine,
};
use crate::scan::{self, Repository};
use crate::script::{self, Builder, DockerOptions, IMAGE_LOCATION, ScriptError};

use super::attest::level_reached;
use super::{Proof, judge};

/// Why there is no proof of the Dockerfile. A Dockerfile that does not build is no error: its proof says so.
#[derive(Debug, thiserror::Error)]
pub enum DockerProofError {
    /// No engine answers.
    #[error("{0}")]
    NoEngine(String),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error("cannot prepare the build: {0}")]
    Io(#[from] std::io::Error),
}

/// Builds the Dockerfile of the run's script with Docker or Podman and runs the pyramid in a container of the image,
/// each command from the image's own state. `clock` is when the whole run began: events tell their time by it.
pub fn prove_dockerfile(
    repository: &Repository,
    run: &Run,
    options: &Options,
    observer: &mut dyn Observer,
    clock: Instant,
) -> Result<Proof, DockerProofError> {
    let engine = docker_engine().map_err(|error| match error {
        SandboxError::Unavailable { why, .. } => {
            DockerProofError::NoEngine(format!("no container engine answers: {why}"))
        }
        other => other.into(),
    })?;
    let started = Instant::now();
    // A proof starts from nothing: what earlier attempts downloaded is not lent to it.
    let options = &Options {
        cache_scope: None,
        ..options.clone()
    };
    let mut observer = Clocked { observer, clock };
    let image = build(&engine, repository, run, options, &mut observer, started)?;
    let image = match image {
        Ok(image) => image,
        Err(proof) => return Ok(proof),
    };
    let result = pyramid(
        &image.id,
        &image.layer,
        run,
        options,
        &mut observer,
        started,
    );
    engine.remove_image(&image.id);
    result
}

/// An image that was built, with the build as a result.
struct Image {
    id: String,
    layer: LayerResult,
}

fn build(
    engine: &Engine,
    repository: &Repository,
    run: &Run,
    options: &Options,
    observer: &mut Clocked<'_>,
    started: Instant,
) -> Result<Result<Image, Proof>, DockerProofError> {
    let scratch = tempfile::tempdir()?;
    let setup = scratch.path().join("setup.sh");
    std::fs::write(&setup, script::bash(&run.script)?)?;
    // The classic builder is in every engine and in Podman; the cache mounts of the other flavour change no result.
    let text = script::dockerfile(
        &run.script,
        &DockerOptions {
            builder: Builder::Classic,
            ..DockerOptions::default()
        },
    )?;
    let base = Base::Image(run.script.base.image.clone());
    let company = Company::collect(options, scratch.path(), &base)?;
    let files = scan::files_to_copy(repository);
    let interrupted = || options.interrupted();
    let mut output = Vec::new();
    let built = engine.build(
        &BuildRequest {
            dockerfile: &text,
            context: &repository.root,
            files: &files,
            extra: &[(".envc/setup.sh", &setup)],
            tag: None,
            args: &[],
            company: Some(&company),
            style: BuildStyle::Classic,
        },
        &interrupted,
        &mut |bytes| {
            output.extend_from_slice(bytes);
            observer.output("docker-build", &sanitize_bytes(bytes));
        },
    );
    let wall = started.elapsed().as_secs_f64();
    match built {
        Ok(id) => Ok(Ok(Image {
            id,
            layer: layer(Outcome::Exited(0), wall),
        })),
        Err(SandboxError::Engine(why)) => {
            let mut lines = tail(&String::from_utf8_lossy(&output), 20);
            lines.push(why);
            observer.say(What::Warning {
                text: format!("the Dockerfile does not build:\n{}", lines.join("\n")),
            });
            Ok(Err(Proof {
                sandbox: facts(run),
                layers: vec![layer(Outcome::Exited(1), wall)],
                commands: Vec::new(),
                reached: None,
                wall,
            }))
        }
        Err(other) => Err(other.into()),
    }
}

fn layer(outcome: Outcome, wall: f64) -> LayerResult {
    LayerResult {
        layer: 5,
        outcome,
        wall,
    }
}

fn facts(run: &Run) -> crate::sandbox::SandboxFacts {
    crate::sandbox::SandboxFacts {
        backend: "docker".to_owned(),
        base: run.script.base.image.clone(),
        digest: None,
        distribution: run.sandbox.distribution.clone(),
        release: run.sandbox.release.clone(),
    }
}

fn pyramid(
    image: &str,
    built: &LayerResult,
    run: &Run,
    options: &Options,
    observer: &mut Clocked<'_>,
    started: Instant,
) -> Result<Proof, DockerProofError> {
    let base = Base::Image(image.to_owned());
    let mut sandbox = crate::sandbox::create(Backend::Docker, &base, options)?;
    let mut commands = Vec::new();
    for command in &run.pyramid.commands {
        // What the sandbox could not do in the time it had is not tried again here.
        let tried = run.results.iter().find(|result| result.id == command.id);
        if tried.is_none_or(|result| result.verdict == crate::run::Verdict::NotTried) {
            continue;
        }
        commands.push(one(sandbox.as_mut(), command, run, observer)?);
        sandbox.reset()?;
    }
    let layers = vec![built.clone()];
    Ok(Proof {
        sandbox: crate::sandbox::SandboxFacts {
            base: run.script.base.image.clone(),
            ..sandbox.facts().clone()
        },
        reached: level_reached(&layers, &commands),
        layers,
        commands,
        wall: started.elapsed().as_secs_f64(),
    })
}

fn one(
    sandbox: &mut dyn Sandbox,
    command: &PyramidCommand,
    run: &Run,
    observer: &mut Clocked<'_>,
) -> Result<CommandResult, DockerProofError> {
    let name = format!("docker-{}", command.id);
    observer.say(What::CommandStarted {
        id: name.clone(),
        level: command.level,
        command: command.command.clone(),
    });
    let limits = Limits {
        wall: Duration::from_secs(20 * 60),
        ..Limits::default()
    };
    let spec = command_spec_at(&run.script, command, limits, &IMAGE_LOCATION);
    let mut output = Vec::new();
    let finished = sandbox.run(&spec, &mut |bytes| {
        output.extend_from_slice(bytes);
        observer.output(&name, &sanitize_bytes(bytes));
    })?;
    if finished.outcome == Outcome::Interrupted {
        return Err(SandboxError::Interrupted.into());
    }
    let text = String::from_utf8_lossy(&output);
    let (report, verdict, reason) = judge(command, finished.outcome, &text);
    let wall = finished.wall.as_secs_f64();
    observer.say(What::CommandFinished {
        id: name,
        outcome: finished.outcome,
        wall,
        verdict,
        reason: reason.clone(),
    });
    Ok(CommandResult {
        id: command.id.clone(),
        level: command.level,
        command: command.command.clone(),
        dir: command.dir.clone(),
        outcome: finished.outcome,
        wall,
        report,
        verdict,
        reason,
        tail: tail(&text, 40),
        journal: 0,
    })
}

/// An observer that is told times since the whole run began.
struct Clocked<'a> {
    observer: &'a mut dyn Observer,
    clock: Instant,
}

impl Clocked<'_> {
    fn say(&mut self, what: What) {
        self.observer.event(&Event {
            at: self.clock.elapsed().as_secs_f64(),
            what,
        });
    }

    fn output(&mut self, of: &str, text: &str) {
        self.say(What::Output {
            of: of.to_owned(),
            text: text.to_owned(),
        });
    }
}
