//! Entering a user namespace in which the caller is root.

use std::ffi::CString;
use std::fs;

use super::sys::{self, Context, Result};

/// Enters; says whether only one id is mapped. With `newuidmap` and a range in `/etc/subuid` all usual ids are.
pub fn enter() -> Result<bool> {
    // SAFETY: no pointers involved.
    let (uid, gid, pid) = unsafe { (libc::getuid(), libc::getgid(), libc::getpid()) };
    let ranges = sub_range("/etc/subuid", uid).zip(sub_range("/etc/subgid", uid));
    let mapped = match ranges {
        Some((uids, gids)) => enter_with_ranges(pid, (uid, uids), (gid, gids))?,
        None => {
            sys::unshare(libc::CLONE_NEWUSER)?;
            false
        }
    };
    if !mapped {
        fs::write("/proc/self/setgroups", "deny").context(|| "write setgroups".into())?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).context(|| "write uid_map".into())?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).context(|| "write gid_map".into())?;
    }
    sys::become_root()?;
    Ok(!mapped)
}

/// Whether the user has ranges of subordinate ids. Asks the database of users: only in a process with one thread, or
/// one in which no other thread does.
pub fn has_sub_ranges(uid: u32) -> bool {
    ["/etc/subuid", "/etc/subgid"]
        .iter()
        .all(|file| sub_range(file, uid).is_some())
}

/// The helpers `newuidmap` and `newgidmap` must run outside of the new namespace: a child made before does that.
fn enter_with_ranges(pid: i32, uids: (u32, Range), gids: (u32, Range)) -> Result<bool> {
    let (read, write) = std::io::pipe().context(|| "pipe".into())?;
    let child = sys::fork()?;
    if child == 0 {
        drop(write);
        let mut byte = [0u8];
        let _ = std::io::Read::read(&mut &read, &mut byte);
        let ok = map("newuidmap", pid, uids) && map("newgidmap", pid, gids);
        // SAFETY: ends this process at once, without running the parent's destructors.
        unsafe { libc::_exit(if ok { 0 } else { 1 }) };
    }
    drop(read);
    let unshared = sys::unshare(libc::CLONE_NEWUSER);
    drop(write);
    let (_, status) = sys::wait(child).context(|| "wait for newuidmap".into())?;
    unshared?;
    Ok(status == 0)
}

#[derive(Clone, Copy)]
struct Range {
    start: u32,
    count: u32,
}

fn map(tool: &str, pid: i32, (own, range): (u32, Range)) -> bool {
    std::process::Command::new(tool)
        .args([pid.to_string(), "0".into(), own.to_string(), "1".into()])
        .args(["1".into(), range.start.to_string(), range.count.to_string()])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// First range of the user in a file as described in subuid(5): `name-or-uid:start:count`.
fn sub_range(file: &str, uid: u32) -> Option<Range> {
    let name = user_name(uid);
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let mut parts = line.split(':');
        let owner = parts.next()?;
        if owner != uid.to_string() && Some(owner) != name.as_deref() {
            return None;
        }
        let start = parts.next()?.parse().ok()?;
        let count = parts.next()?.trim().parse().ok()?;
        Some(Range { start, count })
    })
}

fn user_name(uid: u32) -> Option<String> {
    // SAFETY: the helper has one thread, so the static buffer of getpwuid is ours; its name is a C string.
    unsafe {
        let entry = libc::getpwuid(uid);
        if entry.is_null() {
            return None;
        }
        let name: CString = std::ffi::CStr::from_ptr((*entry).pw_name).into();
        name.into_string().ok()
    }
}
