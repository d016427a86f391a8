//! One step as Bash lines. Every value is a word of its own; nothing is spliced into text.

use std::fmt::Write;

use handlebars::Handlebars;

use crate::plan::{Action, Guard, Step};

use super::activation::nul;
use super::quote::is_name;
use super::{ScriptError, comment, quote, toolchain};

/// Longest evidence in a comment, in characters.
const EVIDENCE: usize = 72;

/// Names that Bash would take as its own, or that the script defines, where the step means a program.
const NOT_PROGRAMS: &[&str] = &[
    ".",
    ":",
    "add",
    "alias",
    "aptget",
    "bg",
    "bind",
    "break",
    "builtin",
    "cd",
    "command",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fg",
    "getopts",
    "hash",
    "have",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "need",
    "newer",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "root",
    "rust",
    "say",
    "set",
    "shift",
    "shopt",
    "show",
    "source",
    "suspend",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "usage",
    "wait",
];

/// The evidence of a step, for the comment over it.
pub(super) fn evidence(step: &Step) -> String {
    step.because
        .first()
        .map(|because| comment(&because.to_string(), EVIDENCE))
        .unwrap_or_default()
}

/// Whether the step has to stand in the repository.
pub(super) fn is_in_repository(step: &Step) -> bool {
    !matches!(step.action, Action::Template { .. }) || matches!(step.unless, Some(Guard::Exists(_)))
}

/// The step's lines, indented by one tab, for a function that stands in the repository's root.
pub(super) fn lines(step: &Step, handlebars: &Handlebars<'_>) -> Result<Vec<String>, ScriptError> {
    let word = |value: &str| quote(value).map_err(|e| nul(format!("step {}", step.id), e));
    let command = match &step.action {
        Action::Template { template, values } => {
            return template_lines(step, template, values, handlebars);
        }
        Action::Run { argv, env } => run(step, argv, env)?,
        Action::Shell { text } => {
            // Checked, never quoted: the here-document takes everything but NUL.
            word(text)?;
            shell(text)
        }
    };
    let mut line = String::from("\t");
    if let Some(guard) = &step.unless {
        let _ = write!(line, "{} || ", condition(step, guard)?);
    }
    if step.dir.is_empty() {
        line.push_str(&command);
    } else {
        let _ = write!(line, "(cd {} && {command})", word(&relative(&step.dir))?);
    }
    Ok(vec![line])
}

fn run(step: &Step, argv: &[String], env: &[(String, String)]) -> Result<String, ScriptError> {
    let word = |value: &str| quote(value).map_err(|e| nul(format!("step {}", step.id), e));
    let program = argv
        .first()
        .filter(|program| !program.is_empty())
        .ok_or_else(|| ScriptError::Empty {
            step: step.id.clone(),
        })?;
    let mut line = String::from("$run");
    if !env.is_empty() || NOT_PROGRAMS.contains(&program.as_str()) {
        line.push_str(" env");
    }
    for (name, value) in env {
        if !is_name(name) {
            return Err(ScriptError::EnvName {
                step: step.id.clone(),
                name: name.clone(),
            });
        }
        let _ = write!(line, " {name}={}", word(value)?);
    }
    for argument in argv {
        let _ = write!(line, " {}", word(argument)?);
    }
    Ok(line)
}

/// Text of the repository as the argument of a Bash of its own, by way of a here-document whose delimiter is no line
/// of the text. (Not on standard input, which the text's own commands may read.)
fn shell(text: &str) -> String {
    let mut delimiter = "ENVC".to_owned();
    let mut count = 0u64;
    while text.lines().any(|line| line == delimiter) {
        count += 1;
        delimiter = format!("ENVC_{count}");
    }
    let text = text.trim_end_matches('\n');
    format!("$run bash -Eeuo pipefail -c \"$(\n\t\tcat <<'{delimiter}'\n{text}\n{delimiter}\n\t)\"")
}

fn condition(step: &Step, guard: &Guard) -> Result<String, ScriptError> {
    let word = |value: &str| quote(value).map_err(|e| nul(format!("step {}", step.id), e));
    Ok(match guard {
        Guard::Exists(path) if path.starts_with('/') || step.dir.is_empty() => {
            format!("[[ -e {} ]]", word(path)?)
        }
        Guard::Exists(path) => format!("[[ -e {} ]]", word(&format!("{}/{path}", step.dir))?),
        Guard::Command(program) => format!("command -v -- {} >/dev/null", word(program)?),
    })
}

fn template_lines(
    step: &Step,
    name: &str,
    values: &std::collections::BTreeMap<String, String>,
    handlebars: &Handlebars<'_>,
) -> Result<Vec<String>, ScriptError> {
    let toolchain = toolchain(name)?;
    let mut all = toolchain.head.defaults;
    all.extend(values.clone());
    let text = handlebars
        .render_template(&toolchain.body, &all)
        .map_err(|error| ScriptError::Template {
            name: name.to_owned(),
            why: error.to_string(),
        })?;
    let Some(guard) = &step.unless else {
        return Ok(text.lines().map(|line| format!("\t{line}")).collect());
    };
    let mut lines = vec![format!("\tif ! {}; then", condition(step, guard)?)];
    lines.extend(text.lines().map(|line| format!("\t\t{line}")));
    lines.push("\tfi".to_owned());
    Ok(lines)
}

/// A path that no program takes for an option.
fn relative(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}
