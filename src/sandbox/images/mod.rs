//! Root file systems from images and archives: each unpacked once, kept under its digest in the store.

pub mod layers;
mod layout;
pub mod made;
mod registry;

use std::fs;
use std::path::{Path, PathBuf};

use super::contract::{Result, SandboxError};
use super::options::Options;
use super::store::{self, io_error};
use layout::Layout;
pub use layout::hex;

/// A root file system in the store.
#[derive(Debug, Clone)]
pub struct Unpacked {
    pub root: PathBuf,
    /// `sha256:…` of what it was unpacked from.
    pub digest: String,
}

/// Directory of the root file system with `digest`, filled by `fill` if it is not there yet.
pub fn unpacked(
    digest: &str,
    options: &Options,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<Unpacked> {
    let root = options.store_root().join("images");
    // Whose files these are decides who can use them: root's have all owners, a user's all belong to that user.
    let user = rustix::process::geteuid().as_raw();
    let dir = root.join(format!("{}-{user}", digest.replace(':', "-")));
    let found = || Unpacked {
        root: dir.clone(),
        digest: digest.to_owned(),
    };
    if dir.is_dir() {
        return Ok(found());
    }
    // Under a name of this run until complete: a run that dies half-way leaves an orphan, not a broken image.
    // Held to the end: its drop takes the locked file away.
    let claim = store::claim(&options.helper, &root, "partial", &store::new_id())?;
    let fresh = claim.dir.clone();
    let result = fill(&fresh).and_then(|()| match fs::rename(&fresh, &dir) {
        // Another run was faster.
        Err(_) if dir.is_dir() => Ok(()),
        other => other.map_err(io_error(format!("keep the image in {}", dir.display()))),
    });
    super::helper::remove_tree(&fresh);
    result.map(|()| found())
}

/// A directory of this run for what is only passing through.
fn scratch(options: &Options) -> Result<tempfile::TempDir> {
    let root = options.store_root().join("images");
    fs::create_dir_all(&root).map_err(io_error(format!("create {}", root.display())))?;
    tempfile::Builder::new()
        .prefix(".passing-")
        .tempdir_in(&root)
        .map_err(io_error("make room for an image"))
}

fn refused(name: &Path, error: std::io::Error) -> SandboxError {
    match store::from_io(name.display().to_string(), error) {
        SandboxError::Io { what, source } => SandboxError::Base(what, source.to_string()),
        other => other,
    }
}

/// The root file system in a tar archive, compressed or not.
pub fn of_tar(path: &Path, options: &Options) -> Result<Unpacked> {
    use sha2::Digest;
    let open = || crate::scan::open_regular(path).map_err(|error| refused(path, error));
    let mut hasher = Hashing(sha2::Sha256::new());
    std::io::copy(&mut open()?, &mut hasher).map_err(|error| refused(path, error))?;
    let digest = format!("sha256:{}", hex(&hasher.0.finalize()));
    unpacked(&digest, options, |root| {
        layout::decompress(&mut open()?, "", root).map_err(|error| refused(path, error))
    })
}

struct Hashing(sha2::Sha256);

impl std::io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        sha2::Digest::update(&mut self.0, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The image in an OCI layout, a directory or a tar of one, or in what `docker save` wrote.
pub fn of_layout(path: &Path, options: &Options) -> Result<Unpacked> {
    let scratch = scratch(options)?;
    let dir = if path.is_dir() {
        path.to_path_buf()
    } else {
        let mut file = crate::scan::open_regular(path).map_err(|error| refused(path, error))?;
        layout::decompress(&mut file, "", scratch.path()).map_err(|error| refused(path, error))?;
        scratch.path().to_path_buf()
    };
    let image = Layout::open(&dir).map_err(|error| refused(path, error))?;
    unpacked(&image.digest, options, |root| {
        image.unpack(root).map_err(|error| refused(path, error))
    })
}

/// The image that a registry has under `name`; its layers are fetched only if they are not here yet.
pub fn of_registry(name: &str, options: &Options) -> Result<Unpacked> {
    let remote = registry::Remote::new(name, options)?;
    let (manifest, digest) = remote.manifest()?;
    unpacked(&digest, options, |root| {
        let scratch = scratch(options)?;
        remote.pull(&manifest, &digest, scratch.path(), &|| {
            options.interrupted()
        })?;
        let image =
            Layout::open(scratch.path()).map_err(|error| refused(Path::new(name), error))?;
        image
            .unpack(root)
            .map_err(|error| refused(Path::new(name), error))
    })
}
