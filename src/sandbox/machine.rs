//! What this machine has of what sandboxes need, and what to do about the rest, for `envc doctor`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cgroup::Groups;
use super::options::Options;
use super::privilege::Privilege;
use super::{helper, store};

/// One thing of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub what: String,
    pub works: bool,
    /// What is there; or what its lack means, and what to do.
    pub detail: String,
}

/// Bytes that builds usually need for layers and caches.
const COMFORTABLE: u64 = 4 << 30;

/// Looks at everything. Nothing is changed but for a directory that is made and removed in the store.
pub fn examine(options: &Options) -> Vec<Finding> {
    let privilege = Privilege::here();
    let mut found = vec![user_namespaces(privilege), overlayfs()];
    if privilege == Privilege::User {
        found.push(subordinate_ids());
    }
    found.extend([control_groups(), abstract_sockets()]);
    found.extend(store_findings(&options.store_root()));
    found.push(temporary_directory());
    found
}

fn finding(what: &str, works: bool, detail: impl Into<String>) -> Finding {
    Finding {
        what: what.into(),
        works,
        detail: detail.into(),
    }
}

/// A number in a file of `/proc/sys`.
fn setting(name: &str) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    text.trim().parse().ok()
}

fn user_namespaces(privilege: Privilege) -> Finding {
    let what = "user namespaces";
    let lack = match privilege {
        Privilege::User => "without them only root can use the overlay sandbox",
        _ => {
            "without them commands share root's own namespace; what they may do is still closed by capabilities and \
              the system call filter"
        }
    };
    let no = |why: &str, todo: &str| finding(what, false, format!("{why}: {lack}. {todo}"));
    if !Path::new("/proc/self/ns/user").exists() {
        return no(
            "this kernel has none",
            "Use a kernel with CONFIG_USER_NS, or --sandbox docker",
        );
    }
    if setting("user/max_user_namespaces") == Some(0) {
        return no(
            "user.max_user_namespaces is 0",
            "As root: sysctl user.max_user_namespaces=10000",
        );
    }
    if privilege == Privilege::User {
        if setting("kernel/unprivileged_userns_clone") == Some(0) {
            return no(
                "kernel.unprivileged_userns_clone is 0",
                "As root: sysctl kernel.unprivileged_userns_clone=1",
            );
        }
        if setting("kernel/apparmor_restrict_unprivileged_userns") == Some(1) {
            return no(
                "AppArmor keeps them from unprivileged programs",
                "As root: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for envc that allows \
                 `userns`",
            );
        }
    }
    finding(what, true, "allowed")
}

fn overlayfs() -> Finding {
    let known = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    let listed = known
        .lines()
        .any(|line| line.split_whitespace().last() == Some("overlay"));
    let release = rustix::system::uname();
    let modules = Path::new("/lib/modules").join(&*release.release().to_string_lossy());
    let loadable = fs::read_to_string(modules.join("modules.dep"))
        .is_ok_and(|text| text.contains("/overlay.ko"));
    match (listed, loadable) {
        (true, _) => finding("overlayfs", true, "in this kernel"),
        (false, true) => finding(
            "overlayfs",
            Privilege::here() == Privilege::Root,
            "a module that is not loaded yet: the kernel loads it for root; for others, as root: modprobe overlay",
        ),
        (false, false) => finding(
            "overlayfs",
            false,
            "not in this kernel: the overlay sandbox needs it. Use a kernel with CONFIG_OVERLAY_FS, or --sandbox docker",
        ),
    }
}

fn subordinate_ids() -> Finding {
    let what = "subordinate ids";
    let lack = "a sandbox then has root as its only user: programs that change to another one (apt's download user, \
                database servers) fail or are told not to";
    let uid = rustix::process::geteuid().as_raw();
    if !helper::has_sub_ranges(uid) {
        return finding(
            what,
            false,
            format!(
                "no range for this user in /etc/subuid and /etc/subgid: {lack}. As root: usermod --add-subuids \
                 100000-165535 --add-subgids 100000-165535 USER"
            ),
        );
    }
    let tool = ["newuidmap", "newgidmap"]
        .iter()
        .find(|name| program(name).is_none());
    if let Some(tool) = tool {
        return finding(
            what,
            false,
            format!("no {tool}: {lack}. Install the package uidmap (Debian) or shadow-utils"),
        );
    }
    finding(what, true, "a range, and newuidmap to use it")
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| {
            fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        })
}

