//! The sandbox without a daemon: namespaces and overlayfs. A snapshot freezes the present layer and starts a new one;
//! nothing is copied.

mod base;
mod kept;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::cgroup::Groups;
use super::contract::*;
use super::environment::Company;
use super::gauge::Places;
use super::options::Options;
use super::privilege::Privilege;
use super::process::{self, Entered, Holder, Job, Streams};
use super::spec::{Action, EnterSpec, FlattenSpec, HoldSpec, Lend, Report, Tree, TreeKind};
use super::store::{self, from_io, io_error};

pub use kept::forget;

/// Largest file that [`Sandbox::read_file`] gives.
const READ_LIMIT: u64 = 64 << 20;

/// Layers in one mount before they are merged. The kernel takes several hundred; each costs every look-up.
const MOST_LAYERS: usize = 100;

/// A sandbox of layers. See [`create`](super::create).
pub struct OverlaySandbox {
    options: Options,
    privilege: Privilege,
    base: Base,
    root: base::Root,
    store: PathBuf,
    company: Company,
    lent: Vec<Lend>,
    /// Parent of each layer; layer 0 holds the masks of the base.
    parents: BTreeMap<u32, u32>,
    /// Layers that hold all below them, down to the base.
    merged: BTreeSet<u32>,
    active: u32,
    /// Something was run or written since the present layer was started: it exists on disk.
    touched: bool,
    next: u32,
    // Dropped in this order: the holder removes the store when all commands have ended.
    holder: Holder,
    groups: Groups,
    _claim: store::Claim,
}

impl OverlaySandbox {
    pub fn create(base: &Base, options: &Options) -> Result<Self> {
        Self::over(base, None, options)
    }

    /// A sandbox over `base` whose lowest layer is a kept one, if given.
    fn over(base: &Base, kept: Option<PathBuf>, options: &Options) -> Result<Self> {
        let id = store::new_id();
        let root = options.store_root();
        let claim = store::claim(&options.helper, &root, "sandboxes", &id)?;
        let store = claim.dir.clone();
        let result = Self::create_in(base, kept, options, &id, claim);
        if result.is_err() {
            super::helper::remove_tree(&store);
        }
        result
    }

    fn create_in(
        base: &Base,
        kept: Option<PathBuf>,
        options: &Options,
        id: &str,
        claim: store::Claim,
    ) -> Result<Self> {
        let store = claim.dir.clone();
        let privilege = Privilege::here();
        let root = base::root(base, &store, privilege, options)?;
        let groups = Groups::create(id);
        let mut company = Company::collect(options, &store, base)?;
        company.add_apt_mirror(&options.settings, &root.facts)?;
        if *base == Base::Host {
            company.add_toolchains();
        }
        let spec = HoldSpec {
            store: store.clone(),
            program: std::fs::canonicalize(&options.helper)
                .map_err(io_error(format!("find {}", options.helper.display())))?,
            trees: root.trees.clone(),
            masks: root.masks.clone(),
            kept,
            user_namespace: privilege.needs_namespace(),
            user_marks: privilege.user_marks(),
            cgroups: groups.dirs.clone(),
        };
        let holder = Holder::start(&options.helper, &spec)?;
        let lent = company.lent(holder.single_id)?;
        Ok(Self {
            options: options.clone(),
            privilege,
            base: base.clone(),
            root,
            store,
            company,
            lent,
            parents: BTreeMap::from([(1, 0)]),
            merged: BTreeSet::new(),
            active: 1,
            touched: false,
            next: 2,
            holder,
            groups,
            _claim: claim,
        })
    }

    /// Whether layers are in memory, as the store's file system cannot hold them; and whether only one id is mapped.
    pub fn limits_here(&self) -> (bool, bool) {
        (self.holder.in_memory, self.holder.single_id)
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
        self.touched = false;
    }

    /// Merges `layers` (the top one first, none of them in use by a command) into the new directory `into`.
    fn flatten(&self, layers: Vec<u32>, into: PathBuf) -> Result<()> {
        let overlays = |t: &&Tree| t.kind == TreeKind::Overlay;
        let spec = FlattenSpec {
            holder: self.holder.pid(),
            user_namespace: self.privilege.needs_namespace(),
            store: self.store.clone(),
            trees: self
                .root
                .trees
                .iter()
                .filter(overlays)
                .map(|t| t.name.clone())
                .collect(),
            layers,
            into,
        };
        self.holder.unmount();
        process::finish(&self.options.helper, "flatten", &spec)
    }

