//! BuildKit through the engine's own client: its API needs a session that only a client with the `buildx` component
//! keeps up.

use std::fs::File;
use std::io::Seek;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::build::BuildRequest;
use super::engine::{self, Engine};
use crate::sandbox::contract::{Limits, Outcome, Result, SandboxError};
use crate::sandbox::running::Running;
use crate::sandbox::store::{self, io_error};
use crate::sandbox::supervise::{self, Watch};

/// Builds the context, whose Dockerfile has the name given, and gives the image's id.
pub fn build(
    engine: &Engine,
    dockerfile: &str,
    mut context: &File,
    request: &BuildRequest<'_>,
    interrupted: &dyn Fn() -> bool,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<String> {
    let what = "build the Dockerfile with docker buildx";
    let tag = request
        .tag
        .map_or_else(|| format!("envc-build:{}", store::new_id()), String::from);
    context.rewind().map_err(io_error(what))?;
    let (output, output_end) = std::io::pipe().map_err(io_error(what))?;
    let errors = output_end.try_clone().map_err(io_error(what))?;
    let mut command = Command::new("docker");
    command
        .args([
            "buildx",
            "build",
            "--load",
            "--progress=plain",
            "--file",
            dockerfile,
            "--tag",
            &tag,
        ])
        .args(
            request
                .args
                .iter()
                .flat_map(|(name, value)| ["--build-arg".into(), format!("{name}={value}")]),
        )
        .args(
            engine::labels(&store::new_id())
                .into_iter()
                .filter(|_| request.tag.is_none())
                .flat_map(|(name, value)| ["--label".into(), format!("{name}={value}")]),
        )
        .arg("-")
        .stdin(Stdio::from(context.try_clone().map_err(io_error(what))?))
        .stdout(output_end)
        .stderr(errors)
        .process_group(0);
    let child = command.spawn().map_err(io_error(what))?;
    // The command keeps the pipe's end until it is dropped, and the output would have no end.
    drop(command);
    let mut watch = Watch {
        limits: Limits {
            wall: Duration::from_secs(6 * 3600),
            ..Limits::default()
        },
        interrupted,
        ask: &|_| {},
        gauge: &mut |_| None,
        kill: &|child| {
            // SAFETY: the child has not been waited for, so the group it leads is its own.
            unsafe {
                libc::kill(-(child.pid() as i32), libc::SIGKILL);
            }
        },
    };
    let child = Running::child(child).map_err(io_error(what))?;
    let ended = supervise::supervise(child, OwnedFd::from(output), &mut watch, sink)
        .map_err(io_error(what))?;
    match ended.verdict {
        Some(Outcome::Interrupted) => Err(SandboxError::Interrupted),
        None if ended.success => engine.image_id(&tag),
        _ => Err(SandboxError::Engine(format!(
            "{what}: it failed; see its output"
        ))),
    }
}

/// Refuses early where there is no client with the component.
pub fn require() -> Result<()> {
    if !available() {
        return Err(SandboxError::Unavailable {
            backend: "docker",
            why:
                "the Dockerfile needs BuildKit, and the docker client here has no buildx component"
                    .into(),
            hint: "install docker-buildx, or emit the Dockerfile without RUN --mount".into(),
        });
    }
    Ok(())
}

fn available() -> bool {
    Command::new("docker")
        .args(["buildx", "version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
