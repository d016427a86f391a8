//! Who is told of a run while it runs: a person at a terminal, a log, a machine.

mod lines;
mod plain;
mod terminal;
#[cfg(test)]
pub(crate) mod tests_events;
pub(crate) mod words;

use std::io::Write;

pub use plain::Plain;
pub use terminal::Terminal;

use crate::run::{Event, Observer};

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// `-q`: the verdict.
    Quiet,
    #[default]
    Normal,
    /// `-v`: every line that a command prints.
    Verbose,
}

/// The observer that a user of the command line gets. Progress goes to standard error; events as JSON to
/// standard output. `is_terminal` is about standard error.
pub fn for_user(verbosity: Verbosity, json_events: bool, is_terminal: bool) -> Box<dyn Observer> {
    let person: Box<dyn Observer> = match verbosity {
        Verbosity::Quiet => Box::new(Quiet),
        _ if is_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb") => {
            Box::new(Terminal::new(verbosity))
        }
        _ => Box::new(Plain::new(std::io::stderr(), verbosity)),
    };
    if !json_events {
        return person;
    }
    let machine = Box::new(JsonEvents::new(std::io::stdout()));
    // Progress between the events would only disturb where both go to one place.
    if is_terminal {
        machine
    } else {
        Box::new(Tee(vec![machine, person]))
    }
}

/// Tells several observers, in order.
pub struct Tee(pub Vec<Box<dyn Observer>>);

impl Observer for Tee {
    fn event(&mut self, event: &Event) {
        for observer in &mut self.0 {
            observer.event(event);
        }
    }
}

/// Says nothing: the verdict is the caller's to print.
pub struct Quiet;

impl Observer for Quiet {
    fn event(&mut self, _event: &Event) {}
}

/// One JSON object a line, as in the journal.
pub struct JsonEvents<W: Write + Send> {
    out: W,
}

impl<W: Write + Send> JsonEvents<W> {
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Observer for JsonEvents<W> {
    fn event(&mut self, event: &Event) {
        if let Ok(mut line) = serde_json::to_vec(event) {
            line.push(b'\n');
            // A reader that went away must not end the run; the journal has everything.
            let _ = self.out.write_all(&line).and_then(|()| self.out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::What;

    #[test]
    fn json_lines() {
        let mut out = Vec::new();
        JsonEvents::new(&mut out).event(&Event {
            at: 0.5,
            what: What::Warning {
                text: "a\nb".into(),
            },
        });
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"at\":0.5,\"event\":\"warning\",\"text\":\"a\\nb\"}\n"
        );
    }
}
