//! The sandbox without a daemon: namespaces and overlayfs. A snapshot freezes the present layer and starts a new one;
//! nothing is copied.

mod base;
mod process;

use std::collections::BTreeMap;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::cgroup::Groups;
use super::contract::*;
use super::environment::Company;
use super::options::Options;
use super::spec::{Action, EnterSpec, HoldSpec, Lend, Report};
use super::store::{self, from_io, io_error};
use super::supervise::{self, Watch};
use process::{Entered, Holder, Streams};

/// Largest file that [`Sandbox::read_file`] gives.
const READ_LIMIT: u64 = 64 << 20;

/// A sandbox of layers. See [`create`](super::create).
pub struct OverlaySandbox {
    options: Options,
    base: Base,
    root: base::Root,
    store: PathBuf,
    company: Company,
    lent: Vec<Lend>,
    /// Parent of each layer; layer 0 holds the masks of the base.
    parents: BTreeMap<u32, u32>,
    active: u32,
    next: u32,
    // Dropped in this order: the holder removes the store when all commands have ended.
    holder: Holder,
    groups: Groups,
}

impl OverlaySandbox {
    pub fn create(base: &Base, options: &Options) -> Result<Self> {
        let id = store::new_id();
        let store = store::create_dir(&options.store_root(), "sandboxes", &id)?;
        let result = Self::create_in(base, options, &id, store.clone());
        if result.is_err() {
            super::helper::remove_tree(&store);
        }
        result
    }

    fn create_in(base: &Base, options: &Options, id: &str, store: PathBuf) -> Result<Self> {
        let unprivileged = !rustix::process::geteuid().is_root();
        let root = base::root(base, &store, unprivileged)?;
        let groups = Groups::create(id);
        let company = Company::collect(options, &store, base)?;
        let spec = HoldSpec {
            store: store.clone(),
            trees: root.trees.clone(),
            masks: root.masks.clone(),
            user_namespace: unprivileged,
            cgroups: groups.dirs.clone(),
        };
        let holder = Holder::start(&options.helper, &spec)?;
        let lent = company.lent(holder.single_id)?;
        Ok(Self {
            options: options.clone(),
            base: base.clone(),
            root,
            store,
            company,
            lent,
            parents: BTreeMap::from([(1, 0)]),
            active: 1,
            next: 2,
            holder,
            groups,
        })
    }

    /// Layers from the present one down.
    fn stack(&self) -> Vec<u32> {
        let mut stack = vec![self.active];
        let mut at = self.active;
        while let Some(&parent) = self.parents.get(&at) {
            stack.push(parent);
            at = parent;
        }
        stack
    }

    fn start_layer(&mut self, parent: u32) {
        self.active = self.next;
        self.next += 1;
        self.parents.insert(self.active, parent);
    }

    fn drop_active(&mut self) {
        self.parents.remove(&self.active);
        self.holder.discard(self.active);
    }

    fn enter_spec(&self, network: Network, action: Action) -> EnterSpec {
        EnterSpec {
            holder: self.holder.pid(),
            user_namespace: !rustix::process::geteuid().is_root(),
            store: self.store.clone(),
            trees: self.root.trees.clone(),
            layers: self.stack(),
            lent: self.lent.clone(),
            cgroups: self.groups.dirs.clone(),
            network,
            action,
        }
    }

    fn run_action(&self, command: &CommandSpec, terminal: bool) -> EnterSpec {
        let action = Action::Run {
            argv: command.argv.clone(),
            dir: command.dir.clone(),
            env: self.company.full_environment(&command.env),
            terminal,
        };
        self.enter_spec(command.network, action)
    }

