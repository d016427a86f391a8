//! tox (configuration, `tox.ini` and `[tox:tox]` of `setup.cfg`).

use super::{Task, argument};

pub(super) fn ini(text: &str) -> Vec<Task> {
    let mut tasks = vec![Task {
        line: 1,
        command: "tox".to_owned(),
        name: "tox".to_owned(),
        recipe: String::new(),
        ..Task::default()
    }];
    let sections = sections(text);
    if sections.is_empty() {
        return Vec::new();
    }
    for (line, section) in &sections {
        let commands = value(&section.1, "commands");
        if section.0 == "testenv" {
            if let Some(default) = tasks.first_mut() {
                default.line = *line;
                default.recipe = commands;
            }
        } else if let Some(name) = section.0.strip_prefix("testenv:") {
            // `[testenv:py{38,39}-x]` names several; which, only tox knows.
            if let Some(argument) = argument(name).filter(|_| !name.contains(['{', ','])) {
                tasks.push(Task {
                    line: *line,
                    command: format!("tox -e {argument}"),
                    name: name.to_owned(),
                    recipe: commands,
                    ..Task::default()
                });
            }
        }
    }
    tasks
}

/// Only where tox is configured there.
pub(super) fn setup_cfg(text: &str) -> Vec<Task> {
    if !text.contains("[tox:tox]") {
        return Vec::new();
    }
    ini(text)
}

type Section<'a> = (u32, (&'a str, Vec<&'a str>));

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let header = line
            .trim_end()
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        if let Some(name) = header {
            sections.push((number, (name.trim(), Vec::new())));
        } else if let Some((_, (_, lines))) = sections.last_mut() {
            lines.push(line);
        }
    }
    sections
}

/// A key's value with its continuation lines.
fn value(lines: &[&str], key: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in lines {
        if line.starts_with([' ', '\t']) {
            if inside && !line.trim().is_empty() && !line.trim().starts_with('#') {
                parts.push(line.trim());
            }
        } else if let Some((name, first)) = line.split_once('=') {
            inside = name.trim() == key;
            if inside && !first.trim().is_empty() {
                parts.push(first.trim());
            }
        }
    }
    parts.join("; ")
}
