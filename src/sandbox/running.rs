//! A process that runs a command: a child of envc, or of a sandbox's holder.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The process, held by a descriptor, so that its id cannot come to mean another one.
#[derive(Debug)]
pub struct Running {
    pid: u32,
    pidfd: OwnedFd,
    /// `None`: somebody else's child, whose exit status is not to be had.
    child: Option<Child>,
}

impl Running {
    pub fn child(child: Child) -> io::Result<Self> {
        Ok(Self {
            pid: child.id(),
            pidfd: pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?,
            child: Some(child),
        })
    }

    pub fn guest(pid: u32, pidfd: OwnedFd) -> Self {
        Self {
            pid,
            pidfd,
            child: None,
        }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Readable when the process has ended.
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Sends a signal; one to a process that has ended is no error.
    pub fn signal(&self, signal: i32) {
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = pidfd_send_signal(&self.pidfd, signal);
        }
    }

    /// Whether it has ended, and if so whether with status 0. (That of a guest is in its report.)
    pub fn ended(&mut self) -> io::Result<Option<bool>> {
        if let Some(child) = &mut self.child {
            return Ok(child.try_wait()?.map(|status| status.success()));
        }
        Ok(self.poll(0)?.then_some(true))
    }

    /// Waits for the end.
    pub fn wait(&mut self) -> io::Result<()> {
        if let Some(child) = &mut self.child {
            return child.wait().map(drop);
        }
        while !self.poll(1)? {}
        Ok(())
    }

    fn poll(&self, seconds: i64) -> io::Result<bool> {
        let mut fds = [PollFd::from_borrowed_fd(self.pidfd.as_fd(), PollFlags::IN)];
        let timeout = Timespec {
            tv_sec: seconds,
            tv_nsec: 0,
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(count) => Ok(count > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
