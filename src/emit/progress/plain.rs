//! Progress for pipes and CI logs: one line an event, no control characters.

use std::collections::BTreeMap;
use std::io::Write;

use super::Verbosity;
use super::lines::Lines;
use super::words::{Line, Mark, line_of, status_of};
use crate::run::{Event, Observer, Verdict, What};

/// Lines of output that are shown of what failed.
const SHOWN: usize = 20;

/// Writes lines such as `[  12.3] ok layer 3 base (8.2 s)`.
pub struct Plain<W: Write + Send> {
    out: W,
    verbosity: Verbosity,
    commands: BTreeMap<String, String>,
    lines: Lines,
}

impl<W: Write + Send> Plain<W> {
    pub fn new(out: W, verbosity: Verbosity) -> Self {
        Self {
            out,
            verbosity,
            commands: BTreeMap::new(),
            lines: Lines::new(SHOWN),
        }
    }

    fn print(&mut self, text: &str) {
        // A pipe whose reader went away must not end the run.
        let _ = writeln!(self.out, "{text}");
    }

    fn show(&mut self, at: f64, line: &Line) {
        let detail = match line.detail.as_str() {
            "" => String::new(),
            detail => format!(" ({detail})"),
        };
        let sign = line.mark.sign(false);
        self.print(&format!("[{at:7.1}] {sign} {}{detail}", line.text));
    }

    fn output(&mut self, text: &str) {
        for line in self.lines.push(text) {
            if self.verbosity == Verbosity::Verbose {
                self.print(&format!("    | {line}"));
            }
        }
    }

    fn finish_output(&mut self, failed: bool) {
        let rest = self.lines.finish();
        if self.verbosity == Verbosity::Verbose {
            if let Some(line) = rest {
                self.print(&format!("    | {line}"));
            }
        } else if failed {
            let last: Vec<String> = self.lines.last().map(|l| format!("    | {l}")).collect();
            for line in last {
                self.print(&line);
            }
        }
        self.lines.clear();
    }
}

impl<W: Write + Send> Observer for Plain<W> {
    fn event(&mut self, event: &Event) {
        match &event.what {
            What::Output { text, .. } => return self.output(text),
            What::CommandStarted { id, command, .. } => {
                self.commands.insert(id.clone(), command.clone());
            }
            _ => {}
        }
        if let Some(status) = status_of(event) {
            self.lines.clear();
            let line = Line {
                mark: Mark::Heading,
                text: status,
                detail: String::new(),
            };
            self.show(event.at, &line);
        }
        let commands = &self.commands;
        let command = |id: &str| commands.get(id).cloned().unwrap_or_default();
        if let Some(line) = line_of(event, command) {
            match &event.what {
                What::LayerFinished { outcome, .. } => self.finish_output(!outcome.ok()),
                What::CommandFinished { verdict, .. } => {
                    self.finish_output(*verdict == Verdict::Failed);
                }
                _ => {}
            }
            self.show(event.at, &line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::progress::tests_events::events;

    fn printed(verbosity: Verbosity) -> String {
        let mut out = Vec::new();
        let mut plain = Plain::new(&mut out, verbosity);
        for event in events() {
            plain.event(&event);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_run_in_plain_lines() {
        insta::assert_snapshot!(printed(Verbosity::Normal));
    }

    #[test]
    fn verbose_shows_output_and_no_control_characters() {
        let text = printed(Verbosity::Verbose);
        assert!(text.contains("    | Get:1 packages\n"), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }
}
