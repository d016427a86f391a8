//! A command on the user's terminal, through a pseudo-terminal of its own: it never holds the user's.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{self, OptionalActions, Termios, Winsize};

use super::running::Running;

/// A pseudo-terminal with the size of this process's terminal.
pub struct Terminal {
    controller: File,
    /// The side that the command gets.
    pub user: OwnedFd,
    size: Winsize,
}

/// Whether standard input and output are a terminal.
pub fn on_terminal() -> bool {
    termios::isatty(io::stdin()) && termios::isatty(io::stdout())
}

impl Terminal {
    pub fn open() -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags};
        use rustix::pty;
        let flags = pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY | pty::OpenptFlags::CLOEXEC;
        let controller = pty::openpt(flags)?;
        pty::grantpt(&controller)?;
        pty::unlockpt(&controller)?;
        let name = pty::ptsname(&controller, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let user = rustix::fs::open(&*name, flags, Mode::empty())?;
        let size = termios::tcgetwinsize(io::stdin())?;
        termios::tcsetwinsize(&user, size)?;
        Ok(Self {
            controller: controller.into(),
            user,
            size,
        })
    }

    /// Passes keys and output until the child ends; this process's terminal is raw meanwhile.
    pub fn attend(self, child: &mut Running) -> io::Result<()> {
        let Self {
            mut controller,
            user,
            mut size,
        } = self;
        // The command alone holds the other side, so that its end is seen.
        drop(user);
        let _raw = Raw::enter()?;
        let mut input_open = true;
        loop {
            let (keys, output) = wait(&controller, input_open)?;
            if keys {
                input_open = pass(&mut io::stdin().lock(), &mut controller)?;
            }
            if output && !pass(&mut controller, &mut io::stdout().lock())? {
                return Ok(());
            }
            if !output && child.ended()?.is_some() {
                return Ok(());
            }
            follow_size(&controller, &mut size);
        }
    }
}

fn wait(controller: &File, input_open: bool) -> io::Result<(bool, bool)> {
    let stdin = io::stdin();
    let mut fds = vec![PollFd::from_borrowed_fd(controller.as_fd(), PollFlags::IN)];
    if input_open {
        fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
    }
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: 200_000_000,
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let ready = |n: usize| fds.get(n).is_some_and(|fd| !fd.revents().is_empty());
    Ok((ready(1), ready(0)))
}

/// Passes one piece; false at the end. A terminal whose other side closed reads as EIO.
fn pass(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<bool> {
    let mut buffer = [0u8; 4096];
    match from.read(&mut buffer) {
        Ok(0) => Ok(false),
        Ok(count) => {
            to.write_all(buffer.get(..count).unwrap_or_default())?;
            to.flush()?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::EIO) => Ok(false),
        Err(error) => Err(error),
    }
}

fn follow_size(controller: &File, size: &mut Winsize) {
    if let Ok(now) = termios::tcgetwinsize(io::stdin())
        && (now.ws_row, now.ws_col) != (size.ws_row, size.ws_col)
        && termios::tcsetwinsize(controller, now).is_ok()
    {
        *size = now;
    }
}

/// The terminal in raw mode until dropped.
struct Raw(Termios);

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = termios::tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        termios::tcsetattr(io::stdin(), OptionalActions::Flush, &raw)?;
        Ok(Self(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}
