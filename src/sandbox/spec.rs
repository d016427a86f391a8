//! What the parent tells the helper process: one JSON document on the helper's standard input, optionally
//! followed by a NUL byte and raw data (file names and contents need not be UTF-8, JSON must be).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::contract::Network;

/// Directory in a sandbox (on a tmpfs, so never part of a layer) for what the host lends to commands.
pub const LENT_DIR: &str = "/run/envc";

/// Name in a store of the read-only view of the executable that enters it.
pub const PROGRAM: &str = "envc";

/// Signal that asks a helper to ask its command, and all that this started, to end.
pub const ASK: i32 = libc::SIGTERM;

/// Signal that makes a helper end its command, and all that this started, at once.
pub const KILL: i32 = libc::SIGQUIT;

/// A part of the sandbox's root: an overlay, or a read-only view, of a directory of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Short name without separators: the directory of this tree in every layer.
    pub name: String,
    /// Lowest directory, on the host.
    pub lower: PathBuf,
    /// Where it stands in the sandbox, absolute.
    pub at: String,
    pub kind: TreeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeKind {
    Overlay,
    ReadOnly,
}

/// A path of a base that must look empty (a directory) or have other contents (a file) in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    pub tree: String,
    /// Relative to the tree.
    pub path: PathBuf,
    /// `None`: an empty directory.
    pub contents: Option<String>,
}

/// The holder: owns the mount (and user) namespace that all commands of one sandbox enter.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HoldSpec {
    pub store: PathBuf,
    /// This executable.
    pub program: PathBuf,
    pub trees: Vec<Tree>,
    pub masks: Vec<Mask>,
    /// Directory of a kept state that is the lowest layer; masks are in it already.
    pub kept: Option<PathBuf>,
    /// Enter a user namespace first: the caller is not root.
    pub user_namespace: bool,
    /// Mark layers by `user` attributes.
    pub user_marks: bool,
    /// Control groups to remove at the end.
    pub cgroups: Vec<PathBuf>,
}

/// What the holder answers, one JSON line on its standard output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldReply {
    Ready {
        /// Where layers live: `disk`, or `tmpfs` where the disk's file system cannot carry an overlay.
        store: String,
        /// Only one user id is mapped (no `/etc/subuid` range).
        single_id: bool,
    },
    Failed(HelperError),
}

/// What the holder is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Start what the specification says. With it come five open files: the specification, where to report, and the
    /// three standard streams. The answer is the new process's id, and a descriptor of it; `0` where it did not start.
    Enter,
    /// Drop a layer's files.
    Discard(u32),
    /// Unmount the root, so that its layers may be read.
    Unmount,
}

impl Request {
    pub fn text(self) -> String {
        match self {
            Self::Enter => "E".into(),
            Self::Discard(layer) => format!("D{layer}"),
            Self::Unmount => "U".into(),
        }
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        match text {
            "E" => Some(Self::Enter),
            "U" => Some(Self::Unmount),
            _ => text.strip_prefix('D')?.parse().ok().map(Self::Discard),
        }
    }
}

/// A directory or file of the host that stands in the sandbox under [`LENT_DIR`] or over an existing file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lend {
    pub source: PathBuf,
    /// Absolute path in the sandbox.
    pub target: String,
    pub writable: bool,
}

/// One entry into the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnterSpec {
    pub user_marks: bool,
    pub trees: Vec<Tree>,
    /// Layer numbers, the writable one first.
    pub layers: Vec<u32>,
    pub lent: Vec<Lend>,
    pub cgroups: Vec<PathBuf>,
    pub network: Network,
    /// Processes at once where no control group counts them, in a user namespace.
    pub processes: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Bytes that a file system in memory may hold.
    pub shared_memory: u64,
    pub action: Action,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    Run {
        argv: Vec<String>,
        dir: String,
        env: Vec<(String, String)>,
        /// Standard input is a terminal that the command shall control.
        terminal: bool,
    },
    /// Copies the NUL-separated names that follow the document from `from` on the host to `to`.
    Copy { from: PathBuf, to: String },
    /// Writes the bytes that follow the document.
    Write { path: String, mode: u32 },
    /// Writes the file to standard output.
    Read { path: String },
}

/// A command on this machine as it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HostRunSpec {
    pub argv: Vec<String>,
    pub dir: String,
    pub env: Vec<(String, String)>,
    pub terminal: bool,
    pub cgroups: Vec<PathBuf>,
}

/// Merges `layers` (the top one first) into the new directory `into`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FlattenSpec {
    pub holder: i32,
    pub user_namespace: bool,
    pub store: PathBuf,
    pub trees: Vec<String>,
    pub layers: Vec<u32>,
    pub into: PathBuf,
}

/// Removes a directory whose files may belong to ids of a user namespace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RemoveSpec {
    pub path: PathBuf,
    pub user_namespace: bool,
}

/// What comes back on the status pipe, one JSON document.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// Raw status as `waitpid` gives it.
    Status(i32),
    Failed(HelperError),
}

/// A failure in the helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperError {
    pub what: String,
    pub errno: Option<i32>,
}

impl HelperError {
    pub fn new(what: impl Into<String>, error: &std::io::Error) -> Self {
        Self {
            what: what.into(),
            errno: error.raw_os_error(),
        }
    }
}

impl std::fmt::Display for HelperError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.errno {
            Some(errno) => write!(
                f,
                "{}: {}",
                self.what,
                std::io::Error::from_raw_os_error(errno)
            ),
            None => f.write_str(&self.what),
        }
    }
}
