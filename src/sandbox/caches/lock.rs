//! Locks between runs: whoever uses a cache holds it shared; sweeping, adding and evicting need it alone. A dead
//! process holds nothing.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// A lock, held until it is dropped.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    fn file(path: &Path) -> io::Result<File> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
    }

    /// Alone, if nobody else uses it now.
    pub fn alone(path: &Path) -> io::Result<Option<Self>> {
        let file = Self::file(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Alone, as soon as nobody else uses it: only for what takes moments.
    pub fn wait(path: &Path) -> io::Result<Self> {
        let file = Self::file(path)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Self(file))
    }

    pub fn shared(path: &Path) -> io::Result<Self> {
        let file = Self::file(path)?;
        flock(&file, FlockOperation::LockShared)?;
        Ok(Self(file))
    }

    /// Lets others in.
    pub fn share(self) -> io::Result<Self> {
        flock(&self.0, FlockOperation::LockShared)?;
        Ok(self)
    }

    /// The lock alone, if no other user is left.
    pub fn become_alone(&self) -> bool {
        flock(&self.0, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}
