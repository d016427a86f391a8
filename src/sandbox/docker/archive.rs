//! Tar archives to and from containers.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::helper::{open_beneath, read_link};
use crate::sandbox::store::io_error;

/// Packs `files` of `from` under the absolute directory `to`; owner root, links as links.
pub fn pack(from: &Path, files: &[PathBuf], to: &str) -> Result<tempfile::NamedTempFile> {
    let what = "pack the repository";
    let archive = tempfile::NamedTempFile::new().map_err(io_error(what))?;
    let mut builder = tar::Builder::new(archive.as_file());
    let dir = File::open(from).map_err(io_error(format!("open {}", from.display())))?;
    let to = Path::new(to.trim_start_matches('/'));
    add_directory(&mut builder, to).map_err(io_error(what))?;
    for name in files {
        add(&mut builder, &dir, name, &to.join(name))
            .map_err(io_error(format!("pack {}", name.display())))?;
    }
    builder.into_inner().map_err(io_error(what))?;
    Ok(archive)
}

/// Packs `files` of `from` at the archive's top, and further files under the names given.
pub fn pack_with(
    from: &Path,
    files: &[PathBuf],
    extra: &[(&str, &Path)],
) -> Result<tempfile::NamedTempFile> {
    let what = "pack a build's context";
    let archive = tempfile::NamedTempFile::new().map_err(io_error(what))?;
    let mut builder = tar::Builder::new(archive.as_file());
    let dir = File::open(from).map_err(io_error(format!("open {}", from.display())))?;
    for name in files {
        add(&mut builder, &dir, name, name)
            .map_err(io_error(format!("pack {}", name.display())))?;
    }
    for (name, path) in extra {
        let contents = fs::read(path).map_err(io_error(format!("read {}", path.display())))?;
        let mut header = header(tar::EntryType::Regular, 0o644, contents.len() as u64, 0);
        builder
            .append_data(&mut header, name, contents.as_slice())
            .map_err(io_error(what))?;
    }
    builder.into_inner().map_err(io_error(what))?;
    Ok(archive)
}

fn header(kind: tar::EntryType, mode: u32, size: u64, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode & 0o777);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn add_directory(builder: &mut tar::Builder<&File>, path: &Path) -> std::io::Result<()> {
    let mut header = header(tar::EntryType::Directory, 0o755, 0, 0);
    builder.append_data(&mut header, path, std::io::empty())
}

fn add(
    builder: &mut tar::Builder<&File>,
    dir: &File,
    name: &Path,
    target: &Path,
) -> std::io::Result<()> {
    let opened = open_beneath(dir.as_raw_fd(), name, libc::O_PATH | libc::O_NOFOLLOW)?;
    let meta = File::from(opened.try_clone()?).metadata()?;
    let time = u64::try_from(meta.mtime()).unwrap_or(0);
    if meta.is_dir() {
        return add_directory(builder, target);
    }
    if meta.is_symlink() {
        let mut header = header(tar::EntryType::Symlink, 0o777, 0, time);
        return builder.append_link(&mut header, target, read_link(&opened)?);
    }
    if !meta.is_file() {
        return Ok(());
    }
    let file = open_beneath(dir.as_raw_fd(), name, libc::O_RDONLY | libc::O_NOFOLLOW)?;
    let mut header = header(tar::EntryType::Regular, meta.mode(), meta.len(), time);
    // A file that grows meanwhile must not spoil the archive.
    builder.append_data(&mut header, target, File::from(file).take(meta.len()))
}

/// An archive of one file, made in memory.
pub fn single(path: &str, contents: &[u8], mode: u32) -> Result<Vec<u8>> {
    let what = || format!("write {path}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let time = now.map_or(0, |d| d.as_secs());
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = header(tar::EntryType::Regular, mode, contents.len() as u64, time);
    let target = path.trim_start_matches('/');
    builder
        .append_data(&mut header, target, contents)
        .map_err(io_error(what()))?;
    builder.into_inner().map_err(io_error(what()))
}

/// The one regular file in an archive.
pub fn only_file(path: &str, archive: &[u8]) -> Result<Vec<u8>> {
    let what = || format!("read {path}");
    let mut archive = tar::Archive::new(archive);
    for entry in archive.entries().map_err(io_error(what()))? {
        let mut entry = entry.map_err(io_error(what()))?;
        if entry.header().entry_type().is_file() {
            let mut contents = Vec::new();
            entry.read_to_end(&mut contents).map_err(io_error(what()))?;
            return Ok(contents);
        }
    }
    Err(SandboxError::Io {
        what: what(),
        source: std::io::Error::other("not a regular file"),
    })
}
