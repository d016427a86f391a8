//! Merging layers into one directory, with hard links: frozen layers never change, so no data is copied.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use super::holder::remove_tree;
use super::sys::{self, Context, Result};
use crate::sandbox::spec::FlattenSpec;

const OPAQUE: [&CStr; 2] = [c"trusted.overlay.opaque", c"user.overlay.opaque"];

pub fn run(spec: &FlattenSpec) -> Result<()> {
    let into = spec.into.clone();
    if spec.user_namespace {
        sys::set_namespace(
            &format!("/proc/{}/ns/user", spec.holder),
            libc::CLONE_NEWUSER,
        )?;
    }
    sys::set_namespace(&format!("/proc/{}/ns/mnt", spec.holder), libc::CLONE_NEWNS)?;
    if spec.user_namespace {
        sys::become_root()?;
        sys::die_with_parent()?;
    }
    for tree in &spec.trees {
        let target = into.join(tree);
        fs::create_dir_all(&target).context(|| format!("create {}", target.display()))?;
        for layer in spec.layers.iter().rev() {
            let source = spec.store.join(format!("l/{layer}/{tree}"));
            if source.is_dir() {
                merge(&source, &target).context(|| format!("merge {}", source.display()))?;
            }
        }
    }
    // Layers are written without syncing; what is kept must outlive a crash of the machine.
    let dir = fs::File::open(&into).context(|| format!("open {}", into.display()))?;
    // SAFETY: the descriptor is open for the call.
    sys::check(unsafe { libc::syncfs(dir.as_raw_fd()) })
        .map(drop)
        .context(|| format!("sync {}", into.display()))
}

/// Puts what `upper` holds over `merged`. Walks with an explicit stack: hostile trees may be deep.
fn merge(upper: &Path, merged: &Path) -> io::Result<()> {
    let mut stack = vec![(upper.to_path_buf(), merged.to_path_buf())];
    let mut times = Vec::new();
    while let Some((from, to)) = stack.pop() {
        copy_directory(&from, &to)?;
        times.push((to.clone(), fs::metadata(&from)?.modified()?));
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            if entry.file_type()?.is_dir() {
                if !fs::symlink_metadata(&target).is_ok_and(|meta| meta.is_dir()) {
                    remove(&target);
                    // A directory over a file, or over nothing: what the base has below must stay hidden as before.
                }
                stack.push((source, target));
            } else {
                remove(&target);
                link(&source, &target)?;
            }
        }
    }
    // Filling a directory changed its time: set it when all is done, the deepest first.
    for (dir, modified) in times.into_iter().rev() {
        fs::File::open(&dir)?.set_times(fs::FileTimes::new().set_modified(modified))?;
    }
    Ok(())
}

/// Creates or updates a directory with the mode, owner and opacity of `from`.
fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    let meta = fs::metadata(from)?;
    let marker = OPAQUE.into_iter().find(|name| has_mark(from, name));
    if marker.is_some() {
        remove(to);
    }
    // Over a whiteout or a file of a lower layer, `merge` removed the target: the new directory must not let the
    // base's contents through again, and overlayfs marked the source opaque in that case, as tested above.
    fs::create_dir_all(to)?;
    if let Some(name) = marker {
        super::holder::set_xattr(to, name, b"y").map_err(|e| io::Error::other(e.to_string()))?;
    }
    std::os::unix::fs::chown(to, Some(meta.uid()), Some(meta.gid()))?;
    fs::set_permissions(to, fs::Permissions::from_mode(meta.mode() & 0o7777))
}

fn has_mark(path: &Path, name: &CStr) -> bool {
    let Ok(path) = sys::c_path(path) else {
        return false;
    };
    let mut value = [0u8; 1];
    // SAFETY: both strings are NUL-terminated and value is valid for its length.
    let length =
        unsafe { libc::lgetxattr(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), 1) };
    length == 1 && value == *b"y"
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => remove_tree(path),
        Ok(_) => {
            let _ = fs::remove_file(path);
        }
        Err(_) => {}
    }
}

/// A hard link; over file systems, a copy.
fn link(source: &Path, target: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(source)?;
    match fs::hard_link(source, target) {
        Err(error) if error.raw_os_error() == Some(libc::EXDEV) => {}
        other => return other,
    }
    if meta.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(source)?, target)?;
    } else if meta.is_file() {
        fs::copy(source, target)?;
        fs::File::open(target)?.set_times(fs::FileTimes::new().set_modified(meta.modified()?))?;
    } else if meta.file_type().is_char_device() || meta.file_type().is_fifo() {
        let path = sys::c_path(target)?;
        // SAFETY: path is a NUL-terminated string.
        sys::check(unsafe { libc::mknod(path.as_ptr(), meta.mode(), meta.rdev()) })?;
    }
    std::os::unix::fs::lchown(target, Some(meta.uid()), Some(meta.gid()))?;
    if meta.is_file() {
        // After the owner: changing that clears the bits that set user or group.
        fs::set_permissions(target, fs::Permissions::from_mode(meta.mode() & 0o7777))?;
    }
    Ok(())
}
