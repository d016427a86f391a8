//! GitHub Actions (workflow syntax): `.github/workflows/*.yml`, reusable workflows and composite actions of the
//! repository's own. Forgejo and Gitea read the same syntax.

mod actions;
mod expression;
mod matrix;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::{Emit, os_of_label, shell, variables};
use crate::graph::Os;
use crate::graph::yaml::Yaml;
use expression::Known;
use matrix::Row;

/// Workflows and actions that call one another.
const MAX_CALLS: usize = 5;

type Variables = BTreeMap<String, String>;

/// What holds for all steps of a job, or of an action within one.
#[derive(Clone)]
struct Job {
    name: String,
    dir: Option<String>,
    shell: Option<String>,
    env: Variables,
    os: Option<Os>,
    /// On the same system as `row`.
    rows: Vec<Row>,
    row: Row,
    inputs: Option<Variables>,
    /// Directory of the action that the steps belong to.
    action_dir: Option<String>,
    calls: usize,
}

impl Job {
    fn known<'a>(&'a self, env: &'a Variables) -> Known<'a> {
        Known {
            row: &self.row,
            env,
            inputs: self.inputs.as_ref(),
            os: self.os,
        }
    }
}

pub(super) fn workflow(yaml: &Yaml, emit: &mut Emit) {
    let inputs = defaults(yaml.at(&["on", "workflow_call", "inputs"]))
        .or_else(|| defaults(yaml.at(&["on", "workflow_dispatch", "inputs"])));
    jobs(yaml, "", inputs, 0, emit);
}

/// Whether nothing but another workflow starts this one.
pub(super) fn is_only_called(yaml: &Yaml) -> bool {
    let on = yaml.get("on");
    let names = on
        .map_or(&[][..], Yaml::map)
        .iter()
        .map(|(name, _)| name.as_str());
    let listed = on.map_or(&[][..], Yaml::list).iter().filter_map(Yaml::text);
    let mut all = names.chain(listed).peekable();
    all.peek().is_some() && all.all(|name| name == "workflow_call")
}

/// A composite action of the repository's own: its steps run in the jobs that use it.
pub(super) fn composite(yaml: &Yaml, emit: &mut Emit) {
    let path = emit.path(yaml.mark);
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let job = Job {
        name: yaml.text_at(&["name"]).unwrap_or("action").to_owned(),
        dir: None,
        shell: None,
        env: Variables::new(),
        os: None,
        rows: vec![Row::new()],
        row: Row::new(),
        inputs: defaults(yaml.get("inputs")),
        action_dir: Some(dir),
        calls: 0,
    };
    steps::all(yaml.list_at(&["runs", "steps"]), &job, emit);
}

/// Inputs with the values that hold where a caller says nothing.
fn defaults(inputs: Option<&Yaml>) -> Option<Variables> {
    let pair = |(name, input): &(String, Yaml)| {
        let default = input.text_at(&["default"]);
        // A boolean that nobody sets is false, a text is empty; a required one is not known.
        let absent = match input.text_at(&["required"]) {
            Some("true") => return None,
            _ if input.text_at(&["type"]) == Some("boolean") => "false",
            _ => "",
        };
        Some((name.clone(), default.unwrap_or(absent).to_owned()))
    };
    Some(inputs?.map().iter().filter_map(pair).collect())
}

fn jobs(yaml: &Yaml, caller: &str, inputs: Option<Variables>, calls: usize, emit: &mut Emit) {
    let none = Row::new();
    let env = filled(
        variables(yaml.get("env")),
        &Known {
            row: &none,
            env: &Variables::new(),
            inputs: inputs.as_ref(),
            os: None,
        },
    );
    for (id, job) in yaml.map_at(&["jobs"]) {
        let mut context = context(yaml, id, job, &env, inputs.clone());
        context.calls = calls;
        if !caller.is_empty() {
            context.name = format!("{caller}: {}", context.name);
        }
        let condition = job.text_at(&["if"]).unwrap_or_default();
        let asked = expression::os(condition);
        if context.known(&env).is_false(condition) && asked.is_none_or(|os| os == Os::Linux) {
            continue;
        }
        context.os = asked.or(context.os);
        match job.text_at(&["uses"]) {
            Some(uses) => call(job, uses, &context, emit),
            None => {
                services(job, &context, emit);
                steps::all(job.list_at(&["steps"]), &context, emit);
            }
        }
    }
}

