//! Thin wrappers over the system calls that the helper needs: paths in, `HelperError` out.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::sandbox::spec::HelperError;

pub type Result<T> = std::result::Result<T, HelperError>;

/// Names what was being done when a system call failed.
pub trait Context<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| HelperError {
            // Who reads this adds the text of the number.
            what: match error.raw_os_error() {
                Some(_) => what(),
                None => format!("{}: {error}", what()),
            },
            errno: error.raw_os_error(),
        })
    }
}

pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

pub fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "NUL byte in a path"))
}

pub fn c_string(text: &str) -> io::Result<CString> {
    c_path(Path::new(text))
}

/// `mount(2)`. Empty `source` or `kind` pass as null.
pub fn mount(
    source: &Path,
    target: &Path,
    kind: &str,
    flags: libc::c_ulong,
    data: &str,
) -> io::Result<()> {
    let (source, target) = (c_path(source)?, c_path(target)?);
    let (kind, data) = (c_string(kind)?, c_string(data)?);
    // SAFETY: all four are NUL-terminated strings that outlive the call.
    check(unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            data.as_ptr().cast(),
        )
    })
    .map(drop)
}

pub fn bind(source: &Path, target: &Path, recursive: bool) -> Result<()> {
    let flags = libc::MS_BIND | if recursive { libc::MS_REC } else { 0 };
    mount(source, target, "", flags, "")
        .context(|| format!("bind {} to {}", source.display(), target.display()))
}

/// Makes a mount, and with `recursive` all below it, read-only, `nosuid` and `nodev` (`mount_setattr(2)`).
/// Flags that a user namespace has locked stay as they are.
pub fn restrict(target: &Path, recursive: bool) -> Result<()> {
    let attributes = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    set_attributes(target, attributes, recursive)
}

/// Makes one mount read-only and nothing else.
pub fn restrict_writes(target: &Path) -> Result<()> {
    set_attributes(target, libc::MOUNT_ATTR_RDONLY, false)
}

pub fn set_attributes(target: &Path, attributes: u64, recursive: bool) -> Result<()> {
    let text = || format!("restrict the mount at {}", target.display());
    let path = c_path(target).context(text)?;
    let attr = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: path and attr are valid for the call; the size is that of the structure passed.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &attr,
            size_of::<libc::mount_attr>(),
        )
    };
    check(result as libc::c_int).map(drop).context(text)
}

pub fn unshare(flags: libc::c_int) -> Result<()> {
    // SAFETY: no pointers involved.
    check(unsafe { libc::unshare(flags) })
        .map(drop)
        .context(|| format!("unshare({flags:#x})"))
}

pub fn set_namespace(path: &str, kind: libc::c_int) -> Result<()> {
    let file = std::fs::File::open(path).context(|| format!("open {path}"))?;
    // SAFETY: the descriptor is open for the call.
    check(unsafe { libc::setns(file.as_raw_fd(), kind) })
        .map(drop)
        .context(|| format!("enter {path}"))
}

/// Asks to be killed when the parent ends. Must be repeated after a change of credentials, which clears it.
pub fn die_with_parent() -> Result<()> {
    // SAFETY: no pointers involved.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })
        .map(drop)
        .context(|| "prctl(PR_SET_PDEATHSIG)".into())
}

/// Moves the root of the mount namespace to the current directory and detaches the old one.
pub fn pivot_root_here() -> Result<()> {
    // SAFETY: literals are NUL-terminated.
    unsafe {
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) as libc::c_int)
            .context(|| "pivot_root".into())?;
        check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH))
            .context(|| "detach the old root".into())?;
        check(libc::chdir(c"/".as_ptr())).context(|| "chdir /".into())?;
    }
    Ok(())
}

/// `fork(2)`: 0 in the child. Only called while this process has one thread.
pub fn fork() -> Result<libc::pid_t> {
    // SAFETY: the helper is single-threaded, so the child may go on with any code.
    check(unsafe { libc::fork() }).context(|| "fork".into())
}

/// Waits for `pid` (or any child with -1); gives the process and its raw status.
pub fn wait(pid: libc::pid_t) -> io::Result<(libc::pid_t, i32)> {
    let mut status = 0;
    loop {
        // SAFETY: status is valid for the call.
        match check(unsafe { libc::waitpid(pid, &mut status, 0) }) {
            Ok(pid) => return Ok((pid, status)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Becomes user and group 0 of the present user namespace.
pub fn become_root() -> Result<()> {
    // SAFETY: no pointers but a null list of length zero. A single-id map refuses setgroups; that is no harm.
    unsafe {
        libc::setgroups(0, std::ptr::null());
        check(libc::setresgid(0, 0, 0)).context(|| "setresgid(0)".into())?;
        check(libc::setresuid(0, 0, 0)).context(|| "setresuid(0)".into())?;
    }
    Ok(())
}

/// Takes ownership of an inherited descriptor and closes it on exec.
///
/// # Safety
/// `fd` must be open and owned by nobody else.
pub unsafe fn adopt(fd: RawFd) -> OwnedFd {
    // SAFETY: by the caller's promise.
    unsafe {
        libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        OwnedFd::from_raw_fd(fd)
    }
}

/// Marks every descriptor from 3 on to be closed on exec.
pub fn close_on_exec() {
    // SAFETY: no pointers involved; an old kernel's refusal is harmless as std opens with O_CLOEXEC anyway.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3u32,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
}

/// Closes every descriptor from `first` on but `kept`.
pub fn close_from(first: RawFd, kept: RawFd) {
    let close = |from: RawFd, to: u32| {
        // SAFETY: no pointers involved; the caller no longer uses what owns the descriptors.
        unsafe {
            libc::syscall(libc::SYS_close_range, from as u32, to, 0u32);
        }
    };
    if kept > first {
        close(first, kept as u32 - 1);
    }
    close(kept + 1, u32::MAX);
}
