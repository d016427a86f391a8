//! Scripts of Python's project managers: hatch, pdm, poe, taskipy, pipenv (their manuals), and `[tool.tox]`.

use super::targets::is_wanted;
use super::{Input, Task, argument, named};
use crate::graph::manifests::toml_doc::{Doc, Value};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let mut tasks = Vec::new();
    hatch(doc.get(&["tool", "hatch", "envs"]), &mut tasks);
    let tables: [(&[&str], &str); 3] = [
        (&["tool", "pdm", "scripts"], "pdm run"),
        (&["tool", "poe", "tasks"], "poe"),
        (&["tool", "taskipy", "tasks"], "task"),
    ];
    for (keys, runner) in tables {
        tasks.extend(table(doc.get(keys), runner));
    }
    tox(&doc, &mut tasks);
    tasks
}

pub(super) fn hatch_file(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let mut tasks = Vec::new();
    hatch(doc.get(&["envs"]), &mut tasks);
    tasks
}

pub(super) fn pipfile(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    table(doc.get(&["scripts"]), "pipenv run").collect()
}

/// `[envs.NAME.scripts]`: `hatch run NAME:SCRIPT`, without the name for the default environment.
fn hatch(envs: Option<Value<'_, '_>>, tasks: &mut Vec<Task>) {
    for (env, value) in envs.into_iter().flat_map(Value::entries) {
        for (script, value) in value.get("scripts").into_iter().flat_map(Value::entries) {
            let full = if env == "default" {
                script.to_owned()
            } else {
                format!("{env}:{script}")
            };
            if is_wanted(script) {
                tasks.extend(named(
                    value.place().line,
                    "hatch run",
                    &full,
                    &recipe(value),
                ));
            }
        }
    }
}

fn table<'d>(table: Option<Value<'d, 'd>>, runner: &str) -> impl Iterator<Item = Task> {
    let entries = table.into_iter().flat_map(Value::entries);
    entries
        .filter(|(name, _)| is_wanted(name) && !name.starts_with('_'))
        .filter_map(move |(name, value)| named(value.place().line, runner, name, &recipe(value)))
}

/// A command as a string, a list of them, or a table with one.
fn recipe(value: Value<'_, '_>) -> String {
    let inner = ["cmd", "shell", "composite", "sequence", "script"]
        .iter()
        .find_map(|key| value.get(key));
    let value = inner.unwrap_or(value);
    let many: Vec<&str> = value.array().filter_map(Value::str).collect();
    value.str().map_or_else(|| many.join("; "), str::to_owned)
}

/// `[tool.tox]` in its own form, or an INI text within it.
fn tox(doc: &Doc<'_>, tasks: &mut Vec<Task>) {
    let Some(table) = doc.get(&["tool", "tox"]) else {
        return;
    };
    if let Some(text) = table.get("legacy_tox_ini") {
        let first = text.place().line;
        for mut task in super::tox::ini(text.str().unwrap_or_default()) {
            task.line += first;
            tasks.push(task);
        }
        return;
    }
    let base = table.get("env_run_base");
    let default = base.map(tox_commands).unwrap_or_default();
    tasks.push(Task::new(table.place().line, "tox", "tox").recipe(default));
    for (name, value) in table.get("env").into_iter().flat_map(Value::entries) {
        if let Some(word) = argument(name) {
            let task = Task::new(value.place().line, format!("tox -e {word}"), name);
            tasks.push(task.recipe(tox_commands(value)));
        }
    }
}

/// `commands = [["pytest", "-v"], …]`.
fn tox_commands(env: Value<'_, '_>) -> String {
    let commands = env.get("commands").into_iter().flat_map(Value::array);
    let lines: Vec<String> = commands
        .map(|line| {
            let words: Vec<&str> = line.array().filter_map(Value::str).collect();
            words.join(" ")
        })
        .collect();
    lines.join("; ")
}
