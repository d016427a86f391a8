//! `envc build --resume`: what is kept of a run in the store, and whether it still fits.
//!
//! The state stands in the store and not beside the artifacts: a repository may bring an `.envc` of its own, and a state
//! names directories that are mounted and removed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};

use crate::Analysis;
use crate::run::{Keeper, Progress};
use crate::sandbox::{Kept, Options, Sandbox, SandboxError, fingerprint};
use crate::scan::{FileKind, Repository};
use crate::verify::attest::sha256;

use super::exit::Failure;

/// Below the store's root; one directory for each output directory.
pub const RUNS: &str = "runs";
const STATE: &str = "state.json";

/// Everything that another process needs to go on.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    /// Version of envc that wrote it: another one plans and repairs in other ways.
    pub version: String,
    /// The output directory, for people.
    pub out: PathBuf,
    pub conditions: Conditions,
    pub kept: Kept,
    pub progress: Progress,
}

/// Directory of the store: hashes of the descriptions of environments, by their place.
const KNOWN: &str = "environments";

/// Notes that the description of an environment in `out` is envc's own.
pub fn remember(out: &Path, text: &[u8], options: &Options) -> std::io::Result<()> {
    let path = known(out, options);
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(path, sha256(text))
}

/// Whether the description in `out` is the one that was noted.
pub fn is_known(out: &Path, text: &[u8], options: &Options) -> bool {
    fs::read_to_string(known(out, options)).is_ok_and(|hash| hash == sha256(text))
}

fn known(out: &Path, options: &Options) -> PathBuf {
    let place = Place::of(out, options);
    options.store_root().join(KNOWN).join(place.key)
}

/// What has to be the same for a state to mean anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Of every file's path, kind and content, and of the commit.
    pub repository: String,
    /// SHA-256 of `setup.sh` as planned, before any repair.
    pub script: String,
    pub base: String,
}

impl Conditions {
    /// Why a state made under `self` is no use under `now`.
    fn objection(&self, now: &Self) -> Option<&'static str> {
        if self.repository != now.repository {
            return Some("the repository's files are not those of the earlier run");
        }
        if self.base != now.base {
            return Some("the base is not that of the earlier run");
        }
        (self.script != now.script).then_some("the planned script is not that of the earlier run")
    }
}

/// The place in the store of one output directory's run. The output directory's lock keeps others out of it too.
pub struct Place {
    dir: PathBuf,
    key: String,
    out: PathBuf,
    options: Options,
}

impl Place {
    pub fn of(out: &Path, options: &Options) -> Self {
        use std::os::unix::ffi::OsStrExt;
        let out = fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf());
        let key = sha256(out.as_os_str().as_bytes());
        let key = key.get(..16).unwrap_or(&key).to_owned();
        Self {
            dir: options.store_root().join(RUNS).join(&key),
            key,
            out,
            options: options.clone(),
        }
    }

    /// The state, or why there is none to go on from.
    pub fn load(&self) -> Result<State, String> {
        let text = fs::read(self.dir.join(STATE))
            .map_err(|_| "no earlier run of this directory left a state".to_owned())?;
        let state: State = serde_json::from_slice(&text)
            .map_err(|error| format!("the earlier run's state cannot be read ({error})"))?;
        if state.version != env!("CARGO_PKG_VERSION") {
            return Err(format!(
                "envc {} made the earlier run's state",
                state.version
            ));
        }
        Ok(state)
    }

    /// Removes the state and everything kept for it.
    pub fn clear(&self) {
        if let Ok(state) = self.load() {
            let _ = crate::sandbox::forget(&state.kept, &self.options);
        }
        let _ = crate::sandbox::remove_dir(&self.dir, &self.options);
    }

    /// Notes that the run came to an end by itself, so that repairs that did not help may be tried again.
    pub fn ended(&self) {
        if let Ok(mut state) = self.load() {
            state.progress.ended = true;
            let _ = self.save(&state);
        }
    }

    fn save(&self, state: &State) -> Result<(), SandboxError> {
        let path = self.dir.join(STATE);
        let fresh = self.dir.join("state.new");
        let failed = |source| SandboxError::Io {
            what: format!("write {}", path.display()),
            source,
        };
        let text = serde_json::to_vec(state).map_err(|error| failed(error.into()))?;
        fs::create_dir_all(&self.dir)
            .and_then(|()| fs::File::create(&fresh))
            .and_then(|mut file| {
                file.write_all(&text)?;
                // Complete before it takes the old one's name, whatever happens to the machine.
                file.sync_all()
            })
            .and_then(|()| fs::rename(&fresh, &path))
            .map_err(failed)
    }
}

