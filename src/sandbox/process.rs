//! Starting helper processes and understanding what they report.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Serialize;

use super::cgroup::Groups;
use super::contract::{Finished, Limits, Outcome, Result, SandboxError};
use super::gauge::{Gauge, Places};
use super::handover;
use super::helper::{HELPER_ARGUMENT, STATUS_FD};
use super::interactive::{self, Terminal};
use super::options::Options;
use super::privilege::Privilege;
use super::running::Running;
use super::spec::{
    ASK, EnterSpec, HelperError, HoldReply, HoldSpec, KILL, RemoveSpec, Report, Request,
};
use super::store::{from_io, io_error};
use super::supervise::{self, Watch};

/// The running holder of a sandbox. Dropping it removes the store and waits for that.
#[derive(Debug)]
pub struct Holder {
    child: Child,
    socket: Option<OwnedFd>,
    pub single_id: bool,
    /// Layers are in memory, as the store's file system cannot carry an overlay.
    pub in_memory: bool,
}

impl Holder {
    pub fn start(helper: &Path, spec: &HoldSpec) -> Result<Self> {
        let what = || format!("start {}", helper.display());
        let (socket, other) = handover::pair().map_err(io_error(what()))?;
        let file = spec_file(spec, None).map_err(io_error(what()))?;
        let mut command = Command::new(helper);
        command
            .args([HELPER_ARGUMENT, "hold"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::from(other))
            .stdout(Stdio::piped())
            .process_group(0);
        // It reports on its standard output; only the specification is of use there.
        hand_over(&mut command, file.as_raw_fd(), file.as_raw_fd());
        let mut child = command.spawn().map_err(io_error(what()))?;
        // The command keeps the holder's end until it is dropped, and the holder would never see the end.
        drop(command);
        let mut line = String::new();
        let read = match child.stdout.take() {
            Some(output) => BufReader::new(output).read_line(&mut line),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match read.and_then(|_| Ok(serde_json::from_str::<HoldReply>(&line)?)) {
            Ok(HoldReply::Ready { single_id, store }) => Ok(Self {
                in_memory: store == "tmpfs",
                child,
                socket: Some(socket),
                single_id,
            }),
            Ok(HoldReply::Failed(error)) => {
                drop(socket);
                let _ = child.wait();
                Err(unavailable(error))
            }
            Err(error) => {
                drop(socket);
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

    /// Starts what `spec` says in the sandbox.
    pub fn enter(
        &self,
        spec: &EnterSpec,
        payload: Option<&[u8]>,
        streams: Streams,
    ) -> io::Result<Entered> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let socket = self.socket.as_ref().ok_or_else(gone)?.as_fd();
        let file = spec_file(spec, payload)?;
        let (status, status_end) = io::pipe()?;
        let streams = streams.files()?;
        let [input, output, error] = &streams;
        let files = [
            file.as_raw_fd(),
            status_end.as_raw_fd(),
            input.as_raw_fd(),
            output.as_raw_fd(),
            error.as_raw_fd(),
        ];
        handover::send(socket, Request::Enter.text().as_bytes(), &files)?;
        let (text, mut files) = handover::receive(socket)?.ok_or_else(gone)?;
        let pid = std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok());
        let running = match (pid, files.pop()) {
            (Some(pid), Some(pidfd)) => Some(Running::guest(pid, pidfd)),
            // It did not start; the reason is in the report.
            _ => None,
        };
        Ok(Entered {
            running,
            status: File::from(OwnedFd::from(status)),
        })
    }

    /// Drops a layer's files in the background.
    pub fn discard(&self, layer: u32) {
        self.ask(Request::Discard(layer));
    }

    /// Unmounts the root: its layers may then be read.
    pub fn unmount(&self) {
        self.ask(Request::Unmount);
    }

    fn ask(&self, request: Request) {
        if let Some(socket) = &self.socket {
            let _ = handover::send(socket.as_fd(), request.text().as_bytes(), &[]);
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.socket.take());
        let _ = self.child.wait();
    }
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

/// A helper that acts, or the reason why there is none.
pub struct Entered {
    running: Option<Running>,
    status: File,
}

/// What the helper's standard streams are.
pub enum Streams {
    /// Nothing in; both outputs into one pipe.
    Captured(OwnedFd),
    /// A terminal (or whatever the streams of this process are).
    Terminal(Option<OwnedFd>),
}

impl Streams {
    /// One file for each of the three.
    fn files(self) -> io::Result<[OwnedFd; 3]> {
        Ok(match self {
            Self::Captured(output) => {
                let nothing = File::open("/dev/null")?;
                [nothing.into(), output.try_clone()?, output]
            }
            Self::Terminal(Some(terminal)) => {
                [terminal.try_clone()?, terminal.try_clone()?, terminal]
            }
            Self::Terminal(None) => [
                io::stdin().as_fd().try_clone_to_owned()?,
                io::stdout().as_fd().try_clone_to_owned()?,
                io::stderr().as_fd().try_clone_to_owned()?,
            ],
        })
    }
}

/// Starts `envc __sandbox VERB` with the specification on descriptor 4 and its report on descriptor 3.
pub fn start<T: Serialize>(
    helper: &Path,
    verb: &str,
    spec: &T,
    streams: Streams,
) -> io::Result<Entered> {
    let spec = spec_file(spec, None)?;
    let (status, status_end) = io::pipe()?;
    let [input, output, error] = streams.files()?;
    let mut command = Command::new(helper);
    command
        .args([HELPER_ARGUMENT, verb])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(input)
        .stdout(output)
        .stderr(error)
        .process_group(0);
    hand_over(&mut command, status_end.as_raw_fd(), spec.as_raw_fd());
    let child = command.spawn()?;
    Ok(Entered {
        running: Some(Running::child(child)?),
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
    // In one piece: a writer of JSON writes every word by itself.
    file.write_all(&serde_json::to_vec(spec)?)?;
    if let Some(payload) = payload {
        file.write_all(&[0])?;
        file.write_all(payload)?;
    }
    file.rewind()?;
    Ok(file)
}

impl Entered {
    /// The report after the helper has ended; `None` when it was killed before it could report.
    pub fn report(status: &mut File) -> io::Result<Option<Report>> {
        let mut text = Vec::new();
        status.read_to_end(&mut text)?;
        if text.is_empty() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&text)?))
    }

    /// The process, or why there is none.
    pub fn split(mut self) -> io::Result<std::result::Result<(Running, File), HelperError>> {
        if let Some(running) = self.running {
            return Ok(Ok((running, self.status)));
        }
        match Self::report(&mut self.status)? {
            Some(Report::Failed(error)) => Ok(Err(error)),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The same for those to whom both are failures.
    pub fn running(self, what: &str) -> Result<(Running, File)> {
        self.split().map_err(io_error(what))?.map_err(failed)
    }
}

/// A command that a helper shall run.
pub struct Job<'a> {
    /// Starts the helper.
    pub start: &'a dyn Fn(Streams) -> io::Result<Entered>,
    pub limits: Limits,
    pub writes: Places,
}

/// Runs a command through a helper and watches its limits.
pub fn run(
    options: &Options,
    groups: &Groups,
    job: Job<'_>,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Finished> {
    let limits = job.limits;
    let what = "run a command in the sandbox";
    groups.set(&limits);
    let killed_before = groups.out_of_memory_kills();
    let mut gauge = Gauge::new(job.writes, &limits, !groups.count_memory());
    let (output, output_end) = io::pipe().map_err(io_error(what))?;
    let entered = (job.start)(Streams::Captured(output_end.into())).map_err(io_error(what))?;
    let (running, mut status) = entered.running(what)?;
    let mut watch = Watch {
        limits,
        interrupted: &|| options.interrupted(),
        ask: &|running| running.signal(ASK),
        kill: &|running| running.signal(KILL),
        gauge: &mut |running| gauge.verdict(running.pid()),
    };
    let ended = supervise::supervise(running, OwnedFd::from(output), &mut watch, sink)
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

/// Runs a command through a helper on this process's terminal; gives its exit status, 128+n for a signal.
pub fn interactive(start: &dyn Fn(Streams) -> io::Result<Entered>) -> Result<i32> {
    let what = "run a command on the terminal";
    let terminal = interactive::on_terminal()
        .then(Terminal::open)
        .transpose()
        .map_err(io_error(what))?;
    let user = terminal.as_ref().map(|t| t.user.try_clone()).transpose();
    let streams = Streams::Terminal(user.map_err(io_error(what))?);
    let (mut running, mut status) = start(streams).map_err(io_error(what))?.running(what)?;
    if let Some(terminal) = terminal {
        terminal.attend(&mut running).map_err(io_error(what))?;
        // The command may go on without its terminal; the sandbox does not.
        running.signal(KILL);
    }
    let report = Entered::report(&mut status).map_err(io_error(what))?;
    running.wait().map_err(io_error(what))?;
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
    let entered = start(helper, verb, spec, streams).map_err(io_error(what()))?;
    let (mut child, mut status) = entered.running(&what())?;
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
