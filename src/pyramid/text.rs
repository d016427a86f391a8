//! The pyramid for people.

use std::fmt::Write as _;

use super::{Level, Pyramid, PyramidCommand};
use crate::graph::printable;

/// `envc pyramid`: the commands by level; with `verbose`, all their reasons and what was left out and why.
pub fn text(pyramid: &Pyramid, verbose: bool) -> String {
    let mut out = String::new();
    for level in Level::ALL {
        let _ = writeln!(out, "{}", level.name());
        let mut any = false;
        for command in pyramid.level(level) {
            any = true;
            write_command(&mut out, command, verbose);
        }
        if !any {
            let _ = writeln!(out, "  no command: nothing in the repository says how");
        }
    }
    let number = pyramid.left_out.len();
    if verbose && number > 0 {
        let _ = writeln!(out, "left out");
        for item in &pyramid.left_out {
            let place = item
                .place
                .as_ref()
                .map_or_else(String::new, |p| format!(" ({})", printable(&p.to_string())));
            let _ = writeln!(
                out,
                "  {}: {}{place}",
                one_line(&item.command),
                printable(&item.reason)
            );
        }
    } else if number > 0 {
        let _ = writeln!(out, "{number} left out (-v says why)");
    }
    out
}

fn write_command(out: &mut String, command: &PyramidCommand, verbose: bool) {
    let mut lines = command.command.lines().map(printable);
    let first = lines.next().unwrap_or_default();
    let _ = writeln!(out, "  {:<3} {first}", command.id);
    for line in lines {
        let _ = writeln!(out, "      {line}");
    }
    let mut facts = Vec::new();
    if !command.dir.is_empty() {
        facts.push(format!("in {}", printable(&command.dir)));
    }
    facts.extend(
        command
            .env
            .iter()
            .map(|(name, value)| printable(&format!("{name}={value}"))),
    );
    if let Some(runner) = &command.runner {
        facts.push(format!("reported by {runner}"));
    }
    if command.added {
        facts.push("added".to_owned());
    }
    facts.push(format!("{:.0} %", command.confidence * 100.0));
    let _ = writeln!(out, "      {}", facts.join(", "));
    let shown = if verbose { command.because.len() } else { 1 };
    for because in command.because.iter().take(shown) {
        let _ = writeln!(out, "      because {}", one_line(&because.to_string()));
    }
}

fn one_line(text: &str) -> String {
    let mut line = printable(text.lines().next().unwrap_or_default());
    if line.chars().count() > 100 {
        line = line.chars().take(99).collect::<String>() + "…";
    } else if text.lines().nth(1).is_some() {
        line.push('…');
    }
    line
}
