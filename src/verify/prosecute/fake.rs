//! A sandbox that answers as told, for the tests of the checks.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Case;
use crate::plan::Plan;
use crate::pyramid::{Pyramid, PyramidCommand};
use crate::run::CommandResult;
use crate::sandbox::*;
use crate::verify::TestReport;

pub struct Fake {
    facts: SandboxFacts,
    /// A part of the command line → what it does, each answer once, the last one for ever.
    answers: Vec<(String, VecDeque<(Outcome, String, u64)>)>,
    pub files: BTreeMap<String, Vec<u8>>,
    log: Vec<String>,
}

impl Fake {
    /// Everything exits 0 in silence, but for what is answered otherwise; the tests pass as in the sample.
    pub fn honest() -> Self {
        let mut fake = Self {
            facts: SandboxFacts {
                backend: "fake".into(),
                base: "none".into(),
                digest: None,
                distribution: "debian".into(),
                release: "bookworm".into(),
            },
            answers: Vec::new(),
            files: BTreeMap::new(),
            log: Vec::new(),
        };
        fake.answer("-ec ctest", 8, "24 1 0");
        fake
    }

    pub fn answer(&mut self, part: &str, exit: i32, output: &str) {
        self.push(part, (Outcome::Exited(exit), output.to_owned(), 1));
    }

    pub fn answer_outcome(&mut self, part: &str, outcome: Outcome) {
        self.push(part, (outcome, String::new(), 1));
    }

    pub fn answer_slow(&mut self, part: &str, seconds: u64) {
        self.push(part, (Outcome::Exited(0), String::new(), seconds));
    }

    fn push(&mut self, part: &str, answer: (Outcome, String, u64)) {
        match self.answers.iter_mut().find(|(known, _)| known == part) {
            Some((_, answers)) => answers.push_back(answer),
            None => self.answers.push((part.to_owned(), [answer].into())),
        }
    }

    /// Forgets what `part` was told to answer.
    pub fn forget(&mut self, part: &str) {
        self.answers.retain(|(known, _)| known != part);
    }

    pub fn ran(&self, part: &str) -> bool {
        self.log.iter().any(|line| line.contains(part))
    }
}

impl Sandbox for Fake {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }

    fn copy_in(&mut self, _from: &Path, _files: &[PathBuf], _to: &str) -> Result<()> {
        Ok(())
    }

    fn write_file(&mut self, path: &str, contents: &[u8], _mode: u32) -> Result<()> {
        self.files.insert(path.to_owned(), contents.to_vec());
        Ok(())
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or(SandboxError::Io {
            what: path.to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    }

    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        let line = command.argv.join(" ");
        let answer = self
            .answers
            .iter_mut()
            .find(|(part, _)| line.contains(part.as_str()));
        let (outcome, output, seconds) = match answer {
            Some((_, answers)) if answers.len() > 1 => answers.pop_front().unwrap(),
            Some((_, answers)) => answers[0].clone(),
            None => (Outcome::Exited(0), String::new(), 1),
        };
        self.log.push(line);
        sink(output.as_bytes());
        Ok(Finished {
            outcome,
            wall: Duration::from_secs(seconds),
            output_bytes: output.len() as u64,
        })
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        Ok(SnapshotId("0".into()))
    }

    fn rollback(&mut self, _snapshot: &SnapshotId) -> Result<()> {
        Ok(())
    }

    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    fn interactive(&mut self, _command: &CommandSpec) -> Result<i32> {
        Ok(0)
    }

    fn keep(&mut self, _dir: &Path) -> Result<Kept> {
        Err(SandboxError::NoSpace("a fake".into()))
    }
}

pub fn nothing(_path: &str) -> Option<(Vec<u8>, u32)> {
    None
}

fn spec(words: &[&str]) -> CommandSpec {
    CommandSpec {
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        dir: REPOSITORY_DIR.into(),
        env: Vec::new(),
        limits: Limits::default(),
        network: Network::None,
    }
}

fn command_spec(command: &PyramidCommand) -> CommandSpec {
    spec(&["bash", "-ec", &command.command])
}

/// Three numbers: passed, failed, errors.
fn read_report(_command: &PyramidCommand, output: &str) -> Option<TestReport> {
    let mut numbers = output.split_whitespace().map(|word| word.parse().ok());
    Some(TestReport {
        passed: numbers.next()??,
        failed: numbers.next()??,
        errors: numbers.next()??,
        ..TestReport::default()
    })
}

pub fn case<'a>(
    plan: &'a Plan,
    pyramid: &'a Pyramid,
    results: &'a [CommandResult],
    original: &'a dyn Fn(&str) -> Option<(Vec<u8>, u32)>,
) -> Case<'a> {
    Case {
        plan,
        pyramid,
        results,
        tracked: &[],
        original,
        setup: spec(&["bash", "/envc/setup.sh"]),
        setup_wall: 20.0,
        command: &command_spec,
        report: &read_report,
        modules: &[],
        env: &[],
    }
}
