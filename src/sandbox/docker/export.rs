//! An engine's image as a root file system for the overlay sandbox: exported once, kept by its digest.

use std::fs;
use std::path::PathBuf;

use super::archive;
use super::engine::docker_engine;
use crate::sandbox::contract::Result;
use crate::sandbox::options::Options;
use crate::sandbox::store::{self, io_error};

/// The directory that holds the root of `image`, and the image's `sha256:…` id.
pub fn exported(image: &str, options: &Options) -> Result<(PathBuf, String)> {
    let engine = docker_engine()?;
    let digest = engine.image_id(image)?;
    let root = options.store_root().join("images");
    // Whose files these are decides who can use them: root's have all owners, a user's all belong to that user.
    let user = rustix::process::geteuid().as_raw();
    let dir = root.join(format!("{}-{user}", digest.replace(':', "-")));
    if dir.is_dir() {
        return Ok((dir, digest));
    }
    // Under a name of this run until complete: a run that dies half-way leaves an orphan, not a broken image.
    let fresh = store::create_dir(&options.helper, &root, "partial", &store::new_id())?;
    let what = "export an image";
    let file = tempfile::tempfile_in(&root).map_err(io_error(what))?;
    let mut writer = std::io::BufWriter::new(file);
    let result = engine.export(&digest, &mut writer).and_then(|()| {
        let mut file = writer
            .into_inner()
            .map_err(|error| store::from_io(what.into(), error.into_error()))?;
        std::io::Seek::rewind(&mut file).map_err(io_error(what))?;
        archive::unpack(file, &fresh)?;
        match fs::rename(&fresh, &dir) {
            // Another run was faster.
            Err(_) if dir.is_dir() => Ok(()),
            other => other.map_err(io_error(format!("keep the image in {}", dir.display()))),
        }
    });
    crate::sandbox::helper::remove_tree(&fresh);
    result.map(|()| (dir, digest))
}
