//! Step 3: each command gets a level and a runner, or the reason why it is left out.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::extract::Found;
use super::normal::normal;
use super::retrieve::{Known, join};
use super::rewrite::rewrite;
use super::rules::{Class, rules};
use super::{LeftOut, Level, shell};
use crate::evidence::{Because, Trust};
use crate::graph::EntryKind;

/// A command with its place in the pyramid.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub level: Level,
    pub command: String,
    pub dir: String,
    pub env: BTreeMap<String, String>,
    pub because: Vec<Because>,
    pub trust: Trust,
    pub rank: u8,
    pub confidence: f32,
    pub runner: Option<String>,
    pub probe: bool,
    pub added: bool,
    /// What the plan itself would run: never crowded out by others.
    pub planned: bool,
    pub in_build_dir: bool,
    pub before: Vec<(String, String)>,
    /// How many statements were put before it.
    pub before_joined: usize,
    /// Program that must be there, e.g. `tox`.
    pub needs_tool: Option<String>,
}

/// Variables of shell and system that every sandbox sets, or that the shell does.
const SYSTEM_VARIABLES: [&str; 17] = [
    "HOME", "PWD", "OLDPWD", "PATH", "USER", "SHELL", "TMPDIR", "LANG", "IFS", "UID", "EUID",
    "RANDOM", "HOSTNAME", "OSTYPE", "BASH", "SECONDS", "LINENO",
];

static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\$(?:\{([A-Za-z_]\w*)([:}+=?%#/\[-])?|([A-Za-z_]\w*))").expect("a literal")
});
/// `in.txt`, `data/a.csv`; not an option, an address, a version.
static LOOKS_LIKE_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[A-Za-z_./~*][^:=\s]*\.[A-Za-z][A-Za-z0-9]{0,5}$").expect("a literal")
});
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s;(])(?:for\s+|read\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)(?:=|\s+in\b|;|\s*$)")
        .expect("a literal")
});

pub fn classify(found: Vec<Found>, known: &Known) -> (Vec<Candidate>, Vec<LeftOut>) {
    let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
    for item in found {
        let (original, place) = (item.command.clone(), item.because.place.clone());
        match classify_one(item, known) {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => left_out.push(LeftOut {
                command: original,
                place,
                reason,
            }),
        }
    }
    (candidates, left_out)
}

/// Shell words that begin a decision or a loop.
const CONTROL: [&str; 5] = ["if ", "case ", "for ", "while ", "until "];

fn classify_one(mut item: Found, known: &Known) -> Result<Candidate, String> {
    let before = item.before.iter().any(|(_, text)| text.contains("${{"));
    if before
        || item.command.contains("${{")
        || item.unresolved.iter().any(|u| item.command.contains(u))
    {
        return Err("holds a variable that only its CI knows".into());
    }
    let (command, note) = rewrite(&item.command, &item.dir, known);
    if note.is_some() {
        item.compound =
            shell::statements(&command).is_none_or(|all| all.iter().any(|s| s.compound));
        item.note = note;
    }
    item.command = command;
    if let Some(name) = undefined(&item, known) {
        return Err(format!("needs the variable {name}, which nothing sets"));
    }
    let parts = if item.compound {
        shell::simple_commands(&item.command)
    } else {
        vec![item.command.clone()]
    };
    let normals: Vec<String> = parts.iter().map(|part| normal(part)).collect();
    if let Some(reason) = normals
        .iter()
        .find_map(|normal| rules().reason(normal, item.compound))
    {
        return Err(reason.to_owned());
    }
    let assigned: String = item
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value} "))
        .collect();
    if let Some(reason) = item
        .before
        .iter()
        .map(|(_, text)| text.clone())
        .chain([format!("{assigned}{}", item.command)])
        .find_map(|text| rules().raw_reason(&text))
    {
        return Err(reason.to_owned());
    }
    // Of a loop or a pipeline, its highest command says what the whole is.
    let class = normals
        .iter()
        .filter_map(|normal| rules().class(normal))
        .max_by_key(|class| class.level);
    let usage = normals
        .iter()
        .find_map(|normal| usage(normal, &item.dir, known));
    match (class, usage) {
        // Asking one of the repository's own programs for its help is a use of it, if a weak one.
        (Some(class), Some((Level::Runnability, _))) if class.probe => {
            Ok(example(item, (Level::Runnability, class.confidence)))
        }
        (Some(class), None) if class.probe && !is_own(&normals, known) => {
            Err("asks a tool of the environment, not a part of this repository".into())
        }
        (Some(class), _) => match lacking(&normals, &item.dir, known).filter(|_| class.reads_files)
        {
            Some(file) => Err(format!(
                "needs the file {file}, which the repository does not have"
            )),
            None => Ok(candidate(item, class)),
        },
        // Nobody but its CI has use for what a workflow decides by its own variables.
        (None, Some(_)) if CONTROL.iter().any(|word| item.command.starts_with(word)) => {
            Err("is a decision of its CI, not a use of the repository".into())
        }
        (None, Some(level_and_confidence)) => match lacking(&normals, &item.dir, known) {
            Some(file) => Err(format!(
                "needs the file {file}, which the repository does not have"
            )),
            None => Ok(example(item, level_and_confidence)),
        },
        (None, None) => Err("nothing says what it would prove".into()),
    }
}

fn candidate(item: Found, class: &Class) -> Candidate {
    let confidence = class.confidence * weight(item.trust, item.rank);
    Candidate {
        runner: class.runner.clone(),
        probe: class.probe,
        needs_tool: class.needs_tool.clone(),
        ..example(item, (class.level, confidence))
    }
}

