//! The journal: every event as one line of JSON in `journal.jsonl`, and every command's whole output in
//! `logs/<nnn>-<id>.log`, which the journal refers to.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::files::{OutDir, OutError};
use super::terminal::json_line;
use crate::run::{Event, Observer, What};

/// Bytes of output that are kept of one command. The head is kept: later output is counted, not written.
pub const MAX_LOG: u64 = 64 << 20;

/// A line of `journal.jsonl`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum JournalLine {
    /// Where the output of a command went; written when the command ends.
    Log {
        log: LogFacts,
    },
    Event(Event),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFacts {
    /// Counts from 1: the `<nnn>` of the file.
    pub number: u64,
    /// Id of the command, or whatever the output was said to be of.
    pub of: String,
    /// Relative to the output directory.
    pub file: String,
    /// Bytes of output, the unwritten ones included.
    pub bytes: u64,
    /// The output was larger than [`MAX_LOG`].
    pub cut: bool,
}

/// Writes the journal as events come. A write error (disk full) stops the writing, not the run: it is kept for
/// [`Journal::take_error`], which gives it once.
#[derive(Debug)]
pub struct Journal {
    lines: File,
    path: PathBuf,
    logs_dir: OwnedFd,
    open: BTreeMap<String, Log>,
    count: u64,
    limit: u64,
    broken: bool,
    error: Option<OutError>,
}

#[derive(Debug)]
struct Log {
    facts: LogFacts,
    file: File,
    written: u64,
    /// Output came as bytes: the cleaned text of the same output is not written again.
    raw: bool,
}

impl Journal {
    /// Starts a new journal; the one of an earlier run is removed with its logs.
    pub fn create(out: &OutDir) -> Result<Self, OutError> {
        Ok(Self {
            logs_dir: out.fresh_directory("logs")?,
            lines: out.fresh("journal.jsonl")?,
            path: out.path().to_owned(),
            open: BTreeMap::new(),
            count: 0,
            limit: MAX_LOG,
            broken: false,
            error: None,
        })
    }

    /// Goes on with the journal of an earlier run. A last line that its process had no time to finish is taken away.
    pub fn resume(out: &OutDir) -> Result<Self, OutError> {
        let path = out.file("journal.jsonl");
        let text = out.read("journal.jsonl")?.unwrap_or_default();
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let lines = out.open_to_append("journal.jsonl")?;
        if whole < text.len() {
            lines
                .set_len(whole as u64)
                .map_err(|error| OutError::new(&path, error))?;
        }
        let (logs_dir, names) = out.directory("logs")?;
        let number = |name: &String| name.split('-').next()?.parse::<u64>().ok();
        Ok(Self {
            logs_dir,
            lines,
            path: out.path().to_owned(),
            open: BTreeMap::new(),
            count: names.iter().filter_map(number).max().unwrap_or(0),
            limit: MAX_LOG,
            broken: false,
            error: None,
        })
    }

    /// Output of `of` as it came, bytes unchanged: the log then holds these rather than the text of events.
    pub fn raw(&mut self, of: &str, bytes: &[u8]) {
        self.append(of, bytes, true);
    }

    /// The first write error, once.
    pub fn take_error(&mut self) -> Option<OutError> {
        self.error.take()
    }

    /// Number of the log that `of` writes to now, or wrote to last.
    pub fn number(&self) -> u64 {
        self.count
    }

    fn append(&mut self, of: &str, bytes: &[u8], raw: bool) {
        if self.broken {
            return;
        }
        if !self.open.contains_key(of) {
            self.count += 1;
            let name = format!("{:03}-{}.log", self.count, file_stem(of));
            let path = self.path.join("logs").join(&name);
            match OutDir::fresh_file(&self.logs_dir, &name, &path) {
                Ok(file) => {
                    let log = Log::new(self.count, of, format!("logs/{name}"), file);
                    self.open.insert(of.to_owned(), log);
                }
                Err(error) => return self.fail(error),
            }
        }
        let limit = self.limit;
        let result = self
            .open
            .get_mut(of)
            .map_or(Ok(()), |log| log.append(bytes, raw, limit));
        if let Err(error) = result {
            self.fail(OutError::new(self.path.join("logs"), error));
        }
    }

