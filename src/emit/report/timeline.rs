//! The run over time: bars for layers and commands, marks for repairs, in the units of the drawing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::emit::progress::words::{
    Mark, duration, layer_name, level_word, line_of, outcome_text, verdict_mark,
};
use crate::emit::terminal::{one_line, shorten};
use crate::pyramid::Level;
use crate::run::{Event, What};

/// Left edge and width of the time axis.
const LEFT: f64 = 130.0;
const WIDTH: f64 = 850.0;
const LANE: f64 = 30.0;
const TOP: f64 = 10.0;
/// Bars, marks and rows shown at most: a run of thousands of commands stays a page.
const MOST: usize = 400;

/// One bar before it is placed.
struct Bar {
    lane: String,
    /// Orders the lanes: layers first, then levels.
    order: u8,
    from: f64,
    to: f64,
    class: &'static str,
    title: String,
}

pub fn timeline(events: &[Event]) -> Value {
    let end = events
        .iter()
        .map(|event| event.at)
        .filter(|at| at.is_finite())
        .fold(0.001, f64::max);
    let bars = bars(events);
    let mut lanes: Vec<(u8, &str)> = bars
        .iter()
        .map(|bar| (bar.order, bar.lane.as_str()))
        .collect();
    lanes.sort_unstable();
    lanes.dedup();
    let marks = marks(events, end, TOP + LANE * lanes.len() as f64);
    let height = TOP + LANE * (lanes.len() as f64 + 1.0);
    let lane_of = |bar: &Bar| {
        lanes
            .iter()
            .position(|lane| lane.1 == bar.lane)
            .unwrap_or(0)
    };
    let rows = bars.iter().map(|bar| {
        let x = place(bar.from, end);
        json!({
            "x": round(x),
            "y": round(TOP + LANE * lane_of(bar) as f64 + 5.0),
            "width": round((place(bar.to, end) - x).max(2.0)),
            "class": bar.class,
            "title": bar.title,
        })
    });
    let labels = lanes.iter().enumerate().map(|(at, (_, name))| {
        json!({ "y": round(TOP + LANE * at as f64 + 20.0), "line": round(TOP + LANE * (at + 1) as f64), "name": name })
    });
    json!({
        "any": !bars.is_empty(),
        "height": round(height + 24.0),
        "axis": round(height),
        "bars": rows.collect::<Vec<_>>(),
        "lanes": labels.collect::<Vec<_>>(),
        "repairs_y": round(height - LANE + 20.0),
        "marks": marks,
        "ticks": ticks(end, height),
        "steps": steps(events),
    })
}

fn place(at: f64, end: f64) -> f64 {
    LEFT + (at / end).clamp(0.0, 1.0) * WIDTH
}

fn round(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn bars(events: &[Event]) -> Vec<Bar> {
    let mut started: BTreeMap<&str, (Level, String)> = BTreeMap::new();
    let mut bars = Vec::new();
    for event in events {
        match &event.what {
            What::CommandStarted { id, level, command } => {
                started.insert(id, (*level, one_line(command)));
            }
            What::CommandFinished { id, .. } => {
                let begun = started.remove(id.as_str());
                bars.extend(begun.and_then(|(level, text)| command_bar(event, level, &text)));
            }
            What::LayerFinished { .. } => bars.extend(layer_bar(event)),
            _ => {}
        }
    }
    bars.truncate(MOST);
    bars
}

fn command_bar(event: &Event, level: Level, command: &str) -> Option<Bar> {
    let What::CommandFinished {
        id,
        wall,
        verdict,
        reason,
        ..
    } = &event.what
    else {
        return None;
    };
    let short = shorten(command, 80);
    let title = format!("{id} {short}: {reason}, {}", duration(*wall));
    Some(Bar {
        lane: format!("{} level", level_word(level)),
        order: match level {
            Level::Installability => 10,
            Level::Testability => 11,
            Level::Runnability => 12,
        },
        from: event.at - wall,
        to: event.at,
        class: class_of(verdict_mark(*verdict)),
        title: one_line(&title),
    })
}

fn layer_bar(event: &Event) -> Option<Bar> {
    let What::LayerFinished {
        layer,
        outcome,
        wall,
        reused,
    } = &event.what
    else {
        return None;
    };
    let (wall, how) = match reused {
        true => (0.0, "as before".to_owned()),
        false => (*wall, duration(*wall)),
    };
    let name = layer_name(*layer);
    Some(Bar {
        title: format!("{name}: {}, {how}", outcome_text(*outcome)),
        lane: name,
        order: *layer,
        from: event.at - wall,
        to: event.at,
        class: match (outcome.ok(), reused) {
            (true, true) => "skipped",
            (true, false) => "passed",
            (false, _) => "failed",
        },
    })
}

fn class_of(mark: Mark) -> &'static str {
    match mark {
        Mark::Good => "passed",
        Mark::Bad => "failed",
        Mark::Neutral => "code",
        _ => "skipped",
    }
}

/// Repairs as diamonds on the last lane, the replay as a line through all of them.
fn marks(events: &[Event], end: f64, y: f64) -> Vec<Value> {
    let mark = |event: &Event| {
        let (class, title) = match &event.what {
            What::EditKept { edit } => ("kept", format!("kept: {edit}")),
            What::EditDropped { edit, reason } => ("dropped", format!("dropped: {edit}; {reason}")),
            What::Resumed { from } => (
                "replay",
                format!("a run that had stopped goes on after {from}"),
            ),
            What::Replay { why } => ("replay", format!("replay from the clean base: {why}")),
            _ => return None,
        };
        let (x, y) = (place(event.at, end), y + LANE / 2.0);
        let diamond = format!(
            "{:.1},{:.1} {:.1},{:.1} {:.1},{:.1} {:.1},{:.1}",
            x,
            y - 7.0,
            x + 7.0,
            y,
            x,
            y + 7.0,
            x - 7.0,
            y
        );
        Some(json!({
            "x": round(x), "points": diamond, "class": class, "line": class == "replay", "title": one_line(&title),
        }))
    };
    events.iter().filter_map(mark).take(MOST).collect()
}

/// Between three and seven round times on the axis.
fn ticks(end: f64, height: f64) -> Vec<Value> {
    const STEPS: [f64; 18] = [
        0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 3600.0,
        7200.0, 21600.0, 86400.0,
    ];
    let step = STEPS
        .into_iter()
        .find(|step| end / step <= 7.0)
        .unwrap_or(end / 5.0);
    let count = (end / step).floor() as usize;
    (0..=count.min(10))
        .map(|n| {
            let at = n as f64 * step;
            let text = if n == 0 { "0".to_owned() } else { short(at) };
            json!({ "x": round(place(at, end)), "y": round(height + 16.0), "bottom": round(height), "text": text })
        })
        .collect()
}

fn short(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

/// The same in words, for who does not see the drawing.
fn steps(events: &[Event]) -> Vec<Value> {
    let mut commands: BTreeMap<&str, &str> = BTreeMap::new();
    let mut steps = Vec::new();
    for event in events {
        if let What::CommandStarted { id, command, .. } = &event.what {
            commands.insert(id, command);
        }
        let command = |id: &str| commands.get(id).copied().unwrap_or_default().to_owned();
        if let Some(line) = line_of(event, command)
            && steps.len() < MOST
        {
            steps.push(json!({
                "at": duration(event.at), "class": class_of(line.mark), "sign": line.mark.sign(true),
                "text": line.text, "detail": line.detail,
            }));
        }
    }
    steps
}
