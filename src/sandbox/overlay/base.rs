//! From a base to the trees of a sandbox's root.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::secrets;
use crate::sandbox::contract::{Base, Result, SandboxError, SandboxFacts};
use crate::sandbox::docker;
use crate::sandbox::images::{self, Unpacked};
use crate::sandbox::options::Options;
use crate::sandbox::os_release;
use crate::sandbox::privilege::Privilege;
use crate::sandbox::spec::{Mask, Tree, TreeKind};
use crate::sandbox::store::io_error;

/// Directories of this machine's root that are the system. All else (homes, data, mounts) is nobody's business in a
/// sandbox and is not there.
const SYSTEM: [&str; 12] = [
    "bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr", "var",
];

/// Empty directories that a root is expected to have.
const USUAL: [&str; 11] = [
    "dev", "home", "media", "mnt", "proc", "root", "run", "srv", "sys", "tmp", "repo",
];

/// Parts of a root, as the helper mounts them.
#[derive(Debug, Clone)]
pub struct Root {
    pub trees: Vec<Tree>,
    pub masks: Vec<Mask>,
    pub facts: SandboxFacts,
}

/// Works out the trees of `base`. `store` is the sandbox's own directory; a skeleton is made in it where needed.
pub fn root(base: &Base, store: &Path, privilege: Privilege, options: &Options) -> Result<Root> {
    let unprivileged = privilege.needs_namespace();
    match base {
        Base::Host => host(store, privilege),
        Base::Rootfs(path) => rootfs(path).and_then(|root| owned(root, path, unprivileged)),
        Base::Image(name) => {
            let (root, digest) = docker::exported(name, options)?;
            stored(Unpacked { root, digest }, name)
        }
        Base::Tar(path) => stored(images::of_tar(path, options)?, "tar"),
        Base::Oci(path) => stored(images::of_layout(path, options)?, "oci"),
        Base::Registry(name) => stored(images::of_registry(name, options)?, name),
        Base::Made(name) => {
            let made = images::made::find(name, options).ok_or_else(|| {
                SandboxError::Base(
                    name.clone(),
                    format!("not made yet: run envc base make {name}"),
                )
            })?;
            let (root, digest) = (made.root, made.digest);
            stored(Unpacked { root, digest }, name)
        }
    }
}

/// A root file system of the store, by the name it was asked for. A path is nobody else's business.
fn stored(unpacked: Unpacked, name: &str) -> Result<Root> {
    let mut root = rootfs(&unpacked.root)?;
    root.facts.base = name.to_owned();
    root.facts.digest = Some(unpacked.digest);
    Ok(root)
}

fn rootfs(path: &Path) -> Result<Root> {
    let shown = path.display().to_string();
    let refuse = |why: &str| SandboxError::Base(shown.clone(), why.into());
    let path = fs::canonicalize(path)
        .map_err(|error| SandboxError::Base(shown.clone(), error.to_string()))?;
    if !path.is_dir() {
        return Err(refuse(
            "not a directory; give one that holds a root file system",
        ));
    }
    let has = |name: &str| fs::symlink_metadata(path.join(name)).is_ok();
    if !has("bin/sh") && !has("usr/bin/sh") {
        return Err(refuse("holds no bin/sh: it is not a root file system"));
    }
    Ok(Root {
        facts: os_release::facts("overlay", "rootfs", &path, None),
        trees: vec![tree("root", path, "/", TreeKind::Overlay)],
        masks: Vec::new(),
    })
}

/// A user namespace maps this user's files and those of its subordinate ids; nobody could change others.
fn owned(root: Root, path: &Path, unprivileged: bool) -> Result<Root> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).map_err(io_error(format!("look at {}", path.display())))?;
    if unprivileged && meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(SandboxError::Base(
            path.display().to_string(),
            "belongs to another user: unpack it as yourself (mmdebstrap --mode=unshare does), or run envc as root"
                .into(),
        ));
    }
    Ok(root)
}

fn tree(name: &str, lower: PathBuf, at: &str, kind: TreeKind) -> Tree {
    Tree {
        name: name.into(),
        lower,
        at: at.into(),
        kind,
    }
}

/// This machine's system directories, each an overlay of its own over a skeleton root: an overlay of `/` itself could
/// not keep its layers on the same file system, and would show everything that is on it.
fn host(store: &Path, privilege: Privilege) -> Result<Root> {
    let unprivileged = privilege.needs_namespace();
    let skeleton = store.join("skeleton");
    make_dir(&skeleton)?;
    let kind = if unprivileged {
        TreeKind::ReadOnly
    } else {
        TreeKind::Overlay
    };
    let mut builder = Builder {
        store: store.to_path_buf(),
        skeleton: skeleton.clone(),
        kind,
        locked: match (privilege, kind) {
            (Privilege::Root, _) | (_, TreeKind::ReadOnly) => Vec::new(),
            _ => mount_points(),
        },
        trees: vec![tree("root", skeleton.clone(), "/", TreeKind::Overlay)],
    };
    for name in SYSTEM {
        builder.add(Path::new(name))?;
    }
    for name in USUAL {
        make_dir(&skeleton.join(name))?;
    }
    set_mode(&skeleton.join("tmp"), 0o1777)?;
    set_mode(&skeleton.join("root"), 0o700)?;
    if unprivileged {
        // The system is read-only then; this much of it every program may expect to write to.
        let lower = skeleton.join("tmp");
        let at = "/var/tmp";
        builder
            .trees
            .push(tree("var-tmp", lower, at, TreeKind::Overlay));
    }
    let masks = if unprivileged {
        Vec::new()
    } else {
        secrets::masks(&builder.trees)
    };
    Ok(Root {
        facts: os_release::facts("overlay", "host", Path::new("/"), None),
        trees: builder.trees,
        masks,
    })
}

