//! An engine's image as a root file system for the overlay sandbox: exported once, kept by its digest.

use std::path::PathBuf;

use super::engine::docker_engine;
use crate::sandbox::contract::Result;
use crate::sandbox::images::{layers, unpacked};
use crate::sandbox::options::Options;
use crate::sandbox::store::{self, io_error};

/// The directory that holds the root of `image`, and the image's `sha256:…` id.
pub fn exported(image: &str, options: &Options) -> Result<(PathBuf, String)> {
    let engine = docker_engine()?;
    let digest = engine.image_id(image)?;
    let found = unpacked(&digest, options, |root| {
        let what = "export an image";
        let file = tempfile::tempfile_in(root.parent().unwrap_or(root)).map_err(io_error(what))?;
        let mut writer = std::io::BufWriter::new(file);
        engine.export(&digest, &mut writer)?;
        let mut file = writer
            .into_inner()
            .map_err(|error| store::from_io(what.into(), error.into_error()))?;
        std::io::Seek::rewind(&mut file).map_err(io_error(what))?;
        layers::apply(&mut file, root).map_err(io_error(what))
    })?;
    Ok((found.root, found.digest))
}
