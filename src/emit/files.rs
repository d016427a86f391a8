//! The output directory: made, locked and written without trusting what already stands there.
//!
//! A hostile repository may bring a `.envc` of its own: a link to somewhere else, or a directory full of links.
//! Everything here goes through a descriptor of the directory itself, never follows a link, and replaces a
//! file only by renaming a complete one over it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// First line of the inner `.gitignore`; tells a directory of ours from somebody else's.
const MARK: &str = "# Made by envc. Everything here can be made again.\n";
const IGNORE: &str = "# Made by envc. Everything here can be made again.\n*\n";
const TEMPORARY: &str = ".envc-tmp-";

/// Files that say something about a `setup.sh` and would say it of the wrong one after a new one is written.
const CLAIMS: [&str; 2] = ["certificate.json", "report.html"];

/// Why the output directory could not be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OutError {
    #[error(
        "{0} is a symbolic link; envc does not write through links\n  remove it, or give the directory itself with --out"
    )]
    Link(PathBuf),
    #[error("{0} is not a directory\n  remove it, or choose another directory with --out")]
    NotADirectory(PathBuf),
    #[error(
        "{0} is not empty and was not made by envc\n  choose a new or an empty directory with --out"
    )]
    Foreign(PathBuf),
    #[error(
        "another envc is at work on {path}{}\n  wait for it, or use another directory with --out", holder(.pid)
    )]
    Busy { path: PathBuf, pid: Option<u32> },
    #[error(
        "no space left to write {0}\n  free some space and run again; nothing old was replaced"
    )]
    NoSpace(PathBuf),
    #[error("{path}: {source}\n  check its permissions, or choose another directory with --out")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

fn holder(pid: &Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

impl OutError {
    pub(crate) fn new(path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Self {
        let (path, source) = (path.into(), error.into());
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace(path),
            _ => Self::Io { path, source },
        }
    }

    /// Trying again later, or elsewhere, may help (exit code 75).
    pub fn transient(&self) -> bool {
        matches!(self, Self::NoSpace(_) | Self::Busy { .. })
    }
}

/// One file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// A plain file name, e.g. `setup.sh`.
    pub name: String,
    pub contents: Vec<u8>,
    pub executable: bool,
}

impl Artifact {
    pub fn text(name: &str, contents: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            contents: contents.into().into_bytes(),
            executable: false,
        }
    }

    /// Pretty JSON with a newline at its end.
    pub fn json<T: serde::Serialize>(name: &str, value: &T) -> serde_json::Result<Self> {
        let mut contents = serde_json::to_vec_pretty(value)?;
        contents.push(b'\n');
        Ok(Self {
            name: name.to_owned(),
            contents,
            executable: false,
        })
    }

    /// `setup.sh`, executable.
    pub fn setup(text: impl Into<String>) -> Self {
        Self {
            executable: true,
            ..Self::text("setup.sh", text)
        }
    }
}

/// The output directory of one run, held by a lock until it is dropped.
#[derive(Debug)]
pub struct OutDir {
    path: PathBuf,
    dir: OwnedFd,
    /// Open file description that carries the lock.
    _lock: OwnedFd,
}

