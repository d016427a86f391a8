//! Entering the sandbox: a process that the holder forked makes a fresh set of namespaces below the holder's, and forks
//! process 1 of a new process-id namespace, which runs one command. When process 1 ends the kernel ends all that is left.

use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};

use super::harden::Rules;
use super::sys::{self, Context, Result};
use super::{command, files, harden, mounts, sockets};
use crate::sandbox::contract::Network;
use crate::sandbox::spec::{ASK, Action, EnterSpec, HelperError, KILL};

/// Process 1, for the handler of SIGTERM.
static INIT: AtomicI32 = AtomicI32::new(0);

/// Enters and acts; gives the raw wait status of the command (0 for file actions).
pub fn enter(spec: &EnterSpec, payload: Vec<u8>) -> Result<i32> {
    let mut work = Work::open(&spec.action, payload)?;
    let hidden = sockets::of_the_host(&spec.trees);
    join_cgroups(&spec.cgroups);
    let network = match spec.network {
        Network::Full | Network::Judged => 0,
        Network::None => libc::CLONE_NEWNET,
    };
    sys::unshare(
        libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP
            | network,
    )?;
    block_requests(true);
    let (read, write) = io::pipe().context(|| "pipe".into())?;
    let init = sys::fork()?;
    if init == 0 {
        drop(read);
        block_requests(false);
        process_one(spec, &mut work, &hidden, write);
    }
    drop(write);
    INIT.store(init, Ordering::SeqCst);
    on_requests(on_sigterm, on_sigquit);
    block_requests(false);
    let mut text = Vec::new();
    let read_result = (&read).read_to_end(&mut text);
    let waited = sys::wait(init);
    read_result.context(|| "read the status".into())?;
    waited.context(|| "wait for process 1".into())?;
    if text.is_empty() {
        // Killed: by the parent's wish or for want of memory. The parent knows which.
        return Ok(libc::SIGKILL);
    }
    serde_json::from_slice::<std::result::Result<i32, HelperError>>(&text).map_err(|error| {
        HelperError {
            what: format!("read the status: {error}"),
            errno: None,
        }
    })?
}

pub fn join_cgroups(groups: &[PathBuf]) {
    // The command inherits the group. A group that refuses leaves the limits to time and output.
    for group in groups {
        let _ = std::fs::write(group.join("cgroup.procs"), "0");
    }
}

/// Asks all processes of the sandbox to end: process 1 passes it on.
extern "C" fn on_sigterm(_: libc::c_int) {
    signal_init(libc::SIGTERM);
}

/// Ends process 1, and with it everything.
extern "C" fn on_sigquit(_: libc::c_int) {
    signal_init(libc::SIGKILL);
}

fn signal_init(signal: libc::c_int) {
    let init = INIT.load(Ordering::SeqCst);
    if init > 0 {
        // SAFETY: kill(2) may be called in a handler; process 1 is an unwaited child, so its id is its own.
        unsafe {
            libc::kill(init, signal);
        }
    }
}

/// Sets the handlers of the two requests: [`ASK`] and [`KILL`].
pub fn on_requests(ask: extern "C" fn(libc::c_int), kill: extern "C" fn(libc::c_int)) {
    // SAFETY: the handlers only load an atomic and call kill(2).
    unsafe {
        libc::signal(ASK, ask as libc::sighandler_t);
        libc::signal(KILL, kill as libc::sighandler_t);
    }
}

/// Blocks or unblocks both requests.
pub fn block_requests(block: bool) {
    let how = if block {
        libc::SIG_BLOCK
    } else {
        libc::SIG_UNBLOCK
    };
    // SAFETY: the set is initialised before use.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, ASK);
        libc::sigaddset(&mut set, KILL);
        libc::sigprocmask(how, &set, std::ptr::null_mut());
    }
}

/// What an action needs from the host, opened before the host is out of reach.
enum Work {
    Command,
    Copy(std::fs::File, Vec<u8>),
    Write(Vec<u8>),
    Read,
}

impl Work {
    fn open(action: &Action, payload: Vec<u8>) -> Result<Self> {
        Ok(match action {
            Action::Run { .. } => Self::Command,
            Action::Copy { from, .. } => {
                let dir =
                    std::fs::File::open(from).context(|| format!("open {}", from.display()))?;
                Self::Copy(dir, payload)
            }
            Action::Write { .. } => Self::Write(payload),
            Action::Read { .. } => Self::Read,
        })
    }
}

