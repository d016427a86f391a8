//! Runners of monorepos: Turborepo (`turbo.json`), Nx (`nx.json`), moon (`moon.yml`, `.moon/tasks.yml`).

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::manifests::json_doc::{Doc, Item};
use crate::graph::yaml::Yaml;

/// `tasks`, called `pipeline` before version 2; `package#task` is for one package.
pub(super) fn turbo(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let tables = [doc.get(&["tasks"]), doc.get(&["pipeline"])];
    let entries = tables.into_iter().flatten().flat_map(Item::entries);
    entries
        .filter(|(name, value)| {
            let watches = value.get("persistent").and_then(Item::bool) == Some(true);
            is_wanted(name) && !watches
        })
        .filter_map(|(name, value)| named(value.place().line, &exec(input, "turbo run"), name, ""))
        .collect()
}

pub(super) fn nx(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let targets = doc
        .get(&["targetDefaults"])
        .into_iter()
        .flat_map(Item::entries);
    targets
        .filter(|(name, _)| is_wanted(name))
        .filter_map(|(name, value)| {
            named(value.place().line, &exec(input, "nx run-many -t"), name, "")
        })
        .collect()
}

pub(super) fn moon(input: &Input<'_>) -> Vec<Task> {
    let Some(yaml) = Yaml::parse(input.text) else {
        return Vec::new();
    };
    let tasks = yaml.get("tasks").map_or(Default::default(), Yaml::map);
    tasks
        .iter()
        .filter(|(name, _)| is_wanted(name))
        .filter_map(|(name, value)| {
            let words: Vec<&str> = value
                .list_at(&["command"])
                .iter()
                .filter_map(Yaml::text)
                .collect();
            named(
                value.mark.line,
                "moon run",
                &format!(":{name}"),
                &words.join(" "),
            )
        })
        .collect()
}

/// A program of the workspace's own `node_modules`.
fn exec(input: &Input<'_>, words: &str) -> String {
    let project = input.project("node");
    let manager = project.and_then(|facts| facts.attr("package-manager"));
    match manager.map_or("npm", |attr| attr.value.as_str()) {
        "yarn" => format!("yarn {words}"),
        "pnpm" => format!("pnpm exec {words}"),
        "bun" => format!("bunx {words}"),
        _ => format!("npx {words}"),
    }
}