struct Builder {
    store: PathBuf,
    skeleton: PathBuf,
    kind: TreeKind,
    /// Mount points that an overlay may not have beneath it.
    locked: Vec<PathBuf>,
    trees: Vec<Tree>,
}

/// Every mount point of this mount namespace. In a user namespace they are locked: the kernel shows nothing that a
/// mount might hide, so it refuses to bind, or to take as a lower layer, a directory without what is mounted in it.
fn mount_points() -> Vec<PathBuf> {
    let text = fs::read("/proc/self/mountinfo").unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        // Spaces and the like are written in octal.
        .map(|path| PathBuf::from(path.replace("\\040", " ").replace("\\011", "\t")))
        .collect()
}

impl Builder {
    /// Whether no overlay can have this directory as a whole: it would contain its layers, or a locked mount.
    fn has_to_be_split(&self, source: &Path) -> bool {
        let beneath = |path: &PathBuf| path != source && path.starts_with(source);
        self.store.starts_with(source) || self.locked.iter().any(beneath)
    }

    /// Adds one directory of the host, or, where it has to be split, its entries.
    fn add(&mut self, relative: &Path) -> Result<()> {
        let source = Path::new("/").join(relative);
        let Ok(meta) = fs::symlink_metadata(&source) else {
            return Ok(());
        };
        let target = self.skeleton.join(relative);
        if meta.is_symlink() {
            let link = fs::read_link(&source).map_err(io_error("read a link of the root"))?;
            return symlink(link, &target).map_err(io_error("link in the skeleton"));
        }
        if !meta.is_dir() || source == self.store {
            return Ok(());
        }
        make_dir(&target)?;
        let split = self.has_to_be_split(&source);
        if split
            && secrets::EMPTY
                .iter()
                .any(|empty| relative == Path::new(empty))
        {
            return Ok(());
        }
        if !split {
            let at = source.to_str().ok_or_else(|| {
                SandboxError::Base("host".into(), format!("{} is not UTF-8", source.display()))
            })?;
            let name = tree_name(&source);
            // What is added to a system from outside goes to /opt, envc's own script too; the top of an overlay belongs
            // to whoever made it, so that even a user namespace can add to it.
            let kind = match at {
                "/opt" => TreeKind::Overlay,
                _ => self.kind,
            };
            self.trees.push(tree(&name, source.clone(), at, kind));
            return Ok(());
        }
        for entry in fs::read_dir(&source).map_err(io_error("list a directory of the root"))? {
            let entry = entry.map_err(io_error("list a directory of the root"))?;
            self.add(&relative.join(entry.file_name()))?;
        }
        Ok(())
    }
}

/// A name without any character that means something to a path or to overlayfs, and the same in every run, so that a
/// kept layer fits.
fn tree_name(path: &Path) -> String {
    let mut name = String::from("t");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    name
}

fn make_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(io_error(format!("create {}", path.display())))
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(io_error(format!("set the mode of {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_inside_of_a_system_directory_is_left_out() {
        let store = Path::new("/var/lib/envc-test-store");
        let scratch = tempfile::tempdir().unwrap();
        let mut builder = Builder {
            store: store.into(),
            skeleton: scratch.path().into(),
            kind: TreeKind::Overlay,
            locked: Vec::new(),
            trees: Vec::new(),
        };
        builder.add(Path::new("var")).unwrap();
        assert!(builder.trees.iter().all(|t| !store.starts_with(&t.lower)));
        assert!(builder.trees.iter().any(|t| t.at == "/var/lib/dpkg"));
    }

    #[test]
    fn a_directory_with_a_locked_mount_is_split() {
        let scratch = tempfile::tempdir().unwrap();
        let mut builder = Builder {
            store: "/none".into(),
            skeleton: scratch.path().into(),
            kind: TreeKind::Overlay,
            locked: vec!["/var/lib/dpkg/info".into(), "/var/lib/docker/x".into()],
            trees: Vec::new(),
        };
        builder.add(Path::new("var")).unwrap();
        let at = |path: &str| builder.trees.iter().any(|tree| tree.at == path);
        assert!(!at("/var") && !at("/var/lib") && !at("/var/lib/dpkg"));
        assert!(at("/var/lib/dpkg/info") && at("/var/cache"));
        assert!(!at("/var/lib/docker"));
    }

    #[test]
    fn a_directory_without_a_shell_is_no_root() {
        let dir = tempfile::tempdir().unwrap();
        let error = rootfs(dir.path()).unwrap_err().to_string();
        assert!(error.contains("not a root file system"), "{error}");
        assert!(rootfs(Path::new("/does/not/exist")).is_err());
    }
}
