//! Rake: `task` with literal names within `namespace` blocks, and the tasks that libraries define (`TestTask`,
//! `RakeTask`).

use std::sync::LazyLock;

use regex::Regex;

use super::targets::is_wanted;
use super::{Input, Task, named};

static TASK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(\s*)(?:multi)?task\s*\(?\s*(?:["':]{1,2}([\w:-]+)["']?|(\w+):)"#)
        .expect("a literal pattern")
});
static LIBRARY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\b(TestTask|RakeTask|ExtensionTask)\.new\b\s*\(?\s*(?:["':]{1,2}([\w:-]+))?"#)
        .expect("a literal pattern")
});
static NAMESPACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(\s*)namespace\s*\(?\s*["':]{1,2}([\w-]+)"#).expect("a literal pattern")
});

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let bundled = input.beside("Gemfile").is_some() || input.beside("gems.rb").is_some();
    let rake = if bundled { "bundle exec rake" } else { "rake" };
    let mut tasks = Vec::new();
    // Namespaces by the indentation of their line; their `end` stands as deep.
    let mut spaces: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(input.text.lines()) {
        if let Some(found) = NAMESPACE.captures(line) {
            let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
            spaces.push((part(1).len(), part(2).to_owned()));
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if line.trim() == "end" && spaces.last().is_some_and(|(depth, _)| *depth == indent) {
            spaces.pop();
            continue;
        }
        let name = match (TASK.captures(line), LIBRARY.captures(line)) {
            (Some(found), _) => found
                .get(2)
                .or(found.get(3))
                .map(|name| name.as_str().to_owned()),
            (None, Some(found)) => {
                let given = found.get(2).map(|name| name.as_str().to_owned());
                let default = match found.get(1).map(|kind| kind.as_str()) {
                    Some("TestTask") => "test",
                    Some("RakeTask") => "spec",
                    _ => "compile",
                };
                Some(given.unwrap_or_else(|| default.to_owned()))
            }
            _ => None,
        };
        let Some(name) = name else { continue };
        let mut full: Vec<&str> = spaces.iter().map(|(_, name)| name.as_str()).collect();
        full.push(&name);
        let full = full.join(":");
        if full == "default" {
            tasks.push(Task::new(number, rake, "default").recipe(line.trim()));
        } else if is_wanted(&name)
            || name == "spec"
            || full.starts_with("test:")
            || full.starts_with("spec:")
        {
            tasks.extend(named(number, rake, &full, line));
        }
    }
    tasks
}
