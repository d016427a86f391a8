//! Why a directory could not be scanned at all.

use std::io;
use std::path::{Path, PathBuf};

/// The path given is not something to scan. [`ScanError::is_usage`] tells a mistake in the command from trouble
/// on the machine.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error("{0:?} does not exist: give the directory of a repository")]
    NotFound(PathBuf),
    #[error("{0:?} is a file: give the directory that holds it")]
    NotADirectory(PathBuf),
    #[error("no permission to read {0:?}: run as its owner, or `chmod -R u+rX` it")]
    NoPermission(PathBuf),
    #[error("cannot read {path:?}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl ScanError {
    /// Turns an error of the operating system about `path` into the kind that says what to do.
    pub(super) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            io::ErrorKind::PermissionDenied => Self::NoPermission(path),
            _ => Self::Io { path, source },
        }
    }

    /// True where the user named the wrong thing; false for an error of input and output.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

/// The absolute path of a directory that can be listed.
pub(super) fn check_root(root: &Path) -> Result<PathBuf, ScanError> {
    let wrong = |source| ScanError::from_io(root, source);
    let metadata = root.metadata().map_err(wrong)?;
    if !metadata.is_dir() {
        return Err(ScanError::NotADirectory(root.to_owned()));
    }
    // Listing is the permission that counts; the metadata of a closed directory can still be read.
    std::fs::read_dir(root).map_err(wrong)?;
    std::path::absolute(root).map_err(wrong)
}
