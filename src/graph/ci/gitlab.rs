//! GitLab CI (`.gitlab-ci.yml` keyword reference).

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::{Emit, Script, os_of_label, variables};

/// Top-level keys that are no jobs.
const GLOBAL: &[&str] = &[
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "before_script",
    "after_script",
    "cache",
    "pages:deploy",
];

/// `extends` chains longer than this are not followed.
const MAX_EXTENDS: usize = 5;

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    let global = |key: &str| yaml.get(key).or_else(|| yaml.at(&["default", key]));
    services(global("services"), emit);
    for (name, job) in yaml.map() {
        if GLOBAL.contains(&name.as_str()) || name.starts_with('.') {
            continue;
        }
        let key = |key: &str| inherited(yaml, job, key);
        let Some(run) = key("script") else { continue };
        services(key("services"), emit);
        let mut script = Script {
            context: name.clone(),
            ..Script::default()
        };
        if let Some(before) = key("before_script").or_else(|| global("before_script")) {
            script.extend(before);
        }
        script.extend(run);
        script.env = variables(yaml.get("variables"));
        script.env.extend(variables(key("variables")));
        let image = key("image").or_else(|| global("image")).and_then(image);
        let tags = key("tags")
            .map_or(&[][..], Yaml::list)
            .iter()
            .filter_map(Yaml::text);
        script.os = tags
            .filter_map(os_of_label)
            .next()
            .or(image.map(|image| os_of_label(image).unwrap_or(Os::Linux)));
        emit.script(&script);
    }
}

/// A key of a job or of what it extends.
fn inherited<'a>(yaml: &'a Yaml, job: &'a Yaml, key: &str) -> Option<&'a Yaml> {
    let mut job = job;
    for _ in 0..MAX_EXTENDS {
        if let Some(value) = job.get(key) {
            return Some(value);
        }
        // The last of several wins.
        job = yaml.get(job.get("extends")?.list().last()?.text()?)?;
    }
    None
}

fn image(yaml: &Yaml) -> Option<&str> {
    yaml.text().or_else(|| yaml.text_at(&["name"]))
}

fn services(yaml: Option<&Yaml>, emit: &mut Emit) {
    for service in yaml.map_or(&[][..], Yaml::list) {
        let Some(image) = image(service).filter(|image| !image.contains('$')) else {
            continue;
        };
        let alias = service.text_at(&["alias"]);
        let short = image
            .rsplit('/')
            .next()
            .unwrap_or(image)
            .split(':')
            .next()
            .unwrap_or(image);
        emit.service(
            alias.unwrap_or(short),
            image,
            Vec::new(),
            variables(service.get("variables")),
            service.line,
        );
    }
}
