//! Cirrus CI (writing tasks), at a thin level: `*_script` of tasks.

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::{Emit, Script, variables};

/// Keys that say where a task runs.
const PLACES: &[(&str, Os)] = &[
    ("freebsd_instance", Os::Bsd),
    ("macos_instance", Os::Macos),
    ("osx_instance", Os::Macos),
    ("windows_container", Os::Windows),
    ("container", Os::Linux),
    ("arm_container", Os::Linux),
    ("docker_builder", Os::Linux),
];

pub(super) fn tasks(yaml: &Yaml, emit: &mut Emit) {
    for (key, task) in yaml.map() {
        if key != "task" && !key.ends_with("_task") {
            continue;
        }
        let place = |yaml: &Yaml| {
            PLACES
                .iter()
                .find(|(key, _)| yaml.get(key).is_some())
                .map(|(_, os)| *os)
        };
        let name = task.text_at(&["name"]).unwrap_or(key);
        let mut env = variables(yaml.get("env"));
        env.extend(variables(task.get("env")));
        for (key, lines) in task
            .map()
            .iter()
            .filter(|(key, _)| key.ends_with("_script"))
        {
            let mut script = Script {
                os: place(task).or_else(|| place(yaml)),
                context: format!("{name} / {key}"),
                env: env.clone(),
                ..Script::default()
            };
            script.extend(lines);
            emit.script(&script);
        }
    }
}
