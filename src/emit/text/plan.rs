//! The plan as tables.

use super::{columns, first_reason};
use crate::emit::report::{action_text, channel};
use crate::emit::terminal::one_line;
use crate::plan::{Plan, ProjectPlan, Toolchain};

/// What `envc plan` prints: base, toolchains, packages, steps, conflicts, each with its reason.
pub fn plan_table(plan: &Plan) -> String {
    let mut text = heading(plan);
    let toolchains = plan.toolchains.iter().map(toolchain);
    section(&mut text, "Toolchains", toolchains.collect());
    things(&mut text, plan);
    for project in &plan.projects {
        steps(&mut text, project);
    }
    let conflicts = plan.conflicts.iter().map(|conflict| {
        let losers: Vec<_> = conflict.losers.iter().map(|l| l.value.as_str()).collect();
        vec![
            conflict.topic.clone(),
            format!("{} over {}", conflict.winner, losers.join(", ")),
            conflict.because.to_string(),
        ]
    });
    section(&mut text, "Conflicts", conflicts.collect());
    let notes = plan.notes.iter().map(|note| vec![note.clone()]);
    section(&mut text, "Notes", notes.collect());
    text
}

/// Packages, services, variables.
fn things(text: &mut String, plan: &Plan) {
    let packages = plan.packages.iter().map(|package| {
        vec![
            package.package.clone(),
            package.capability.to_string(),
            first_reason(&package.because),
        ]
    });
    section(text, "System packages", packages.collect());
    let services = plan.services.iter().map(|service| {
        vec![
            service.name.clone(),
            service.image.clone(),
            first_reason(&service.because),
        ]
    });
    section(text, "Services", services.collect());
    let env = plan.env.iter().map(|variable| {
        vec![
            format!("{}={}", variable.name, variable.value),
            first_reason(&variable.because),
        ]
    });
    section(text, "Environment", env.collect());
}

fn steps(text: &mut String, project: &ProjectPlan) {
    let steps = project.steps.iter().map(|step| {
        vec![
            step.layer.number().to_string(),
            step.id.clone(),
            action_text(&step.action),
            first_reason(&step.because),
        ]
    });
    let title = format!("Steps of {} ({})", project.name, project.ecosystem);
    section(text, &title, steps.collect());
}

fn heading(plan: &Plan) -> String {
    let id = &plan.repository;
    let commit = id.commit.as_deref().map(|commit| {
        let short: String = commit.chars().take(7).collect();
        format!(" at {short}")
    });
    let date = id
        .as_of
        .as_deref()
        .map(|date| format!(", versions as of {date}"));
    one_line(&format!(
        "{}{} on {}{}",
        id.name,
        commit.unwrap_or_default(),
        plan.base.image,
        date.unwrap_or_default()
    )) + "\n"
}

fn toolchain(tool: &Toolchain) -> Vec<String> {
    let version = tool.version.clone().unwrap_or_else(|| "any".to_owned());
    let wanted = match tool.requirement.as_str() {
        "" => String::new(),
        requirement => format!("asked: {requirement}"),
    };
    vec![
        tool.name.clone(),
        format!("{version} from {}", channel(tool.channel)),
        wanted,
        first_reason(&tool.because),
    ]
}

fn section(text: &mut String, title: &str, rows: Vec<Vec<String>>) {
    if !rows.is_empty() {
        text.push_str(&format!("\n{}\n{}", one_line(title), columns(&rows, "  ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::sample;

    #[test]
    fn a_plan_in_tables() {
        insta::assert_snapshot!(plan_table(&sample::plan()));
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let mut plan = sample::plan();
        plan.packages[0].package = "a\n\u{1b}[2Jb".into();
        plan.repository.name = "x\u{1b}]0;t\u{7}\ny".into();
        let text = plan_table(&plan);
        assert!(
            text.starts_with("x y at ") && text.contains("\n  a b "),
            "{text}"
        );
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }
}
