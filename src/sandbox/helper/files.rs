//! File operations inside of the sandbox, run after the host is out of reach: whatever links a hostile repository
//! left there, they cannot lead out.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::sys::{self, Context, Result};
use crate::sandbox::spec::HelperError;

/// Largest file that [`read`] gives.
const READ_LIMIT: u64 = 64 << 20;

/// Copies NUL-separated names, relative to the directory `from`, never following a link on either side of it.
pub fn copy(from: RawFd, names: &[u8], to: &str) -> Result<()> {
    let to = Path::new(to);
    fs::create_dir_all(to).context(|| format!("create {}", to.display()))?;
    for name in names.split(|&b| b == 0).filter(|name| !name.is_empty()) {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        copy_one(from, name, &to.join(name)).context(|| format!("copy {}", name.display()))?;
    }
    Ok(())
}

/// The same for names that are at hand.
pub fn copy_files(from: &File, names: &[PathBuf], to: &str) -> Result<()> {
    let names: Vec<&[u8]> = names
        .iter()
        .map(|name| name.as_os_str().as_bytes())
        .collect();
    copy(from.as_raw_fd(), &names.join(&0), to)
}

fn copy_one(from: RawFd, name: &Path, target: &Path) -> io::Result<()> {
    let source = open_beneath(from, name, libc::O_PATH | libc::O_NOFOLLOW)?;
    let meta = File::from(source.try_clone()?).metadata()?;
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    if meta.is_dir() {
        return fs::create_dir_all(target);
    }
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(target)?,
        Ok(_) => fs::remove_file(target)?,
        Err(_) => {}
    }
    if meta.is_symlink() {
        return symlink(read_link(&source)?, target);
    }
    if !meta.is_file() {
        // Sockets, pipes and devices are no part of a repository.
        return Ok(());
    }
    let mut input = File::from(open_beneath(from, name, libc::O_RDONLY | libc::O_NOFOLLOW)?);
    let mut output = File::options().write(true).create_new(true).open(target)?;
    io::copy(&mut input, &mut output)?;
    output.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o777))?;
    // Make decides by times of modification what to build: they are part of the data.
    output.set_times(fs::FileTimes::new().set_modified(meta.modified()?))
}

/// `openat2(2)` that refuses to leave `dir` and to follow any link.
pub fn open_beneath(dir: RawFd, name: &Path, flags: libc::c_int) -> io::Result<OwnedFd> {
    let path = sys::c_path(name)?;
    // SAFETY: open_how is plain data; zero is valid for all its fields.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (flags | libc::O_CLOEXEC) as u64;
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
    // O_PATH with O_NOFOLLOW opens a link itself, which RESOLVE_NO_SYMLINKS would refuse: check only its parents.
    if flags & libc::O_PATH != 0 {
        return open_link_itself(dir, name, how);
    }
    // SAFETY: path and how are valid for the call; the size is that of the structure passed.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            dir,
            path.as_ptr(),
            &how,
            size_of::<libc::open_how>(),
        )
    };
    let fd = sys::check(fd as libc::c_int)?;
    // SAFETY: the kernel just gave us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn open_link_itself(dir: RawFd, name: &Path, how: libc::open_how) -> io::Result<OwnedFd> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let parent: PathBuf = name.parent().ok_or_else(invalid)?.into();
    let last = sys::c_path(Path::new(name.file_name().ok_or_else(invalid)?))?;
    let opened;
    let at = if parent.as_os_str().is_empty() {
        dir
    } else {
        opened = open_beneath(dir, &parent, libc::O_RDONLY | libc::O_DIRECTORY)?;
        opened.as_raw_fd()
    };
    // SAFETY: the name is NUL-terminated and has no separator.
    let fd = sys::check(unsafe { libc::openat(at, last.as_ptr(), how.flags as libc::c_int) })?;
    // SAFETY: the kernel just gave us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Where an opened link points.
pub fn read_link(link: &OwnedFd) -> io::Result<PathBuf> {
    let mut buffer = vec![0u8; libc::PATH_MAX as usize];
    // SAFETY: the buffer is valid for its length; an empty name reads the link that the descriptor is.
    let length = unsafe {
        libc::readlinkat(
            link.as_raw_fd(),
            c"".as_ptr(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
        )
    };
    sys::check(length as libc::c_int)?;
    buffer.truncate(length as usize);
    Ok(PathBuf::from(std::ffi::OsString::from(
        std::ffi::OsStr::from_bytes(&buffer),
    )))
}

/// Replaces the file in one step: its readers see the old contents or the new.
pub fn write(path: &str, contents: &[u8], mode: u32) -> Result<()> {
    let text = || format!("write {path}");
    let target = Path::new(path);
    let dir = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(dir).context(text)?;
    let temporary = dir.join(format!(".envc-{}", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let result = File::options()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| {
            file.write_all(contents)?;
            file.set_permissions(fs::Permissions::from_mode(mode & 0o7777))
        })
        .and_then(|()| fs::rename(&temporary, target));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result.context(text)
}

/// Writes a regular file to standard output.
pub fn read(path: &str) -> Result<()> {
    let text = || format!("read {path}");
    // Without O_NONBLOCK a named pipe would wait for a writer.
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .context(text)?;
    let meta = file.metadata().context(text)?;
    if !meta.is_file() || meta.len() > READ_LIMIT {
        return Err(HelperError {
            what: format!("read {path}: not a regular file of at most {READ_LIMIT} bytes"),
            errno: None,
        });
    }
    let mut output = io::stdout().lock();
    // Process 1 ends without running destructors: what is buffered would be lost.
    io::copy(&mut file.take(READ_LIMIT), &mut output)
        .and_then(|_| output.flush())
        .context(text)
}
