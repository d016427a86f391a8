//! Which step of a script an output speaks of.

use std::collections::BTreeSet;

use crate::plan::{Action, Layer, Step};
use crate::pyramid::Pyramid;

use super::Script;

/// The step of `layer` that failed, by the command that the script's own trap named (`failed at line N: COMMAND`);
/// `None` where the trap did not speak, or of the packages.
pub fn failed_step<'a>(script: &'a Script, layer: Layer, output: &str) -> Option<&'a Step> {
    let said = output
        .lines()
        .rev()
        .find_map(|line| line.split_once("] failed at line ").map(|(_, said)| said))?;
    let (_, command) = said.split_once(": ")?;
    let steps: Vec<&Step> = script.steps_of(layer).collect();
    let longest = steps
        .iter()
        .filter(|step| mentions(step, command))
        .max_by_key(|step| words(step).len());
    longest.copied().or(match steps.as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}

fn mentions(step: &Step, command: &str) -> bool {
    let words = words(step);
    // The trap shows the command with its quotes: words that need none are compared.
    let plain: Vec<&String> = words
        .iter()
        .filter(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_./=+".contains(c))
        })
        .collect();
    let mut rest = command;
    !plain.is_empty()
        && plain.iter().all(|word| match rest.find(word.as_str()) {
            Some(at) => {
                rest = rest.get(at + word.len()..).unwrap_or("");
                true
            }
            None => false,
        })
}

fn words(step: &Step) -> Vec<String> {
    match &step.action {
        Action::Run { argv, .. } => argv.clone(),
        Action::Shell { .. } | Action::Template { .. } => Vec::new(),
    }
}

/// Names of the programs that the pyramid runs: what a script may not shadow.
pub fn programs_of(pyramid: &Pyramid) -> Vec<String> {
    let mut programs = BTreeSet::new();
    for command in &pyramid.commands {
        for line in command.command.lines() {
            let words = shlex::split(line).unwrap_or_default();
            let first = words
                .iter()
                .find(|word| !word.contains('=') && word.as_str() != "env");
            if let Some(program) = first {
                programs.insert(program.rsplit('/').next().unwrap_or(program).to_owned());
            }
        }
    }
    programs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{fixtures, from_plan};

    #[test]
    fn the_trap_names_the_step() {
        let script = from_plan(&fixtures::cmake());
        let output =
            "CMake Error\n[12:00:00] failed at line 60: $run cmake --build build --parallel\n";
        let step = failed_step(&script, Layer::Project, output).unwrap();
        assert!(
            matches!(&step.action, Action::Run { argv, .. } if argv.contains(&"--build".to_owned()))
        );
        assert!(failed_step(&script, Layer::Project, "no trap here").is_none());
    }
}
