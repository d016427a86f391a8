//! Watching a running child: its output, its limits, its end.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use super::contract::{Limits, Outcome};
use super::running::Running;

/// How long the user's wish to stop may go unseen.
const TICK: Duration = Duration::from_millis(50);

/// How long output may be waited for after the child has ended.
const DRAIN: Duration = Duration::from_secs(2);

/// The end of a child.
#[derive(Debug)]
pub struct Ended {
    /// The child itself exited with 0.
    pub success: bool,
    /// The limit that ended it, if one did.
    pub verdict: Option<Outcome>,
    pub wall: Duration,
    pub output_bytes: u64,
}

/// What to watch beside the child itself.
pub struct Watch<'a> {
    pub limits: Limits,
    pub interrupted: &'a dyn Fn() -> bool,
    /// Asks the child and all it started to end, where time allows.
    pub ask: &'a dyn Fn(&Running),
    /// Ends the child and all it started. Called again while the child does not end.
    pub kill: &'a dyn Fn(&Running),
    /// Another limit, looked at from time to time.
    pub gauge: &'a mut dyn FnMut(&Running) -> Option<Outcome>,
}

impl Watch<'_> {
    /// Ends what has passed a limit: what floods the machine at once, everything else after the grace period.
    fn end(&self, child: &Running, (verdict, at): (Outcome, Instant), asked: &mut bool) {
        let patient = matches!(
            verdict,
            Outcome::TimedOut | Outcome::Silent | Outcome::Interrupted
        );
        if !patient || at.elapsed() >= self.limits.grace {
            (self.kill)(child);
        } else if !*asked {
            *asked = true;
            (self.ask)(child);
        }
    }
}

/// Reads `output` to its end, hands it to `sink`, and enforces the limits. Never waits for a process that inherited
/// the pipe longer than [`DRAIN`] after the child's end.
pub fn supervise(
    mut child: Running,
    output: OwnedFd,
    watch: &mut Watch<'_>,
    sink: &mut dyn FnMut(&[u8]),
) -> io::Result<Ended> {
    let mut state = State::new(output, watch.limits);
    set_nonblocking(&state.output)?;
    let mut ended = None;
    let mut asked = false;
    loop {
        state.wait(ended.is_none().then(|| child.pidfd()))?;
        state.read(sink)?;
        if ended.is_none() {
            ended = child.ended()?.map(|success| (Instant::now(), success));
        }
        match ended {
            Some((at, _)) if state.open && at.elapsed() < DRAIN && !state.drained => {}
            Some((at, success)) => {
                return Ok(Ended {
                    success,
                    verdict: state.verdict.map(|(verdict, _)| verdict),
                    wall: at - state.start,
                    output_bytes: state.bytes,
                });
            }
            None => {
                state.judge((watch.interrupted)(), &mut || (watch.gauge)(&child));
                if let Some(verdict) = state.verdict {
                    watch.end(&child, verdict, &mut asked);
                }
            }
        }
    }
}

struct State {
    output: std::fs::File,
    limits: Limits,
    start: Instant,
    last_output: Instant,
    bytes: u64,
    /// The pipe has not ended.
    open: bool,
    /// The last read found nothing more.
    drained: bool,
    gauged: Instant,
    /// The limit that was passed, and when.
    verdict: Option<(Outcome, Instant)>,
}

impl State {
    fn new(output: OwnedFd, limits: Limits) -> Self {
        let now = Instant::now();
        Self {
            output: output.into(),
            limits,
            start: now,
            last_output: now,
            bytes: 0,
            open: true,
            drained: false,
            gauged: now,
            verdict: None,
        }
    }

    fn wait(&self, exit: Option<BorrowedFd<'_>>) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut fds = Vec::with_capacity(2);
        if self.open {
            fds.push(PollFd::from_borrowed_fd(self.output.as_fd(), PollFlags::IN));
        }
        if let Some(exit) = exit {
            fds.push(PollFd::from_borrowed_fd(exit, PollFlags::IN));
        }
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: TICK.as_nanos() as i64,
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what is there, at most so much that limits are looked at in between.
    fn read(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut buffer = [0u8; 1 << 16];
        self.drained = false;
        for _ in 0..16 {
            if !self.open {
                return Ok(());
            }
            match self.output.read(&mut buffer) {
                Ok(0) => self.open = false,
                Ok(count) => {
                    let room = self.limits.output.saturating_sub(self.bytes);
                    self.bytes += count as u64;
                    self.last_output = Instant::now();
                    let shown = usize::try_from(room).unwrap_or(count).min(count);
                    if let Some(bytes) = buffer.get(..shown).filter(|b| !b.is_empty()) {
                        sink(bytes);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.drained = true;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn judge(&mut self, interrupted: bool, gauge: &mut dyn FnMut() -> Option<Outcome>) {
        // Output is counted here, so that it is judged without delay.
        if self.bytes > self.limits.output {
            self.verdict
                .get_or_insert((Outcome::OutputLimit, Instant::now()));
        }
        if self.verdict.is_some() {
            return;
        }
        let silent = self
            .limits
            .silence
            .is_some_and(|limit| self.last_output.elapsed() >= limit);
        let verdict = if interrupted {
            Some(Outcome::Interrupted)
        } else if self.start.elapsed() >= self.limits.wall {
            Some(Outcome::TimedOut)
        } else if silent {
            Some(Outcome::Silent)
        } else if self.gauged.elapsed() >= TICK {
            self.gauged = Instant::now();
            gauge()
        } else {
            None
        };
        self.verdict = verdict.map(|verdict| (verdict, Instant::now()));
    }
}

pub fn set_nonblocking(file: &std::fs::File) -> io::Result<()> {
    // SAFETY: plain fcntl on an open descriptor.
    let result = unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Outcome from a raw wait status.
pub fn outcome(raw: i32) -> Outcome {
    if libc::WIFSIGNALED(raw) {
        Outcome::Signalled(libc::WTERMSIG(raw))
    } else {
        Outcome::Exited(libc::WEXITSTATUS(raw))
    }
}