    fn close(&mut self, of: &str) {
        if let Some(log) = self.open.remove(of) {
            self.line(&JournalLine::Log { log: log.facts });
        }
    }

    fn line(&mut self, line: &impl Serialize) {
        if self.broken {
            return;
        }
        let written = json_line(line)
            .map_err(std::io::Error::from)
            .and_then(|text| {
                // One write a line: whoever reads along sees whole lines.
                self.lines.write_all(text.as_bytes())?;
                self.lines.flush()
            });
        if let Err(error) = written {
            self.fail(OutError::new(self.path.join("journal.jsonl"), error));
        }
    }

    fn fail(&mut self, error: OutError) {
        self.broken = true;
        self.error.get_or_insert(error);
    }

    /// Closes logs whose command ended without a word.
    fn close_all(&mut self) {
        while let Some((_, log)) = self.open.pop_first() {
            self.line(&JournalLine::Log { log: log.facts });
        }
    }
}

impl Log {
    fn new(number: u64, of: &str, file: String, handle: File) -> Self {
        Self {
            facts: LogFacts {
                number,
                of: of.to_owned(),
                file,
                bytes: 0,
                cut: false,
            },
            file: handle,
            written: 0,
            raw: false,
        }
    }

    fn append(&mut self, bytes: &[u8], raw: bool, limit: u64) -> std::io::Result<()> {
        if self.raw && !raw {
            return Ok(());
        }
        self.raw = raw;
        self.facts.bytes += bytes.len() as u64;
        let room = usize::try_from(limit - self.written).unwrap_or(usize::MAX);
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.file.write_all(kept)?;
        self.written += kept.len() as u64;
        if kept.len() < bytes.len() && !self.facts.cut {
            self.facts.cut = true;
            self.file.write_all(b"\n[envc: the rest was not kept]\n")?;
        }
        Ok(())
    }
}

impl Observer for Journal {
    fn event(&mut self, event: &Event) {
        match &event.what {
            What::Output { of, text } => return self.append(of, text.as_bytes(), false),
            // A new attempt of a layer or command gets a log of its own, whatever the old one came to.
            What::CommandStarted { id, .. } => self.close(id),
            What::LayerStarted { .. } | What::StageStarted { .. } => self.close_all(),
            _ => {}
        }
        self.line(event);
        match &event.what {
            What::CommandFinished { id, .. } => self.close(id),
            What::LayerFinished { .. } | What::StageFinished { .. } | What::Finished { .. } => {
                self.close_all();
            }
            _ => {}
        }
    }
}

/// Events of a journal's text; lines about logs, and lines that are none, are passed over.
pub fn read_events(journal: &str) -> Vec<Event> {
    journal
        .lines()
        .filter_map(|line| match serde_json::from_str(line) {
            Ok(JournalLine::Event(event)) => Some(event),
            _ => None,
        })
        .collect()
}

