//! Travis CI (`.travis.yml`): phases, matrices, APT packages, services, and what Travis itself runs where a phase is
//! absent (the language pages of its documentation; the table is `grammars/travis.toml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Emit, Script, os_of_label};
use crate::graph::Os;
use crate::graph::environments;
use crate::graph::yaml::{Value, Yaml};
use crate::scan::languages::GRAMMARS;

/// In the order in which they run.
const PHASES: &[&str] = &["before_install", "install", "before_script", "script"];

/// Jobs of one file that are read.
const MAX_JOBS: usize = 100;

#[derive(Debug, Default, Deserialize)]
struct Table {
    language: Vec<Language>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    names: Vec<String>,
    tool: String,
    /// The key that lists versions.
    #[serde(default)]
    key: Option<String>,
    /// First whose file the repository has; without a file it always holds.
    #[serde(default)]
    install: Vec<Rule>,
    #[serde(default)]
    script: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default)]
    file: Option<String>,
    run: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file = GRAMMARS.get_file("travis.toml");
    let text = file.and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

pub(super) fn build(yaml: &Yaml, emit: &mut Emit) {
    let os = system(yaml);
    let included: Vec<&Yaml> = ["jobs", "matrix"]
        .iter()
        .flat_map(|key| yaml.list_at(&[key, "include"]))
        .take(MAX_JOBS)
        .collect();
    declared(yaml, yaml, emit);
    for job in &included {
        if job_os(job, os) == Os::Linux {
            declared(yaml, job, emit);
        }
    }
    // Without an axis of its own the file's keys are the defaults of the jobs that it lists.
    let listed = |key: &str| {
        matches!(
            yaml.get(key).map(|values| &values.value),
            Some(Value::List(_))
        )
    };
    let axes = listed("env")
        || languages(yaml, yaml).any(|language| language.key.as_deref().is_some_and(listed));
    let env = global_env(yaml);
    if included.is_empty() || axes {
        let mut env = env.clone();
        env.extend(first_row(yaml.get("env")));
        for phase in PHASES {
            phases(yaml, yaml, phase, "travis", os, &env, emit);
        }
    }
    for job in included {
        let mut env = env.clone();
        env.extend(first_row(job.get("env")));
        let os = job_os(job, os);
        let context = job
            .text_at(&["name"])
            .or_else(|| job.text_at(&["stage"]))
            .unwrap_or("travis");
        for phase in PHASES {
            phases(yaml, job, phase, context, os, &env, emit);
        }
    }
}

/// Linux where it is one of the systems, or nothing is said.
fn system(yaml: &Yaml) -> Os {
    let systems: Vec<Os> = yaml
        .list_at(&["os"])
        .iter()
        .filter_map(Yaml::text)
        .filter_map(os_of_label)
        .collect();
    match systems.first() {
        Some(first) if !systems.contains(&Os::Linux) => *first,
        _ => Os::Linux,
    }
}

fn job_os(job: &Yaml, os: Os) -> Os {
    job.text_at(&["os"]).and_then(os_of_label).unwrap_or(os)
}

/// The languages of a job.
fn languages<'a>(yaml: &'a Yaml, job: &'a Yaml) -> impl Iterator<Item = &'static Language> {
    let names = job.get("language").or_else(|| yaml.get("language"));
    let name = names
        .and_then(|names| names.list().first())
        .and_then(Yaml::text);
    // What Travis takes where nothing is said.
    let name = name.unwrap_or("ruby").to_ascii_lowercase();
    TABLE
        .language
        .iter()
        .filter(move |language| language.names.contains(&name))
}

/// Versions, APT packages and services.
fn declared(yaml: &Yaml, job: &Yaml, emit: &mut Emit) {
    let main: Vec<&Language> = languages(yaml, job).collect();
    for language in &TABLE.language {
        let Some(key) = &language.key else { continue };
        // Versions of other languages than the main one are installed too, by the key of their own name.
        let is_main = main.iter().any(|known| known.tool == language.tool);
        if !is_main && !language.names.contains(key) {
            continue;
        }
        for version in job.list_at(&[key]) {
            if let Some(text) = version.text() {
                let plain = environments::plain_version(text);
                emit.tool(&language.tool, Some(plain), version.mark);
            }
        }
    }
    for keys in [
        &["addons", "apt", "packages"][..],
        &["addons", "apt"],
        &["addons", "apt_packages"],
    ] {
        for package in job.list_at(keys) {
            emit.package(package.text().unwrap_or_default(), package.mark);
        }
    }
    services(job, emit);
}

fn services(job: &Yaml, emit: &mut Emit) {
    for service in job.list_at(&["services"]) {
        let name = service
            .text()
            .filter(|name| *name != "docker" && *name != "xvfb");
        if let Some(name) = name {
            emit.service(name, name, Vec::new(), Default::default(), service.mark);
        }
    }
    for (name, version) in job.map_at(&["addons"]) {
        if matches!(name.as_str(), "postgresql" | "mariadb" | "rethinkdb") {
            let image = version.text().map(|version| format!("{name}:{version}"));
            let image = image.unwrap_or_else(|| name.clone());
            emit.service(name, &image, Vec::new(), Default::default(), version.mark);
        }
    }
}

fn global_env(yaml: &Yaml) -> BTreeMap<String, String> {
    let lists = yaml.list_at(&["env", "global"]);
    lists.iter().flat_map(of_entry).collect()
}

