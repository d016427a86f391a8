//! Azure Pipelines (YAML schema), at a thin level: `script` and `bash` steps of stages and jobs.

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::{Emit, Script, os_of_label, plain_dir, variables};

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    job(yaml, "azure", None, emit);
    for stage in yaml.list_at(&["stages"]).iter().chain([yaml]) {
        for entry in stage.list_at(&["jobs"]) {
            job(
                entry,
                entry.text_at(&["job"]).unwrap_or("azure"),
                system(stage).or_else(|| system(yaml)),
                emit,
            );
        }
    }
}

fn system(yaml: &Yaml) -> Option<Os> {
    os_of_label(yaml.text_at(&["pool", "vmImage"])?)
}

fn job(yaml: &Yaml, name: &str, os: Option<Os>, emit: &mut Emit) {
    for step in yaml.list_at(&["steps"]) {
        let Some(run) = step.get("script").or_else(|| step.get("bash")) else {
            continue;
        };
        let title = step.text_at(&["displayName"]);
        let mut script = Script {
            os: system(yaml).or(os),
            context: title.map_or(name.to_owned(), |title| format!("{name} / {title}")),
            env: variables(step.get("env")),
            dir: step
                .text_at(&["workingDirectory"])
                .and_then(plain_dir)
                .unwrap_or_default(),
            ..Script::default()
        };
        script.extend(run);
        emit.script(&script);
    }
}
