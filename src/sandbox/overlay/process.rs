//! Starting helper processes and understanding what they report.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::Serialize;

use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::helper::{HELPER_ARGUMENT, STATUS_FD};
use crate::sandbox::spec::{HelperError, HoldReply, HoldSpec, Report};
use crate::sandbox::store::{from_io, io_error};

/// The running holder of a sandbox. Dropping it removes the store and waits for that.
#[derive(Debug)]
pub struct Holder {
    child: Child,
    input: Option<ChildStdin>,
    pub store_kind: String,
    pub single_id: bool,
}

impl Holder {
    pub fn start(helper: &Path, spec: &HoldSpec) -> Result<Self> {
        let mut child = Command::new(helper)
            .args([HELPER_ARGUMENT, "hold"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(io_error(format!("start {}", helper.display())))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(lost("the holder has no pipes"));
        };
        let asked = serde_json::to_writer(&mut input, spec)
            .map_err(io::Error::from)
            .and_then(|()| input.write_all(b"\n"));
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        let reply = asked
            .and(read)
            .and_then(|_| Ok(serde_json::from_str::<HoldReply>(&line)?));
        match reply {
            Ok(HoldReply::Ready { store, single_id }) => Ok(Self {
                child,
                input: Some(input),
                store_kind: store,
                single_id,
            }),
            Ok(HoldReply::Failed(error)) => {
                drop(input);
                let _ = child.wait();
                Err(unavailable(error))
            }
            Err(error) => {
                drop(input);
                let _ = child.wait();
                Err(from_io("start the sandbox's holder".into(), error))
            }
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Drops a layer's files in the background.
    pub fn discard(&mut self, layer: u32) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "discard {layer}");
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn lost(what: &str) -> SandboxError {
    from_io(what.into(), io::Error::from(io::ErrorKind::BrokenPipe))
}

fn unavailable(error: HelperError) -> SandboxError {
    if error.errno == Some(libc::ENOSPC) {
        return SandboxError::NoSpace(error.what);
    }
    SandboxError::Unavailable {
        backend: "overlay",
        why: error.what,
        hint: "run envc as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
               user.max_user_namespaces>0); or use --sandbox docker"
            .into(),
    }
}

/// A helper that has entered, or is about to enter, the sandbox.
pub struct Entered {
    pub child: Child,
    status: File,
}

/// What the helper's standard streams are.
pub enum Streams {
    /// Nothing in; both outputs into one pipe.
    Captured(OwnedFd),
    /// A terminal (or whatever the streams of this process are).
    Terminal(Option<OwnedFd>),
}

/// Starts `envc __sandbox VERB` with the specification on descriptor 4 and its report on descriptor 3.
pub fn start<T: Serialize>(
    helper: &Path,
    verb: &str,
    spec: &T,
    payload: Option<&[u8]>,
    streams: Streams,
) -> io::Result<Entered> {
    let spec = spec_file(spec, payload)?;
    let (status, status_end) = io::pipe()?;
    let mut command = Command::new(helper);
    command.args([HELPER_ARGUMENT, verb]).env_clear();
    match streams {
        Streams::Captured(output) => {
            command
                .stdin(Stdio::null())
                .stdout(output.try_clone()?)
                .stderr(output)
                .process_group(0);
        }
        Streams::Terminal(Some(terminal)) => {
            command
                .stdin(terminal.try_clone()?)
                .stdout(terminal.try_clone()?)
                .stderr(terminal)
                .process_group(0);
        }
        Streams::Terminal(None) => {}
    }
    hand_over(&mut command, status_end.as_raw_fd(), spec.as_raw_fd());
    let child = command.spawn()?;
    Ok(Entered {
        child,
        status: File::from(OwnedFd::from(status)),
    })
}

/// Gives the child `status` as descriptor 3 and `spec` as 4, and only the child: no other thread's child gets them.
fn hand_over(command: &mut Command, status: RawFd, spec: RawFd) {
    // SAFETY: only dup, dup2 and fcntl, which may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // First out of the way of 3 and 4, whichever numbers they have; those copies close on exec.
            let status = check(libc::fcntl(status, libc::F_DUPFD_CLOEXEC, 10))?;
            let spec = check(libc::fcntl(spec, libc::F_DUPFD_CLOEXEC, 10))?;
            check(libc::dup2(status, STATUS_FD))?;
            check(libc::dup2(spec, STATUS_FD + 1))?;
            Ok(())
        });
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// A nameless file: unlike a pipe it can hold any amount before anyone reads.
fn spec_file<T: Serialize>(spec: &T, payload: Option<&[u8]>) -> io::Result<File> {
    let fd = rustix::fs::memfd_create("envc-spec", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = File::from(fd);
    serde_json::to_writer(&mut file, spec)?;
    if let Some(payload) = payload {
        file.write_all(&[0])?;
        file.write_all(payload)?;
    }
    file.rewind()?;
    Ok(file)
}

impl Entered {
    /// Asks the helper to end the sandbox's process 1, and with it everything.
    pub fn stop(child: &Child) {
        // SAFETY: the child has not been waited for, so its id is still its own.
        unsafe {
            libc::kill(child.id() as i32, libc::SIGTERM);
        }
    }

    /// The report after the helper has ended; `None` when it was killed before it could report.
    pub fn report(status: &mut File) -> io::Result<Option<Report>> {
        let mut text = Vec::new();
        status.read_to_end(&mut text)?;
        if text.is_empty() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&text)?))
    }

    pub fn split(self) -> (Child, File) {
        (self.child, self.status)
    }
}

/// The error for a helper's failure.
pub fn failed(error: HelperError) -> SandboxError {
    let source = error.errno.map_or_else(
        || io::Error::other(error.what.clone()),
        io::Error::from_raw_os_error,
    );
    from_io(error.what, source)
}
