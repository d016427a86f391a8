//! The holder: a process that does nothing but own the namespaces and the store of one sandbox. It ends, and
//! takes the store along, as soon as its standard input closes: that is, when its parent ends, however that ends.

use std::fs;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use super::sys::{self, Context, Result};
use super::{mounts, room, userns};
use crate::sandbox::spec::{HelperError, HoldReply, HoldSpec, Mask, PROGRAM, TreeKind};

/// First half: makes the namespaces, and starts this program anew from a read-only view of it, so that what is forked
/// later has nothing else as its `/proc/self/exe`. Comes back only with a failure.
pub fn begin(spec: &HoldSpec) -> i32 {
    let Err(error) = enter_namespaces(spec);
    let _ = say(&HoldReply::Failed(error));
    1
}

fn enter_namespaces(spec: &HoldSpec) -> Result<std::convert::Infallible> {
    ignore_terminal_signals();
    let single_id = if spec.user_namespace {
        userns::enter()?
    } else {
        false
    };
    sys::unshare(libc::CLONE_NEWNS)?;
    mounts::detach_propagation()?;
    std::env::set_current_dir(&spec.store)
        .context(|| format!("enter the store {}", spec.store.display()))?;
    view_program(&spec.program)?;
    let ids = if single_id { ROOM_OF_ONE } else { ROOM };
    Err(std::process::Command::new(Path::new(".").join(PROGRAM))
        .args([super::HELPER_ARGUMENT, ids])
        .env_clear()
        .exec())
    .context(|| "start from the read-only view".into())
}

/// Verbs of the second half, by whether only one id is mapped.
pub const ROOM: &str = "room";
pub const ROOM_OF_ONE: &str = "room-of-one";

/// Second half: serves to the end.
pub fn run(spec: &HoldSpec, single_id: bool) -> i32 {
    let reply = match prepare(spec, single_id) {
        Ok(ready) => ready,
        Err(error) => HoldReply::Failed(error),
    };
    let failed = matches!(reply, HoldReply::Failed(_));
    if say(&reply).is_err() || failed {
        return 1;
    }
    room::serve(io::stdin().as_fd());
    finish(spec);
    0
}

fn say(reply: &HoldReply) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, reply)?;
    out.write_all(b"\n")?;
    out.flush()
}

fn prepare(spec: &HoldSpec, single_id: bool) -> Result<HoldReply> {
    for dir in ["b", "m", "l", "l/w", "l/trash"] {
        mkdir(Path::new(dir), 0o755)?;
    }
    for tree in &spec.trees {
        let at = Path::new("b").join(&tree.name);
        mkdir(&at, 0o755)?;
        let recursive = tree.kind == TreeKind::ReadOnly;
        sys::bind(&tree.lower, &at, recursive)?;
        if recursive {
            sys::restrict(&at, true)?;
        }
    }
    let store = choose_store(spec)?;
    if let Some(kept) = &spec.kept {
        mkdir(Path::new("l/0"), 0o755)?;
        sys::bind(kept, Path::new("l/0"), false)?;
        sys::restrict_writes(Path::new("l/0"))?;
        return Ok(HoldReply::Ready {
            store: store.into(),
            single_id,
        });
    }
    for tree in spec.overlays() {
        mkdir(&Path::new("l/0").join(tree), 0o755)?;
    }
    for mask in &spec.masks {
        apply_mask(mask, spec.user_marks)?;
    }
    Ok(HoldReply::Ready {
        store: store.into(),
        single_id,
    })
}

/// The executable as commands meet it: on a mount that nobody can write through.
fn view_program(program: &Path) -> Result<()> {
    let view = Path::new(PROGRAM);
    fs::write(view, b"").context(|| "create the view of the executable".into())?;
    sys::bind(program, view, false)?;
    sys::restrict(view, false)
}

impl HoldSpec {
    /// Names of the trees that have layers.
    pub fn overlays(&self) -> impl Iterator<Item = &str> {
        self.trees
            .iter()
            .filter(|tree| tree.kind == TreeKind::Overlay)
            .map(|tree| tree.name.as_str())
    }
}

/// Tries an overlay on the store; where its file system cannot carry one (it is itself an overlay, as in a
/// container), layers go to a tmpfs that only this namespace sees.
fn choose_store(spec: &HoldSpec) -> Result<&'static str> {
    let Some(tree) = spec.trees.iter().find(|t| t.kind == TreeKind::Overlay) else {
        return Ok("disk");
    };
    let first = try_overlay(spec, &tree.name);
    if first.is_ok() {
        return Ok("disk");
    }
    let options = "mode=755";
    sys::mount(
        Path::new("tmpfs"),
        Path::new("l"),
        "tmpfs",
        libc::MS_NOATIME,
        options,
    )
    .context(|| "mount a tmpfs for layers".into())?;
    for dir in ["l/w", "l/trash"] {
        mkdir(Path::new(dir), 0o755)?;
    }
    match try_overlay(spec, &tree.name) {
        Ok(()) => Ok("tmpfs"),
        Err(_) => first.map(|()| "disk"),
    }
}

