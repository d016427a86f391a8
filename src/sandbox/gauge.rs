//! What a running command takes of the machine where no control group counts it: disk always, memory sometimes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::contract::{Limits, Outcome};

/// How much of a disk stays free whatever a command may write: this much, or a twentieth of a small disk.
const RESERVE: u64 = 1 << 30;

/// Between two looks at memory: each reads a file for each process.
const MEMORY_PERIOD: Duration = Duration::from_millis(200);

/// Where a command writes.
#[derive(Debug)]
pub struct Places {
    /// A directory of the file system that holds all of them.
    pub disk: PathBuf,
    pub dirs: Vec<PathBuf>,
}

/// Looks at a command from time to time.
#[derive(Debug)]
pub struct Gauge {
    disk: Option<Disk>,
    memory: Option<Memory>,
}

impl Gauge {
    /// `memory`: nothing else counts memory.
    pub fn new(places: Places, limits: &Limits, memory: bool) -> Self {
        Self {
            disk: Disk::new(places, limits.disk),
            memory: memory.then(|| Memory::new(limits.memory)),
        }
    }

    /// The limit that is passed, if one is. `root`: the process that all of the command descends from.
    pub fn verdict(&mut self, root: u32) -> Option<Outcome> {
        if self.disk.as_mut().is_some_and(Disk::passed) {
            return Some(Outcome::DiskLimit);
        }
        let memory = self.memory.as_mut()?;
        memory.passed(root).then_some(Outcome::OutOfMemory)
    }
}

/// Asking a file system how much is free costs next to nothing, counting files does not: they are counted only when
/// so much has gone that the command could have taken its limit.
#[derive(Debug)]
struct Disk {
    places: Places,
    limit: u64,
    reserve: u64,
    /// Free bytes at the start.
    before: u64,
    /// Count again when this much has gone.
    next: u64,
    started: i64,
}

impl Disk {
    fn new(places: Places, limit: u64) -> Option<Self> {
        let (before, size) = space(&places.disk).ok()?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            places,
            limit,
            // Who starts with less than the reserve may use half of what there is.
            reserve: RESERVE.min(size / 20).min(before / 2),
            before,
            next: limit,
            started: i64::try_from(started.as_secs()).ok()?,
        })
    }

    fn passed(&mut self) -> bool {
        let Ok((free, _)) = space(&self.places.disk) else {
            return false;
        };
        let gone = self.before.saturating_sub(free);
        if free < self.reserve && gone > 0 {
            return true;
        }
        if gone <= self.next {
            return false;
        }
        // Files that are open and have no name cannot be counted: twice the limit is never somebody else's doing.
        let own: u64 = self
            .places
            .dirs
            .iter()
            .map(|dir| written(dir, self.started))
            .sum();
        if own > self.limit || gone / 2 > self.limit {
            return true;
        }
        self.next = gone + (self.limit - own).max(self.limit / 8);
        false
    }
}

/// Free bytes for users, and the size, of the file system that holds `dir`.
fn space(dir: &Path) -> io::Result<(u64, u64)> {
    let fs = rustix::fs::statvfs(dir)?;
    Ok((
        fs.f_bavail.saturating_mul(fs.f_frsize),
        fs.f_blocks.saturating_mul(fs.f_frsize),
    ))
}

/// Bytes on disk of what was changed below `dir` since a time in seconds.
fn written(dir: &Path, since: i64) -> u64 {
    walkdir::WalkDir::new(dir)
        .same_file_system(true)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .filter(|meta| meta.is_file() && meta.ctime() >= since)
        .map(|meta| meta.blocks() * 512)
        .sum()
}

#[derive(Debug)]
struct Memory {
    limit: u64,
    looked: Instant,
}

impl Memory {
    fn new(limit: u64) -> Self {
        Self {
            limit,
            looked: Instant::now(),
        }
    }

    fn passed(&mut self, root: u32) -> bool {
        if self.looked.elapsed() < MEMORY_PERIOD {
            return false;
        }
        self.looked = Instant::now();
        let mut sum = 0;
        let mut stack = vec![root];
        while let Some(pid) = stack.pop() {
            sum += own_memory(pid);
            stack.extend(children(pid));
        }
        sum > self.limit
    }
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    tasks
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// Bytes that belong to no file: what the machine cannot get back while the process lives.
fn own_memory(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            matches!(name, "RssAnon" | "RssShmem").then_some(())?;
            value.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        })
        .sum::<u64>()
        << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_files_count() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), vec![1u8; 200_000]).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = i64::try_from(now.as_secs()).unwrap();
        assert!(written(dir.path(), now - 5) >= 200_000);
        assert_eq!(written(dir.path(), now + 5), 0);
    }

    #[test]
    fn memory_of_this_process_is_seen() {
        let own = own_memory(std::process::id());
        assert!(own > 100_000, "{own}");
        assert_eq!(own_memory(u32::MAX), 0);
        let mut memory = Memory::new(1);
        memory.looked = Instant::now() - MEMORY_PERIOD;
        assert!(memory.passed(std::process::id()));
        assert!(!memory.passed(std::process::id()), "not so soon again");
    }
}
