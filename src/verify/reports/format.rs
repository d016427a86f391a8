//! The files under `knowledge/reports/`, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::counts::Field;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/knowledge/reports");

/// A runner's file as written, but for its examples and near misses, which the tests read.
#[derive(Debug, Deserialize)]
pub struct RunnerFile {
    /// Other names the runner is asked for by.
    #[serde(default)]
    names: Vec<String>,
    /// Believed only where no other runner reported: the lines are not any one tool's.
    #[serde(default)]
    generic: bool,
    /// A session may run inside another one, printed in full (pytest testing its plugins): only the outermost counts.
    #[serde(default)]
    nested: bool,
    /// Words of a list captured as `counts`, in lower case.
    #[serde(default)]
    words: BTreeMap<String, Field>,
    rule: Vec<RuleFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    pattern: String,
    does: Does,
    /// Adds one to this field.
    #[serde(default)]
    count: Option<Field>,
    /// Where a `report` counts, of a runner that also has a `begin`.
    #[serde(default, rename = "where")]
    at: Where,
    /// The previous line that is not blank must match this.
    #[serde(default)]
    after: Option<String>,
    /// The line itself must not match this.
    #[serde(default)]
    unless: Option<String>,
    /// A `report` that counts only where some number was noted before it.
    #[serde(default)]
    needs_numbers: bool,
    /// At most so many lines after the runner's previous line.
    #[serde(default)]
    within: Option<u64>,
}

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// A run starts; without its report it is a crash.
    Begin,
    /// Numbers between begin and report.
    Note,
    /// The summary: the run is complete.
    Report,
    /// Numbers printed after the summary.
    Amend,
    /// Numbers that count wherever they stand, provided that there is a summary somewhere.
    Always,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// Between a begin and the next one.
    #[default]
    Session,
    /// Only where no run is open: a form that could be anybody's line within one.
    Outside,
    Either,
}

#[derive(Debug)]
pub struct Runner {
    pub name: String,
    pub names: Vec<String>,
    pub generic: bool,
    pub nested: bool,
    pub words: BTreeMap<String, Field>,
    pub rules: Vec<Rule>,
    /// Some rule begins a run: reports need one.
    pub begins: bool,
}

#[derive(Debug)]
pub struct Rule {
    pub regex: Regex,
    pub does: Does,
    pub count: Option<Field>,
    pub at: Where,
    pub after: Option<Regex>,
    pub unless: Option<Regex>,
    pub needs_numbers: bool,
    pub within: Option<u64>,
}

/// All runners, and one automaton that tells in one pass which rules a line concerns.
#[derive(Debug)]
pub struct Catalogue {
    pub runners: Vec<Runner>,
    pub set: RegexSet,
    /// Runner and rule of each pattern of `set`.
    pub index: Vec<(usize, usize)>,
}

impl Catalogue {
    pub fn find(&self, name: &str) -> Option<usize> {
        self.runners
            .iter()
            .position(|r| r.name == name || r.names.iter().any(|other| other == name))
    }
}

/// The files' texts by runner name.
pub fn files() -> Vec<(String, &'static str)> {
    let mut files: Vec<_> = FILES
        .files()
        .filter(|file| file.path().extension().is_some_and(|e| e == "toml"))
        .map(|file| {
            let name = file.path().file_stem().unwrap_or_default();
            let text = file.contents_utf8().unwrap_or_default();
            (name.to_string_lossy().into_owned(), text)
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        // The files are part of the program: a broken one is a defect that the tests catch, not an input.
        build(files()).expect("knowledge/reports is checked by the tests")
    });
    &CATALOGUE
}

fn build(files: Vec<(String, &'static str)>) -> Result<Catalogue, String> {
    let mut runners = Vec::new();
    for (name, text) in files {
        let file: RunnerFile =
            toml::from_str(text).map_err(|error| format!("{name}.toml: {error}"))?;
        let rules = file
            .rule
            .iter()
            .map(|rule| compile(rule).map_err(|error| format!("{name}.toml: {error}")))
            .collect::<Result<Vec<_>, String>>()?;
        runners.push(Runner {
            begins: rules.iter().any(|rule| rule.does == Does::Begin),
            name,
            names: file.names,
            generic: file.generic,
            nested: file.nested,
            words: file.words,
            rules,
        });
    }
    let index: Vec<(usize, usize)> = runners
        .iter()
        .enumerate()
        .flat_map(|(at, runner)| (0..runner.rules.len()).map(move |rule| (at, rule)))
        .collect();
    let patterns = runners
        .iter()
        .flat_map(|runner| runner.rules.iter().map(|rule| rule.regex.as_str()));
    let set = RegexSet::new(patterns).map_err(|error| error.to_string())?;
    Ok(Catalogue {
        runners,
        set,
        index,
    })
}

fn compile(rule: &RuleFile) -> Result<Rule, regex::Error> {
    let optional = |pattern: &Option<String>| pattern.as_deref().map(Regex::new).transpose();
    Ok(Rule {
        regex: Regex::new(&rule.pattern)?,
        does: rule.does,
        count: rule.count,
        at: rule.at,
        after: optional(&rule.after)?,
        unless: optional(&rule.unless)?,
        needs_numbers: rule.needs_numbers,
        within: rule.within,
    })
}
