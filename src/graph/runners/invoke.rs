//! Invoke: functions of `tasks.py` that are decorated as tasks; `_` in a name is `-` on the command line.

use std::sync::LazyLock;

use regex::Regex;

use super::targets::is_wanted;
use super::{Input, Task, named};

static DECORATOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^@(?:invoke\.)?task\b(.*)$").expect("a literal pattern"));
static FUNCTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^def\s+(\w+)\s*\(([^)]*)").expect("a literal pattern"));

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let imports = input.text.lines().any(|line| {
        line.contains("invoke") && (line.starts_with("from ") || line.starts_with("import "))
    });
    if !imports {
        return Vec::new();
    }
    let mut tasks = Vec::new();
    let mut decorated = None;
    for (number, line) in (1..).zip(input.text.lines()) {
        if DECORATOR.is_match(line) {
            decorated = Some(number);
        } else if let Some(found) = FUNCTION.captures(line) {
            let Some(line) = decorated.take() else {
                continue;
            };
            let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
            let name = part(1).replace('_', "-");
            // What has no default has to be given.
            let needs = part(2).split(',').skip(1).any(|argument| {
                !argument.trim().is_empty() && !argument.contains('=') && !argument.contains('*')
            });
            if is_wanted(&name) && !needs {
                tasks.extend(named(line, "invoke", &name, ""));
            }
        }
    }
    tasks
}
