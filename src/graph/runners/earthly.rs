//! Targets of an `Earthfile` (Earthly reference).

use super::targets::is_wanted;
use super::{Input, Task};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for (number, line) in (1..).zip(input.text.lines()) {
        if line.starts_with([' ', '\t']) {
            let run = line.trim().strip_prefix("RUN ");
            if let (Some(task), Some(run)) = (tasks.last_mut(), run)
                && task.recipe.len() < super::MAX_CONTEXT
            {
                if !task.recipe.is_empty() {
                    task.recipe.push_str("; ");
                }
                task.recipe.push_str(run);
            }
            continue;
        }
        let Some(name) = line.trim_end().strip_suffix(':') else {
            continue;
        };
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if plain && is_wanted(name) {
            tasks.push(Task::new(number, format!("earthly +{name}"), name));
        }
    }
    tasks
}
