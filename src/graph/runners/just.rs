//! justfiles (just manual, Recipes). Recipes that need arguments cannot be run without knowing them.

use std::sync::LazyLock;

use regex::Regex;

use super::Task;
use super::targets::is_wanted;

/// `@name param='default' *rest: prerequisites`
static RECIPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^@?([A-Za-z_][\w-]*)([^:]*):([^=].*)?$").expect("a literal pattern")
});

pub(super) fn tasks(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with([' ', '\t']) {
            if let (true, Some(task)) = (open, tasks.last_mut()) {
                if !task.recipe.is_empty() {
                    task.recipe.push_str("; ");
                }
                task.recipe
                    .push_str(line.trim().trim_start_matches(['@', '-']));
            }
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        open = false;
        let Some(found) = RECIPE.captures(line) else {
            continue;
        };
        let part = |at: usize| found.get(at).map_or("", |found| found.as_str());
        let needs = part(2)
            .split_whitespace()
            .any(|word| !word.contains('=') && !word.starts_with('*'));
        if is_wanted(part(1)) && !needs {
            let name = part(1).to_owned();
            tasks.push(Task {
                line: number,
                command: format!("just {name}"),
                name,
                recipe: String::new(),
                ..Task::default()
            });
            open = true;
        }
    }
    tasks
}
