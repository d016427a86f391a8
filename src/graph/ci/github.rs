//! GitHub Actions (workflow syntax): `.github/workflows/*.yml` and composite actions.

use std::collections::BTreeMap;

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::condition::{self, Known};
use super::matrix::{self, Row};
use super::{Emit, Script, actions, os_of_label, plain_dir, variables};

/// What holds for all steps of a job.
struct Job<'a> {
    name: String,
    dir: Option<&'a str>,
    env: BTreeMap<String, String>,
    os: Option<Os>,
    rows: Vec<Row>,
    row: Row,
}

pub(super) fn workflow(yaml: &Yaml, emit: &mut Emit) {
    for (id, job) in yaml.get("jobs").map_or(&[][..], Yaml::map) {
        let rows = matrix::rows(job.at(&["strategy", "matrix"]));
        let row = matrix::representative(&rows, |row| os(job, row));
        let mut env = variables(yaml.get("env"));
        env.extend(variables(job.get("env")));
        let keys = &["defaults", "run", "working-directory"];
        let context = Job {
            name: job
                .text_at(&["name"])
                .filter(|name| !name.contains("${{"))
                .unwrap_or(id)
                .to_owned(),
            dir: job.text_at(keys).or_else(|| yaml.text_at(keys)),
            os: job
                .text_at(&["if"])
                .and_then(condition::os)
                .or_else(|| os(job, &row)),
            rows: on_same_system(job, &rows, &row),
            env,
            row,
        };
        services(job, &context, emit);
        steps(job.list_at(&["steps"]), &context, emit);
    }
}

/// A composite action of the repository's own: its steps run in the jobs that use it.
pub(super) fn composite(yaml: &Yaml, emit: &mut Emit) {
    let job = Job {
        name: yaml.text_at(&["name"]).unwrap_or("action").to_owned(),
        dir: None,
        env: BTreeMap::new(),
        os: None,
        rows: vec![Row::new()],
        row: Row::new(),
    };
    steps(yaml.list_at(&["runs", "steps"]), &job, emit);
}

/// The system a job runs on. A job in a container runs on Linux, whatever its label.
fn os(job: &Yaml, row: &Row) -> Option<Os> {
    if job.get("container").is_some() {
        return Some(Os::Linux);
    }
    let env = BTreeMap::new();
    let known = Known { row, env: &env };
    let runner = job.get("runs-on")?;
    let labels = runner.get("labels").unwrap_or(runner).list();
    let mut systems = labels
        .iter()
        .filter_map(Yaml::text)
        .map(|label| known.fill(label).0)
        .filter_map(|label| os_of_label(&label));
    systems.next()
}

/// Rows whose tools count: those on the system that commands are taken for.
fn on_same_system(job: &Yaml, rows: &[Row], chosen: &Row) -> Vec<Row> {
    let wanted = os(job, chosen);
    rows.iter()
        .filter(|row| os(job, row) == wanted)
        .cloned()
        .collect()
}

fn services(job: &Yaml, context: &Job, emit: &mut Emit) {
    let known = Known {
        row: &context.row,
        env: &context.env,
    };
    for (name, service) in job.get("services").map_or(&[][..], Yaml::map) {
        let Some(image) = service.text().or_else(|| service.text_at(&["image"])) else {
            continue;
        };
        let (image, unresolved) = known.fill(image);
        if !unresolved.is_empty() {
            continue;
        }
        let ports = service
            .list_at(&["ports"])
            .iter()
            .filter_map(Yaml::text)
            .map(|port| known.fill(port).0);
        emit.service(
            name,
            &image,
            ports.collect(),
            filled(variables(service.get("env")), &known),
            service.line,
        );
    }
}

/// Variables whose values are known; a secret is not, and is left out.
fn filled(variables: BTreeMap<String, String>, known: &Known) -> BTreeMap<String, String> {
    let fill = |(key, value): (String, String)| {
        let (value, unresolved) = known.fill(&value);
        unresolved.is_empty().then_some((key, value))
    };
    variables.into_iter().filter_map(fill).collect()
}

fn steps(steps: &[Yaml], job: &Job, emit: &mut Emit) {
    for step in steps {
        let condition = step.text_at(&["if"]).unwrap_or_default();
        let known = Known {
            row: &job.row,
            env: &job.env,
        };
        if known.is_false(condition) {
            continue;
        }
        if let Some(uses) = step.text_at(&["uses"])
            && !matches!(
                condition::os(condition),
                Some(Os::Windows | Os::Macos | Os::Other)
            )
        {
            actions::add(step, uses, &job.rows, emit);
        }
        if let Some(run) = step.get("run") {
            emit.script(&script(step, run, condition, job));
        }
    }
}

fn script(step: &Yaml, run: &Yaml, condition: &str, job: &Job) -> Script {
    let mut env = job.env.clone();
    env.extend(variables(step.get("env")));
    let known = Known {
        row: &job.row,
        env: &env,
    };
    let mut script = Script::default();
    script.extend(run);
    (script.text, script.unresolved) = known.fill(&script.text);
    let shell = step.text_at(&["shell"]).unwrap_or_default();
    let windows = ["pwsh", "powershell", "cmd", "msys2"]
        .iter()
        .any(|name| shell.starts_with(name));
    script.os = if windows {
        Some(Os::Windows)
    } else {
        condition::os(condition).or(job.os)
    };
    if shell.starts_with("python") {
        script.text.clear();
    }
    let dir = step
        .text_at(&["working-directory"])
        .or(job.dir)
        .unwrap_or_default();
    let (dir, _) = known.fill(dir);
    match plain_dir(&dir) {
        Some(dir) => script.dir = dir,
        None => script.unresolved.push(dir),
    }
    script.context = match step.text_at(&["name"]) {
        Some(name) => format!("{} / {}", job.name, known.fill(name).0),
        None => job.name.clone(),
    };
    script.env = filled(env.clone(), &known);
    script
}