/// Process 1 of the sandbox. Never returns.
fn process_one(
    spec: &EnterSpec,
    work: &mut Work,
    hidden: &[PathBuf],
    mut status: io::PipeWriter,
) -> ! {
    let result = sys::die_with_parent()
        .and_then(|()| assemble(spec, hidden))
        .and_then(|()| act(spec, work));
    if let Ok(text) = serde_json::to_vec(&result) {
        let _ = status.write_all(&text);
    }
    // SAFETY: ends this process; the kernel then ends every other one in the namespace.
    unsafe { libc::_exit(0) }
}

fn assemble(spec: &EnterSpec, hidden: &[PathBuf]) -> Result<()> {
    mounts::detach_propagation()?;
    let command = matches!(spec.action, Action::Run { .. });
    if command && spec.network == Network::None {
        harden::loopback_up()?;
    }
    std::env::set_current_dir("m").context(|| "enter the new root".into())?;
    if command {
        mounts::system(spec)?;
    }
    // With one tree the root is a mount already; with several, too: the skeleton's overlay.
    sys::pivot_root_here()?;
    if command {
        sockets::hide(hidden)?;
    }
    harden::host_name("envc")
}

fn act(spec: &EnterSpec, work: &mut Work) -> Result<i32> {
    match (&spec.action, work) {
        (
            Action::Run {
                argv,
                dir,
                env,
                terminal,
            },
            Work::Command,
        ) => {
            let prepared = Prepared::new(argv, dir, env, *terminal)?;
            let rules = Rules {
                processes: spec.processes,
                open_files: spec.open_files,
            };
            command::run(&prepared, &rules)
        }
        (Action::Copy { to, .. }, Work::Copy(from, names)) => {
            files::copy(from.as_raw_fd(), names, to).map(|()| 0)
        }
        (Action::Write { path, mode }, Work::Write(contents)) => {
            files::write(path, contents, *mode).map(|()| 0)
        }
        (Action::Read { path }, Work::Read) => files::read(path).map(|()| 0),
        _ => Err(HelperError {
            what: "action and data do not fit".into(),
            errno: None,
        }),
    }
}

/// A command ready for `execve`: nothing is allocated between fork and exec but what error messages need.
pub struct Prepared {
    candidates: Vec<CString>,
    argv: Vec<CString>,
    env: Vec<CString>,
    dir: CString,
    terminal: bool,
}

impl Prepared {
    pub fn new(
        argv: &[String],
        dir: &str,
        env: &[(String, String)],
        terminal: bool,
    ) -> Result<Self> {
        let c = |text: &str| sys::c_string(text).context(|| "command".into());
        let program = argv.first().map_or("", String::as_str);
        let path = env
            .iter()
            .rev()
            .find(|(name, _)| name == "PATH")
            .map_or("/usr/bin:/bin", |(_, value)| value.as_str());
        let candidates = if program.contains('/') {
            vec![c(program)?]
        } else {
            path.split(':')
                .filter(|dir| !dir.is_empty())
                .map(|dir| c(&format!("{dir}/{program}")))
                .collect::<Result<_>>()?
        };
        Ok(Self {
            candidates,
            argv: argv.iter().map(|a| c(a)).collect::<Result<_>>()?,
            env: env
                .iter()
                .map(|(name, value)| c(&format!("{name}={value}")))
                .collect::<Result<_>>()?,
            dir: c(dir)?,
            terminal,
        })
    }

    /// Replaces this process, or says why not and gives the exit status a shell would give.
    pub fn exec(&self) -> i32 {
        // SAFETY: plain system calls on valid strings, in a process with one thread.
        unsafe {
            libc::setsid();
            if self.terminal {
                libc::ioctl(0, libc::TIOCSCTTY, 0);
            }
            libc::umask(0o022);
            if libc::chdir(self.dir.as_ptr()) != 0 {
                return self.complain(&self.dir, 126);
            }
        }
        let argv = pointers(&self.argv);
        let env = pointers(&self.env);
        let mut code = 127;
        for candidate in &self.candidates {
            // SAFETY: both lists end with a null pointer and their strings live on.
            unsafe {
                libc::execve(candidate.as_ptr(), argv.as_ptr(), env.as_ptr());
            }
            let error = io::Error::last_os_error().raw_os_error();
            if !matches!(error, Some(libc::ENOENT | libc::ENOTDIR)) {
                code = 126;
                if error != Some(libc::EACCES) {
                    return self.complain(candidate, code);
                }
            }
        }
        match self.argv.first() {
            Some(program) if code == 127 => {
                eprintln!("envc: {}: command not found", program.to_string_lossy());
                code
            }
            Some(program) => self.complain(program, code),
            None => code,
        }
    }

    fn complain(&self, subject: &CString, code: i32) -> i32 {
        let error = io::Error::last_os_error();
        eprintln!("envc: {}: {error}", subject.to_string_lossy());
        code
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings
        .iter()
        .map(|s| s.as_ptr())
        .chain([std::ptr::null()])
        .collect()
}
