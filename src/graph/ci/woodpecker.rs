//! Woodpecker ("Workflow syntax") and Drone (`.drone.yml`, Docker pipelines): steps in containers.

use std::collections::BTreeMap;

use super::{Emit, Script, os_of_label, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    // Drone keeps secrets and signatures as documents of their own.
    if yaml
        .text_at(&["kind"])
        .is_some_and(|kind| kind != "pipeline")
    {
        return;
    }
    let row = row(yaml.get("matrix"));
    let place = yaml
        .text_at(&["platform", "os"])
        .or_else(|| yaml.text_at(&["platform"]));
    let os = place
        .and_then(os_of_label)
        .or(match yaml.text_at(&["type"]) {
            Some("docker" | "kubernetes") | None => Some(Os::Linux),
            Some(_) => None,
        });
    let name = yaml.text_at(&["name"]).unwrap_or("pipeline");
    services(yaml, &row, emit);
    for (step_name, step) in named(yaml.get("steps").or_else(|| yaml.get("pipeline"))) {
        let context = format!("{name} / {step_name}");
        self::step(yaml, step, context, os, &row, emit);
    }
}

fn services(yaml: &Yaml, row: &BTreeMap<String, String>, emit: &mut Emit) {
    for (alias, service) in named(yaml.get("services")) {
        let image = filled(service.text_at(&["image"]).unwrap_or_default(), row);
        if image.is_empty() || image.contains('$') || short_name(&image) == "docker" {
            continue;
        }
        let ports = service.list_at(&["ports"]).iter().filter_map(Yaml::text);
        let ports = ports.map(str::to_owned).collect();
        let env = variables(service.get("environment"));
        emit.service(alias, &image, ports, env, service.mark);
    }
}

fn step(
    yaml: &Yaml,
    step: &Yaml,
    context: String,
    os: Option<Os>,
    row: &BTreeMap<String, String>,
    emit: &mut Emit,
) {
    let Some(commands) = step.get("commands") else {
        return;
    };
    // A step that only failure starts collects what is left.
    let status = step.list_at(&["when", "status"]);
    if !status.is_empty() && status.iter().all(|status| status.text() == Some("failure")) {
        return;
    }
    let image = filled(step.text_at(&["image"]).unwrap_or_default(), row);
    if !image.is_empty() && !image.contains('$') {
        emit.image(
            &image,
            step.get("image").map_or(step.mark, |image| image.mark),
        );
    }
    let mut script = Script::new(context, os);
    script.extend(commands);
    script.fill(|line| (filled(line, row), Vec::new()));
    script.env = variables(yaml.get("environment"));
    script.env.extend(variables(step.get("environment")));
    script.env.extend(row.clone());
    script.row = row.clone();
    let dir = step.text_at(&["directory"]).and_then(super::plain_dir);
    script.dir = dir.unwrap_or_default();
    emit.script(&script);
}

/// Steps or services, as a list with names or as a map.
fn named(yaml: Option<&Yaml>) -> Vec<(&str, &Yaml)> {
    match yaml.map(|yaml| &yaml.value) {
        Some(Value::Map(entries)) => entries
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
            .collect(),
        Some(Value::List(items)) => items
            .iter()
            .map(|item| (item.text_at(&["name"]).unwrap_or("step"), item))
            .collect(),
        _ => Vec::new(),
    }
}

/// The row with the last value of each axis (the newest as a rule), or the first that is listed.
fn row(matrix: Option<&Yaml>) -> BTreeMap<String, String> {
    let Some(matrix) = matrix else {
        return BTreeMap::new();
    };
    if let Some(first) = matrix.list_at(&["include"]).first() {
        return variables(Some(first));
    }
    let last = |values: &Yaml| values.list().last().and_then(Yaml::text).map(str::to_owned);
    let axes = matrix.map().iter();
    axes.filter_map(|(name, values)| Some((name.clone(), last(values)?)))
        .collect()
}

/// `${NAME}` of the matrix is filled in before the shell sees it.
fn filled(text: &str, row: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in row {
        text = text.replace(&format!("${{{name}}}"), value);
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn steps_in_containers() {
        let text = "matrix: {GO: ['1.20', '1.22']}\nsteps:\n  test:\n    image: golang:${GO}\n    environment: [A=b]\n    commands: [go test ./..., 'echo ${GO}']\n  note: {image: x, commands: [tell], when: {status: failure}}\nservices:\n  db: {image: 'mysql:8', environment: {MYSQL_DATABASE: x}}\n";
        insta::assert_snapshot!(shown(".woodpecker/test.yml", text), @r#"
        9: service db mysql:8 [] {"MYSQL_DATABASE": "x"}
        4: tool go 1.22
        6: [] go test ./... (pipeline / test) Linux A=b GO=1.22 @GO=1.22
        6: [] echo 1.22 (pipeline / test) Linux A=b GO=1.22 @GO=1.22
        "#);
        let text = "kind: secret\nname: x\n---\nkind: pipeline\ntype: docker\nname: main\nsteps:\n- {name: build, image: 'node:18', commands: [npm ci, npm test]}\nservices:\n- {name: cache, image: redis}\n---\nkind: pipeline\nname: win\nplatform: {os: windows}\nsteps: [{name: a, commands: [x]}]\n";
        insta::assert_snapshot!(shown(".drone.yml", text), @"
        10: service cache redis [] {}
        8: tool node 18
        8: [] npm ci (main / build) Linux
        8: [] npm test (main / build) Linux
        15: [] x (win / a) Windows
        ");
    }
}
