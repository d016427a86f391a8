//! This machine as it is, for throw-away CI machines: only with `--sandbox host`.
//!
//! Commands run as this user with all of this user's rights, on a *copy* of the repository below the store; what they
//! do elsewhere stays done, and no snapshot undoes it. `/repo` stands for the copy at the beginning of an argument, a
//! variable's value or a path, but not inside of a script's text. There is no network isolation.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cgroup::Groups;
use super::contract::*;
use super::environment::Company;
use super::gauge::Places;
use super::options::Options;
use super::process::{self, Job};
use super::spec::{HostRunSpec, LENT_DIR};
use super::store::{self, from_io, io_error};
use super::{helper, interactive, os_release};

/// See the module's text.
pub struct HostSandbox {
    options: Options,
    facts: SandboxFacts,
    store: PathBuf,
    company: Company,
    groups: Groups,
    snapshots: u32,
    /// What the repository's copy was at creation: nothing, or a kept copy.
    origin: Option<PathBuf>,
    _claim: store::Claim,
}

impl HostSandbox {
    pub fn create(base: &Base, options: &Options) -> Result<Self> {
        if *base != Base::Host {
            return Err(SandboxError::Base(
                base.to_string(),
                "the host sandbox has no base but this machine: use --base host".into(),
            ));
        }
        Self::over(None, options)
    }

    fn over(origin: Option<PathBuf>, options: &Options) -> Result<Self> {
        let id = store::new_id();
        let claim = store::claim(&options.helper, &options.store_root(), "hosts", &id)?;
        let store = claim.dir.clone();
        // Without a root of its own every tool uses the user's caches.
        let without_caches = Options {
            cache_scope: None,
            ..options.clone()
        };
        let company = Company::collect(&without_caches, &store, &Base::Host)?;
        let mut sandbox = Self {
            options: options.clone(),
            facts: os_release::facts("host", "host", Path::new("/"), None),
            groups: Groups::create(&id),
            store,
            company,
            snapshots: 0,
            origin,
            _claim: claim,
        };
        sandbox.reset()?;
        Ok(sandbox)
    }

    /// A kept copy as a new sandbox.
    pub fn reopen(kept: &Kept, options: &Options) -> Result<Self> {
        let copy = PathBuf::from(&kept.state).join("repo");
        if !copy.is_dir() {
            let why = "holds no kept environment: build it again";
            return Err(SandboxError::Base(kept.state.clone(), why.into()));
        }
        Self::over(Some(copy), options)
    }

    fn repository(&self) -> PathBuf {
        self.store.join("repo")
    }

    /// Replaces [`REPOSITORY_DIR`] at the beginning of a path by where the copy is.
    fn translate(&self, path: &str) -> String {
        match path.strip_prefix(REPOSITORY_DIR) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.repository().display())
            }
            _ => path.to_string(),
        }
    }

    fn spec(&self, command: &CommandSpec, terminal: bool) -> HostRunSpec {
        let lent = self.store.join("lent");
        let env = self.company.full_environment(&command.env);
        let place = |value: String| match value.strip_prefix(LENT_DIR) {
            Some(rest) => format!("{}{rest}", lent.display()),
            None => self.translate(&value),
        };
        HostRunSpec {
            argv: command.argv.iter().map(|a| self.translate(a)).collect(),
            dir: self.translate(&command.dir),
            env: env
                .into_iter()
                .map(|(name, value)| (name, place(value)))
                .collect(),
            terminal,
            cgroups: self.groups.dirs.clone(),
        }
    }

    fn replace_repository(&self, by: Option<&Path>) -> Result<()> {
        helper::remove_tree(&self.repository());
        match by {
            Some(copy) => copy_tree(copy, &self.repository()),
            None => {
                fs::create_dir(self.repository()).map_err(io_error("create the repository's copy"))
            }
        }
    }
}

/// Copies a tree with everything that belongs to it; shares blocks where the file system can.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let what = format!("copy {}", from.display());
    let output = Command::new("cp")
        .args(["-a", "--reflink=auto", "--"])
        .args([from, to])
        .output()
        .map_err(io_error(what.clone()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if text.contains("No space left") {
        return Err(SandboxError::NoSpace(what));
    }
    Err(from_io(what, std::io::Error::other(text)))
}

/// Removes a kept copy.
pub fn forget(kept: &Kept) -> Result<()> {
    let dir = PathBuf::from(&kept.state);
    helper::remove_tree(&dir.join("repo"));
    let _ = fs::remove_dir(&dir);
    Ok(())
}

impl Drop for HostSandbox {
    fn drop(&mut self) {
        helper::remove_tree(&self.store);
    }
}

impl Sandbox for HostSandbox {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }

    fn copy_in(&mut self, from: &Path, files: &[PathBuf], to: &str) -> Result<()> {
        let what = || format!("copy files of {}", from.display());
        let dir = fs::File::open(from).map_err(io_error(what()))?;
        helper::copy_files(&dir, files, &self.translate(to)).map_err(process::failed)
    }

    fn write_file(&mut self, path: &str, contents: &[u8], mode: u32) -> Result<()> {
        helper::write_file(&self.translate(path), contents, mode).map_err(process::failed)
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>> {
        let path = self.translate(path);
        // Without O_NONBLOCK a named pipe would wait for a writer.
        let mut file = fs::File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path)
            .map_err(io_error(format!("read {path}")))?;
        let mut contents = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut contents)
            .map_err(io_error(format!("read {path}")))?;
        Ok(contents)
    }

    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        let spec = self.spec(command, false);
        let job = Job {
            start: &|streams| process::start(&self.options.helper, "host-run", &spec, streams),
            limits: self.options.limits(command.limits),
            writes: Places {
                disk: self.store.clone(),
                dirs: vec![self.repository()],
            },
        };
        let mut blotter = self.company.blotter();
        let finished = process::run(&self.options, &self.groups, job, &mut |bytes| {
            blotter.push(bytes, sink)
        });
        blotter.finish(sink);
        finished
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        self.snapshots += 1;
        let id = SnapshotId(format!("snapshot-{}", self.snapshots));
        copy_tree(&self.repository(), &self.store.join(&id.0))?;
        Ok(id)
    }

    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()> {
        let number = snapshot
            .0
            .strip_prefix("snapshot-")
            .and_then(|n| n.parse::<u32>().ok());
        if !number.is_some_and(|n| (1..=self.snapshots).contains(&n)) {
            let what = format!("return to snapshot {}", snapshot.0);
            return Err(from_io(what, std::io::ErrorKind::NotFound.into()));
        }
        self.replace_repository(Some(&self.store.join(&snapshot.0)))
    }

    fn reset(&mut self) -> Result<()> {
        self.replace_repository(self.origin.as_deref())
    }

    fn interactive(&mut self, command: &CommandSpec) -> Result<i32> {
        let spec = self.spec(command, interactive::on_terminal());
        process::interactive(&|streams| {
            process::start(&self.options.helper, "host-run", &spec, streams)
        })
    }

    fn keep(&mut self, dir: &Path) -> Result<Kept> {
        fs::create_dir_all(dir).map_err(io_error(format!("create {}", dir.display())))?;
        let dir = fs::canonicalize(dir).map_err(io_error(format!("find {}", dir.display())))?;
        helper::remove_tree(&dir.join("repo"));
        copy_tree(&self.repository(), &dir.join("repo"))?;
        Ok(Kept {
            backend: "host".into(),
            base: Base::Host,
            state: dir.to_string_lossy().into_owned(),
        })
    }
}