/// A name that is safe as part of a file's name.
fn file_stem(of: &str) -> String {
    let stem: String = of
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c,
            _ => '-',
        })
        .take(40)
        .collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { "output" } else { stem }.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::pyramid::Level;
    use crate::run::Verdict;
    use crate::sandbox::Outcome;

    fn at(what: What) -> Event {
        Event { at: 1.0, what }
    }

    fn output(of: &str, text: &str) -> Event {
        at(What::Output {
            of: of.into(),
            text: text.into(),
        })
    }

    fn started(id: &str) -> Event {
        at(What::CommandStarted {
            id: id.into(),
            level: Level::Testability,
            command: "make check".into(),
        })
    }

    fn finished(id: &str) -> Event {
        at(What::CommandFinished {
            id: id.into(),
            outcome: Outcome::Exited(0),
            wall: 2.0,
            verdict: Verdict::Passed,
            reason: "3 passed".into(),
        })
    }

    #[test]
    fn events_and_logs() {
        let dir = tempfile::tempdir().unwrap();
        let out = OutDir::create(&dir.path().join("o")).unwrap();
        let mut journal = Journal::create(&out).unwrap();
        for round in ["one\n", "two\n"] {
            journal.event(&started("t1"));
            journal.event(&output("t1", round));
            journal.event(&finished("t1"));
        }
        let text = fs::read_to_string(out.file("journal.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 6);
        assert_eq!(read_events(&text).len(), 4);
        assert!(
            text.contains(
                r#"{"log":{"number":2,"of":"t1","file":"logs/002-t1.log","bytes":4,"cut":false}}"#
            ),
            "{text}"
        );
        let log = |name: &str| fs::read_to_string(out.file("logs").join(name)).unwrap();
        assert_eq!(
            (log("001-t1.log"), log("002-t1.log")),
            ("one\n".into(), "two\n".into())
        );
        assert!(journal.take_error().is_none());
        drop(Journal::create(&out).unwrap());
        assert_eq!(fs::read_dir(out.file("logs")).unwrap().count(), 0);
    }

    #[test]
    fn a_journal_goes_on_after_a_kill() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("o");
        let out = OutDir::create(&path).unwrap();
        let mut journal = Journal::create(&out).unwrap();
        journal.event(&started("t1"));
        journal.event(&output("t1", "one\n"));
        drop(journal);
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(out.file("journal.jsonl"))
            .unwrap();
        file.write_all(b"{\"at\":2.0,\"event\":\"comm").unwrap();
        let text = fs::read_to_string(out.file("journal.jsonl")).unwrap();
        assert_eq!(read_events(&text).len(), 1);
        let mut journal = Journal::resume(&out).unwrap();
        journal.event(&output("t1", "two\n"));
        journal.event(&finished("t1"));
        let text = fs::read_to_string(out.file("journal.jsonl")).unwrap();
        assert_eq!((text.lines().count(), read_events(&text).len()), (3, 2));
        for line in text.lines() {
            serde_json::from_str::<JournalLine>(line).unwrap();
        }
        let log = |name: &str| fs::read_to_string(out.file("logs").join(name)).unwrap();
        assert_eq!(
            (log("001-t1.log"), log("002-t1.log")),
            ("one\n".into(), "two\n".into())
        );
    }

    #[test]
    fn raw_bytes_stay_as_they_are_and_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let out = OutDir::create(&dir.path().join("o")).unwrap();
        let mut journal = Journal::create(&out).unwrap();
        journal.limit = 8;
        journal.raw("../../etc/passwd", b"\x1b[1m\xff");
        journal.event(&output("../../etc/passwd", "cleaned"));
        journal.raw("../../etc/passwd", b"123456789");
        journal.raw("../../etc/passwd", b"more");
        journal.event(&finished("../../etc/passwd"));
        let kept = fs::read(out.file("logs/001-etc-passwd.log")).unwrap();
        assert_eq!(kept, b"\x1b[1m\xff123\n[envc: the rest was not kept]\n");
        let text = fs::read_to_string(out.file("journal.jsonl")).unwrap();
        assert!(text.contains(r#""bytes":18,"cut":true"#), "{text}");
    }

    #[test]
    fn a_full_disk_is_said_once() {
        let dir = tempfile::tempdir().unwrap();
        let out = OutDir::create(&dir.path().join("o")).unwrap();
        let mut journal = Journal::create(&out).unwrap();
        journal.lines = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        journal.event(&started("t1"));
        journal.event(&finished("t1"));
        assert!(matches!(journal.take_error(), Some(OutError::NoSpace(_))));
        journal.event(&finished("t1"));
        assert!(journal.take_error().is_none());
    }
}
