//! The loop over a machine that stands in for a sandbox: what is installed, and what the command remembers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;
use crate::sandbox::{Finished, Kept, Limits, Network, Result as SandboxResult, SandboxFacts};

#[derive(Clone, Default)]
struct Machine {
    installed: BTreeSet<String>,
    /// Headers that a configure run has looked for and not found: remembered until the files are rolled back.
    remembered: BTreeSet<String>,
}

/// Runs "commands" that need headers in order; `caching`: a miss is remembered.
struct Pretend {
    facts: SandboxFacts,
    now: Machine,
    snapshots: Vec<Machine>,
    needs: Vec<(&'static str, &'static str)>,
    caching: bool,
    /// A compiler is needed, and what is said at the end without one is not that.
    compiler: bool,
    log: Vec<String>,
}

impl Pretend {
    fn new(needs: &[(&'static str, &'static str)], caching: bool) -> Self {
        Self {
            facts: SandboxFacts {
                backend: "pretend".into(),
                base: "none".into(),
                digest: None,
                distribution: "debian".into(),
                release: "bookworm".into(),
            },
            now: Machine::default(),
            snapshots: Vec::new(),
            needs: needs.to_vec(),
            caching,
            compiler: false,
            log: Vec::new(),
        }
    }

    fn build(&mut self, sink: &mut dyn FnMut(&[u8])) -> i32 {
        if self.compiler && !self.now.installed.contains("gcc") {
            self.now.remembered.insert("zlib.h".to_owned());
            sink(b"./configure: 4: cc: not found\nconfigure: error: zlib.h is required\n");
            return 1;
        }
        for (header, package) in self.needs.clone() {
            if !self.now.installed.contains(package) || self.now.remembered.contains(header) {
                if self.caching {
                    self.now.remembered.insert(header.to_owned());
                }
                sink(
                    format!("a.c:1:10: fatal error: {header}: No such file or directory\n")
                        .as_bytes(),
                );
                return 2;
            }
        }
        0
    }
}

impl Sandbox for Pretend {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }
    fn copy_in(&mut self, _: &Path, _: &[PathBuf], _: &str) -> SandboxResult<()> {
        Ok(())
    }
    fn write_file(&mut self, _: &str, _: &[u8], _: u32) -> SandboxResult<()> {
        Ok(())
    }
    fn read_file(&mut self, _: &str) -> SandboxResult<Vec<u8>> {
        Ok(Vec::new())
    }
    fn run(
        &mut self,
        command: &CommandSpec,
        sink: &mut dyn FnMut(&[u8]),
    ) -> SandboxResult<Finished> {
        self.log.push(command.argv.join(" "));
        let code = match command.argv.first().map(String::as_str) {
            Some("apt-get") if command.argv.iter().any(|word| word == "install") => {
                self.now
                    .installed
                    .extend(command.argv.iter().skip(4).cloned());
                0
            }
            Some("apt-get") => 0,
            Some("dpkg-query") => {
                let asked = command.argv.iter().skip(3);
                i32::from(
                    !asked
                        .into_iter()
                        .all(|word| self.now.installed.contains(word)),
                )
            }
            _ => self.build(sink),
        };
        Ok(Finished {
            outcome: Outcome::Exited(code),
            wall: Duration::ZERO,
            output_bytes: 0,
        })
    }
    fn snapshot(&mut self) -> SandboxResult<SnapshotId> {
        self.snapshots.push(self.now.clone());
        Ok(SnapshotId((self.snapshots.len() - 1).to_string()))
    }
    fn rollback(&mut self, snapshot: &SnapshotId) -> SandboxResult<()> {
        self.now = self.snapshots[snapshot.0.parse::<usize>().unwrap()].clone();
        Ok(())
    }
    fn reset(&mut self) -> SandboxResult<()> {
        self.now = Machine::default();
        Ok(())
    }
    fn interactive(&mut self, _: &CommandSpec) -> SandboxResult<i32> {
        Ok(0)
    }
    fn keep(&mut self, _: &Path) -> SandboxResult<Kept> {
        Err(SandboxError::Interrupted)
    }
}