fn control_groups() -> Finding {
    let what = "control groups";
    let groups = Groups::create(&store::new_id());
    let (memory, processes) = groups.counted();
    let lack = "memory is then watched from outside (a fast program can take more for a moment) and processes are \
                bounded for each user. Run envc as root, or in a session that may divide its group: systemd-run --user \
                --scope -p Delegate=yes envc …";
    match (memory, processes) {
        (true, true) => finding(
            what,
            true,
            "memory and processes are bounded for a whole command",
        ),
        (true, false) => finding(what, false, format!("none for processes: {lack}")),
        (false, true) => finding(what, false, format!("none for memory: {lack}")),
        (false, false) => finding(what, false, format!("this user can make none: {lack}")),
    }
}

fn abstract_sockets() -> Finding {
    let what = "abstract sockets of the host";
    if helper::abstract_sockets_closed() {
        return finding(what, true, "closed to commands (Landlock)");
    }
    finding(
        what,
        false,
        "open to commands that have the network: this kernel cannot close them (Linux 6.12 with Landlock can). For a \
         repository that you do not trust: --network none, or --sandbox docker",
    )
}

fn store_findings(root: &Path) -> Vec<Finding> {
    let shown = root.display();
    let elsewhere = "Let XDG_CACHE_HOME name a directory";
    if let Err(error) = try_store(root) {
        let what = "directory for layers and caches";
        let detail = format!(
            "{shown} cannot be written to ({error}). {elsewhere} that can, on a disk with some free space"
        );
        return vec![finding(what, false, detail)];
    }
    let Ok(fs) = rustix::fs::statvfs(root) else {
        return Vec::new();
    };
    let free = fs.f_bavail.saturating_mul(fs.f_frsize);
    let mut disk = format!("{} MiB free in {shown} for layers and caches", free >> 20);
    if free < COMFORTABLE {
        disk.push_str(&format!(
            ", where {} MiB and more is comfortable. {elsewhere} on a larger disk",
            COMFORTABLE >> 20
        ));
    }
    let mut found = vec![finding("disk", free >= COMFORTABLE, disk)];
    if fs.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC) {
        found.push(finding(
            "programs in the directory for layers",
            false,
            format!(
                "{shown} is mounted noexec: the overlay sandbox does not mind, the host sandbox cannot run what a \
                 repository builds. {elsewhere} on another file system"
            ),
        ));
    }
    found
}

/// Makes a directory and removes it; what was there before stays.
fn try_store(root: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = root.ancestors().take_while(|dir| !dir.exists()).collect();
    fs::create_dir_all(root)?;
    let probe = root.join(format!("probe-{}", store::new_id()));
    let made = fs::write(&probe, [0u8; 4096]);
    let _ = fs::remove_file(&probe);
    for dir in missing {
        let _ = fs::remove_dir(dir);
    }
    made
}

fn temporary_directory() -> Finding {
    let what = "temporary directory";
    let dir = std::env::temp_dir();
    let shown = dir.display();
    let todo = "Let TMPDIR name another";
    let Ok(fs) = rustix::fs::statvfs(&dir) else {
        return finding(what, false, format!("{shown} is not there. {todo}"));
    };
    if let Err(error) = tempfile::tempfile_in(&dir) {
        let detail = format!(
            "{shown} cannot be written to ({error}): cloning and Docker builds need it. {todo}"
        );
        return finding(what, false, detail);
    }
    if fs.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC) {
        let detail = format!(
            "{shown}, mounted noexec: envc runs nothing there, and sandboxes have a /tmp of their own"
        );
        return finding(what, true, detail);
    }
    finding(what, true, shown.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_tried_and_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("not/there/yet");
        try_store(&root).unwrap();
        assert!(!dir.path().join("not").exists());
        fs::write(dir.path().join("file"), "").unwrap();
        let found = store_findings(&dir.path().join("file/below"));
        assert!(!found[0].works);
        assert!(found[0].detail.contains("XDG_CACHE_HOME"));
    }
}