fn example(item: Found, (level, confidence): (Level, f32)) -> Candidate {
    let mut because = item.because;
    if let Some(note) = item.note {
        because.text = format!("{}, {note}", because.text);
    }
    Candidate {
        level,
        command: item.command,
        dir: item.dir,
        env: item.env,
        because: vec![because],
        trust: item.trust,
        rank: item.rank,
        confidence,
        runner: None,
        probe: false,
        added: false,
        planned: false,
        in_build_dir: item.in_build_dir,
        before: item.before,
        before_joined: 0,
        needs_tool: None,
    }
}

/// What ran on somebody's machine is surer than what somebody wrote down.
fn weight(trust: Trust, rank: u8) -> f32 {
    match trust {
        Trust::Ci => 1.0,
        Trust::TaskRunner => 0.95,
        Trust::Manifest => 0.85,
        Trust::Document => 0.6 + 0.05 * f32::from(rank),
        _ => 0.6,
    }
}

/// A documented use of what the repository provides: one of its commands, or one of its files, with arguments.
fn usage(normal: &str, dir: &str, known: &Known) -> Option<(Level, f32)> {
    let words = shlex::split(normal)?;
    let first = words.first()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_command = |entry: &super::retrieve::Entry| {
        let reached = match entry.kind {
            EntryKind::Library => false,
            EntryKind::Command => true,
            EntryKind::Script => known.files.contains(&join(dir, first)),
        };
        reached && (entry.name == *name || entry.name == *first)
    };
    if known.entries.iter().any(is_command) {
        return Some((Level::Runnability, 0.6));
    }
    let script = match first.as_str() {
        "python" | "bash" | "sh" | "perl" | "ruby" | "node" | "lua" => words.get(1)?,
        path if path.contains('/') && is_program(path) => path,
        _ => return None,
    };
    if !known.files.contains(&join(dir, script)) {
        return None;
    }
    let tests = script.split(['/', '_', '-', '.']).any(|part| {
        matches!(
            part.to_ascii_lowercase().as_str(),
            "test" | "tests" | "runtests" | "check"
        )
    });
    match tests {
        true => Some((Level::Testability, 0.5)),
        false if super::aside::is_maintainers(&join(dir, script)) => None,
        false => Some((Level::Runnability, 0.5)),
    }
}

/// A probe of what this repository builds or provides, rather than of a tool that happens to be installed.
fn is_own(normals: &[String], known: &Known) -> bool {
    normals.iter().any(|normal| {
        let first = normal.split(' ').next().unwrap_or_default();
        let imports = matches!(first, "python" | "node");
        imports || first.contains('/') || known.entries.iter().any(|entry| entry.name == first)
    })
}

/// A file that can be run as it is, by its name.
fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        None => true,
        Some((_, end)) => matches!(end, "sh" | "bash" | "py" | "pl" | "rb" | "js" | "lua"),
    }
}

/// The first file that a documented use reads and the repository does not have: an example with a file of the
/// reader's would fail in the best of environments. What an option writes to is not read.
fn lacking(normals: &[String], dir: &str, known: &Known) -> Option<String> {
    normals.iter().find_map(|normal| {
        let words = shlex::split(normal)?;
        if let Some(dir) = make_dir(&words).filter(|at| {
            let at = join(dir, at);
            !known.dirs.contains(&at) && !known.build_dirs.contains(&at)
        }) {
            return Some(dir.to_owned());
        }
        // A script beside the sources is there or comes from elsewhere; `configure` alone may be generated first.
        let script = words.first().filter(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            let known_script = matches!(name, "config" | "Configure" | "bootstrap" | "buildconf");
            word.starts_with('.') && (known_script || name.ends_with(".sh"))
        });
        if let Some(script) = script.filter(|word| !known.files.contains(&join(dir, word))) {
            return Some(script.clone());
        }
        let pairs = words.iter().zip(words.iter().skip(1));
        for (before, word) in pairs {
            // What follows an option is mostly written to or looked up elsewhere.
            let of_option = before.starts_with(['-', '>'])
                && !matches!(before.as_str(), "-r" | "--requirement");
            let path = word.split("::").next().unwrap_or(word);
            if !of_option && LOOKS_LIKE_FILE.is_match(path) {
                let there = known.files.contains(&join(dir, path));
                return (!there).then(|| path.to_owned());
            }
        }
        None
    })
}

/// The directory that `make -C DIR` and `cargo … --path DIR` work in.
fn make_dir(words: &[String]) -> Option<&str> {
    let option = match words.first()?.as_str() {
        "make" | "gmake" => "-C",
        "cargo" => "--path",
        _ => return None,
    };
    let at = words.iter().position(|word| word == option)?;
    words
        .get(at + 1)
        .map(|dir| dir.as_str())
        .filter(|dir| !dir.contains('$'))
}

/// A variable that neither the command, its step nor the script sets. `${X:-default}` needs none, and what stands
/// between single quotes is not the shell's.
fn undefined(item: &Found, known: &Known) -> Option<String> {
    let text: String = item
        .command
        .split('\'')
        .step_by(2)
        .collect::<Vec<_>>()
        .join(" ");
    let assigned: Vec<&str> = ASSIGNED
        .captures_iter(&text)
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
        .collect();
    VARIABLE.captures_iter(&text).find_map(|found| {
        let name = found.get(1).or_else(|| found.get(3))?.as_str();
        let defaulted = found
            .get(2)
            .is_some_and(|op| matches!(op.as_str(), ":" | "-" | "=" | "+"));
        let set = item.env.contains_key(name)
            || known.variables.contains(name)
            || SYSTEM_VARIABLES.contains(&name)
            || assigned.contains(&name);
        (!defaulted && !set).then(|| name.to_owned())
    })
}
