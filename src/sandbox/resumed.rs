//! A sandbox that starts in a kept state and can still go back to the clean base: where that is asked for, a second
//! sandbox is made over it. Snapshots of both stay valid.

use std::path::{Path, PathBuf};

use super::contract::*;
use super::options::{Backend, Options};

/// See [`resume`](super::resume).
pub struct Resumed {
    backend: Backend,
    base: Base,
    options: Options,
    /// The kept state's, and the clean base's once it is needed.
    sandboxes: Vec<Box<dyn Sandbox>>,
    active: usize,
}

impl Resumed {
    pub fn open(backend: Backend, kept: &Kept, options: &Options) -> Result<Self> {
        Ok(Self {
            backend,
            base: kept.base.clone(),
            options: options.clone(),
            sandboxes: vec![super::reopen(kept, options)?],
            active: 0,
        })
    }

    fn active(&mut self) -> Result<&mut dyn Sandbox> {
        match self.sandboxes.get_mut(self.active) {
            Some(sandbox) => Ok(sandbox.as_mut()),
            None => Err(SandboxError::Engine("a sandbox is lost".into())),
        }
    }
}

impl Sandbox for Resumed {
    fn facts(&self) -> &SandboxFacts {
        // There is always one; the index is never past the end.
        self.sandboxes[self.active.min(self.sandboxes.len() - 1)].facts()
    }

    fn copy_in(&mut self, from: &Path, files: &[PathBuf], to: &str) -> Result<()> {
        self.active()?.copy_in(from, files, to)
    }

    fn write_file(&mut self, path: &str, contents: &[u8], mode: u32) -> Result<()> {
        self.active()?.write_file(path, contents, mode)
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>> {
        self.active()?.read_file(path)
    }

    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        self.active()?.run(command, sink)
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        let number = self.active;
        let id = self.active()?.snapshot()?;
        Ok(SnapshotId(format!("{number}/{}", id.0)))
    }

    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()> {
        let parts = snapshot.0.split_once('/');
        let number = parts.and_then(|(number, _)| number.parse::<usize>().ok());
        let known = number.filter(|number| *number < self.sandboxes.len());
        let (Some(number), Some((_, id))) = (known, parts) else {
            return Err(super::store::from_io(
                format!("return to snapshot {}", snapshot.0),
                std::io::ErrorKind::NotFound.into(),
            ));
        };
        let before = std::mem::replace(&mut self.active, number);
        let result = self.active()?.rollback(&SnapshotId(id.into()));
        if result.is_err() {
            self.active = before;
        }
        result
    }

    fn reset(&mut self) -> Result<()> {
        if self.sandboxes.len() == 1 {
            let clean = super::create(self.backend, &self.base, &self.options)?;
            self.sandboxes.push(clean);
            self.active = 1;
            return Ok(());
        }
        self.active = 1;
        self.active()?.reset()
    }

    fn interactive(&mut self, command: &CommandSpec) -> Result<i32> {
        self.active()?.interactive(command)
    }

    fn keep(&mut self, dir: &Path) -> Result<Kept> {
        self.active()?.keep(dir)
    }
}
