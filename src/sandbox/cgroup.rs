//! Limits of memory and processes by control groups, version 1 or 2, where this user may make them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::contract::Limits;
use super::store;

/// The groups of one sandbox: one with version 2, one for each controller with version 1, none without permission.
#[derive(Debug, Default)]
pub struct Groups {
    pub dirs: Vec<PathBuf>,
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
    version: u8,
}

/// Beginning of a group's name; the rest is the sandbox's.
const PREFIX: &str = "envc-";

const ROOT: &str = "/sys/fs/cgroup";

impl Groups {
    /// Makes what can be made; a missing controller is a missing limit, not an error.
    pub fn create(id: &str) -> Self {
        let name = format!("{PREFIX}{id}");
        if Path::new(ROOT).join("cgroup.controllers").exists() {
            return Self::create_v2(&name);
        }
        let mut groups = Self::default();
        groups.version = 1;
        let [memory, processes] = ["memory", "pids"].map(own_v1);
        groups.memory = make(&memory, &name);
        groups.processes = make(&processes, &name);
        groups.dirs = [&groups.memory, &groups.processes]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        groups
    }

    fn create_v2(name: &str) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let dir = places_v2(Path::new(ROOT), &own)
            .iter()
            .find_map(|parent| make_v2(parent, name));
        let has = |file: &str| dir.as_ref().is_some_and(|d| d.join(file).exists());
        Self {
            memory: dir.clone().filter(|_| has("memory.max")),
            processes: dir.clone().filter(|_| has("pids.max")),
            dirs: dir.into_iter().collect(),
            version: 2,
        }
    }

    pub fn set(&self, limits: &Limits) {
        let (memory, swap) = match self.version {
            2 => ("memory.max", "memory.swap.max"),
            _ => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
        };
        if let Some(dir) = &self.memory {
            // Version 1 refuses a memory limit above the old sum of memory and swap, so that sum goes first and last.
            let bytes = limits.memory.to_string();
            if self.version == 1 {
                let _ = fs::write(dir.join(swap), &bytes);
            }
            let _ = fs::write(dir.join(memory), &bytes);
            let extra = if self.version == 1 { &bytes } else { "0" };
            let _ = fs::write(dir.join(swap), extra);
        }
        if let Some(dir) = &self.processes {
            let _ = fs::write(dir.join("pids.max"), limits.processes.to_string());
        }
    }

    /// Whether memory and whether processes are bounded for all of a command together.
    pub fn counted(&self) -> (bool, bool) {
        (self.memory.is_some(), self.processes.is_some())
    }

    /// Whether a group counts, and bounds, the memory of all processes together.
    pub fn count_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// How many processes of the group the kernel has killed for want of memory.
    pub fn out_of_memory_kills(&self) -> u64 {
        let Some(dir) = &self.memory else {
            return 0;
        };
        let file = match self.version {
            2 => "memory.events",
            _ => "memory.oom_control",
        };
        fs::read_to_string(dir.join(file))
            .ok()
            .and_then(|text| {
                text.lines()
                    .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
            })
            .unwrap_or(0)
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.dirs.iter().for_each(|dir| remove(dir));
    }
}

/// Where this process stands in a hierarchy of version 1.
fn own_v1(controller: &str) -> PathBuf {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let names = parts.next()?;
        names
            .split(',')
            .any(|name| name == controller)
            .then(|| parts.next())?
    });
    let base = Path::new(ROOT).join(controller);
    let inner = base.join(own.unwrap_or_default().trim_start_matches('/'));
    // In a container the path may be one of the host's, which is not mounted here.
    if inner.is_dir() { inner } else { base }
}

/// Where a group of version 2 may go, best first: the root, which root may always divide, then this process's group
/// and those above it. (A group with processes cannot have children with controllers; that of a user's desktop
/// session, two or three above, can.)
fn places_v2(root: &Path, own: &str) -> Vec<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let mut places = vec![root.to_path_buf()];
    let above = Path::new(own.unwrap_or_default()).ancestors();
    places.extend(
        above
            .filter(|p| !p.as_os_str().is_empty())
            .map(|p| root.join(p)),
    );
    places
}

/// A group that can count memory, or nothing.
fn make_v2(parent: &Path, name: &str) -> Option<PathBuf> {
    let _ = fs::write(parent.join("cgroup.subtree_control"), "+memory +pids");
    let dir = make(parent, name)?;
    if dir.join("memory.max").exists() {
        return Some(dir);
    }
    let _ = fs::remove_dir(&dir);
    None
}

/// Makes a group, first removing those of dead runs beside it.
fn make(parent: &Path, name: &str) -> Option<PathBuf> {
    parent.join("cgroup.procs").exists().then_some(())?;
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let id = entry.file_name().into_string().ok();
        if id.is_some_and(|id| id.strip_prefix(PREFIX).is_some_and(store::is_orphan)) {
            // One in use, by a run whose process id means nothing here, refuses.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let dir = parent.join(name);
    fs::create_dir(&dir).ok()?;
    Some(dir)
}

/// Removes an empty group; killed processes may take a moment to leave it.
pub fn remove(dir: &Path) {
    for _ in 0..100 {
        match fs::remove_dir(dir) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_above_are_tried_after_the_root() {
        let own = "0::/user.slice/user@1.service/app.slice/x.scope\n";
        let places = places_v2(Path::new("/c"), own);
        let names: Vec<&str> = places.iter().filter_map(|p| p.to_str()).collect();
        assert_eq!(
            names,
            [
                "/c",
                "/c/user.slice/user@1.service/app.slice/x.scope",
                "/c/user.slice/user@1.service/app.slice",
                "/c/user.slice/user@1.service",
                "/c/user.slice"
            ]
        );
    }

    #[test]
    fn groups_of_dead_runs_go() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("cgroup.procs"), "").unwrap();
        let dead = parent.path().join("envc-1-1-0");
        let alive = parent.path().join(format!("envc-{}", store::new_id()));
        fs::create_dir(&dead).unwrap();
        fs::create_dir(&alive).unwrap();
        make(parent.path(), "envc-new").unwrap();
        assert!(!dead.exists() && alive.exists());
    }
}
