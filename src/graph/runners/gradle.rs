//! Tasks that a build script registers by name. Those that plugins bring are attributes of the project, see
//! `graph/manifests/gradle.rs`.

use std::sync::LazyLock;

use regex::Regex;

use super::targets::is_wanted;
use super::{Input, Task, named};

/// `tasks.register("x")`, `tasks.register<Test>("x")`, `task x(type: Test)`, `val x by tasks.registering`.
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:tasks\.(?:register|create)(?:<[^>\n]*>)?\s*\(\s*["']([\w-]+)["']|^\s*task\s+["']?([\w-]+)|val\s+(\w+)\s+by\s+tasks\.(?:registering|creating))"#)
        .expect("a literal pattern")
});

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let Some(project) = input
        .project("gradle")
        .filter(|facts| facts.attr("workspace-root").is_none())
    else {
        return Vec::new();
    };
    let test = project
        .attr("test-command")
        .map_or("gradle test", |attr| attr.value.as_str());
    let gradle = test.strip_suffix(" test").unwrap_or("gradle");
    let lines = (1..).zip(input.text.lines());
    lines
        .filter_map(|(number, line)| {
            let found = TASK.captures(line)?;
            let name = found.iter().skip(1).flatten().next()?.as_str();
            is_wanted(name).then(|| named(number, gradle, name, ""))?
        })
        .collect()
}
