//! The holder at work: it keeps the sandbox's root mounted and forks what enters it, so that a command costs neither
//! the start of a program nor the mounts of the base.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use super::holder::remove_tree;
use super::sys::{self, Context, Result};
use super::{init, mounts, split_spec};
use crate::sandbox::handover;
use crate::sandbox::spec::{EnterSpec, HelperError, Report, Request};

/// What the holder knows of its sandbox.
#[derive(Default)]
struct Room {
    /// Layers of the root that is mounted.
    mounted: Option<Vec<u32>>,
    guests: Vec<libc::pid_t>,
}

/// Obeys requests until the other end closes, then ends all that still runs.
pub fn serve(socket: BorrowedFd<'_>) {
    let mut room = Room::default();
    while let Ok(Some((text, files))) = handover::receive(socket) {
        room.reap();
        match Request::parse(&text) {
            Some(Request::Enter) => room.admit(socket, files),
            Some(Request::Discard(layer)) => {
                // Nothing may stand on what goes.
                room.unmount();
                discard(layer);
            }
            Some(Request::Unmount) => room.unmount(),
            None => {}
        }
    }
    for &guest in &room.guests {
        // SAFETY: a child that was not waited for; its own children end with it.
        unsafe { libc::kill(guest, libc::SIGKILL) };
        let _ = sys::wait(guest);
    }
    room.unmount();
}

impl Room {
    fn reap(&mut self) {
        self.guests.retain(|&guest| {
            let mut status = 0;
            // SAFETY: status is valid for the call.
            unsafe { libc::waitpid(guest, &mut status, libc::WNOHANG) == 0 }
        });
    }

    /// Starts what a request asks for, and answers with its id and a descriptor of it. A failure is reported as the
    /// command's would be.
    fn admit(&mut self, socket: BorrowedFd<'_>, files: Vec<OwnedFd>) {
        let Ok([spec, status, input, output, error]) = <[OwnedFd; 5]>::try_from(files) else {
            return;
        };
        match self.start(spec, &status, [&input, &output, &error]) {
            Ok((pid, pidfd)) => {
                self.guests.push(pid);
                let _ = handover::send(socket, pid.to_string().as_bytes(), &[pidfd.as_raw_fd()]);
            }
            Err(error) => {
                report(&status, Report::Failed(error));
                let _ = handover::send(socket, b"0", &[]);
            }
        }
    }

    fn start(
        &mut self,
        spec: OwnedFd,
        status: &OwnedFd,
        streams: [&OwnedFd; 3],
    ) -> Result<(libc::pid_t, OwnedFd)> {
        let mut bytes = Vec::new();
        let mut file = File::from(spec);
        file.rewind()
            .and_then(|()| file.read_to_end(&mut bytes))
            .context(|| "read the specification".into())?;
        let (payload, spec): (Vec<u8>, EnterSpec) = split_spec(bytes)?;
        if self.mounted.as_ref() != Some(&spec.layers) {
            self.unmount();
            self.mounted = Some(spec.layers.clone());
            if let Err(error) = mounts::trees(&spec) {
                self.unmount();
                return Err(error);
            }
        }
        let holder = std::process::id();
        let guest = sys::fork()?;
        if guest == 0 {
            let result = become_guest(holder, status, streams)
                .map(|status| (init::enter(&spec, payload), status));
            if let Ok((result, status)) = result {
                report(&status, result.map_or_else(Report::Failed, Report::Status));
            }
            // SAFETY: ends this process without the holder's destructors.
            unsafe { libc::_exit(0) };
        }
        let pidfd = rustix::process::Pid::from_raw(guest).and_then(|pid| {
            rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
        });
        pidfd.map(|pidfd| (guest, pidfd)).ok_or(HelperError {
            what: "hold a command".into(),
            errno: None,
        })
    }

    fn unmount(&mut self) {
        if self.mounted.take().is_some() {
            mounts::unmount(Path::new("m"));
        }
    }
}

/// In the new process: nothing of the holder's stays open but what the command gets and where it reports.
fn become_guest(holder: u32, status: &OwnedFd, streams: [&OwnedFd; 3]) -> Result<OwnedFd> {
    sys::die_with_parent()?;
    // SAFETY: descriptors are open and above the numbers they are copied to, as the holder has 0, 1 and 2; whatever
    // else is open closes, and the objects that own it are not used again in this process.
    unsafe {
        if libc::getppid() as u32 != holder {
            libc::_exit(0);
        }
        libc::setpgid(0, 0);
        for (number, stream) in (0..).zip(streams) {
            sys::check(libc::dup2(stream.as_raw_fd(), number)).context(|| "dup2".into())?;
        }
        let high = sys::check(libc::fcntl(status.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 64))
            .context(|| "dup".into())?;
        sys::close_from(3, high);
        sys::check(libc::dup3(high, super::STATUS_FD, libc::O_CLOEXEC))
            .context(|| "dup3".into())?;
        libc::close(high);
        Ok(sys::adopt(super::STATUS_FD))
    }
}

fn report(status: &impl AsFd, report: Report) {
    let text = serde_json::to_vec(&report).unwrap_or_default();
    if let Ok(fd) = status.as_fd().try_clone_to_owned() {
        let _ = File::from(fd).write_all(&text);
    }
}

fn discard(layer: u32) {
    let trash = format!("l/trash/{layer}");
    if std::fs::rename(format!("l/{layer}"), &trash).is_ok() {
        remove_tree(Path::new(&trash));
    }
}
