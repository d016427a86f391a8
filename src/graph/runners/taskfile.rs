//! Task (`Taskfile.yml`, its schema of version 3).

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::Os;
use crate::graph::yaml::Yaml;

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let Some(yaml) = Yaml::parse(input.text) else {
        return Vec::new();
    };
    let tasks = yaml.get("tasks").map_or(Default::default(), Yaml::map);
    tasks
        .iter()
        .filter(|(name, value)| is_wanted(name) && value.text_at(&["internal"]) != Some("true"))
        .filter_map(|(name, value)| one(name, value))
        .collect()
}

fn one(name: &str, value: &Yaml) -> Option<Task> {
    // A task that needs variables cannot be run without knowing them.
    if value.at(&["requires", "vars"]).is_some() {
        return None;
    }
    let lists = [value.list_at(&["cmds"]), value.list_at(&["cmd"])];
    let own = if value.map().is_empty() {
        value.list()
    } else {
        &[]
    };
    let steps: Vec<&str> = lists
        .into_iter()
        .flatten()
        .chain(own)
        .filter_map(|step| step.text().or_else(|| step.text_at(&["cmd"])))
        .collect();
    let mut task = named(value.mark.line, "task", name, &steps.join("; "))?;
    for (key, value) in value.get("env").map_or(Default::default(), Yaml::map) {
        if let Some(text) = value.text().filter(|text| !text.contains("{{")) {
            task.env.insert(key.clone(), text.to_owned());
        }
    }
    let platforms: Vec<&str> = value
        .list_at(&["platforms"])
        .iter()
        .filter_map(Yaml::text)
        .collect();
    let linux = platforms
        .iter()
        .any(|name| name.contains("linux") || name.starts_with("amd64"));
    if !platforms.is_empty() && !linux {
        let windows = platforms.iter().any(|name| name.contains("windows"));
        task.os = Some(if windows { Os::Windows } else { Os::Macos });
    }
    Some(task)
}