/// Keeps the progress of a run in its place.
pub struct Saver {
    place: Place,
    repository: Content,
    script: String,
    base: String,
    kept: Option<Kept>,
    number: u32,
}

impl Saver {
    /// `resumed`: the state that the run goes on from. What else stands in the place is removed.
    pub fn new(
        place: Place,
        repository: Content,
        analysis: &Analysis,
        base: String,
        resumed: Option<Kept>,
    ) -> Result<Self, Failure> {
        let saver = Self {
            place,
            repository,
            script: script_hash(analysis)?,
            base,
            kept: resumed,
            number: 0,
        };
        if saver.kept.is_none() {
            saver.place.clear();
        } else {
            saver.sweep();
        }
        Ok(saver)
    }

    /// Removes what a killed run kept and did not get to name in its state.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.place.dir)
            .into_iter()
            .flatten()
            .flatten()
        {
            let named = self
                .kept
                .as_ref()
                .is_some_and(|kept| Path::new(&kept.state) == entry.path());
            let current = fs::read_to_string(entry.path().join("image")).is_ok_and(|id| {
                self.kept
                    .as_ref()
                    .is_some_and(|kept| kept.state == id.trim())
            });
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !named && !current {
                let _ = crate::sandbox::remove_dir(&entry.path(), &self.place.options);
            }
        }
    }

    fn next_dir(&mut self) -> PathBuf {
        loop {
            self.number += 1;
            let dir = self.place.dir.join(self.number.to_string());
            if !dir.exists() {
                return dir;
            }
        }
    }
}

impl Keeper for Saver {
    fn keep(
        &mut self,
        progress: &Progress,
        sandbox: Option<&mut dyn Sandbox>,
    ) -> Result<(), SandboxError> {
        let mut old = None;
        if let Some(sandbox) = sandbox {
            let dir = self.next_dir();
            old = self.kept.replace(sandbox.keep(&dir)?);
        }
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        self.place.save(&State {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            out: self.place.out.clone(),
            conditions: Conditions {
                repository: self.repository.get().to_owned(),
                script: self.script.clone(),
                base: self.base.clone(),
            },
            kept: kept.clone(),
            progress: progress.clone(),
        })?;
        if let Some(old) = old {
            let _ = crate::sandbox::forget(&old, &self.place.options);
            self.sweep();
        }
        Ok(())
    }
}

/// Whether `state` may be gone on from.
pub fn check(
    state: &State,
    repository: &mut Content,
    analysis: &Analysis,
    sandbox: &dyn Sandbox,
) -> Result<(), String> {
    let script = script_hash(analysis).map_err(|failure| failure.message)?;
    let now = Conditions {
        repository: repository.get().to_owned(),
        script,
        base: fingerprint(&state.kept.base, sandbox.facts()),
    };
    match state.conditions.objection(&now) {
        Some(why) => Err(why.to_owned()),
        None => Ok(()),
    }
}

fn script_hash(analysis: &Analysis) -> Result<String, Failure> {
    Ok(sha256(crate::script::bash(&analysis.script)?.as_bytes()))
}

/// A hash of the repository, found out on another core while the run begins.
pub struct Content {
    worker: Option<JoinHandle<String>>,
    hash: String,
}

impl Content {
    pub fn of(repository: &Repository) -> Self {
        let repository = repository.clone();
        Self {
            worker: Some(std::thread::spawn(move || content(&repository))),
            hash: String::new(),
        }
    }

    pub fn get(&mut self) -> &str {
        if let Some(worker) = self.worker.take() {
            self.hash = worker.join().unwrap_or_default();
        }
        &self.hash
    }
}

fn content(repository: &Repository) -> String {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    let commit = repository
        .git
        .as_ref()
        .and_then(|git| git.commit.as_deref());
    add(commit.unwrap_or_default().as_bytes());
    for file in &repository.files {
        add(file.path.as_bytes());
        add(&[u8::from(file.executable)]);
        match &file.kind {
            FileKind::Symlink { target, .. } => add(target.as_bytes()),
            FileKind::Special => {}
            _ => add(&read(&repository.root.join(&file.path), file.size)),
        }
    }
    format!("{:032x}", hasher.digest128())
}

/// A file that cannot be read counts by its size: the run itself says what is wrong with it.
fn read(path: &Path, size: u64) -> Vec<u8> {
    let Ok(mut file) = crate::scan::open_regular(path) else {
        return size.to_le_bytes().to_vec();
    };
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    let mut buffer = vec![0u8; 1 << 18];
    while let Ok(count @ 1..) = std::io::Read::read(&mut file, &mut buffer) {
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
    hasher.digest128().to_le_bytes().to_vec()
}