fn try_overlay(spec: &HoldSpec, tree: &str) -> Result<()> {
    let at = Path::new("m");
    mounts::overlay(tree, &[u32::MAX], at, spec.user_marks)?;
    // Some file systems mount and then refuse to write; a whiteout is the most demanding thing to make.
    let probe = at.join(".envc-probe");
    let result = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
    let target = sys::c_path(at).context(|| "m".into())?;
    // SAFETY: target is a NUL-terminated string.
    let unmounted = sys::check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) });
    result.context(|| "write through an overlay on the store".into())?;
    unmounted
        .map(drop)
        .context(|| "unmount the trial overlay".into())
}

/// Makes a path of the base look empty, or have other contents, from the lowest layer on.
fn apply_mask(mask: &Mask, user_marks: bool) -> Result<()> {
    let base = Path::new("b").join(&mask.tree);
    let Ok(found) = fs::symlink_metadata(base.join(&mask.path)) else {
        return Ok(());
    };
    let upper = Path::new("l/0").join(&mask.tree);
    copy_up_parents(&base, &upper, &mask.path)?;
    let target = upper.join(&mask.path);
    match &mask.contents {
        Some(contents) if found.is_file() => {
            fs::write(&target, contents).context(|| format!("mask {}", target.display()))?;
            let _ = std::os::unix::fs::chown(&target, Some(found.uid()), Some(found.gid()));
            fs::set_permissions(&target, fs::Permissions::from_mode(found.mode() & 0o7777))
                .context(|| format!("mask {}", target.display()))
        }
        None if found.is_dir() => {
            mkdir(&target, 0o755)?;
            let _ = std::os::unix::fs::chown(&target, Some(found.uid()), Some(found.gid()));
            fs::set_permissions(&target, fs::Permissions::from_mode(found.mode() & 0o7777))
                .context(|| format!("mask {}", target.display()))?;
            let name = if user_marks {
                c"user.overlay.opaque"
            } else {
                c"trusted.overlay.opaque"
            };
            set_xattr(&target, name, b"y")
        }
        _ => Ok(()),
    }
}

/// An upper directory's mode and owner win over the lower one's, so the parents of a mask must agree with the base.
fn copy_up_parents(base: &Path, upper: &Path, path: &Path) -> Result<()> {
    let mut parents: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_path_buf).collect();
    parents.reverse();
    for parent in parents {
        let (from, to) = (base.join(&parent), upper.join(&parent));
        let meta = fs::metadata(&from).context(|| format!("look at {}", from.display()))?;
        mkdir(&to, meta.mode() & 0o7777)?;
        // In a user namespace the base's owner may have no id here; the directory then stays the user's.
        let _ = std::os::unix::fs::chown(&to, Some(meta.uid()), Some(meta.gid()));
        fs::set_permissions(&to, fs::Permissions::from_mode(meta.mode() & 0o7777))
            .context(|| format!("set the mode of {}", to.display()))?;
    }
    Ok(())
}

pub fn set_xattr(path: &Path, name: &std::ffi::CStr, value: &[u8]) -> Result<()> {
    let text = || format!("mark {} opaque", path.display());
    let c_path = sys::c_path(path).context(text)?;
    // SAFETY: both strings are NUL-terminated and value is valid for its length.
    sys::check(unsafe {
        libc::lsetxattr(
            c_path.as_ptr(),
            name.as_ptr(),
            value.as_ptr().cast(),
            value.len(),
            0,
        )
    })
    .map(drop)
    .context(text)
}

fn mkdir(path: &Path, mode: u32) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .context(|| format!("create {}", path.display()))
}

/// The terminal's signals are the parent's affair; the holder must outlive them to clean up.
fn ignore_terminal_signals() {
    for signal in [
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGPIPE,
    ] {
        // SAFETY: ignoring a signal has no handler to be unsafe.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

fn finish(spec: &HoldSpec) {
    for cgroup in &spec.cgroups {
        crate::sandbox::cgroup::remove(cgroup);
    }
    let _ = std::env::set_current_dir("/");
    // The base must be out of reach before anything is removed: a bind mount is not a copy.
    for tree in &spec.trees {
        let at = spec.store.join("b").join(&tree.name);
        let unmounted = sys::c_path(&at).and_then(|path| {
            // SAFETY: path is a NUL-terminated string.
            sys::check(unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) })
        });
        if unmounted.is_err() || fs::remove_dir(&at).is_err() {
            return;
        }
    }
    for dir in [PROGRAM, "m", "l/0", "l"] {
        mounts::unmount(&spec.store.join(dir));
    }
    remove_tree(&spec.store);
    // Where the owner was killed nobody else does.
    let _ = fs::remove_file(crate::sandbox::store::lock_of(&spec.store));
}

/// `rm -rf` that also enters directories without permission bits (overlay's work directories have none).
pub fn remove_tree(path: &Path) {
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    for entry in walkdir::WalkDir::new(path).into_iter().flatten() {
        if entry.file_type().is_dir() {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700));
        }
    }
    let _ = fs::remove_dir_all(path);
}

impl From<HelperError> for HoldReply {
    fn from(error: HelperError) -> Self {
        Self::Failed(error)
    }
}
