//! What a caller chooses about a sandbox.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::contract::{Limits, NetworkPolicy, Result, SandboxError};
use super::settings::Settings;

/// How isolation is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Namespaces and overlayfs; no daemon.
    Overlay,
    /// A Docker or Podman engine.
    Docker,
    /// This machine as it is.
    Host,
}

impl Backend {
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Docker => "docker",
            Self::Host => "host",
        }
    }
}

/// What a sandbox needs beside its base.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `envc` executable, started anew as helper (see [`crate::sandbox::helper_main`]).
    pub helper: PathBuf,
    /// Where layers and caches live; `None`: `envc` below the user's cache directory.
    pub store: Option<PathBuf>,
    /// Lend the host's CA bundle, proxy and index settings to commands.
    pub ca_and_proxy: bool,
    /// Set when the user asks to stop; running commands then end within 50 ms.
    pub interrupted: Arc<AtomicBool>,
    /// Name of the package caches to share. One name for each repository: a hostile build could leave bad files in
    /// a cache, and must not reach another repository's build with them. `None`: no shared caches.
    pub cache_scope: Option<String>,
    /// What of the network commands may have. No sandbox of kind `host` can keep to it.
    pub network: NetworkPolicy,
    /// Bytes of memory that no command may pass, whatever its own limit.
    pub memory: Option<u64>,
    /// Bytes on disk that no command may add.
    pub disk: Option<u64>,
    /// Bytes that all caches together may take.
    pub cache_limit: u64,
    /// The user's `envc.toml`.
    pub settings: Settings,
}

impl Options {
    /// Defaults: this executable as helper, the user's store, the host's settings, no shared caches.
    pub fn new() -> Result<Self> {
        let helper = std::env::current_exe().map_err(|source| SandboxError::Io {
            what: "find this executable".into(),
            source,
        })?;
        let settings = Settings::load()?;
        Ok(Self {
            helper,
            store: None,
            ca_and_proxy: true,
            interrupted: Arc::new(AtomicBool::new(false)),
            cache_scope: None,
            network: NetworkPolicy::default(),
            memory: None,
            disk: None,
            cache_limit: settings
                .cache_limit()
                .unwrap_or(super::caches::DEFAULT_LIMIT),
            settings,
        })
    }

    /// Root of everything that envc keeps outside of the repository.
    pub fn store_root(&self) -> PathBuf {
        if let Some(store) = &self.store {
            return store.clone();
        }
        let cache = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
            .unwrap_or_else(std::env::temp_dir);
        cache.join("envc")
    }

    /// A command's limits within those of the user.
    pub fn limits(&self, own: Limits) -> Limits {
        Limits {
            memory: own.memory.min(self.memory.unwrap_or(u64::MAX)),
            disk: own.disk.min(self.disk.unwrap_or(u64::MAX)),
            ..own
        }
    }

    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// Whether a backend works here, for `envc doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    pub backend: Backend,
    /// Which base it was tried with.
    pub base: String,
    pub works: bool,
    /// What works, or why not and what to do about it.
    pub detail: String,
}
