//! Makefiles, as far as their rules stand at the start of a line (GNU make manual, 4 Writing Rules). Variables are
//! replaced before, see `make.rs`: a target with a variable left in its name is not known before make runs.

use super::targets::is_wanted;
use super::{Task, argument};

pub(super) fn tasks(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    // Tasks that the recipe lines below belong to.
    let mut open: Vec<usize> = Vec::new();
    let mut defining = false;
    let mut continued = false;
    for (number, line) in (1..).zip(text.lines()) {
        let part_of_last = std::mem::replace(&mut continued, line.ends_with('\\'));
        let word = line.split_whitespace().next().unwrap_or_default();
        defining = (defining || word == "define") && word != "endef";
        if defining || line.trim().is_empty() {
            continue;
        }
        if line.starts_with('\t') {
            add_recipe(&mut tasks, &open, line, part_of_last);
        } else if !part_of_last && let Some((targets, prerequisites)) = rule(line) {
            open.clear();
            for name in targets.split_whitespace().filter(|name| is_wanted(name)) {
                open.push(task(&mut tasks, name, number));
                if let (Some(at), Some((_, recipe))) = (open.last(), prerequisites.split_once(';'))
                {
                    add_recipe(&mut tasks, &[*at], recipe, false);
                }
            }
        } else if !line.starts_with(['#', ' ']) && !part_of_last && !is_conditional(word) {
            open.clear();
        }
    }
    tasks
}

fn is_conditional(word: &str) -> bool {
    matches!(
        word,
        "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif"
    )
}

/// Targets and prerequisites of a rule; `None` for an assignment or anything else.
fn rule(line: &str) -> Option<(&str, &str)> {
    if line.starts_with([' ', '#', '.', '-']) {
        return None;
    }
    let (targets, rest) = line.split_once(':')?;
    let assigned = rest.trim_start_matches(':').starts_with('=') || targets.contains('=');
    // `target: VAR = value` sets a variable for the target and is no rule.
    let variable = rest
        .split(';')
        .next()
        .is_some_and(|rest| rest.contains('=') && !rest.contains("$("));
    let plain = !targets.contains(['$', '%', '(', '"']);
    (plain && !assigned && !variable).then_some((targets, rest.trim_start_matches(':')))
}

/// The place of a target's task; a target may have several rules, of which the first is kept.
fn task(tasks: &mut Vec<Task>, name: &str, line: u32) -> usize {
    if let Some(at) = tasks.iter().position(|task| task.name == name) {
        return at;
    }
    let argument = argument(name).unwrap_or_default();
    tasks.push(Task {
        line,
        command: format!("make {argument}"),
        name: name.to_owned(),
        recipe: String::new(),
        ..Task::default()
    });
    tasks.len() - 1
}

fn add_recipe(tasks: &mut [Task], open: &[usize], line: &str, continues: bool) {
    let line = line.trim().trim_end_matches('\\').trim_end();
    let line = if continues {
        line
    } else {
        line.trim_start_matches(['@', '-', '+'])
    };
    let spoken = line.starts_with("echo ") || line.starts_with('#');
    for at in open {
        if let Some(task) = tasks.get_mut(*at)
            && !spoken
            && task.recipe.len() < super::MAX_CONTEXT
        {
            if !task.recipe.is_empty() {
                task.recipe.push_str(if continues { " " } else { "; " });
            }
            task.recipe.push_str(line);
        }
    }
}
