//! The sandbox's command: a child of process 1, in a user namespace of its own in which it is root over the sandbox's
//! files and over nothing else.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use super::harden::{self, Rules};
use super::init::Prepared;
use super::sys::{self, Context, Result};
use crate::sandbox::spec::HelperError;

/// What the child says to process 1.
const SEPARATE: u8 = b's';
const TOGETHER: u8 = b't';

/// Runs the command, reaping orphans meanwhile; gives its raw status.
pub fn run(command: &Prepared, rules: &Rules) -> Result<i32> {
    let (parent, child_end) = UnixStream::pair().context(|| "socketpair".into())?;
    let child = sys::fork()?;
    if child == 0 {
        drop(parent);
        let code = become_command(command, rules, &child_end);
        // SAFETY: ends this process without the parent's destructors.
        unsafe { libc::_exit(code) };
    }
    drop(child_end);
    admit(child, rules, &parent)?;
    // The output's descriptors belong to the command alone: a daemon that outlives it does not, so its end is the end.
    for fd in 0..3 {
        // SAFETY: nothing here uses standard streams from now on.
        unsafe {
            libc::close(fd);
        }
    }
    // The other end closes with exec.
    let mut complaint = Vec::new();
    let _ = (&parent).read_to_end(&mut complaint);
    if let Ok(error) = serde_json::from_slice::<HelperError>(&complaint) {
        return Err(error);
    }
    harden::pass_on_sigterm();
    loop {
        let (pid, status) = sys::wait(-1).context(|| "wait for the command".into())?;
        if pid == child {
            return Ok(status);
        }
    }
}

/// In process 1: maps the ids of the child's namespace, gives up its own privileges, and only then lets it go on.
fn admit(child: libc::pid_t, rules: &Rules, stream: &UnixStream) -> Result<()> {
    let mut word = [0u8];
    let mut stream = stream;
    stream
        .read_exact(&mut word)
        .context(|| "hear from the command".into())?;
    if word[0] == SEPARATE {
        for map in ["uid_map", "gid_map"] {
            same_ids(child, map)?;
        }
    }
    harden::apply(rules)?;
    stream
        .write_all(&word)
        .context(|| "answer the command".into())
}

/// Each id that is mapped here is mapped to itself there.
fn same_ids(child: libc::pid_t, map: &str) -> Result<()> {
    let text = || format!("write {map}");
    let own = fs::read_to_string(format!("/proc/self/{map}")).context(text)?;
    let mut lines = String::new();
    for line in own.lines() {
        let mut fields = line.split_whitespace();
        if let (Some(first), Some(count)) = (fields.next(), fields.nth(1)) {
            lines.push_str(&format!("{first} {first} {count}\n"));
        }
    }
    fs::write(format!("/proc/{child}/{map}"), lines).context(text)
}

/// In the child: the exit status of a command that could not be started.
fn become_command(command: &Prepared, rules: &Rules, stream: &UnixStream) -> i32 {
    let mut stream = stream;
    harden::reset_signals();
    // Where the administrator allows no more user namespaces the command does without: what it may not do is still
    // closed by dropped capabilities and by the filter.
    let word = match sys::unshare(libc::CLONE_NEWUSER) {
        Ok(()) => SEPARATE,
        Err(_) => TOGETHER,
    };
    let mut answer = [0u8];
    let admitted = stream
        .write_all(&[word])
        .and_then(|()| stream.read_exact(&mut answer))
        .context(|| "ask process 1".into())
        .and_then(|()| harden::apply(rules));
    if let Err(error) = admitted {
        let _ = stream.write_all(&serde_json::to_vec(&error).unwrap_or_default());
        return 126;
    }
    command.exec()
}
