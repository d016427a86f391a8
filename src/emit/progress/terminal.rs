//! Progress for a person: finished things stay as lines, what is running is shown below them, alive.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::{OwoColorize, Style};

use super::Verbosity;
use super::lines::Lines;
use super::words::{Line, Mark, line_of, status_of};
use crate::emit::terminal::shorten;
use crate::run::{Event, Observer, Verdict, What};

/// Lines of the running command's output that are shown while it runs.
const TAIL: usize = 4;
/// The same of a command that failed, after its end.
const AFTER_FAILURE: usize = 10;
/// Redraws a second at most.
const RATE: u8 = 12;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    colour: bool,
    unicode: bool,
}

/// Draws on standard error.
pub struct Terminal {
    screen: MultiProgress,
    status: Option<ProgressBar>,
    tail: Vec<ProgressBar>,
    lines: Lines,
    commands: BTreeMap<String, String>,
    /// A stage whose heading is printed as soon as something stands below it.
    heading: Option<String>,
    /// Lines stand below the heading of a stage.
    nested: bool,
    look: Look,
    verbosity: Verbosity,
}

impl Terminal {
    pub fn new(verbosity: Verbosity) -> Self {
        let choice = anstream::AutoStream::choice(&std::io::stderr());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty());
        Self {
            screen: MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(RATE)),
            status: None,
            tail: Vec::new(),
            lines: Lines::new(AFTER_FAILURE),
            commands: BTreeMap::new(),
            heading: None,
            nested: false,
            look: Look {
                colour: choice != anstream::ColorChoice::Never,
                unicode: speaks_utf8(locale.as_deref()),
            },
            verbosity,
        }
    }

    fn print(&self, text: &str) {
        // Standard error may be gone; the journal has everything.
        let _ = self.screen.println(text);
    }

    fn show(&mut self, line: &Line) {
        if let Some(stage) = self.heading.take() {
            let sign = Mark::Heading.sign(self.look.unicode);
            self.print(&self.paint(&format!("{sign} {stage}"), Style::new().bold()));
            self.nested = true;
        }
        let indent = if self.nested { "  " } else { "" };
        self.print(&format!("{indent}{}", self.rendered(line, columns())));
    }

    fn rendered(&self, line: &Line, columns: usize) -> String {
        let sign = line.mark.sign(self.look.unicode);
        // Sign, two spaces of indent and two between text and detail.
        let room = columns.saturating_sub(sign.len() + 5).max(10);
        let text = shorten(&line.text, room);
        let left = room.saturating_sub(text.chars().count());
        let detail = match left {
            0..8 => String::new(),
            _ => shorten(&line.detail, left).into_owned(),
        };
        let style = mark_style(line.mark);
        let mut shown = format!("{} {text}", self.paint(sign, style));
        if !detail.is_empty() {
            shown.push_str("  ");
            shown.push_str(&self.paint(&detail, Style::new().dimmed()));
        }
        self.in_charset(&shown)
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.look.colour {
            text.style(style).to_string()
        } else {
            text.to_owned()
        }
    }

    /// Without a UTF-8 locale, what is not ASCII would show as garbage.
    fn in_charset(&self, text: &str) -> String {
        if self.look.unicode {
            return text.to_owned();
        }
        text.chars()
            .map(|c| match c {
                '…' => '.',
                '–' | '—' => '-',
                c if c.is_ascii() => c,
                _ => '?',
            })
            .collect()
    }

    fn begin(&mut self, status: &str) {
        self.end();
        self.lines.clear();
        let bar = self.screen.add(ProgressBar::new_spinner());
        let template = if self.nested || self.heading.is_some() {
            "  {spinner:.cyan} {wide_msg} {elapsed:.dim}"
        } else {
            "{spinner:.cyan} {wide_msg} {elapsed:.dim}"
        };
        let ticks = if self.look.unicode {
            "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "
        } else {
            "|/-\\ "
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.tick_chars(ticks));
        }
        bar.set_message(self.in_charset(status));
        bar.enable_steady_tick(Duration::from_millis(120));
        self.status = Some(bar);
    }

    /// Takes what is alive off the screen.
    fn end(&mut self) {
        for bar in self.tail.drain(..).chain(self.status.take()) {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
    }

    fn output(&mut self, piece: &str) {
        let complete = self.lines.push(piece);
        if self.verbosity == Verbosity::Verbose {
            for line in complete {
                let line = self.in_charset(&line);
                self.print(&self.paint(&format!("    {line}"), Style::new().dimmed()));
            }
            return;
        }
        if self.status.is_none() {
            return;
        }
        let mut shown: Vec<String> = self
            .lines
            .last()
            .rev()
            .take(TAIL)
            .map(str::to_owned)
            .collect();
        shown.reverse();
        while self.tail.len() < shown.len() {
            let bar = self.screen.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("    {wide_msg:.dim}") {
                bar.set_style(style);
            }
            self.tail.push(bar);
        }
        for (bar, line) in self.tail.iter().zip(&shown) {
            bar.set_message(self.in_charset(line));
        }
    }

    /// The last lines of something that failed.
    fn show_failure(&mut self) {
        let rest = self.lines.finish();
        if self.verbosity == Verbosity::Verbose {
            if let Some(line) = rest {
                self.print(&format!("    {line}"));
            }
            return;
        }
        let bar = if self.look.unicode { "│" } else { "|" };
        for line in self.lines.last() {
            let line = shorten(line, columns().saturating_sub(6));
            let line = self.in_charset(&line);
            self.print(&self.paint(&format!("    {bar} {line}"), Style::new().dimmed()));
        }
    }
}

