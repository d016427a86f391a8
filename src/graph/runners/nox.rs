//! nox (configuration): functions of `noxfile.py` decorated as sessions.

use std::sync::LazyLock;

use regex::Regex;

use super::{Task, argument};

static DECORATOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^@(?:nox\.)?session\b(.*)$").expect("a literal pattern"));
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\bname\s*=\s*["']([^"']+)["']"#).expect("a literal pattern"));
static FUNCTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:async )?def\s+(\w+)\s*\(").expect("a literal pattern"));

pub(super) fn tasks(text: &str) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut decorated: Option<(u32, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(found) = DECORATOR.captures(line) {
            decorated = Some((
                number,
                found.get(1).map_or("", |found| found.as_str()).to_owned(),
            ));
        } else if let Some(function) = FUNCTION.captures(line).and_then(|found| found.get(1)) {
            let Some((line, arguments)) = decorated.take() else {
                continue;
            };
            let given = NAME
                .captures(&arguments)
                .and_then(|found| found.get(1))
                .map(|found| found.as_str());
            let name = given.unwrap_or(function.as_str()).to_owned();
            if let Some(argument) = argument(&name) {
                tasks.push(Task {
                    line,
                    command: format!("nox -s {argument}"),
                    name,
                    recipe: String::new(),
                    ..Task::default()
                });
            }
        } else if let Some((_, arguments)) = &mut decorated {
            arguments.push_str(line);
        }
    }
    tasks
}
