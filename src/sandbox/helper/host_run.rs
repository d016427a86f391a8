//! Running a command on this machine as it is. The only isolation is that all it started ends with it: the helper
//! adopts every orphan of the command (`PR_SET_CHILD_SUBREAPER`) and kills what is left.

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use super::init::Prepared;
use super::sys::{self, Context, Result};
use super::{harden, init};
use crate::sandbox::spec::{HostRunSpec, KILL};

/// How long killing a fork bomb may take before it is left to its fate.
const PATIENCE: Duration = Duration::from_secs(10);

static GROUP: AtomicI32 = AtomicI32::new(0);

/// Runs the command; gives its raw wait status.
pub fn run(spec: &HostRunSpec) -> Result<i32> {
    // SAFETY: no pointers involved. A request, not SIGKILL, at the parent's end: there is something to do then.
    unsafe {
        sys::check(libc::prctl(libc::PR_SET_PDEATHSIG, KILL))
            .and_then(|_| sys::check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1)))
            .context(|| "become the reaper of orphans".into())?;
    }
    init::join_cgroups(&spec.cgroups);
    let command = Prepared::new(&spec.argv, &spec.dir, &spec.env, spec.terminal)?;
    init::block_requests(true);
    let child = sys::fork()?;
    if child == 0 {
        harden::reset_signals();
        let code = command.exec();
        // SAFETY: ends this process without the parent's destructors.
        unsafe { libc::_exit(code) };
    }
    GROUP.store(child, Ordering::SeqCst);
    init::on_requests(on_ask, on_kill);
    init::block_requests(false);
    let status = loop {
        let (pid, status) = sys::wait(-1).context(|| "wait for the command".into())?;
        if pid == child {
            break status;
        }
    };
    kill_descendants();
    Ok(status)
}

extern "C" fn on_ask(_: libc::c_int) {
    signal_group(libc::SIGTERM);
}

extern "C" fn on_kill(_: libc::c_int) {
    signal_group(libc::SIGKILL);
}

fn signal_group(signal: libc::c_int) {
    let group = GROUP.load(Ordering::SeqCst);
    if group > 0 {
        // SAFETY: kill(2) may be called in a handler. The command leads a session, so its id is its group's too; the
        // second call is for the moment before it does.
        unsafe {
            if libc::kill(-group, signal) != 0 {
                libc::kill(group, signal);
            }
        }
    }
}

/// Kills children until there are none; the children of the killed become children of this process.
fn kill_descendants() {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let children = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        for pid in children
            .split_whitespace()
            .filter_map(|pid| pid.parse::<i32>().ok())
        {
            // SAFETY: an unwaited child's id is its own.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
            }
        }
        if sys::wait(-1).is_err() {
            return;
        }
    }
}
