//! Running one command in a container within its limits.

use std::time::{Duration, Instant};

use bollard::container::LogOutput;
use bollard::exec::StartExecResults;
use bollard::models::ExecConfig;
use futures_util::StreamExt;

use super::engine::{Engine, engine_error};
use crate::sandbox::contract::{CommandSpec, Limits, Outcome, Result};

/// How long the user's wish to stop may go unseen.
const TICK: Duration = Duration::from_millis(50);

/// How long output may come after the command has ended: a daemon may hold the stream open.
const DRAIN: Duration = Duration::from_millis(300);

/// The end of a command. `verdict`: the limit that was hit; the command may still run then.
pub struct Ended {
    pub verdict: Option<Outcome>,
    pub exit_code: i64,
    pub wall: Duration,
    pub output_bytes: u64,
}

/// Runs `command` with the environment `env` in the running container.
pub fn run(
    engine: &Engine,
    container: &str,
    (command, env): (&CommandSpec, Vec<String>),
    interrupted: &dyn Fn() -> bool,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Ended> {
    let config = ExecConfig {
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        env: Some(env),
        cmd: Some(through_shell(&command.argv)),
        working_dir: Some(command.dir.clone()),
        ..Default::default()
    };
    engine.wait(async {
        let exec = engine
            .docker
            .create_exec(container, config)
            .await
            .map_err(engine_error("prepare a command"))?;
        let started = engine
            .docker
            .start_exec(&exec.id, None)
            .await
            .map_err(engine_error("start a command"))?;
        let mut watch = Watch::new(command.limits);
        if let StartExecResults::Attached { mut output, .. } = started {
            watch
                .follow(engine, &exec.id, &mut output, interrupted, sink)
                .await?;
        }
        let exit_code = watch.exit_code(engine, &exec.id).await?;
        Ok(Ended {
            verdict: watch.verdict,
            exit_code,
            wall: watch.start.elapsed(),
            output_bytes: watch.bytes,
        })
    })
}

/// The container's own shell starts the program, so that a missing one gives 127 and not an error of the engine, and
/// both outputs go through one pipe: in the order they were written.
fn through_shell(argv: &[String]) -> Vec<String> {
    let shell = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"].map(String::from);
    shell.into_iter().chain(argv.iter().cloned()).collect()
}

struct Watch {
    limits: Limits,
    start: Instant,
    last_output: Instant,
    last_look: Instant,
    bytes: u64,
    verdict: Option<Outcome>,
}

type Output = std::pin::Pin<
    Box<
        dyn futures_util::Stream<Item = std::result::Result<LogOutput, bollard::errors::Error>>
            + Send,
    >,
>;

impl Watch {
    fn new(limits: Limits) -> Self {
        let now = Instant::now();
        Self {
            limits,
            start: now,
            last_output: now,
            last_look: now,
            bytes: 0,
            verdict: None,
        }
    }

    async fn follow(
        &mut self,
        engine: &Engine,
        exec: &str,
        output: &mut Output,
        interrupted: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let mut ended: Option<Instant> = None;
        while self.verdict.is_none() && ended.is_none_or(|at| at.elapsed() < DRAIN) {
            match tokio::time::timeout(TICK, output.next()).await {
                Ok(None) => return Ok(()),
                Ok(Some(Ok(piece))) => self.take(&piece.into_bytes(), sink),
                Ok(Some(Err(error))) => return Err(engine_error("read a command's output")(error)),
                // Silence may mean that the command has ended and only a daemon of it holds the stream.
                Err(_)
                    if ended.is_none() && self.last_look.elapsed() > Duration::from_millis(500) =>
                {
                    self.last_look = Instant::now();
                    let running = engine.docker.inspect_exec(exec).await;
                    if running.is_ok_and(|exec| exec.running == Some(false)) {
                        ended = Some(Instant::now());
                    }
                }
                Err(_) => {}
            }
            self.judge(interrupted());
        }
        Ok(())
    }

    fn take(&mut self, piece: &[u8], sink: &mut dyn FnMut(&[u8])) {
        let room = self.limits.output.saturating_sub(self.bytes);
        let shown = usize::try_from(room).unwrap_or(usize::MAX).min(piece.len());
        self.bytes += piece.len() as u64;
        self.last_output = Instant::now();
        if let Some(piece) = piece.get(..shown).filter(|p| !p.is_empty()) {
            sink(piece);
        }
    }

    fn judge(&mut self, interrupted: bool) {
        let silence = self.limits.silence;
        self.verdict = if interrupted {
            Some(Outcome::Interrupted)
        } else if self.bytes > self.limits.output {
            Some(Outcome::OutputLimit)
        } else if self.start.elapsed() >= self.limits.wall {
            Some(Outcome::TimedOut)
        } else if silence.is_some_and(|limit| self.last_output.elapsed() >= limit) {
            Some(Outcome::Silent)
        } else {
            None
        };
    }

    /// The engine may learn of the end a moment after the stream closed.
    async fn exit_code(&self, engine: &Engine, exec: &str) -> Result<i64> {
        loop {
            let state = engine
                .docker
                .inspect_exec(exec)
                .await
                .map_err(engine_error("ask how a command ended"))?;
            match state.exit_code {
                Some(code) if state.running != Some(true) => return Ok(code),
                _ if self.verdict.is_some() || self.start.elapsed() > self.limits.wall => {
                    return Ok(-1);
                }
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }
}

/// The engine gives 128+n both for a command ended by signal n and for one that exited so. Of the two the signal is
/// the likelier for the signals that end programs.
pub fn outcome(code: i64) -> Outcome {
    let fatal = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGKILL,
        libc::SIGSEGV,
        libc::SIGPIPE,
        libc::SIGALRM,
        libc::SIGTERM,
        libc::SIGSYS,
    ];
    let code = i32::try_from(code).unwrap_or(-1);
    if fatal.contains(&(code - 128)) {
        return Outcome::Signalled(code - 128);
    }
    Outcome::Exited(code)
}
