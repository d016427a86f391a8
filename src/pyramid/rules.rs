//! What commands are and which of them are left out, as data: `knowledge/pyramid/`.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use regex::bytes::{RegexSet, RegexSetBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Level;

static LEAVE_OUT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/knowledge/pyramid/leave-out");
static CLASSES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/knowledge/pyramid/classes");

/// A reason to leave commands out. Patterns see the normal form of a simple command (see `normal`).
/// `matches` and `misses`, the commands it must and must not catch, are read by the tests.
#[derive(Debug, Deserialize)]
pub struct LeaveOutFile {
    pub reason: String,
    pub patterns: Vec<String>,
    /// Commands that a pattern would catch and that are fine.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Says nothing about a command that is only a part of a longer one.
    #[serde(default)]
    pub alone: bool,
    /// The patterns see the command as written, with its variables before it.
    #[serde(default)]
    pub raw: bool,
}

/// A kind of command and the level it stands at.
#[derive(Debug, Deserialize)]
pub struct ClassFile {
    pub level: Level,
    /// Runner whose report the command prints.
    #[serde(default)]
    pub runner: Option<String>,
    /// 0 to 1: how sure it is that the command does what its level says.
    pub confidence: f32,
    /// Where two classes match, the one of higher priority wins.
    #[serde(default)]
    pub priority: i32,
    /// Works or not, without executing a test.
    #[serde(default)]
    pub probe: bool,
    /// A program that starts others (`tox`): taken only where the plan provides it.
    #[serde(default)]
    pub needs_tool: Option<String>,
    /// Its arguments that look like files must be files of the repository.
    #[serde(default)]
    pub reads_files: bool,
    pub patterns: Vec<String>,
    #[serde(default)]
    pub unless: Vec<String>,
}

/// A set of patterns with exceptions.
#[derive(Debug)]
struct Patterns {
    any: RegexSet,
    unless: RegexSet,
}

impl Patterns {
    fn new(any: &[String], unless: &[String]) -> Result<Self, regex::Error> {
        // Commands are ASCII where it matters, and classes of Unicode take ten times as long to compile.
        let set = |patterns: &[String]| RegexSetBuilder::new(patterns).unicode(false).build();
        Ok(Self {
            any: set(any)?,
            unless: set(unless)?,
        })
    }

    fn is_match(&self, text: &str) -> bool {
        let text = text.as_bytes();
        self.any.is_match(text) && !self.unless.is_match(text)
    }
}

#[derive(Debug)]
pub struct Class {
    /// Stem of its file; the tests name it.
    #[cfg_attr(not(test), expect(dead_code))]
    pub name: String,
    pub level: Level,
    pub runner: Option<String>,
    pub confidence: f32,
    pub priority: i32,
    pub probe: bool,
    pub needs_tool: Option<String>,
    pub reads_files: bool,
    patterns: Patterns,
}

#[derive(Debug)]
struct LeaveOut {
    reason: String,
    alone: bool,
    raw: bool,
    patterns: Patterns,
}

#[derive(Debug)]
pub struct Rules {
    leave_out: Vec<LeaveOut>,
    classes: Vec<Class>,
}

impl Rules {
    /// Why a simple command in normal form is left out; `part` where it is a part of a longer one.
    pub fn reason(&self, normal: &str, part: bool) -> Option<&str> {
        self.leave_out
            .iter()
            .filter(|rule| !(rule.raw || part && rule.alone))
            .find(|rule| rule.patterns.is_match(normal))
            .map(|rule| rule.reason.as_str())
    }

    /// The same for a command as written, `NAME=value` of its variables before it.
    pub fn raw_reason(&self, raw: &str) -> Option<&str> {
        self.leave_out
            .iter()
            .filter(|rule| rule.raw)
            .find(|rule| rule.patterns.is_match(raw))
            .map(|rule| rule.reason.as_str())
    }

    pub fn class(&self, normal: &str) -> Option<&Class> {
        self.classes
            .iter()
            .find(|class| class.patterns.is_match(normal))
    }
}