/// The variables of the first row that `env` gives.
fn first_row(env: Option<&Yaml>) -> BTreeMap<String, String> {
    let Some(env) = env else {
        return BTreeMap::new();
    };
    let rows = ["jobs", "matrix"].iter().find_map(|key| env.get(key));
    if rows.is_none() && env.get("global").is_some() {
        return BTreeMap::new();
    }
    let first = rows.unwrap_or(env).list().first();
    first.map(of_entry).unwrap_or_default()
}

/// `A=b C="d e"`, or a map. An encrypted one is not known.
fn of_entry(entry: &Yaml) -> BTreeMap<String, String> {
    if let Some(text) = entry.text() {
        let words = shlex::split(text).unwrap_or_default();
        let pairs = words.iter().filter_map(|word| word.split_once('='));
        return pairs
            .filter(|(name, value)| !name.contains('$') && !value.contains('$'))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
    }
    super::variables(Some(entry))
        .into_iter()
        .filter(|(name, _)| name != "secure")
        .collect()
}

fn phases(
    yaml: &Yaml,
    job: &Yaml,
    phase: &str,
    context: &str,
    os: Os,
    env: &BTreeMap<String, String>,
    emit: &mut Emit,
) {
    let mut script = Script::new(format!("{context} / {phase}"), Some(os));
    script.env = env.clone();
    match job.get(phase).or_else(|| yaml.get(phase)) {
        // `skip` and `true` do nothing.
        Some(lines) if matches!(lines.text(), Some("skip" | "true" | "false" | ":")) => return,
        Some(lines) => script.extend(lines),
        None => {
            let has = |file: &String| emit.repository.has(file);
            for language in languages(yaml, job) {
                let defaults = match phase {
                    "install" => &language.install,
                    "script" => &language.script,
                    _ => return,
                };
                let found = defaults
                    .iter()
                    .find(|rule| rule.file.as_ref().is_none_or(has));
                let mark = job.get("language").or_else(|| yaml.get("language"));
                let mark = mark.map_or(yaml.mark, |language| language.mark);
                script.context = format!("{context} / {phase} (Travis' default)");
                for line in found.map_or(&[][..], |rule| &rule.run) {
                    script.push(mark, line);
                }
            }
        }
    }
    if os == Os::Windows {
        // Its shell is Git's bash.
        script.shell = None;
    }
    emit.script(&script);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_parses_and_no_language_has_two_rows() {
        let file = crate::scan::languages::GRAMMARS
            .get_file("travis.toml")
            .unwrap();
        let table: super::Table = toml::from_str(file.contents_utf8().unwrap()).unwrap();
        let mut names: Vec<&String> = table.language.iter().flat_map(|row| &row.names).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(all > 10);
    }

    use crate::graph::ci::testing::shown_of;

    #[test]
    fn defaults_of_a_language() {
        let text =
            "language: node_js\nnode_js:\n  - 'node'\n  - 'v18'\naddons: {postgresql: '13'}\n";
        insta::assert_snapshot!(shown_of(&[(".travis.yml", text), ("package.json", "{}")]), @"
        .travis.yml:3: tool node node
        .travis.yml:4: tool node 18
        .travis.yml:5: service postgresql postgresql:13 [] {}
        .travis.yml:1: [] npm install (travis / install (Travis' default)) Linux
        .travis.yml:1: [] npm test (travis / script (Travis' default)) Linux
        ");
        let text =
            "language: rust\nrust: [stable, 1.31.0]\nbefore_script: rustup component add clippy\n";
        insta::assert_snapshot!(shown_of(&[(".travis.yml", text)]), @"
        .travis.yml:2: tool rust stable
        .travis.yml:2: tool rust 1.31.0
        .travis.yml:3: [] rustup component add clippy (travis / before_script) Linux
        .travis.yml:1: [] cargo build --verbose (travis / script (Travis' default)) Linux
        .travis.yml:1: [] cargo test --verbose (travis / script (Travis' default)) Linux
        ");
        let text = "language: c\nscript: skip\n";
        insta::assert_snapshot!(shown_of(&[(".travis.yml", text), ("configure", "")]), @"");
    }

    #[test]
    fn jobs_that_are_listed() {
        let text = "language: python\nenv:\n  global: [A=1, {secure: xx}]\njobs:\n  include:\n    - {python: '3.8', env: TOXENV=py38 B=\"c d\", name: old}\n    - {os: osx, language: generic, script: brew test}\n    - {stage: lint, python: 3.9, addons: {apt: {packages: libxml2-dev}}, script: [flake8, 'true']}\ninstall: pip install tox\nscript: tox\n";
        insta::assert_snapshot!(shown_of(&[(".travis.yml", text)]), @"
        .travis.yml:6: tool python 3.8
        .travis.yml:8: tool python 3.9
        .travis.yml:8: needs libxml2-dev
        .travis.yml:9: [] pip install tox (old / install) Linux A=1 B=c d TOXENV=py38
        .travis.yml:10: [] tox (old / script) Linux A=1 B=c d TOXENV=py38
        .travis.yml:7: [] brew test (travis / script) Macos A=1
        .travis.yml:8: [] flake8 (lint / script) Linux A=1
        .travis.yml:8: [] true (lint / script) Linux A=1
        ");
    }
}