impl OutDir {
    /// Makes (or takes again) the directory and locks it.
    ///
    /// # Errors
    /// The path is a link, a file, somebody else's directory, or in use by another run.
    pub fn create(path: &Path) -> Result<Self, OutError> {
        // `x/.` and `x/` would make the kernel follow a link at `x`.
        let path: PathBuf = path
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let dir = open_directory(&path)?;
        let found = names(&dir).map_err(|error| OutError::new(&path, error))?;
        if !found.is_empty() && !marked(&dir) {
            return Err(OutError::Foreign(path));
        }
        let lock = lock(&dir, &path)?;
        for name in found.iter().filter(|name| name.starts_with(TEMPORARY)) {
            // Left by a run that was killed; harmless if it stays.
            let _ = rustix::fs::unlinkat(&dir, name.as_str(), AtFlags::empty());
        }
        let out = Self {
            path,
            dir,
            _lock: lock,
        };
        out.write(&Artifact::text(".gitignore", IGNORE))?;
        Ok(out)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of a file in it, for messages.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Replaces one file; the old one stays until the new one is complete.
    pub fn write(&self, artifact: &Artifact) -> Result<(), OutError> {
        self.publish(std::slice::from_ref(artifact))
    }

    /// Writes every file under a temporary name first, then renames them all: where one cannot be written
    /// (disk full), none is replaced. With a new `setup.sh`, an old certificate and report that are not replaced
    /// too are removed: they spoke of another script.
    pub fn publish(&self, artifacts: &[Artifact]) -> Result<(), OutError> {
        let mut staged = Vec::with_capacity(artifacts.len());
        for (at, artifact) in artifacts.iter().enumerate() {
            let temporary = format!("{TEMPORARY}{}-{at}", std::process::id());
            let result = self.stage(&temporary, artifact);
            staged.push(temporary);
            if let Err(error) = result {
                self.drop_files(&staged);
                return Err(error);
            }
        }
        if artifacts.iter().any(|artifact| artifact.name == "setup.sh") {
            let stale: Vec<_> = CLAIMS
                .into_iter()
                .filter(|claim| artifacts.iter().all(|artifact| artifact.name != **claim))
                .map(str::to_owned)
                .collect();
            self.drop_files(&stale);
        }
        for (temporary, artifact) in staged.iter().zip(artifacts) {
            rustix::fs::renameat(
                &self.dir,
                temporary.as_str(),
                &self.dir,
                artifact.name.as_str(),
            )
            .map_err(|error| {
                self.drop_files(&staged);
                OutError::new(self.file(&artifact.name), error)
            })?;
        }
        Ok(())
    }

    /// Contents of a file in it, or `None` where it is not there. A link is not followed.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, OutError> {
        let error = |error: io::Error| OutError::new(self.file(name), error);
        match open_regular(&self.dir, name, OFlags::RDONLY) {
            Ok(fd) => {
                let mut contents = Vec::new();
                File::from(fd).read_to_end(&mut contents).map_err(error)?;
                Ok(Some(contents))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(error(errno.into())),
        }
    }

    /// A file in it for appending, made where it is not there. A link is not followed.
    pub(crate) fn open_to_append(&self, name: &str) -> Result<File, OutError> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        open_regular(&self.dir, name, flags)
            .map(File::from)
            .map_err(|errno| OutError::new(self.file(name), errno))
    }

    /// A subdirectory, made where it is not there, and the names in it.
    pub(crate) fn directory(&self, name: &str) -> Result<(OwnedFd, Vec<String>), OutError> {
        let error = |errno: Errno| OutError::new(self.file(name), errno);
        match rustix::fs::mkdirat(&self.dir, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(error(errno)),
        }
        let fd = rustix::fs::openat(&self.dir, name, directory_flags(), Mode::empty());
        let fd = fd.map_err(error)?;
        let found = names(&fd).map_err(error)?;
        Ok((fd, found))
    }

