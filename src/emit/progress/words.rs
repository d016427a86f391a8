//! An event in words, the same for a terminal and for a pipe.

use crate::emit::terminal::one_line;
use crate::pyramid::Level;
use crate::run::{Event, Verdict, What};
use crate::sandbox::Outcome;

/// What a line is about, for its sign and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Heading,
    Good,
    Bad,
    /// Ran, but the code of the repository failed; or was reused.
    Neutral,
    Skipped,
    Repair,
    Warning,
}

impl Mark {
    /// The sign on a terminal that can show it, and in ASCII.
    pub fn sign(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Self::Heading, true) => "▸",
            (Self::Heading, false) => ">",
            (Self::Good, true) => "✓",
            (Self::Good, false) => "ok",
            (Self::Bad, true) => "✗",
            (Self::Bad, false) => "FAILED",
            (Self::Neutral, true) => "◦",
            (Self::Neutral, false) => "~",
            (Self::Skipped, true) => "–",
            (Self::Skipped, false) => "-",
            (Self::Repair, true) => "↻",
            (Self::Repair, false) => "*",
            (Self::Warning, _) => "!",
        }
    }
}

/// A line to be shown when its event happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub mark: Mark,
    pub text: String,
    /// Less important: time, reason.
    pub detail: String,
}

fn line(mark: Mark, text: impl AsRef<str>, detail: impl AsRef<str>) -> Option<Line> {
    Some(Line {
        mark,
        text: one_line(text.as_ref()),
        detail: one_line(detail.as_ref()),
    })
}

/// The line of an event that ends or explains something; `None` for what is only going on. `command` gives the text of a
/// pyramid command by its id.
pub fn line_of(event: &Event, command: impl Fn(&str) -> String) -> Option<Line> {
    match &event.what {
        What::StageFinished {
            stage,
            wall,
            summary,
        } => line(Mark::Good, stage, with(summary, &duration(*wall))),
        What::LayerFinished {
            layer,
            outcome,
            wall,
            reused,
        } => layer_line(*layer, *outcome, *wall, *reused),
        What::CommandFinished {
            id,
            wall,
            verdict,
            reason,
            ..
        } => line(
            verdict_mark(*verdict),
            format!("{id}  {}", command(id)),
            with(reason, &duration(*wall)),
        ),
        What::Diagnosed { failure } => line(Mark::Warning, &failure.title, where_of(failure)),
        What::EditTried { edit, because } => line(Mark::Repair, format!("try: {edit}"), because),
        What::EditKept { edit } => line(Mark::Repair, format!("kept: {edit}"), ""),
        What::EditDropped { edit, reason } => {
            line(Mark::Repair, format!("dropped: {edit}"), reason)
        }
        What::Replay { why } => line(Mark::Heading, "replay from the clean base", why),
        What::Resumed { from } => line(
            Mark::Heading,
            "an earlier run goes on",
            format!("after {from}"),
        ),
        What::Warning { text } => line(Mark::Warning, text, ""),
        What::Finished { reached, reason } => match reached {
            Some(level) => line(Mark::Good, format!("reached {}", level.name()), reason),
            None => line(Mark::Bad, "no level reached", reason),
        },
        What::StageStarted { .. }
        | What::LayerStarted { .. }
        | What::CommandStarted { .. }
        | What::Output { .. } => None,
    }
}

fn layer_line(layer: u8, outcome: Outcome, wall: f64, reused: bool) -> Option<Line> {
    let (mark, detail) = match (outcome.ok(), reused) {
        (true, true) => (Mark::Neutral, "as before".to_owned()),
        (true, false) => (Mark::Good, duration(wall)),
        (false, _) => (Mark::Bad, with(&outcome_text(outcome), &duration(wall))),
    };
    line(mark, layer_name(layer), detail)
}

/// What is going on from this event on, for a status line.
pub fn status_of(event: &Event) -> Option<String> {
    Some(one_line(&match &event.what {
        What::StageStarted { stage } => stage.clone(),
        What::LayerStarted { layer, attempt: 0 } => layer_name(*layer),
        What::LayerStarted { layer, attempt } => {
            format!("{}, repair {attempt}", layer_name(*layer))
        }
        What::CommandStarted { id, level, command } => {
            format!("{} {id}: {command}", level_word(*level))
        }
        _ => return None,
    }))
}

fn where_of(failure: &crate::diagnose::Failure) -> String {
    match (&failure.step, failure.layer) {
        (Some(step), _) => format!("in {step}"),
        (None, Some(layer)) => format!("in {}", layer_name(layer)),
        (None, None) => String::new(),
    }
}

fn with(reason: &str, time: &str) -> String {
    if reason.is_empty() {
        time.to_owned()
    } else {
        format!("{reason}, {time}")
    }
}

pub fn level_word(level: Level) -> &'static str {
    match level {
        Level::Installability => "install",
        Level::Testability => "test",
        Level::Runnability => "run",
    }
}

pub fn verdict_mark(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::Passed => Mark::Good,
        Verdict::RepositoryFails => Mark::Neutral,
        Verdict::Failed => Mark::Bad,
        Verdict::NotTried => Mark::Skipped,
    }
}

/// Number and name of a layer, e.g. `layer 5 project`.
pub fn layer_name(layer: u8) -> String {
    let name = match layer {
        1 => "context",
        2 => "system",
        3 => "base",
        4 => "runtimes",
        5 => "project",
        6 => "main",
        _ => "",
    };
    format!("layer {layer} {name}").trim_end().to_owned()
}

/// `exit 2`, `out of memory`, …
pub fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exit {code}"),
        Outcome::Signalled(signal) => format!("signal {signal}"),
        Outcome::TimedOut => "out of time".into(),
        Outcome::Silent => "silent for too long".into(),
        Outcome::OutputLimit => "too much output".into(),
        Outcome::OutOfMemory => "out of memory".into(),
        Outcome::DiskLimit => "too much disk space".into(),
        Outcome::Interrupted => "interrupted".into(),
    }
}

/// Seconds for people: `40 ms`, `8.2 s`, `3 min 05 s`, `1 h 02 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".into();
    }
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 0.9995 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 59.95 => format!("{seconds:.1} s"),
        0..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases = [
            (0.04, "40 ms"),
            (0.9996, "1.0 s"),
            (8.21, "8.2 s"),
            (59.96, "1 min 00 s"),
            (185.0, "3 min 05 s"),
            (3725.0, "1 h 02 min"),
            (f64::NAN, "?"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }
}
