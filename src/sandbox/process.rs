//! Starting helper processes and understanding what they report.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::Serialize;

use super::cgroup::Groups;
use super::contract::{Finished, Limits, Outcome, Result, SandboxError};
use super::gauge::{Gauge, Places};
use super::helper::{HELPER_ARGUMENT, STATUS_FD};
use super::interactive::{self, Terminal};
use super::options::Options;
use super::privilege::Privilege;
use super::spec::{ASK, HelperError, HoldReply, HoldSpec, KILL, PROGRAM, RemoveSpec, Report};
use super::store::{from_io, io_error};
use super::supervise::{self, Watch};

/// The running holder of a sandbox. Dropping it removes the store and waits for that.
#[derive(Debug)]
pub struct Holder {
    child: Child,
    input: Option<ChildStdin>,
    pub single_id: bool,
    /// Layers are in memory, as the store's file system cannot carry an overlay.
    pub in_memory: bool,
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
            Ok(HoldReply::Ready { single_id, store }) => Ok(Self {
                in_memory: store == "tmpfs",
                child,
                input: Some(input),
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

    /// The store as the holder sees it: where layers are in memory, nobody else does.
    pub fn view(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/cwd", self.pid()))
    }

    /// The executable for what enters the sandbox: the holder's read-only view of this one. Whoever finds it there
    /// as `/proc/self/exe` cannot write to it.
    pub fn program(&self) -> PathBuf {
        self.view().join(PROGRAM)
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
    // The number of namespaces may be used up, too: that is said with the same number as a full disk.
    if error.errno == Some(libc::ENOSPC) && !error.what.starts_with("unshare") {
        return SandboxError::NoSpace(error.what);
    }
    SandboxError::Unavailable {
        backend: "overlay",
        why: error.to_string(),
        hint: "`envc doctor` says what is missing and what to do; or run envc as root, or use --sandbox docker"
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
    /// Asks everything in the sandbox to end.
    pub fn ask(child: &Child) {
        Self::signal(child, ASK);
    }

    /// Makes the helper end the sandbox's process 1, and with it everything.
    pub fn stop(child: &Child) {
        Self::signal(child, KILL);
    }

    fn signal(child: &Child, signal: i32) {
        // SAFETY: the child has not been waited for, so its id is still its own.
        unsafe {
            libc::kill(child.id() as i32, signal);
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

/// A command that a helper shall run.
pub struct Job<'a, T> {
    /// The helper's executable.
    pub program: &'a Path,
    pub verb: &'a str,
    pub spec: &'a T,
    pub limits: Limits,
    pub writes: Places,
}

/// Runs a command through a helper and watches its limits.
pub fn run<T: Serialize>(
    options: &Options,
    groups: &Groups,
    job: Job<'_, T>,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Finished> {
    let limits = job.limits;
    let what = "run a command in the sandbox";
    groups.set(&limits);
    let killed_before = groups.out_of_memory_kills();
    let (output, output_end) = io::pipe().map_err(io_error(what))?;
    let streams = Streams::Captured(output_end.into());
    let entered = start(job.program, job.verb, job.spec, None, streams).map_err(io_error(what))?;
    let (child, mut status) = entered.split();
    let mut gauge = Gauge::new(job.writes, &limits, !groups.count_memory());
    let mut watch = Watch {
        limits,
        interrupted: &|| options.interrupted(),
        ask: &Entered::ask,
        kill: &Entered::stop,
        gauge: &mut |child| gauge.verdict(child.id()),
    };
    let ended = supervise::supervise(child, OwnedFd::from(output), &mut watch, sink)
        .map_err(io_error(what))?;
    let report = Entered::report(&mut status).map_err(io_error(what))?;
    let out_of_memory = groups.out_of_memory_kills() > killed_before;
    let outcome = match (ended.verdict, report) {
        (Some(verdict), _) => verdict,
        (None, Some(Report::Status(0))) => Outcome::Exited(0),
        (None, Some(Report::Failed(error))) if !out_of_memory => return Err(failed(error)),
        (None, _) if out_of_memory => Outcome::OutOfMemory,
        (None, Some(Report::Status(raw))) => supervise::outcome(raw),
        (None, _) => Outcome::Signalled(libc::SIGKILL),
    };
    Ok(Finished {
        outcome,
        wall: ended.wall,
        output_bytes: ended.output_bytes,
    })
}

/// Runs a command through the helper's `verb` on this process's terminal; gives its exit status, 128+n for a signal.
pub fn interactive<T: Serialize>(program: &Path, verb: &str, spec: &T) -> Result<i32> {
    let what = "run a command on the terminal";
    let terminal = interactive::on_terminal()
        .then(Terminal::open)
        .transpose()
        .map_err(io_error(what))?;
    let user = terminal.as_ref().map(|t| t.user.try_clone()).transpose();
    let streams = Streams::Terminal(user.map_err(io_error(what))?);
    let entered = start(program, verb, spec, None, streams).map_err(io_error(what))?;
    let (mut child, mut status) = entered.split();
    if let Some(terminal) = terminal {
        terminal.attend(&mut child).map_err(io_error(what))?;
        // The command may go on without its terminal; the sandbox does not.
        Entered::stop(&child);
    }
    let report = Entered::report(&mut status).map_err(io_error(what))?;
    child.wait().map_err(io_error(what))?;
    match report {
        Some(Report::Status(raw)) => Ok(match supervise::outcome(raw) {
            Outcome::Exited(code) => code,
            _ => 128 + libc::WTERMSIG(raw),
        }),
        Some(Report::Failed(error)) => Err(failed(error)),
        None => Ok(128 + libc::SIGKILL),
    }
}

/// Runs a helper to its end whose report is all that matters.
pub fn finish<T: Serialize>(helper: &Path, verb: &str, spec: &T) -> Result<()> {
    let what = || format!("run the helper to {verb}");
    let (output, output_end) = io::pipe().map_err(io_error(what()))?;
    let streams = Streams::Captured(output_end.into());
    let entered = start(helper, verb, spec, None, streams).map_err(io_error(what()))?;
    let (mut child, mut status) = entered.split();
    let mut said = String::new();
    let _ = File::from(OwnedFd::from(output)).read_to_string(&mut said);
    let report = Entered::report(&mut status).map_err(io_error(what()))?;
    child.wait().map_err(io_error(what()))?;
    match report {
        Some(Report::Status(_)) => Ok(()),
        Some(Report::Failed(error)) => Err(failed(error)),
        None => Err(from_io(what(), io::Error::other(said))),
    }
}

/// Removes a directory as the root of a user namespace where this user is not root.
pub fn remove(helper: &Path, path: &Path) -> Result<()> {
    let spec = RemoveSpec {
        path: path.to_path_buf(),
        user_namespace: Privilege::here().needs_namespace(),
    };
    finish(helper, "remove", &spec)
}

/// The error for a helper's failure.
pub fn failed(error: HelperError) -> SandboxError {
    let source = error.errno.map_or_else(
        || io::Error::other(error.what.clone()),
        io::Error::from_raw_os_error,
    );
    from_io(error.what, source)
}
