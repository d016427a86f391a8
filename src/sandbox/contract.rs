//! What every sandbox does, whichever kernel feature or engine does it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Where the repository stands in every sandbox.
pub const REPOSITORY_DIR: &str = "/repo";

/// A command to run in a sandbox.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    pub argv: Vec<String>,
    /// Absolute path in the sandbox.
    pub dir: String,
    /// The whole environment but for what every command gets (see [`base_environment`]).
    pub env: Vec<(String, String)>,
    pub limits: Limits,
    pub network: Network,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time after which the whole group is killed.
    pub wall: Duration,
    /// The same after so long without a byte of output; `None`: never.
    pub silence: Option<Duration>,
    /// Bytes of output after which the command is killed.
    pub output: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// Bytes of memory of the whole group.
    pub memory: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Bytes on disk that the command may add. Some of the disk stays free even so (see `docs/SECURITY.md`).
    pub disk: u64,
    /// Between asking the group to end (SIGTERM) and ending it, when time is over or the user stops it.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(20 * 60),
            silence: None,
            output: 256 << 20,
            processes: 4096,
            memory: 16 << 30,
            open_files: 1 << 16,
            disk: 64 << 30,
            grace: Duration::from_secs(2),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    Full,
    /// For a command whose result is judged: as the user's [`NetworkPolicy`] says.
    Judged,
    /// Loopback only.
    None,
}

/// What of the network the user lets commands have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkPolicy {
    /// Through this machine, always. The default: many test commands build first, or fetch what their build left out,
    /// and would fail without it for no fault of the environment.
    #[default]
    Full,
    /// Set-up and installation have it; what is judged (tests, programs) has loopback only.
    InstallOnly,
    /// Loopback only, always.
    None,
}

impl NetworkPolicy {
    /// What a command that wants `wanted` gets: [`Network::Full`] or [`Network::None`].
    pub fn allow(self, wanted: Network) -> Network {
        match (self, wanted) {
            (_, Network::None) | (Self::None, _) | (Self::InstallOnly, Network::Judged) => {
                Network::None
            }
            (Self::Full, _) | (Self::InstallOnly, Network::Full) => Network::Full,
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Silent,
    OutputLimit,
    OutOfMemory,
    /// It wrote more than [`Limits::disk`], or left too little of the disk to others.
    DiskLimit,
    /// The user asked envc to stop.
    Interrupted,
}

impl Outcome {
    pub fn ok(self) -> bool {
        self == Self::Exited(0)
    }
}

/// A finished command. Its output went to the sink as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    pub outcome: Outcome,
    pub wall: Duration,
    /// Bytes of output, standard output and standard error together.
    pub output_bytes: u64,
}

/// A state of the sandbox's files that can be returned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SnapshotId(pub String);

/// What a sandbox stands on, for the certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxFacts {
    /// `overlay`, `docker`, `host`.
    pub backend: String,
    /// `host`, `rootfs`, or an image reference.
    pub base: String,
    /// `sha256:…` of the base where it has one.
    pub digest: Option<String>,
    /// `ID` and `VERSION_CODENAME` of its os-release, e.g. `debian`, `bookworm`.
    pub distribution: String,
    pub release: String,
}

/// What a sandbox is created from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// This machine's root, read-only.
    Host,
    /// A directory that holds a root file system.
    Rootfs(PathBuf),
    /// An image of the Docker or Podman engine.
    Image(String),
    /// A tar archive of a root file system.
    Tar(PathBuf),
    /// An OCI layout: a directory, or a tar of one; what `docker save` wrote too.
    Oci(PathBuf),
    /// An image of a registry, pulled without a daemon.
    Registry(String),
    /// One that `envc base make` made, by its name.
    Made(String),
}

/// As on the command line.
impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Rootfs(path) => write!(f, "rootfs:{}", path.display()),
            Self::Image(name) => write!(f, "image:{name}"),
            Self::Tar(path) => write!(f, "tar:{}", path.display()),
            Self::Oci(path) => write!(f, "oci:{}", path.display()),
            Self::Registry(name) => write!(f, "registry:{name}"),
            Self::Made(name) => write!(f, "made:{name}"),
        }
    }
}

/// Why a sandbox could not do something. `hint` in the display says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("{what}: {source}")]
    Io {
        what: String,
        #[source]
        source: std::io::Error,
    },
    /// The machine lacks what the backend needs.
    #[error("{backend} sandbox is not available here: {why}\n  {hint}")]
    Unavailable {
        backend: &'static str,
        why: String,
        hint: String,
    },
    /// The user may not read or write something that belongs to the machine or to the repository.
    #[error(
        "no permission to {0}\n  run as its owner, or change its permissions (`chmod -R u+rwX` for your own files)"
    )]
    Permission(String),
    #[error(
        "no space left to {0}\n  free some space and run again, or let XDG_CACHE_HOME name a directory on a larger disk"
    )]
    NoSpace(String),
    #[error("base {0}: {1}")]
    Base(String, String),
    /// The user's `envc.toml` cannot be used.
    #[error("{0}: {1}")]
    Settings(String, String),
    #[error("container engine: {0}")]
    Engine(String),
    /// The directory for layers and caches cannot be used.
    #[error(
        "cannot keep layers and caches in {0}: {1}\n  let XDG_CACHE_HOME name a directory that you can write to, on a disk with some free space"
    )]
    Store(String, String),
    #[error("interrupted")]
    Interrupted,
}

pub type Result<T> = std::result::Result<T, SandboxError>;

/// An isolated place to run commands. Dropping it ends every process it started and unmounts what it mounted;
/// [`Sandbox::keep`] first makes its present state last for `envc shell` and `envc run`.
pub trait Sandbox: Send {
    fn facts(&self) -> &SandboxFacts;

    /// Copies `files` (relative to `from`, never following links) under `to`; owner root, modes kept.
    fn copy_in(&mut self, from: &Path, files: &[PathBuf], to: &str) -> Result<()>;

    fn write_file(&mut self, path: &str, contents: &[u8], mode: u32) -> Result<()>;

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>>;

    /// Runs to the end; `sink` gets standard output and error as they come. Standard input is empty.
    /// A failure of the command is an [`Outcome`], not an error.
    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished>;

    fn snapshot(&mut self) -> Result<SnapshotId>;

    /// Returns to `snapshot`; later snapshots stay valid.
    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()>;

    /// Drops every change since `create`: the clean base.
    fn reset(&mut self) -> Result<()>;

    /// An interactive command on this terminal; gives its exit status.
    fn interactive(&mut self, command: &CommandSpec) -> Result<i32>;

    /// Says that nothing of the repository has run yet, only the distribution's own package manager: what that
    /// downloaded may be lent to other repositories.
    fn share_downloads(&mut self) {}

    /// Keeps the present state under `dir` and returns what [`crate::sandbox::reopen`] needs to come back to it.
    fn keep(&mut self, dir: &Path) -> Result<Kept>;
}

/// How to return to a kept environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub backend: String,
    pub base: Base,
    /// Directory, image id, or store file, as the backend understands it.
    pub state: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_decides_what_a_command_gets() {
        use Network::{Full, Judged, None};
        let table = [
            (NetworkPolicy::Full, [Full, Full, None]),
            (NetworkPolicy::InstallOnly, [Full, None, None]),
            (NetworkPolicy::None, [None, None, None]),
        ];
        for (policy, expected) in table {
            assert_eq!(
                [Full, Judged, None].map(|wanted| policy.allow(wanted)),
                expected
            );
        }
    }
}