    /// An empty subdirectory; what stood there is removed, links unfollowed.
    pub(crate) fn fresh_directory(&self, name: &str) -> Result<OwnedFd, OutError> {
        let path = self.file(name);
        let error = |errno: Errno| OutError::new(&path, errno);
        match rustix::fs::mkdirat(&self.dir, name, Mode::from_raw_mode(0o755)) {
            Ok(()) => {}
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(error(errno)),
        }
        let fd = match rustix::fs::openat(&self.dir, name, directory_flags(), Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::LOOP) => return Err(OutError::Link(path)),
            Err(Errno::NOTDIR) => {
                return Err(match is_link(&self.dir, name) {
                    true => OutError::Link(path),
                    false => OutError::NotADirectory(path),
                });
            }
            Err(errno) => return Err(error(errno)),
        };
        for old in names(&fd).map_err(error)? {
            // Directories in it are not ours and stay.
            let _ = rustix::fs::unlinkat(&fd, old.as_str(), AtFlags::empty());
        }
        Ok(fd)
    }

    /// A new file in the directory itself, opened for appending.
    pub(crate) fn fresh(&self, name: &str) -> Result<File, OutError> {
        Self::fresh_file(&self.dir, name, &self.file(name))
    }

    /// A new file, opened for appending; what had the name is removed first.
    pub(crate) fn fresh_file(dir: &OwnedFd, name: &str, path: &Path) -> Result<File, OutError> {
        let _ = rustix::fs::unlinkat(dir, name, AtFlags::empty());
        let flags =
            OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        rustix::fs::openat(dir, name, flags | OFlags::NOFOLLOW, Mode::from(0o644))
            .map(File::from)
            .map_err(|errno| OutError::new(path, errno))
    }

    fn stage(&self, temporary: &str, artifact: &Artifact) -> Result<(), OutError> {
        let path = self.file(&artifact.name);
        if artifact.name.contains('/') || matches!(artifact.name.as_str(), "" | "." | "..") {
            let why = io::Error::new(io::ErrorKind::InvalidInput, "not a plain file name");
            return Err(OutError::new(path, why));
        }
        let mut file = Self::fresh_file(&self.dir, temporary, &path)?;
        let mode = if artifact.executable { 0o755 } else { 0o644 };
        file.write_all(&artifact.contents)
            .map_err(|error| OutError::new(&path, error))?;
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))
            .map_err(|errno| OutError::new(&path, errno))
    }

    fn drop_files(&self, names: &[String]) {
        for name in names {
            let _ = rustix::fs::unlinkat(&self.dir, name.as_str(), AtFlags::empty());
        }
    }
}

fn directory_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn open_directory(path: &Path) -> Result<OwnedFd, OutError> {
    let error = |errno: Errno| OutError::new(path, errno);
    if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
        fs::create_dir_all(parent).map_err(|error| OutError::new(parent, error))?;
    }
    match rustix::fs::mkdirat(CWD, path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(error(errno)),
    }
    rustix::fs::openat(CWD, path, directory_flags(), Mode::empty()).map_err(|errno| match errno {
        Errno::LOOP => OutError::Link(path.to_owned()),
        Errno::NOTDIR if is_link(CWD, path) => OutError::Link(path.to_owned()),
        Errno::NOTDIR => OutError::NotADirectory(path.to_owned()),
        errno => error(errno),
    })
}

fn is_link(dir: impl AsFd, name: impl rustix::path::Arg) -> bool {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Opens a regular file without following a link or waiting on a pipe.
fn open_regular(dir: &OwnedFd, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o644))?;
    let stat = rustix::fs::fstat(&fd)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(fd),
        _ => Err(Errno::INVAL),
    }
}

/// True when the inner `.gitignore` is ours.
fn marked(dir: &OwnedFd) -> bool {
    let Ok(fd) = open_regular(dir, ".gitignore", OFlags::RDONLY) else {
        return false;
    };
    let mut start = vec![0; MARK.len()];
    File::from(fd).read_exact(&mut start).is_ok() && start == MARK.as_bytes()
}

/// Names in a directory but `.` and `..`; names that are not UTF-8 are lossy (they are never ours).
fn names(dir: &OwnedFd) -> rustix::io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            found.push(name);
        }
    }
    Ok(found)
}

fn lock(dir: &OwnedFd, path: &Path) -> Result<OwnedFd, OutError> {
    let name = path.join("lock");
    let fd = open_regular(dir, "lock", OFlags::RDWR | OFlags::CREATE).map_err(
        |errno| match is_link(dir, "lock") {
            true => OutError::Link(name.clone()),
            false => OutError::new(&name, errno),
        },
    )?;
    let mut file = File::from(fd);
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => {
            let mut pid = String::new();
            let _ = (&mut file).take(20).read_to_string(&mut pid);
            return Err(OutError::Busy {
                path: path.to_owned(),
                pid: pid.trim().parse().ok(),
            });
        }
        Err(errno) => return Err(OutError::new(name, errno)),
    }
    // The number only makes a message friendlier, so a failure to note it is no failure.
    let _ = file.set_len(0);
    let _ = writeln!(file, "{}", std::process::id());
    Ok(file.into())
}

#[cfg(test)]
mod tests;
