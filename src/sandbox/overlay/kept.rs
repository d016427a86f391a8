//! Keeping a sandbox's state beyond the run: one merged layer in a directory of the caller's choice, made of hard
//! links where it is on the store's file system.

use std::fs;
use std::path::{Path, PathBuf};

use super::OverlaySandbox;
use crate::sandbox::contract::{Kept, Result, SandboxError};
use crate::sandbox::options::Options;
use crate::sandbox::process;
use crate::sandbox::store::io_error;

/// Directory of the merged layer in a kept state's directory.
const LAYER: &str = "layer";

impl OverlaySandbox {
    pub(super) fn keep_in(&mut self, dir: &Path) -> Result<Kept> {
        fs::create_dir_all(dir).map_err(io_error(format!("create {}", dir.display())))?;
        let dir = fs::canonicalize(dir).map_err(io_error(format!("find {}", dir.display())))?;
        let state = dir.to_str().ok_or_else(|| {
            SandboxError::Base(dir.display().to_string(), "its name is not UTF-8".into())
        })?;
        // Frozen, so that later commands of this sandbox cannot write through the links.
        let stack = self.stack();
        if self.touched {
            self.start_layer(self.active);
        }
        let (layer, fresh) = (dir.join(LAYER), dir.join("layer.new"));
        if fresh.exists() {
            process::remove(&self.options.helper, &fresh)?;
        }
        self.flatten(stack, fresh.clone())?;
        if layer.exists() {
            process::remove(&self.options.helper, &layer)?;
        }
        fs::rename(&fresh, &layer).map_err(io_error(format!("keep {}", layer.display())))?;
        Ok(Kept {
            backend: "overlay".into(),
            base: self.base.clone(),
            state: state.into(),
        })
    }

    pub fn reopen(kept: &Kept, options: &Options) -> Result<Self> {
        let layer = PathBuf::from(&kept.state).join(LAYER);
        if !layer.is_dir() {
            return Err(SandboxError::Base(
                kept.state.clone(),
                "holds no kept environment: build it again".into(),
            ));
        }
        Self::over(&kept.base, Some(layer), options)
    }
}

/// Removes a kept state.
pub fn forget(kept: &Kept, options: &Options) -> Result<()> {
    let dir = PathBuf::from(&kept.state);
    process::remove(&options.helper, &dir.join(LAYER))?;
    // Only what envc made there: the directory itself goes if nothing else is in it.
    let _ = fs::remove_dir(&dir);
    Ok(())
}
