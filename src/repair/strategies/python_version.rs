//! Another Python.

use crate::repair::Operation;
use crate::repair::candidates::Problem;

/// Just below the version that `removed` names (`3.12` → `<3.12`), or one below the one in use.
pub(super) fn older(problem: &Problem<'_>) -> Vec<Operation> {
    let minor = |version: &str| -> Option<u32> {
        let mut parts = version.split('.');
        (parts.next()? == "3").then_some(())?;
        parts.next()?.parse().ok()
    };
    let used = problem.context.python.and_then(minor);
    let removed = problem.capture("removed").and_then(minor);
    let mut limits: Vec<u32> = removed.into_iter().collect();
    if let Some(used) = used {
        // A limit above what is in use changes nothing.
        limits.retain(|limit| *limit <= used);
        limits.extend([used, used.saturating_sub(1)]);
    }
    limits.retain(|limit| *limit > 8);
    limits.dedup();
    limits
        .into_iter()
        .map(|limit| replan(&format!("<3.{limit}")))
        .collect()
}

/// What the message requires, as a specifier set (PEP 440); a bare version is a least one.
pub(super) fn required(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(requirement) = problem.capture("requirement") else {
        return Vec::new();
    };
    let text: String = requirement.chars().filter(|c| !c.is_whitespace()).collect();
    let text = if text.starts_with(|c: char| c.is_ascii_digit()) {
        format!(">={text}")
    } else {
        text
    };
    match text.parse::<pep440_rs::VersionSpecifiers>() {
        Ok(specifiers) => vec![replan(&specifiers.to_string().replace(' ', ""))],
        Err(_) => Vec::new(),
    }
}

fn replan(value: &str) -> Operation {
    Operation::Replan {
        topic: "python".to_owned(),
        value: value.to_owned(),
    }
}