/// Files of a folder by stem, in order of name.
pub fn read<T: DeserializeOwned>(dir: &Dir<'_>) -> Vec<(String, Result<T, String>)> {
    let mut files: Vec<_> = dir
        .files()
        .filter(|file| file.path().extension().is_some_and(|e| e == "toml"))
        .map(|file| {
            let stem = file.path().file_stem().unwrap_or_default();
            let read = toml::from_str(file.contents_utf8().unwrap_or_default());
            (
                stem.to_string_lossy().into_owned(),
                read.map_err(|error| error.to_string()),
            )
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(|| {
        // Part of the program: a broken file is a defect that the tests catch, not an input.
        load().expect("knowledge/pyramid is checked by the tests")
    });
    &RULES
}

fn load() -> Result<Rules, String> {
    let mut leave_out = Vec::new();
    for (name, file) in read::<LeaveOutFile>(&LEAVE_OUT) {
        let file = file.map_err(|error| format!("leave-out/{name}.toml: {error}"))?;
        leave_out.push(LeaveOut {
            patterns: Patterns::new(&file.patterns, &file.unless)
                .map_err(|error| format!("leave-out/{name}.toml: {error}"))?,
            reason: file.reason,
            alone: file.alone,
            raw: file.raw,
        });
    }
    let mut classes = Vec::new();
    for (name, file) in read::<ClassFile>(&CLASSES) {
        let file = file.map_err(|error| format!("classes/{name}.toml: {error}"))?;
        classes.push(Class {
            patterns: Patterns::new(&file.patterns, &file.unless)
                .map_err(|error| format!("classes/{name}.toml: {error}"))?,
            name,
            level: file.level,
            runner: file.runner,
            confidence: file.confidence,
            priority: file.priority,
            probe: file.probe,
            needs_tool: file.needs_tool,
            reads_files: file.reads_files,
        });
    }
    classes.sort_by_key(|class| -class.priority);
    Ok(Rules { leave_out, classes })
}

#[cfg(test)]
mod tests {
    use super::super::normal::normal;
    use super::*;

    /// Commands that must match, and near misses that must not.
    #[derive(Deserialize)]
    struct Examples {
        matches: Vec<String>,
        misses: Vec<String>,
    }

    fn patterns(any: &[String], unless: &[String]) -> Patterns {
        Patterns::new(any, unless).expect("patterns compile")
    }

    #[test]
    fn every_reason_knows_its_commands_and_its_near_misses() {
        let mut wrong = Vec::new();
        for ((name, file), (_, examples)) in read::<LeaveOutFile>(&LEAVE_OUT)
            .into_iter()
            .zip(read::<Examples>(&LEAVE_OUT))
        {
            let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
            let patterns = patterns(&file.patterns, &file.unless);
            let raw = file.raw;
            let file = examples.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                !file.matches.is_empty() && !file.misses.is_empty(),
                "{name}"
            );
            let seen = |text: &str| if raw { text.to_owned() } else { normal(text) };
            for text in file.matches.iter().filter(|t| !patterns.is_match(&seen(t))) {
                wrong.push(format!("{name} does not match {text}"));
            }
            for text in file.misses.iter().filter(|t| patterns.is_match(&seen(t))) {
                wrong.push(format!("{name} matches {text}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_class_wins_for_its_commands_and_none_is_left_out() {
        let mut wrong = Vec::new();
        for (name, file) in read::<Examples>(&CLASSES) {
            let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                !file.matches.is_empty() && !file.misses.is_empty(),
                "{name}"
            );
            for text in &file.matches {
                let normal = normal(text);
                let won = rules().class(&normal).map(|class| class.name.as_str());
                if won != Some(name.as_str()) {
                    wrong.push(format!("{text} is {won:?}, not {name}"));
                }
                if let Some(reason) = rules().reason(&normal, false) {
                    wrong.push(format!("{text} ({name}) is left out: {reason}"));
                }
            }
            for text in &file.misses {
                if rules().class(&normal(text)).is_some_and(|c| c.name == name) {
                    wrong.push(format!("{text} is {name}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn runners_of_classes_have_readers() {
        let known: Vec<_> = crate::verify::reports::runners().collect();
        for class in &rules().classes {
            if let Some(runner) = &class.runner {
                assert!(known.contains(&runner.as_str()), "{}: {runner}", class.name);
            }
        }
    }
}
