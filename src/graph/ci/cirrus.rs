//! Cirrus CI (writing tasks): `*_script` of tasks and of caches, containers and those beside them.

use std::collections::BTreeMap;

use super::{Emit, Script, plain_dir, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

/// Keys that say where a task runs.
const PLACES: &[(&str, Os)] = &[
    ("freebsd_instance", Os::Bsd),
    ("macos_instance", Os::Macos),
    ("osx_instance", Os::Macos),
    ("windows_container", Os::Windows),
    ("container", Os::Linux),
    ("arm_container", Os::Linux),
    ("docker_builder", Os::Linux),
    ("compute_engine_instance", Os::Linux),
    ("ec2_instance", Os::Linux),
];

/// Variants of one task that are read.
const MAX_VARIANTS: usize = 20;

pub(super) fn tasks(yaml: &Yaml, emit: &mut Emit) {
    let global = variables(yaml.get("env"));
    for (key, task) in yaml.map() {
        if key == "task" || key.ends_with("_task") {
            let mut variants: Vec<&Yaml> = task
                .list_at(&["matrix"])
                .iter()
                .take(MAX_VARIANTS)
                .collect();
            // What several say is put down once: for Linux, where that is one of them.
            let elsewhere = |row: &&Yaml| {
                PLACES
                    .iter()
                    .any(|(key, os)| *os != Os::Linux && row.get(key).is_some())
            };
            variants.sort_by_key(elsewhere);
            if variants.is_empty() {
                variants.push(task);
            }
            for own in variants {
                variant(yaml, key, own, task, &global, emit);
            }
        }
    }
}

/// A task, or one of its variants: `own` is looked at before the task itself.
fn variant(
    yaml: &Yaml,
    key: &str,
    own: &Yaml,
    task: &Yaml,
    global: &BTreeMap<String, String>,
    emit: &mut Emit,
) {
    let find = |key: &str| own.get(key).or_else(|| task.get(key));
    let place = [own, task, yaml].into_iter().find_map(place);
    let mut env = global.clone();
    let (of_task, row) = with_matrix(find("env"));
    env.extend(of_task);
    if let Some((container, _)) = place {
        declared(container, &mut env, emit);
    }
    let os = place.map(|(_, os)| os);
    let name = find("name").and_then(Yaml::text);
    let name = name.map(|name| filled(name, &env));
    let name = name
        .filter(|name| !name.contains('$'))
        .unwrap_or_else(|| key.to_owned());
    let dir = env.get("CIRRUS_WORKING_DIR").and_then(|dir| plain_dir(dir));
    for (key, lines) in scripts(own, task) {
        let mut script = Script::new(format!("{name} / {key}"), os);
        script.env = env.clone();
        script.row = row.clone();
        script.dir = dir.clone().unwrap_or_default();
        script.extend(lines);
        if os == Some(Os::Windows) {
            script.shell = Some("cmd".to_owned());
        }
        emit.script(&script);
    }
}

/// The key that says where a task runs, and its system.
fn place(yaml: &Yaml) -> Option<(&Yaml, Os)> {
    let mut places = PLACES.iter();
    places.find_map(|(key, os)| Some((yaml.get(key)?, *os)))
}

/// Scripts of a variant and of its task, in their order, with those that fill caches.
fn scripts<'a>(own: &'a Yaml, task: &'a Yaml) -> Vec<(&'a str, &'a Yaml)> {
    let of_task = task.map().iter();
    let of_task = of_task.filter(|(key, _)| own == task || own.get(key).is_none());
    let of_variant = own.map().iter().filter(|_| own != task);
    let mut found = Vec::new();
    for (key, value) in of_variant.chain(of_task) {
        if key.ends_with("_script") && !key.ends_with("fingerprint_script") {
            found.push((key.as_str(), value));
        } else if let Some(populate) = value.get("populate_script") {
            found.push((key.as_str(), populate));
        }
    }
    found
}

/// The image of a container, those beside it, and its variables.
fn declared(container: &Yaml, env: &mut BTreeMap<String, String>, emit: &mut Emit) {
    for (mark, image) in images(container) {
        let image = filled(&image, env);
        if !image.contains('$') {
            emit.image(&image, mark);
        }
    }
    env.extend(variables(container.get("env")));
    for beside in container.list_at(&["additional_containers"]) {
        if let Some(image) = beside.text_at(&["image"]) {
            let name = beside.text_at(&["name"]).unwrap_or(short_name(image));
            let port = beside.text_at(&["port"]).map(str::to_owned);
            let env = variables(beside.get("env"));
            emit.service(name, image, port.into_iter().collect(), env, beside.mark);
        }
    }
}

/// Variables with the first choice of those that are a matrix, and the choices.
fn with_matrix(env: Option<&Yaml>) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let mut all = variables(env);
    let mut row = BTreeMap::new();
    for (name, value) in env.map_or(&[][..], Yaml::map) {
        let choices = if name == "matrix" {
            Some(value)
        } else {
            value.get("matrix")
        };
        let Some(first) = choices.and_then(|choices| choices.list().first()) else {
            continue;
        };
        match (&first.value, name.as_str()) {
            (Value::Map(_), "matrix") => row.extend(variables(Some(first))),
            _ => row.extend(first.text().map(|text| (name.clone(), text.to_owned()))),
        }
    }
    all.extend(row.clone());
    (all, row)
}

/// The image of a container; with a matrix of them, all.
fn images(container: &Yaml) -> Vec<(crate::graph::yaml::Mark, String)> {
    let one = container.get("image");
    let of_rows = container
        .list_at(&["matrix"])
        .iter()
        .filter_map(|row| row.get("image"));
    one.into_iter()
        .flat_map(Yaml::list)
        .chain(of_rows)
        .filter_map(|image| Some((image.mark, image.text()?.to_owned())))
        .collect()
}

fn filled(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in env {
        if text.contains('$') && text.len() < 1000 {
            text = text.replace(&format!("${{{name}}}"), value);
            text = text.replace(&format!("${name}"), value);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn matrices_containers_and_caches() {
        let text = "env: {A: b}\ntask:\n  name: Tests $PY\n  container:\n    image: python:$PY\n    additional_containers: [{name: db, image: 'postgres:14', port: 5432, env: {P: q}}]\n  env:\n    matrix: [{PY: '3.11'}, {PY: '3.12'}]\n    SECRET: ENCRYPTED[x]\n  pip_cache:\n    folder: ~/.cache\n    fingerprint_script: echo x\n    populate_script: pip install -r requirements.txt\n  test_script:\n    - pytest\nlint_task:\n  matrix:\n    - container: {image: 'rust:1.75'}\n      check_script: cargo clippy\n    - macos_instance: {image: x}\n";
        insta::assert_snapshot!(shown(".cirrus.yml", text), @r#"
        5: tool python 3.11
        6: service db postgres:14 ["5432"] {"P": "q"}
        13: [] pip install -r requirements.txt (Tests 3.11 / pip_cache) Linux A=b PY=3.11 SECRET=ENCRYPTED[x] @PY=3.11
        15: [] pytest (Tests 3.11 / test_script) Linux A=b PY=3.11 SECRET=ENCRYPTED[x] @PY=3.11
        18: tool rust 1.75
        19: [] cargo clippy (lint_task / check_script) Linux A=b
        "#);
    }
}