fn context(yaml: &Yaml, id: &str, job: &Yaml, env: &Variables, inputs: Option<Variables>) -> Job {
    let rows = matrix::rows(job.at(&["strategy", "matrix"]));
    let system = |row: &Row| os(job, row, inputs.as_ref());
    let row = matrix::representative(&rows, system);
    let wanted = system(&row);
    let same_system = rows.iter().filter(|row| system(row) == wanted);
    let run = |key: &str| {
        let own = job.text_at(&["defaults", "run", key]);
        own.or_else(|| yaml.text_at(&["defaults", "run", key]))
            .map(str::to_owned)
    };
    let mut context = Job {
        name: String::new(),
        dir: run("working-directory"),
        shell: run("shell"),
        env: env.clone(),
        os: wanted,
        rows: same_system.cloned().collect(),
        row,
        inputs,
        action_dir: None,
        calls: 0,
    };
    let own = filled(variables(job.get("env")), &context.known(env));
    context.env.extend(own);
    let named = job
        .text_at(&["name"])
        .map(|name| context.known(env).fill(name));
    context.name = match named {
        // The matrix in a name tells rows apart; the commands are those of one.
        Some((name, unresolved)) if unresolved.is_empty() => {
            name.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        _ => id.to_owned(),
    };
    context
}

/// The system a job runs on. A job in a container runs on Linux, whatever its label.
fn os(job: &Yaml, row: &Row, inputs: Option<&Variables>) -> Option<Os> {
    if job
        .get("container")
        .is_some_and(|container| container.text() != Some(""))
    {
        return Some(Os::Linux);
    }
    let env = Variables::new();
    let known = Known {
        row,
        env: &env,
        inputs,
        os: None,
    };
    let runner = job.get("runs-on")?;
    let labels = runner.get("labels").unwrap_or(runner).list();
    let mut systems = labels
        .iter()
        .filter_map(Yaml::text)
        .map(|label| known.fill(label).0)
        .filter_map(|label| os_of_label(&label));
    systems.next()
}

/// A job that is another workflow of the repository.
fn call(job: &Yaml, uses: &str, context: &Job, emit: &mut Emit) {
    let Some(path) = uses
        .strip_prefix("./")
        .filter(|_| context.calls < MAX_CALLS)
    else {
        return;
    };
    let Some(called) = emit.load(path) else {
        return;
    };
    let mut inputs = defaults(called.at(&["on", "workflow_call", "inputs"])).unwrap_or_default();
    inputs.extend(given(job.get("with"), &mut inputs.clone(), context));
    jobs(
        &called,
        &context.name,
        Some(inputs),
        context.calls + 1,
        emit,
    );
}

/// The inputs that a caller sets. One whose value is not known is taken out of `defaults`.
fn given(with: Option<&Yaml>, defaults: &mut Variables, job: &Job) -> Variables {
    let mut found = Variables::new();
    for (name, value) in variables(with) {
        let (value, unresolved) = job.known(&job.env).fill(&value);
        if unresolved.is_empty() {
            found.insert(name, value);
        } else {
            defaults.remove(&name);
        }
    }
    found
}

/// Service containers, and the image of the job itself.
fn services(job: &Yaml, context: &Job, emit: &mut Emit) {
    if let Some(container) = job.get("container") {
        let image = container.get("image").unwrap_or(container);
        for row in &context.rows {
            let known = Known {
                row,
                ..context.known(&context.env)
            };
            let (image, unresolved) = known.fill(image.text().unwrap_or_default());
            if unresolved.is_empty() {
                emit.image(&image, container.mark);
            }
        }
    }
    let known = context.known(&context.env);
    for (name, service) in job.map_at(&["services"]) {
        let Some(image) = service.text().or_else(|| service.text_at(&["image"])) else {
            continue;
        };
        let (image, unresolved) = known.fill(image);
        if !unresolved.is_empty() || image.is_empty() {
            continue;
        }
        let ports = service
            .list_at(&["ports"])
            .iter()
            .filter_map(Yaml::text)
            .map(|port| known.fill(port).0);
        let env = filled(variables(service.get("env")), &known);
        emit.service(name, &image, ports.collect(), env, service.mark);
    }
}

/// Variables whose values are known; a secret is not, and is left out.
fn filled(variables: Variables, known: &Known) -> Variables {
    let fill = |(key, value): (String, String)| {
        let (value, unresolved) = known.fill(&value);
        unresolved.is_empty().then_some((key, value))
    };
    variables.into_iter().filter_map(fill).collect()
}
