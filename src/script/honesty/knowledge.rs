//! `knowledge/honesty.toml`, read once.

use std::sync::LazyLock;

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::RegexSet;
use serde::Deserialize;

/// The names and patterns of the rules.
#[derive(Debug)]
pub struct Knowledge {
    pub names: Names,
    pub test_configs: GlobSet,
    pub stand_in_variables: GlobSet,
    pub lasting_switches: RegexSet,
    pub passing_switches: RegexSet,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    test_configs: Vec<String>,
    pub program_dirs: Vec<String>,
    pub tools: Vec<String>,
    pub no_ops: Vec<String>,
    pub steps: Vec<String>,
    lasting_switches: Vec<String>,
    passing_switches: Vec<String>,
    pub switch_variables: Vec<String>,
    stand_in_variables: Vec<String>,
    pub git_writes: Vec<String>,
    pub vacuous: Vacuous,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vacuous {
    pub always: Vec<String>,
    pub neutral: Vec<String>,
    pub arguments: Vec<String>,
    pub subcommands: Vec<(String, String)>,
}

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
    let text = include_str!("../../../knowledge/honesty.toml");
    // Data of this crate, read by every test of this module.
    let names: Names = toml::from_str(text).expect("knowledge/honesty.toml");
    Knowledge {
        test_configs: globs(&names.test_configs),
        stand_in_variables: globs(&names.stand_in_variables),
        lasting_switches: RegexSet::new(&names.lasting_switches).expect("lasting_switches"),
        passing_switches: RegexSet::new(&names.passing_switches).expect("passing_switches"),
        names,
    }
});

fn globs(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).expect("a glob of knowledge/honesty.toml"));
    }
    builder.build().expect("globs of knowledge/honesty.toml")
}

pub fn knowledge() -> &'static Knowledge {
    &KNOWLEDGE
}

/// Whether `name` is in `list`.
pub fn is_in(list: &[String], name: &str) -> bool {
    list.iter().any(|known| known == name)
}
