//! Build files that are programs of their own (waf, SCons, Premake, xmake, GN, Bazel, autosetup): the calls in them
//! that look for something, by the patterns of `knowledge/needs/build-scripts.toml`. The programs are not run, so that
//! what a call finds is of use where it is there, and not known to be needed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::evidence::{Because, Place, Trust};
use crate::packages::{Capability, is_standard_header};
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::aside::{is_aside, is_test};
use super::collect::{Ask, Collection};
use super::model::Group;
use super::programs::PROGRAMS;

const MAX_BUILD_FILE: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    system: Vec<System>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct System {
    #[cfg_attr(not(test), allow(dead_code))]
    name: String,
    #[serde(with = "pattern")]
    files: Regex,
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    kind: Kind,
    #[serde(with = "pattern")]
    pattern: Regex,
    #[cfg_attr(not(test), allow(dead_code))]
    example: [String; 2],
    #[cfg_attr(not(test), allow(dead_code))]
    not: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Header,
    Lib,
    Pc,
    Cmd,
    /// A package of another manager: whatever the distribution has by that name.
    Any,
    /// A command line of pkg-config.
    PkgConfig,
}

mod pattern {
    use serde::{Deserialize, Deserializer, de::Error};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<regex::Regex, D::Error> {
        let text = String::deserialize(from)?;
        regex::Regex::new(&text).map_err(D::Error::custom)
    }
}

static SYSTEMS: LazyLock<Vec<System>> = LazyLock::new(|| {
    toml::from_str::<File>(include_str!("../../knowledge/needs/build-scripts.toml"))
        .expect("embedded data is checked by a test")
        .system
});

/// Sources of the distribution that build with a package, from which on a library that no source includes counts.
const USUAL: u32 = 30;

/// Adds what the scripts of the repository look for. `spoken`: packages that hold a header which the sources include.
pub fn add(repository: &Repository, spoken: &BTreeSet<String>, out: &mut Collection<'_>) {
    for (entry, system) in scripts(repository) {
        let Some(text) = read_text(repository, &entry.path) else {
            continue;
        };
        for rule in &system.rule {
            for (name, at) in found(rule, &text) {
                let place = Place::new(&entry.path, line_of(&text, at));
                if let Some(capability) = wanted(rule.kind, name, spoken, out) {
                    ask(capability, place, is_test(&entry.path), out);
                }
            }
        }
    }
}

fn scripts(repository: &Repository) -> impl Iterator<Item = (&FileEntry, &'static System)> {
    let usable = |entry: &&FileEntry| {
        entry.kind == FileKind::Text
            && entry.size <= MAX_BUILD_FILE
            && !entry.vendored
            && !is_aside(&entry.path)
    };
    repository
        .files
        .iter()
        .filter_map(|entry| {
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            let system = SYSTEMS.iter().find(|each| each.files.is_match(name))?;
            Some((entry, system))
        })
        .filter(move |(entry, _)| usable(entry))
}

/// The names that a rule finds, each with its offset.
fn found<'t>(rule: &Rule, text: &'t str) -> Vec<(&'t str, usize)> {
    let mut names = Vec::new();
    for captures in rule.pattern.captures_iter(text) {
        let Some(group) = captures.get(1) else {
            continue;
        };
        if is_comment(text, group.start()) {
            continue;
        }
        let words = group.as_str().split(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '"' | '\'' | '[' | ']' | '{' | '}')
        });
        for word in words {
            let option = rule.kind == Kind::PkgConfig && word.starts_with('-');
            let version = word.starts_with(['<', '>', '=']) || word.starts_with(char::is_numeric);
            if is_name(word) && !option && !version {
                names.push((word, group.start()));
            }
        }
    }
    names
}

/// Whether the line up to an offset begins a comment.
fn is_comment(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    line.starts_with('#') || line.starts_with("--") || line.starts_with("//")
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word.len() < 100
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/'))
}

fn line_of(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or_default();
    u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX - 1) + 1
}

/// What a name asks for, where that is more than a coincidence.
fn wanted(
    kind: Kind,
    name: &str,
    spoken: &BTreeSet<String>,
    out: &Collection<'_>,
) -> Option<Capability> {
    let name = name.to_owned();
    let capability = match kind {
        Kind::Header if is_standard_header(&name) => return None,
        Kind::Header => Capability::Header(name),
        Kind::Lib => Capability::Library(name),
        Kind::Pc | Kind::PkgConfig => Capability::PkgConfig(name),
        Kind::Cmd if PROGRAMS.helpers.contains(&name) => return None,
        Kind::Cmd => Capability::Command(name),
        Kind::Any => Capability::CMake(name),
    };
    let best = out.index.best(&capability)?;
    let told = spoken.contains(&best.package) || out.index.usage(&best.package) >= USUAL;
    (told || matches!(kind, Kind::Pc | Kind::PkgConfig | Kind::Any)).then_some(capability)
}

fn ask(capability: Capability, place: Place, test: bool, out: &mut Collection<'_>) {
    let because = Because::at(place, Trust::Manifest, capability.to_string());
    out.ask_if_known(Ask {
        capability,
        group: if test { Group::Test } else { Group::Optional },
        option: None,
        because,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_reads_its_example_and_leaves_the_other() {
        for system in SYSTEMS.iter() {
            for rule in &system.rule {
                let [text, expected] = &rule.example;
                let names: Vec<&str> = found(rule, text).iter().map(|(name, _)| *name).collect();
                let expected: Vec<&str> = expected
                    .split(' ')
                    .filter(|word| !word.starts_with('>'))
                    .collect();
                assert_eq!(names, expected, "{} {text}", system.name);
                assert!(found(rule, &rule.not).is_empty(), "{}", rule.not);
            }
        }
    }

    #[test]
    fn comments_ask_for_nothing_and_lines_are_counted() {
        let rule = &SYSTEMS
            .iter()
            .find(|each| each.name == "scons")
            .unwrap()
            .rule[0];
        assert!(found(rule, "# CheckLib('z')\n").is_empty());
        let text = "a\nb\nCheckLib('z')\n";
        assert_eq!(line_of(text, found(rule, text)[0].1), 3);
    }
}