fn fix(machine: &mut Pretend, attempts: u32) -> Fixed {
    let index = |capability: &Capability| -> Vec<(String, String)> {
        let packages: &[&str] = match capability.to_string().as_str() {
            "header:zlib.h" => &["zlib1g-dev"],
            "cmd:cc" => &["gcc"],
            "header:png.h" => &["libwrong-dev", "libpng-dev"],
            _ => &[],
        };
        packages
            .iter()
            .map(|p| ((*p).to_owned(), String::new()))
            .collect()
    };
    let spec = CommandSpec {
        argv: vec!["make".into()],
        dir: "/repo".into(),
        env: Vec::new(),
        limits: Limits::default(),
        network: Network::Full,
    };
    let hour = Duration::from_secs(3600);
    let mut fixer = Fixer {
        sandbox: machine,
        manager: Manager::Apt,
        index: &index,
        files: &[],
        own_modules: &[],
        budget: Budget::start(hour, attempts, hour, None),
        observer: &mut |_| {},
    };
    fixer.fix(&spec).unwrap()
}

fn packages(fixed: &Fixed) -> Vec<String> {
    fixed.added.iter().flat_map(|a| a.words.clone()).collect()
}

#[test]
fn what_is_missing_is_installed_one_after_the_other() {
    let mut machine = Pretend::new(&[("zlib.h", "zlib1g-dev"), ("png.h", "libpng-dev")], false);
    let fixed = fix(&mut machine, 10);
    assert!(fixed.outcome.ok());
    // The first provider of png.h did not help: it is no part of the answer, and not on the machine.
    assert_eq!(packages(&fixed), ["zlib1g-dev", "libpng-dev"]);
    assert!(!machine.now.installed.contains("libwrong-dev"));
    assert_eq!(fixed.useless.len(), 1);
    // Lists are fetched once where the lineage of states has them.
    let refreshed = machine
        .log
        .iter()
        .filter(|line| line.ends_with("update"))
        .count();
    assert!(refreshed <= 2, "{:?}", machine.log);
}

#[test]
fn a_remembered_miss_is_forgotten_by_starting_clean() {
    let mut machine = Pretend::new(&[("zlib.h", "zlib1g-dev")], true);
    let fixed = fix(&mut machine, 10);
    assert!(fixed.outcome.ok());
    assert_eq!(packages(&fixed), ["zlib1g-dev"]);
    assert_eq!(fixed.runs, 3);
}

#[test]
fn what_nothing_provides_ends_it_with_the_reason() {
    let mut machine = Pretend::new(&[("zlib.h", "zlib1g-dev"), ("nowhere.h", "x")], false);
    let fixed = fix(&mut machine, 10);
    assert!(!fixed.outcome.ok());
    assert_eq!(packages(&fixed), ["zlib1g-dev"]);
    assert!(fixed.gave_up.unwrap().contains("header:nowhere.h"));
}

#[test]
fn attempts_are_bounded() {
    let mut machine = Pretend::new(&[("png.h", "libpng-dev")], false);
    let fixed = fix(&mut machine, 1);
    assert!(!fixed.outcome.ok());
    assert!(
        fixed
            .gave_up
            .as_deref()
            .unwrap_or_default()
            .contains("--attempts")
    );
    assert!(packages(&fixed).is_empty());
}

#[test]
fn a_cause_that_stands_before_the_last_message_is_found() {
    let mut machine = Pretend::new(&[("zlib.h", "zlib1g-dev")], true);
    machine.compiler = true;
    let fixed = fix(&mut machine, 10);
    assert!(fixed.outcome.ok(), "{fixed:?}");
    assert_eq!(packages(&fixed), ["gcc", "libc6-dev", "zlib1g-dev"]);
}
