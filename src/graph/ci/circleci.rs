//! CircleCI (configuration reference, version 2.1): jobs, executors, commands with parameters, well-known orbs.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::{Emit, Script, os_of_label, plain_dir, shell, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::{Mark, Value, Yaml};
use crate::scan::languages::GRAMMARS;

static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<<\s*(?:parameters|matrix)\.([\w-]+)\s*>>").expect("a literal pattern")
});

/// Commands that call one another.
const MAX_CALLS: usize = 6;

/// What commands and jobs of public orbs do: `grammars/orbs.toml`.
#[derive(Debug, Default, Deserialize)]
struct Table {
    orb: Vec<Orb>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Orb {
    /// `circleci/node` of `circleci/node@5`.
    name: String,
    /// A command or a job of the orb.
    entry: String,
    #[serde(default)]
    tool: Option<String>,
    /// The parameter that holds the tool's version.
    #[serde(default)]
    version: Option<String>,
    /// What it runs; `{x}` is its parameter `x`. Ones that name a file hold only where the repository has it.
    #[serde(default)]
    run: Vec<OrbRun>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrbRun {
    #[serde(default)]
    file: Option<String>,
    text: String,
}

static ORBS: LazyLock<Table> = LazyLock::new(|| {
    let file = GRAMMARS.get_file("orbs.toml");
    let text = file.and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

type Parameters = BTreeMap<String, String>;

/// What holds for the steps of a job.
#[derive(Clone)]
struct Job<'a> {
    config: &'a Yaml,
    name: String,
    os: Option<Os>,
    env: BTreeMap<String, String>,
    dir: String,
    row: BTreeMap<String, String>,
    shell: Option<String>,
}

pub(super) fn config(yaml: &Yaml, emit: &mut Emit) {
    for (name, job) in yaml.map_at(&["jobs"]) {
        let mut given = defaults(job);
        // A workflow fills in what the job asks for; the first use that does so stands for all.
        let (row, more) = used(yaml, name);
        given.extend(more);
        let executor = job
            .text_at(&["executor"])
            .or_else(|| job.text_at(&["executor", "name"]));
        let place = executor.and_then(|name| yaml.at(&["executors", &filled(name, &given).0]));
        let mut given_executor = place.map(defaults).unwrap_or_default();
        given_executor.extend(variables(job.get("executor")));
        let given_executor = given_executor
            .into_iter()
            .map(|(k, v)| (k, filled(&v, &given).0))
            .collect();
        let os = system(job, place, executor);
        images(job, &given, emit);
        if let Some(place) = place {
            images(place, &given_executor, emit);
        }
        let mut env = place
            .map(|place| variables(place.get("environment")))
            .unwrap_or_default();
        env.extend(variables(job.get("environment")));
        let dir = job.text_at(&["working_directory"]).unwrap_or_default();
        let context = Job {
            config: yaml,
            name: name.clone(),
            os,
            env: env
                .into_iter()
                .map(|(k, v)| (k, filled(&v, &given).0))
                .collect(),
            // The directory that the checkout goes to is the repository itself.
            dir: job_dir(dir, emit),
            row,
            shell: job
                .text_at(&["shell"])
                .or_else(|| place.and_then(|place| place.text_at(&["shell"])))
                .map(str::to_owned),
        };
        steps(job.list_at(&["steps"]), &context, &given, 0, emit);
    }
    orb_jobs(yaml, emit);
}

fn job_dir(dir: &str, emit: &Emit) -> String {
    let dir = plain_dir(dir).unwrap_or_default();
    let known = crate::graph::shell::is_directory(emit.repository, &dir);
    if known { dir } else { String::new() }
}

/// Defaults of `parameters:`.
fn defaults(yaml: &Yaml) -> Parameters {
    let entries = yaml.map_at(&["parameters"]).iter();
    entries
        .filter_map(|(name, parameter)| {
            Some((name.clone(), parameter.text_at(&["default"])?.to_owned()))
        })
        .collect()
}

/// What the first workflow that uses a job gives it; of a matrix the last value of each axis, the newest as a rule.
fn used(yaml: &Yaml, name: &str) -> (BTreeMap<String, String>, Parameters) {
    for (_, workflow) in yaml.map_at(&["workflows"]) {
        for entry in workflow.list_at(&["jobs"]) {
            let Some(given) = entry.get(name) else {
                continue;
            };
            let mut row = BTreeMap::new();
            for (axis, values) in given.map_at(&["matrix", "parameters"]) {
                if let Some(last) = values.list().last().and_then(Yaml::text) {
                    row.insert(axis.clone(), last.to_owned());
                }
            }
            let mut parameters = variables(Some(given));
            parameters.extend(row.clone());
            return (row, parameters);
        }
    }
    Default::default()
}

fn system(job: &Yaml, place: Option<&Yaml>, executor: Option<&str>) -> Option<Os> {
    let key = |key: &str| {
        job.get(key)
            .or_else(|| place.and_then(|place| place.get(key)))
    };
    if key("macos").is_some() {
        return Some(Os::Macos);
    }
    if key("docker").is_some() {
        return Some(Os::Linux);
    }
    let machine = key("machine");
    let image = machine.and_then(|machine| machine.text_at(&["image"]));
    image
        .and_then(os_of_label)
        .or_else(|| {
            executor
                .filter(|name| name.starts_with("win"))
                .map(|_| Os::Windows)
        })
        .or_else(|| machine.map(|_| Os::Linux))
}

/// The first image is where the steps run; the others are its services.
fn images(place: &Yaml, given: &Parameters, emit: &mut Emit) {
    for (at, entry) in place.list_at(&["docker"]).iter().enumerate() {
        let (image, unknown) = filled(entry.text_at(&["image"]).unwrap_or_default(), given);
        if unknown || image.is_empty() {
            continue;
        }
        if at == 0 {
            emit.image(&image, entry.mark);
        } else {
            let env = variables(entry.get("environment"));
            emit.service(short_name(&image), &image, Vec::new(), env, entry.mark);
        }
    }
}

/// The text with what is known of parameters, and whether some are not.
fn filled(text: &str, given: &Parameters) -> (String, bool) {
    let mut unknown = false;
    let text = PARAMETER.replace_all(text, |found: &Captures| {
        let whole = found.get(0).map_or("", |found| found.as_str());
        let name = found.get(1).map_or("", |found| found.as_str());
        given.get(name).cloned().unwrap_or_else(|| {
            unknown = true;
            whole.to_owned()
        })
    });
    (text.into_owned(), unknown)
}

fn steps(steps: &[Yaml], job: &Job, given: &Parameters, depth: usize, emit: &mut Emit) {
    for step in steps {
        if let Some(name) = step.text() {
            invoke(name, None, step.mark, job, given, depth, emit);
        }
        for (name, body) in step.map().iter().take(1) {
            match name.as_str() {
                "run" => run(body, job, given, emit),
                "when" | "unless" => {
                    let inner = body.list_at(&["steps"]);
                    if depth < MAX_CALLS {
                        self::steps(inner, job, given, depth + 1, emit);
                    }
                }
                name => invoke(name, Some(body), step.mark, job, given, depth, emit),
            }
        }
    }
}

/// A command of the configuration's own, or of an orb.
fn invoke(
    name: &str,
    body: Option<&Yaml>,
    mark: Mark,
    job: &Job,
    given: &Parameters,
    depth: usize,
    emit: &mut Emit,
) {
    let arguments = variables(body);
    let arguments = arguments
        .into_iter()
        .map(|(key, value)| (key, filled(&value, given).0));
    if let Some(command) = job.config.at(&["commands", name]) {
        let mut inner = defaults(command);
        inner.extend(arguments);
        if depth < MAX_CALLS {
            steps(command.list_at(&["steps"]), job, &inner, depth + 1, emit);
        }
    } else if let Some((alias, entry)) = name.split_once('/') {
        orb(alias, entry, &arguments.collect(), mark, job, emit);
    }
}

/// A command or job of a public orb.
fn orb(alias: &str, entry: &str, given: &Parameters, mark: Mark, job: &Job, emit: &mut Emit) {
    let Some(reference) = job.config.text_at(&["orbs", alias]) else {
        return;
    };
    let name = reference.split('@').next().unwrap_or(reference);
    let known = ORBS.orb.iter();
    for orb in known.filter(|orb| orb.name == name && orb.entry == entry) {
        if let Some(tool) = &orb.tool {
            let version = orb.version.as_ref().and_then(|key| given.get(key));
            let version = version.filter(|text| text.contains(|c: char| c.is_ascii_digit()));
            emit.tool(tool, version.map(String::as_str), mark);
        }
        let dir = ["app-dir", "working-directory", "app_src_directory"];
        let dir = dir.iter().find_map(|key| given.get(*key));
        let dir = dir.and_then(|dir| plain_dir(dir));
        let dir = dir.unwrap_or_else(|| job.dir.clone());
        let Some(text) = orb_command(orb, given, &dir, emit) else {
            continue;
        };
        let mut script = Script::new(format!("{} / {alias}/{entry}", job.name), job.os);
        script.env = job.env.clone();
        script.dir = dir;
        script.push(mark, &text);
        emit.script(&script);
    }
}

/// What an entry of an orb runs in a directory; what is not given to it is left out.
fn orb_command(orb: &Orb, given: &Parameters, dir: &str, emit: &Emit) -> Option<String> {
    let exists = |file: &String| {
        let path = format!("{dir}/{file}");
        emit.repository.has(path.trim_start_matches('/'))
    };
    let mut runs = orb.run.iter();
    let run = runs.find(|run| run.file.as_ref().is_none_or(exists))?;
    let mut text = run.text.clone();
    for (key, value) in given {
        text = text.replace(&format!("{{{key}}}"), value);
    }
    let words = text.split_whitespace();
    let words: Vec<&str> = words.filter(|word| !word.starts_with('{')).collect();
    Some(words.join(" "))
}

/// Jobs that a workflow takes whole from an orb.
fn orb_jobs(yaml: &Yaml, emit: &mut Emit) {
    for (_, workflow) in yaml.map_at(&["workflows"]) {
        for entry in workflow.list_at(&["jobs"]) {
            let of_map = entry.map().first();
            let name = of_map
                .map(|(name, _)| name.as_str())
                .or_else(|| entry.text());
            let Some((alias, job)) = name.and_then(|name| name.split_once('/')) else {
                continue;
            };
            let context = Job {
                config: yaml,
                name: format!("{alias}/{job}"),
                os: Some(Os::Linux),
                env: BTreeMap::new(),
                dir: String::new(),
                row: BTreeMap::new(),
                shell: None,
            };
            let given = variables(of_map.map(|(_, given)| given));
            orb(alias, job, &given, entry.mark, &context, emit);
        }
    }
}

fn run(run: &Yaml, job: &Job, given: &Parameters, emit: &mut Emit) {
    let mut script = Script::new(job.name.clone(), job.os);
    script.extend(run.get("command").unwrap_or(run));
    if matches!(run.value, Value::Map(_)) && run.get("command").is_none() {
        return;
    }
    // Steps that only run when others fail collect what is left.
    if run.text_at(&["when"]) == Some("on_fail") {
        return;
    }
    script.fill(|row| {
        let (text, _) = filled(row, given);
        let unknown = PARAMETER
            .find_iter(&text)
            .map(|found| found.as_str().to_owned())
            .collect();
        (text, unknown)
    });
    script.env = job.env.clone();
    script.env.extend(variables(run.get("environment")));
    let dir = run
        .text_at(&["working_directory"])
        .map(|dir| filled(dir, given).0);
    script.dir = dir
        .and_then(|dir| plain_dir(&dir))
        .unwrap_or_else(|| job.dir.clone());
    if let Some(step) = run.text_at(&["name"]) {
        script.context = format!("{} / {}", job.name, filled(step, given).0);
    }
    let named = run.text_at(&["shell"]).or(job.shell.as_deref());
    script.shell = shell(named.unwrap_or_default());
    if job.os == Some(Os::Windows) && named.is_none() {
        script.shell = Some("pwsh".to_owned());
    }
    script.row = job.row.clone();
    emit.script(&script);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_orbs_parse_and_each_says_something() {
        let file = crate::scan::languages::GRAMMARS
            .get_file("orbs.toml")
            .unwrap();
        let table: super::Table = toml::from_str(file.contents_utf8().unwrap()).unwrap();
        for orb in &table.orb {
            assert!(
                orb.tool.is_some() || !orb.run.is_empty(),
                "{} {}",
                orb.name,
                orb.entry
            );
        }
    }

    use crate::graph::ci::testing::shown_of;

    #[test]
    fn parameters_commands_and_orbs() {
        let text = "version: 2.1\norbs: {node: circleci/node@5, other: x/y@1}\nexecutors:\n  py:\n    parameters: {v: {type: string, default: '3.8'}}\n    docker: [{image: 'cimg/python:<< parameters.v >>'}, {image: 'cimg/postgres:14', environment: {POSTGRES_USER: x}}]\n    environment: {E: f}\ncommands:\n  prepare:\n    parameters: {dir: {type: string, default: .}}\n    steps:\n      - run: {name: Prepare, command: make deps, working_directory: << parameters.dir >>}\njobs:\n  test:\n    parameters: {python: {type: string}}\n    executor: {name: py, v: << parameters.python >>}\n    working_directory: ~/project\n    steps:\n      - checkout\n      - prepare: {dir: sub}\n      - node/install: {node-version: '18.1'}\n      - node/install-packages\n      - other/thing\n      - when:\n          condition: true\n          steps: [{run: make check PY=<< parameters.python >> << pipeline.number >>}]\n      - run: {when: on_fail, command: collect}\n  win:\n    machine: {image: 'windows-server-2022'}\n    steps: [{run: nmake}]\nworkflows:\n  all:\n    jobs:\n      - test: {matrix: {parameters: {python: ['3.9', '3.12']}}}\n      - node/test: {version: '20.1'}\n";
        insta::assert_snapshot!(shown_of(&[(".circleci/config.yml", text), ("yarn.lock", ""), ("sub/a", "")]), @r#"
        .circleci/config.yml:6: tool python 3.12
        .circleci/config.yml:6: service postgres cimg/postgres:14 [] {"POSTGRES_USER": "x"}
        .circleci/config.yml:12: [sub] make deps (test / Prepare) Linux E=f @python=3.12
        .circleci/config.yml:21: tool node 18.1
        .circleci/config.yml:22: [] yarn install --frozen-lockfile (test / node/install-packages) Linux E=f
        .circleci/config.yml:26: [] make check PY=3.12 << pipeline.number >> (test) Linux E=f @python=3.12
        .circleci/config.yml:30: [] nmake (win) Windows <pwsh>
        .circleci/config.yml:35: tool node 20.1
        .circleci/config.yml:35: [] yarn run test (node/test / node/test) Linux
        "#);
    }
}
