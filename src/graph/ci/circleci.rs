//! CircleCI (configuration reference, version 2), at a thin level: `run` steps, images, services.

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::{Emit, Script, plain_dir, variables};

pub(super) fn config(yaml: &Yaml, emit: &mut Emit) {
    for (name, job) in yaml.get("jobs").map_or(&[][..], Yaml::map) {
        let executor = job
            .text_at(&["executor"])
            .or_else(|| job.text_at(&["executor", "name"]));
        let place = executor
            .and_then(|name| yaml.at(&["executors", name]))
            .unwrap_or(job);
        let os = match (
            job.get("macos").or(place.get("macos")),
            job.get("docker").or(place.get("docker")),
        ) {
            (Some(_), _) => Some(Os::Macos),
            (None, Some(_)) => Some(Os::Linux),
            (None, None) => job.get("machine").map(|_| Os::Linux),
        };
        // The first image is where the steps run; the others are its services.
        for service in job.list_at(&["docker"]).iter().skip(1) {
            if let Some(image) = service
                .text_at(&["image"])
                .filter(|image| !image.contains("<<"))
            {
                let short = image
                    .rsplit('/')
                    .next()
                    .unwrap_or(image)
                    .split(':')
                    .next()
                    .unwrap_or(image);
                emit.service(
                    short,
                    image,
                    Vec::new(),
                    variables(service.get("environment")),
                    service.line,
                );
            }
        }
        for step in job.list_at(&["steps"]) {
            if let Some(run) = step.get("run") {
                step_run(run, job, name, os, emit);
            }
        }
    }
}

fn step_run(run: &Yaml, job: &Yaml, name: &str, os: Option<Os>, emit: &mut Emit) {
    let mut script = Script {
        os,
        context: name.to_owned(),
        ..Script::default()
    };
    script.env = variables(job.get("environment"));
    script.env.extend(variables(run.get("environment")));
    let dir = run.text_at(&["working_directory"]).unwrap_or_default();
    script.dir = plain_dir(dir).unwrap_or_default();
    if let Some(step) = run.text_at(&["name"]) {
        script.context = format!("{name} / {step}");
    }
    script.extend(run.get("command").unwrap_or(run));
    emit.script(&script);
}
