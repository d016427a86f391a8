//! A machine that says which packages its build needs, and what the loops make of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::packages::Capability;
use crate::plan::Constraints;
use crate::run::{Budget, Event, Observer, Run, SCRIPT_PATH, Session, What, Work, run};
use crate::sandbox::*;
use crate::scan::Repository;
use crate::verify::sample;

/// A build that stops at the first of `wants` whose package the script does not install; `brings` says which package
/// has the one of another with it.
struct Machine {
    facts: SandboxFacts,
    script: String,
    wants: Vec<(&'static str, &'static str)>,
    brings: Vec<(&'static str, &'static str)>,
    /// Seconds of a build that passes.
    seconds: u64,
}

impl Machine {
    fn has(&self, package: &str) -> bool {
        let named = |name: &str| self.script.split_whitespace().any(|word| word == name);
        named(package)
            || self
                .brings
                .iter()
                .any(|(with, brought)| *brought == package && named(with))
    }

    fn answer(&self, line: &str) -> (i32, String) {
        if line.ends_with("--only 5") {
            let missing = self.wants.iter().find(|(_, package)| !self.has(package));
            return match missing {
                Some((header, _)) => (
                    2,
                    format!("a.c:1:10: fatal error: {header}: No such file or directory\n"),
                ),
                None => (0, String::new()),
            };
        }
        if line.contains("ctest") {
            let text = "Test project /repo/build\n100% tests passed, 0 tests failed out of 3\n";
            return (0, text.to_owned());
        }
        (0, String::new())
    }
}

impl Sandbox for Machine {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }
    fn copy_in(&mut self, _: &Path, _: &[PathBuf], _: &str) -> Result<()> {
        Ok(())
    }
    fn write_file(&mut self, path: &str, contents: &[u8], _: u32) -> Result<()> {
        assert_eq!(path, SCRIPT_PATH);
        self.script = String::from_utf8_lossy(contents).into_owned();
        Ok(())
    }
    fn read_file(&mut self, _: &str) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        let (exit, output) = self.answer(&command.argv.join(" "));
        sink(output.as_bytes());
        Ok(Finished {
            outcome: Outcome::Exited(exit),
            wall: Duration::from_secs(self.seconds),
            output_bytes: 0,
        })
    }
    fn snapshot(&mut self) -> Result<SnapshotId> {
        Ok(SnapshotId("0".into()))
    }
    fn rollback(&mut self, _: &SnapshotId) -> Result<()> {
        Ok(())
    }
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }
    fn interactive(&mut self, _: &CommandSpec) -> Result<i32> {
        Ok(0)
    }
    fn keep(&mut self, _: &Path) -> Result<Kept> {
        Err(SandboxError::NoSpace("a fake".into()))
    }
}

#[derive(Default)]
struct Replays(usize);

impl Observer for Replays {
    fn event(&mut self, event: &Event) {
        self.0 += usize::from(matches!(event.what, What::Replay { .. }));
    }
}

fn index(capability: &Capability) -> Vec<(String, String)> {
    let packages = [
        ("header:one.h", "libone-dev"),
        ("header:two.h", "libtwo-dev"),
    ];
    let key = capability.to_string();
    let found = packages.iter().filter(|(name, _)| *name == key);
    found
        .map(|(_, package)| ((*package).to_owned(), "index".to_owned()))
        .collect()
}

fn built(brings: Vec<(&'static str, &'static str)>, seconds: u64) -> (Run, usize) {
    let mut machine = Machine {
        facts: SandboxFacts {
            backend: "fake".into(),
            base: "none".into(),
            digest: None,
            distribution: "debian".into(),
            release: "bookworm".into(),
        },
        script: String::new(),
        wants: vec![("one.h", "libone-dev"), ("two.h", "libtwo-dev")],
        brings,
        seconds,
    };
    let repository = Repository {
        schema: String::new(),
        name: "x".to_owned(),
        root: PathBuf::new(),
        git: None,
        files: Vec::new(),
        languages: Default::default(),
        warnings: Vec::new(),
    };
    let work = Work {
        plan: sample::plan(),
        script: sample::script(),
        pyramid: sample::pyramid(),
        constraints: Constraints::default(),
    };
    let hour = Duration::from_secs(3600);
    let budget = Budget::start(hour, 30, hour, None);
    let mut replays = Replays::default();
    let no_plan = |_: &Constraints| None;
    let mut session = Session::new(
        &mut machine,
        &repository,
        Vec::new(),
        work,
        budget,
        &mut replays,
        &index,
        &no_plan,
    );
    let run = run(&mut session).unwrap();
    (run, replays.0)
}

fn packages(run: &Run) -> Vec<&str> {
    run.script
        .packages
        .iter()
        .map(|package| package.package.as_str())
        .filter(|name| matches!(*name, "libone-dev" | "libtwo-dev"))
        .collect()
}

#[test]
fn what_a_later_repair_brings_is_dropped() {
    let (run, replays) = built(vec![("libtwo-dev", "libone-dev")], 1);
    assert_eq!(packages(&run), ["libtwo-dev"]);
    let kept: Vec<bool> = run.repairs.iter().map(|repair| repair.kept).collect();
    assert_eq!(kept, [false, true]);
    assert!(run.repairs[0].reason.starts_with("superfluous"));
    // The proof of the repaired script, and one try for each edit.
    assert_eq!(replays, 3);
    assert!(run.layers.iter().all(|layer| layer.outcome.ok()));
    assert_eq!(run.results[1].report.as_ref().unwrap().passed, 3);
}

#[test]
fn what_is_needed_stays() {
    let (run, replays) = built(Vec::new(), 1);
    assert_eq!(packages(&run), ["libone-dev", "libtwo-dev"]);
    assert!(run.repairs.iter().all(|repair| repair.kept));
    assert_eq!(replays, 3);
    assert!(run.layers.iter().all(|layer| layer.outcome.ok()));
}

#[test]
fn a_long_script_is_not_run_again_for_it() {
    let (run, replays) = built(vec![("libtwo-dev", "libone-dev")], 100);
    assert_eq!(packages(&run), ["libone-dev", "libtwo-dev"]);
    assert_eq!(replays, 1);
}
