//! Buildkite (`.buildkite/pipeline.yml`, "Defining steps"): commands of steps and groups.

use std::collections::BTreeMap;

use super::{Emit, Script, os_of_label, variables};
use crate::graph::Os;
use crate::graph::yaml::Yaml;

/// Groups within groups.
const MAX_DEPTH: usize = 4;

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    let env = variables(yaml.get("env"));
    // A file may be the list of steps itself.
    let listed = if yaml.get("steps").is_some() {
        yaml.list_at(&["steps"])
    } else {
        yaml.list()
    };
    steps(listed, yaml, &env, 0, emit);
}

fn steps(
    steps: &[Yaml],
    pipeline: &Yaml,
    env: &BTreeMap<String, String>,
    depth: usize,
    emit: &mut Emit,
) {
    for step in steps {
        if depth < MAX_DEPTH {
            self::steps(step.list_at(&["steps"]), pipeline, env, depth + 1, emit);
        }
        let Some(commands) = step.get("commands").or_else(|| step.get("command")) else {
            continue;
        };
        let label = step.text_at(&["label"]).or_else(|| step.text_at(&["key"]));
        let label = label.unwrap_or("step");
        let os = queue(step)
            .or_else(|| queue(pipeline))
            .or_else(|| os_of_label(label));
        let mut script = Script::new(label, os);
        script.extend(commands);
        script.env = env.clone();
        script.env.extend(variables(step.get("env")));
        if images(step, emit) {
            script.os = script.os.or(Some(Os::Linux));
        }
        matrix(step, &mut script);
        emit.script(&script);
    }
}

/// The system that the agents' tags name.
fn queue(yaml: &Yaml) -> Option<Os> {
    let agents = yaml.get("agents")?;
    let of_map = agents.map().iter().map(|(_, value)| value);
    let mut texts = of_map.chain(agents.list()).filter_map(Yaml::text);
    texts.find_map(os_of_label)
}

/// The images of Docker plugins; whether there are any.
fn images(step: &Yaml, emit: &mut Emit) -> bool {
    let mut any = false;
    for (name, options) in step.list_at(&["plugins"]).iter().flat_map(Yaml::map) {
        let image = options
            .text_at(&["image"])
            .filter(|image| !image.contains('$'));
        if let Some(image) = image.filter(|_| name.starts_with("docker#")) {
            any = true;
            emit.image(image, options.mark);
        }
    }
    any
}

/// `{{matrix}}` and `{{matrix.x}}`: the last value of each axis.
fn matrix(step: &Yaml, script: &mut Script) {
    let Some(matrix) = step.get("matrix") else {
        return;
    };
    let last = |values: &Yaml| values.list().last().and_then(Yaml::text).map(str::to_owned);
    let axes = matrix.map_at(&["setup"]);
    if axes.is_empty() {
        let values = matrix.get("setup").unwrap_or(matrix);
        if let Some(value) = last(values) {
            script.row.insert("matrix".to_owned(), value);
        }
    }
    for (name, values) in axes {
        script
            .row
            .extend(last(values).map(|value| (format!("matrix.{name}"), value)));
    }
    for (name, value) in &script.row {
        for form in [format!("{{{{{name}}}}}"), format!("{{{{ {name} }}}}")] {
            script.text = script.text.replace(&form, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn steps_groups_and_matrices() {
        let text = "env: {A: b}\nsteps:\n  - group: Tests\n    steps:\n      - label: \":linux: unit\"\n        commands: [make, \"make check V={{matrix}}\"]\n        matrix: ['1', '2']\n        plugins: [{docker#v5.1: {image: 'python:3.11'}}]\n  - wait\n  - {label: win, command: nmake, agents: {queue: windows-2022}}\n";
        insta::assert_snapshot!(shown(".buildkite/pipeline.yml", text), @"
        8: tool python 3.11
        6: [] make (:linux: unit) Linux A=b @matrix=2
        6: [] make check V=2 (:linux: unit) Linux A=b @matrix=2
        10: [] nmake (win) Windows A=b
        ");
    }
}
