//! The helper: this same executable, started as `envc __sandbox …` with one thread, so that it may fork, change
//! namespaces and drop privileges, none of which the many-threaded parent can safely do.

mod command;
mod files;
mod flatten;
mod harden;
mod holder;
mod host_run;
mod init;
mod landlock;
mod mounts;
mod room;
mod seccomp;
mod sockets;
mod sys;
mod userns;

use std::io::{Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};

use serde::de::DeserializeOwned;

use super::spec::{FlattenSpec, HelperError, HoldSpec, HostRunSpec, RemoveSpec, Report};

pub use files::{copy_files, open_beneath, read_link, write as write_file};
pub use holder::remove_tree;
pub use landlock::works as abstract_sockets_closed;
pub use userns::has_sub_ranges;

/// First argument that makes `envc` a helper.
pub const HELPER_ARGUMENT: &str = "__sandbox";

/// Descriptor on which a helper reports.
pub const STATUS_FD: i32 = 3;

/// Runs the helper. `args` are the arguments after [`HELPER_ARGUMENT`]; gives the exit status.
pub fn helper_main(args: &[String]) -> i32 {
    match args.first().map(String::as_str) {
        Some("hold") => hold(holder::begin),
        Some(holder::ROOM) => hold(|spec| holder::run(spec, false)),
        Some(holder::ROOM_OF_ONE) => hold(|spec| holder::run(spec, true)),
        Some("flatten") => report(|_, spec: FlattenSpec| flatten::run(&spec).map(|()| 0)),
        Some("host-run") => report(|_, spec: HostRunSpec| host_run::run(&spec)),
        Some("remove") => report(|_, spec: RemoveSpec| remove(&spec).map(|()| 0)),
        _ => {
            eprintln!("envc: {HELPER_ARGUMENT} is for envc's own use");
            2
        }
    }
}

fn remove(spec: &RemoveSpec) -> sys::Result<()> {
    if spec.user_namespace {
        userns::enter()?;
    }
    remove_tree(&spec.path);
    if std::fs::symlink_metadata(&spec.path).is_ok() {
        return Err(HelperError {
            what: format!("remove {}: something in it stays", spec.path.display()),
            errno: None,
        });
    }
    Ok(())
}

/// Both halves of the holder read the same specification.
fn hold(act: impl FnOnce(&HoldSpec) -> i32) -> i32 {
    let fd = STATUS_FD + 1;
    // SAFETY: the parent opened this descriptor for us; it stays open for the second half.
    let file = unsafe { std::mem::ManuallyDrop::new(std::fs::File::from_raw_fd(fd)) };
    let mut bytes = Vec::new();
    let spec = (&*file)
        .rewind()
        .and_then(|()| (&*file).read_to_end(&mut bytes))
        .map_err(|error| HelperError::new("read the specification", &error))
        .and_then(|_| parse::<HoldSpec>(&bytes));
    match spec {
        Ok(spec) => act(&spec),
        Err(error) => {
            eprintln!("envc: {error}");
            2
        }
    }
}

/// Reads a specification from the file that is standard input, acts on it and reports the end.
fn report<T: DeserializeOwned>(act: impl FnOnce(Vec<u8>, T) -> sys::Result<i32>) -> i32 {
    // SAFETY: the parent opened this descriptor for us and nothing else here knows it.
    let status = unsafe { sys::adopt(STATUS_FD) };
    sys::close_on_exec();
    let result = sys::die_with_parent()
        .and_then(|()| read_spec())
        .and_then(|(payload, spec)| act(payload, spec));
    let (report, code) = match result {
        Ok(raw) => (Report::Status(raw), 0),
        Err(error) => (Report::Failed(error), 1),
    };
    let mut file = std::fs::File::from(status);
    let text = serde_json::to_vec(&report).unwrap_or_default();
    match file.write_all(&text) {
        Ok(()) => code,
        Err(_) => 1,
    }
}

/// The specification comes in an unlinked file, as standard input itself may have to stay a terminal: descriptor 4.
fn read_spec<T: DeserializeOwned>() -> sys::Result<(Vec<u8>, T)> {
    // SAFETY: the parent opened this descriptor for us and nothing else here knows it.
    let fd = unsafe { sys::adopt(STATUS_FD + 1) };
    debug_assert!(fd.as_raw_fd() > STATUS_FD);
    let mut bytes = Vec::new();
    std::fs::File::from(fd)
        .read_to_end(&mut bytes)
        .map_err(|error| HelperError::new("read the specification", &error))?;
    split_spec(bytes)
}

/// A document, and the data behind its NUL.
fn split_spec<T: DeserializeOwned>(mut bytes: Vec<u8>) -> sys::Result<(Vec<u8>, T)> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let payload = bytes.split_off(end);
    let spec = parse(&bytes)?;
    Ok((payload.get(1..).unwrap_or_default().to_vec(), spec))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> sys::Result<T> {
    serde_json::from_slice(bytes).map_err(|error| HelperError {
        what: format!("read the specification: {error}"),
        errno: None,
    })
}