impl Observer for Terminal {
    fn event(&mut self, event: &Event) {
        match &event.what {
            What::Output { text, .. } => return self.output(text),
            What::StageStarted { stage } => {
                self.heading = Some(stage.clone());
                self.nested = false;
            }
            What::CommandStarted { id, command, .. } => {
                self.commands.insert(id.clone(), command.clone());
            }
            What::StageFinished { .. } | What::Finished { .. } => {
                // A stage without lines of its own is one line in all.
                self.heading = None;
                self.nested = false;
            }
            _ => {}
        }
        if let Some(status) = status_of(event) {
            self.begin(&status);
        }
        let commands = &self.commands;
        let command = |id: &str| commands.get(id).cloned().unwrap_or_default();
        let Some(line) = line_of(event, command) else {
            return;
        };
        if ends_something(&event.what) {
            self.end();
        }
        self.show(&line);
        if failed(&event.what) {
            self.show_failure();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
    }
}

fn ends_something(what: &What) -> bool {
    matches!(
        what,
        What::StageFinished { .. }
            | What::LayerFinished { .. }
            | What::CommandFinished { .. }
            | What::Finished { .. }
    )
}

fn failed(what: &What) -> bool {
    match what {
        What::LayerFinished { outcome, .. } => !outcome.ok(),
        What::CommandFinished { verdict, .. } => *verdict == Verdict::Failed,
        _ => false,
    }
}

fn mark_style(mark: Mark) -> Style {
    let style = Style::new();
    match mark {
        Mark::Heading => style.bold(),
        Mark::Good => style.green(),
        Mark::Bad => style.red().bold(),
        Mark::Neutral => style.cyan(),
        Mark::Skipped => style.dimmed(),
        Mark::Repair => style.magenta(),
        Mark::Warning => style.yellow().bold(),
    }
}

/// True when the locale's name says UTF-8; the POSIX locale is ASCII.
fn speaks_utf8(locale: Option<&str>) -> bool {
    locale.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}

/// Width of the terminal at standard error, 80 where it does not say.
fn columns() -> usize {
    rustix::termios::tcgetwinsize(rustix::stdio::stderr())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns >= 20)
        .unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::progress::tests_events::events;

    fn terminal(colour: bool, unicode: bool) -> Terminal {
        let mut terminal = Terminal::new(Verbosity::Normal);
        terminal.look = Look { colour, unicode };
        terminal.screen = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        terminal
    }

    fn rendered(terminal: &Terminal, columns: usize) -> String {
        let line = Line {
            mark: Mark::Good,
            text: "t1  ctest --test-dir größe".into(),
            detail: "25 passed, 8.2 s".into(),
        };
        terminal.rendered(&line, columns)
    }

    #[test]
    fn lines_fit_the_terminal() {
        let plain = terminal(false, true);
        insta::assert_snapshot!(rendered(&plain, 80), @"✓ t1  ctest --test-dir größe  25 passed, 8.2 s");
        insta::assert_snapshot!(rendered(&plain, 44), @"✓ t1  ctest --test-dir größe  25 passed…");
        insta::assert_snapshot!(rendered(&plain, 24), @"✓ t1  ctest --tes…");
        insta::assert_snapshot!(rendered(&terminal(false, false), 80), @"ok t1  ctest --test-dir gr??e  25 passed, 8.2 s");
        assert!(rendered(&terminal(true, true), 80).contains("\u{1b}[32m✓"));
    }

    #[test]
    fn a_whole_run_leaves_nothing_alive() {
        let mut terminal = terminal(false, true);
        for event in events() {
            terminal.event(&event);
        }
        assert!(terminal.status.is_none() && terminal.tail.is_empty());
    }

    #[test]
    fn locales() {
        assert!(speaks_utf8(Some("de_DE.UTF-8")) && speaks_utf8(Some("C.utf8")));
        assert!(!speaks_utf8(Some("de_DE@euro")) && !speaks_utf8(None));
    }
}
