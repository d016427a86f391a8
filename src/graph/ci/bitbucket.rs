//! Bitbucket Pipelines (`bitbucket-pipelines.yml` reference).

use super::{Emit, Script, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::Yaml;

/// Parallel groups and stages within each other.
const MAX_DEPTH: usize = 4;

pub(super) fn pipelines(yaml: &Yaml, emit: &mut Emit) {
    for key in ["default", "branches", "pull-requests", "custom", "tags"] {
        let Some(pipeline) = yaml.at(&["pipelines", key]) else {
            continue;
        };
        entries(pipeline.list(), yaml, key, 0, emit);
        for (name, pipeline) in pipeline.map() {
            entries(pipeline.list(), yaml, name, 0, emit);
        }
    }
}

fn entries(entries: &[Yaml], yaml: &Yaml, name: &str, depth: usize, emit: &mut Emit) {
    for entry in entries {
        if let Some(step) = entry.get("step") {
            self::step(step, yaml, name, emit);
        }
        for key in ["parallel", "stage"] {
            if let Some(inner) = entry.get(key).filter(|_| depth < MAX_DEPTH) {
                let steps = inner.get("steps").unwrap_or(inner);
                self::entries(steps.list(), yaml, name, depth + 1, emit);
            }
        }
    }
}

fn image(yaml: &Yaml) -> Option<&Yaml> {
    let image = yaml.get("image")?;
    Some(image.get("name").unwrap_or(image))
}

fn step(step: &Yaml, yaml: &Yaml, name: &str, emit: &mut Emit) {
    if let Some(image) = image(step).or_else(|| image(yaml))
        && let Some(text) = image.text().filter(|text| !text.contains('$'))
    {
        emit.image(text, image.mark);
    }
    for service in step.list_at(&["services"]) {
        let Some(alias) = service.text().filter(|alias| *alias != "docker") else {
            continue;
        };
        let defined = yaml.at(&["definitions", "services", alias]);
        let image = defined
            .and_then(|service| image_text(service))
            .unwrap_or(alias);
        let env = defined
            .map(|service| variables(service.get("variables").or(service.get("environment"))));
        emit.service(
            alias,
            image,
            Vec::new(),
            env.unwrap_or_default(),
            service.mark,
        );
    }
    let title = step.text_at(&["name"]);
    let windows = step
        .list_at(&["runs-on"])
        .iter()
        .filter_map(Yaml::text)
        .any(|label| label.contains("windows"));
    let os = if windows { Os::Windows } else { Os::Linux };
    let context = title.map_or(name.to_owned(), |title| format!("{name} / {title}"));
    let mut script = Script::new(context, Some(os));
    for item in step.list_at(&["script"]) {
        // `- pipe: …` is a program of theirs.
        script.extend(item);
    }
    emit.script(&script);
}

fn image_text(service: &Yaml) -> Option<&str> {
    let image = image(service)?.text()?;
    (!short_name(image).is_empty()).then_some(image)
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn steps_stages_and_services() {
        let text = "image: node:18\ndefinitions:\n  services:\n    db: {image: 'postgres:14', variables: {POSTGRES_DB: x}}\npipelines:\n  default:\n    - step: &unit {name: Unit, services: [db, docker], script: [npm ci, npm test, {pipe: a/b}]}\n    - parallel:\n        - step: {image: {name: 'python:3.11'}, script: [tox]}\n  branches:\n    main: [{step: *unit}]\n";
        insta::assert_snapshot!(shown("bitbucket-pipelines.yml", text), @r#"
        1: tool node 18
        7: service db postgres:14 [] {"POSTGRES_DB": "x"}
        7: [] npm ci (default / Unit) Linux
        7: [] npm test (default / Unit) Linux
        9: tool python 3.11
        9: [] tox (default) Linux
        "#);
    }
}