    /// A file action: its output (of at most [`READ_LIMIT`] bytes) is what it read.
    fn file_action(&mut self, action: Action, payload: Option<&[u8]>) -> Result<Vec<u8>> {
        let what = "enter the sandbox";
        let mut spec = self.enter_spec(Network::Full, action);
        spec.lent = Vec::new();
        // Memory and process limits are for commands.
        spec.cgroups = Vec::new();
        let (output, output_end) = std::io::pipe().map_err(io_error(what))?;
        let streams = Streams::Captured(output_end.into());
        let entered = process::start(&self.options.helper, "enter", &spec, payload, streams)
            .map_err(io_error(what))?;
        let (mut child, mut status) = entered.split();
        let mut bytes = Vec::new();
        let read = output.take(READ_LIMIT + 1).read_to_end(&mut bytes);
        let report = Entered::report(&mut status);
        child.wait().map_err(io_error(what))?;
        read.map_err(io_error(what))?;
        match report.map_err(io_error(what))? {
            Some(Report::Status(0)) => Ok(bytes),
            Some(Report::Failed(error)) => Err(process::failed(error)),
            Some(Report::Status(_)) | None => Err(from_io(
                what.into(),
                std::io::Error::other(String::from_utf8_lossy(&bytes).into_owned()),
            )),
        }
    }
}

impl Sandbox for OverlaySandbox {
    fn facts(&self) -> &SandboxFacts {
        &self.root.facts
    }

    fn copy_in(&mut self, from: &Path, files: &[PathBuf], to: &str) -> Result<()> {
        let mut names = Vec::new();
        for file in files {
            names.extend_from_slice(file.as_os_str().as_bytes());
            names.push(0);
        }
        let from =
            std::fs::canonicalize(from).map_err(io_error(format!("find {}", from.display())))?;
        let action = Action::Copy {
            from,
            to: to.into(),
        };
        self.file_action(action, Some(&names)).map(drop)
    }

    fn write_file(&mut self, path: &str, contents: &[u8], mode: u32) -> Result<()> {
        let action = Action::Write {
            path: path.into(),
            mode,
        };
        self.file_action(action, Some(contents)).map(drop)
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>> {
        self.file_action(Action::Read { path: path.into() }, None)
    }

    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        let what = "run a command in the sandbox";
        self.groups.set(&command.limits);
        let killed_before = self.groups.out_of_memory_kills();
        let spec = self.run_action(command, false);
        let (output, output_end) = std::io::pipe().map_err(io_error(what))?;
        let streams = Streams::Captured(output_end.into());
        let entered = process::start(&self.options.helper, "enter", &spec, None, streams)
            .map_err(io_error(what))?;
        let (child, mut status) = entered.split();
        let watch = Watch {
            limits: command.limits,
            interrupted: &|| self.options.interrupted(),
            kill: &Entered::stop,
        };
        let ended = supervise::supervise(child, OwnedFd::from(output), &watch, sink)
            .map_err(io_error(what))?;
        let report = Entered::report(&mut status).map_err(io_error(what))?;
        let out_of_memory = self.groups.out_of_memory_kills() > killed_before;
        let outcome = match (ended.verdict, report) {
            (Some(verdict), _) => verdict,
            (None, Some(Report::Status(0))) => Outcome::Exited(0),
            (None, Some(Report::Failed(error))) if !out_of_memory => {
                return Err(process::failed(error));
            }
            (None, _) if out_of_memory => Outcome::OutOfMemory,
            (None, Some(Report::Status(raw))) => supervise::outcome(raw),
            (None, _) => Outcome::Signalled(libc::SIGKILL),
        };
        Ok(Finished {
            outcome,
            wall: ended.wall,
            output_bytes: ended.output_bytes,
        })
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        let frozen = self.active;
        self.start_layer(frozen);
        Ok(SnapshotId(frozen.to_string()))
    }

    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()> {
        let frozen = snapshot.0.parse::<u32>().ok();
        let known = frozen.filter(|f| *f != self.active && self.parents.contains_key(f));
        let Some(frozen) = known else {
            let what = format!("return to snapshot {}", snapshot.0);
            return Err(from_io(what, std::io::ErrorKind::NotFound.into()));
        };
        self.drop_active();
        self.start_layer(frozen);
        Ok(())
    }

    fn reset(&mut self) -> Result<()> {
        self.drop_active();
        self.start_layer(0);
        Ok(())
    }

    fn interactive(&mut self, _command: &CommandSpec) -> Result<i32> {
        Err(SandboxError::Engine("interactive: to come".into()))
    }

    fn keep(&mut self, _dir: &Path) -> Result<Kept> {
        Err(SandboxError::Engine(format!(
            "keep {:?}: to come",
            self.base
        )))
    }
}
