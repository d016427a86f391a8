//! What a scan notes of a file besides what it says about it: enough to tell later whether it is the same file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// State of a file as the system reports it. Two equal stamps mean the same content, unless the file was written in
/// the same tick of the clock in which it was read (git's index has the same rule: `racy-git` of its documentation).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// Nanoseconds since 1970, of the last change of content, name or mode.
    pub changed: i64,
    pub inode: u64,
}

impl Stamp {
    pub(super) fn of(data: &Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            size: data.len(),
            modified: nanoseconds(data.mtime(), data.mtime_nsec()),
            changed: nanoseconds(data.ctime(), data.ctime_nsec()),
            inode: data.ino(),
        }
    }
}

/// What the first bytes of a regular file tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub kind: HeadKind,
    /// Before the repository as a whole is asked (a `.h` among C++ sources).
    pub language: Option<&'static str>,
    pub generated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadKind {
    Text,
    Binary,
    LfsPointer,
}

/// A file's stamp, with its first bytes' tale where they were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    pub stamp: Stamp,
    pub head: Option<Head>,
}

/// What an earlier scan saw of a file with this path and stamp.
pub type Known<'a> = dyn Fn(&str, &Stamp) -> Option<Head> + Sync + 'a;