    fn drop_active(&mut self) {
        self.parents.remove(&self.active);
        self.holder.discard(self.active);
    }

    fn enter_spec(&self, network: Network, action: Action) -> EnterSpec {
        EnterSpec {
            user_marks: self.privilege.user_marks(),
            trees: self.root.trees.clone(),
            layers: self.stack(),
            lent: self.lent.clone(),
            cgroups: self.groups.dirs.clone(),
            network: self.options.network.allow(network),
            processes: Limits::default().processes,
            open_files: Limits::default().open_files,
            shared_memory: Limits::default().memory / 2,
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
        let mut spec = self.enter_spec(command.network, action);
        let limits = self.options.limits(command.limits);
        spec.processes = limits.processes;
        spec.open_files = limits.open_files;
        spec.shared_memory = limits.memory / 2;
        spec
    }

    /// Where a command of the present layer writes.
    fn writes(&self) -> Places {
        let layers = self.holder.view().join("l");
        let lent = self.lent.iter().filter(|lend| lend.writable);
        Places {
            dirs: std::iter::once(layers.join(self.active.to_string()))
                .chain(lent.map(|lend| lend.source.clone()))
                .collect(),
            disk: layers,
        }
    }

    /// A file action: its output (of at most [`READ_LIMIT`] bytes) is what it read.
    fn file_action(&mut self, action: Action, payload: Option<&[u8]>) -> Result<Vec<u8>> {
        let what = "enter the sandbox";
        self.touched = true;
        let mut spec = self.enter_spec(Network::Full, action);
        spec.lent = Vec::new();
        // Memory and process limits are for commands.
        spec.cgroups = Vec::new();
        let (output, output_end) = std::io::pipe().map_err(io_error(what))?;
        let streams = Streams::Captured(output_end.into());
        let entered = self
            .holder
            .enter(&spec, payload, streams)
            .map_err(io_error(what))?;
        let (mut child, mut status) = entered.running(what)?;
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

/// How a command ended; an error is no end by itself.
fn ended(finished: &Result<Finished>) -> Outcome {
    finished
        .as_ref()
        .map_or(Outcome::Interrupted, |finished| finished.outcome)
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
        self.touched = true;
        let spec = self.run_action(command, false);
        let job = Job {
            start: &|streams| self.holder.enter(&spec, None, streams),
            limits: self.options.limits(command.limits),
            writes: self.writes(),
        };
        let mut blotter = self.company.blotter();
        let finished = process::run(&self.options, &self.groups, job, &mut |bytes| {
            blotter.push(bytes, sink)
        });
        blotter.finish(sink);
        self.company.command_ended(ended(&finished));
        finished
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        if !self.touched {
            // Nothing stands in the present layer: the state is that of the one below.
            let below = self.parents.get(&self.active).copied().unwrap_or(0);
            return Ok(SnapshotId(below.to_string()));
        }
        let mut frozen = self.active;
        let stack = self.stack();
        if stack.len() > MOST_LAYERS {
            frozen = self.next;
            self.next += 1;
            self.flatten(stack, self.store.join(format!("l/{frozen}")))?;
            self.drop_active();
            // A merged layer has no parent: it stands on the base.
            self.merged.insert(frozen);
        }
        self.start_layer(frozen);
        Ok(SnapshotId(frozen.to_string()))
    }

    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()> {
        let frozen = snapshot.0.parse::<u32>().ok();
        let known = frozen.filter(|f| {
            *f == 0
                || *f != self.active && (self.parents.contains_key(f) || self.merged.contains(f))
        });
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

    fn interactive(&mut self, command: &CommandSpec) -> Result<i32> {
        self.touched = true;
        self.groups.set(&self.options.limits(command.limits));
        let spec = self.run_action(command, super::interactive::on_terminal());
        process::interactive(&|streams| self.holder.enter(&spec, None, streams))
    }

    fn share_downloads(&mut self) {
        self.company.share_downloads();
    }

    fn keep(&mut self, dir: &Path) -> Result<Kept> {
        self.keep_in(dir)
    }
}
