//! What the page's template shows, as text: everything from a repository is cleaned here and escaped there.

use serde_json::{Value, json};

use super::{ReportData, pyramid, timeline};
use crate::emit::progress::words::{duration, layer_name, outcome_text};
use crate::emit::terminal::{one_line, sanitize};
use crate::evidence::Because;
use crate::plan::{Action, Channel, Conflict, Plan, ProjectPlan, Rejected, Step};
use crate::run::{EndReason, RepairRecord};
use crate::verify::attest::level_name;
use crate::verify::{Certificate, Charge};

pub fn view(data: &ReportData<'_>) -> Value {
    let predicate = &data.certificate.predicate;
    json!({
        "name": one_line(&data.repository.name),
        "facts": facts(data),
        "verdict": verdict(data),
        "tiers": pyramid::tiers(predicate.reached, data.pyramid),
        "graph": graph(data),
        "plan": plan(data.plan),
        "script": script(data.script_text),
        "script_lines": data.script_text.lines().count(),
        "levels": pyramid::levels(data),
        "left_out": pyramid::left_out(data.pyramid),
        "timeline": timeline::timeline(data.events),
        "repairs": predicate.repairs.iter().map(repair).collect::<Vec<_>>(),
        "charges": predicate.charges.iter().map(charge).collect::<Vec<_>>(),
        "digest": digest(data.certificate),
        "docker": docker(data),
        "compiler": one_line(&predicate.compiler),
        "finished": one_line(&predicate.finished),
    })
}

fn facts(data: &ReportData<'_>) -> Vec<Value> {
    let predicate = &data.certificate.predicate;
    let sandbox = &predicate.proof.sandbox;
    let mut facts = Vec::new();
    let mut add = |name: &str, value: String| {
        facts.push(json!({ "name": name, "value": one_line(&value) }));
    };
    if let Some(commit) = &data.repository.commit {
        add("Commit", commit.chars().take(12).collect());
    }
    if let Some(date) = &data.repository.as_of {
        add("Versions as of", date.clone());
    }
    add("Base", data.plan.base.image.clone());
    let place = format!(
        "{} on {} {}",
        sandbox.backend, sandbox.distribution, sandbox.release
    );
    add("Proved in", place);
    add("Whole run", duration(data.run.wall));
    add("Script and tests once", duration(data.run.replay_wall));
    facts
}

fn verdict(data: &ReportData<'_>) -> Value {
    let predicate = &data.certificate.predicate;
    let asked = level_name(predicate.asked);
    let upheld = predicate.charges.iter().filter(|c| c.upheld).count();
    let (class, headline) = match (predicate.verified, predicate.reached) {
        (true, reached) => ("good", format!("Verified: {}", level_name(reached))),
        (false, Some(level)) if upheld == 0 => {
            ("partial", format!("Not verified: {} only", level.name()))
        }
        (false, Some(_)) => ("bad", "Not verified: a charge was upheld".to_owned()),
        (false, None) => ("bad", "Not verified".to_owned()),
    };
    json!({
        "class": class,
        "headline": headline,
        "asked": asked,
        "why": one_line(&end_text(&predicate.end)),
        "tests": pyramid::totals(&predicate.proof.commands),
    })
}

/// Why a run ended, as a sentence.
pub fn end_text(end: &EndReason) -> String {
    match end {
        EndReason::Complete => "Every command of the pyramid was tried.".into(),
        EndReason::Budget(what) => format!("The budget ended it: {what}."),
        EndReason::NoRepair(what) => format!("No repair was left for: {what}."),
        EndReason::Transient(what) => {
            format!("It could not go on for now: {what}. Try again later.")
        }
        EndReason::Interrupted => "It was interrupted.".into(),
    }
}

fn graph(data: &ReportData<'_>) -> Vec<Value> {
    data.graph_summary
        .iter()
        .map(|(kind, count)| json!({ "kind": one_line(kind), "count": count }))
        .collect()
}

/// `place` and `text` of each piece of evidence.
pub fn because(reasons: &[Because]) -> Vec<Value> {
    reasons
        .iter()
        .map(|reason| {
            let place = reason.place.as_ref().map(ToString::to_string);
            json!({
                "place": place.map(|place| one_line(&place)),
                "text": one_line(&reason.text),
            })
        })
        .collect()
}

fn plan(plan: &Plan) -> Value {
    let toolchains = plan.toolchains.iter().map(|tool| {
        json!({
            "name": one_line(&tool.name),
            "requirement": one_line(&tool.requirement),
            "version": one_line(tool.version.as_deref().unwrap_or("")),
            "channel": channel(tool.channel),
            "because": because(&tool.because),
            "rejected": rejected(&tool.rejected),
        })
    });
    let packages = plan.packages.iter().map(|package| {
        json!({
            "name": one_line(&package.package),
            "capability": one_line(&package.capability.to_string()),
            "because": because(&package.because),
        })
    });
    let services = plan.services.iter().map(|service| {
        json!({
            "name": one_line(&service.name),
            "image": one_line(&service.image),
            "because": because(&service.because),
        })
    });
    let env = plan.env.iter().map(|variable| {
        json!({
            "name": one_line(&variable.name),
            "value": one_line(&variable.value),
            "because": because(&variable.because),
        })
    });
    json!({
        "base": one_line(&plan.base.image),
        "base_because": because(&plan.base.because),
        "toolchains": toolchains.collect::<Vec<_>>(),
        "packages": packages.collect::<Vec<_>>(),
        "services": services.collect::<Vec<_>>(),
        "env": env.collect::<Vec<_>>(),
        "projects": plan.projects.iter().map(project).collect::<Vec<_>>(),
        "conflicts": plan.conflicts.iter().map(conflict).collect::<Vec<_>>(),
        "notes": plan.notes.iter().map(|note| one_line(note)).collect::<Vec<_>>(),
    })
}

fn project(project: &ProjectPlan) -> Value {
    json!({
        "name": one_line(&project.name),
        "dir": one_line(&project.dir),
        "ecosystem": one_line(&project.ecosystem),
        "steps": project.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

fn step(step: &Step) -> Value {
    json!({
        "id": one_line(&step.id),
        "layer": step.layer.number(),
        "action": sanitize(&action_text(&step.action)),
        "because": because(&step.because),
    })
}

/// A step's action as a shell would read it.
pub fn action_text(action: &Action) -> String {
    match action {
        Action::Run { argv, env } => {
            let quoted = |text: &str| {
                shlex::try_quote(text)
                    .map_or_else(|_| format!("{text:?}"), |text| text.into_owned())
            };
            let variables = env
                .iter()
                .map(|(name, value)| format!("{name}={}", quoted(value)));
            let words: Vec<_> = variables
                .chain(argv.iter().map(|word| quoted(word)))
                .collect();
            words.join(" ")
        }
        Action::Shell { text } => text.clone(),
        Action::Template { template, values } => {
            let values: Vec<_> = values.iter().map(|(k, v)| format!("{k}={v}")).collect();
            format!("set up {template} {}", values.join(" "))
                .trim_end()
                .to_owned()
        }
    }
}

/// Where a toolchain is had from.
pub fn channel(channel: Channel) -> &'static str {
    match channel {
        Channel::Distribution => "distribution",
        Channel::Uv => "uv",
        Channel::Rustup => "rustup",
    }
}

fn rejected(losers: &[Rejected]) -> Vec<Value> {
    losers
        .iter()
        .map(|loser| {
            json!({
                "value": one_line(&loser.value),
                "reason": one_line(&loser.reason),
                "because": because(&loser.because),
            })
        })
        .collect()
}

fn conflict(conflict: &Conflict) -> Value {
    json!({
        "topic": one_line(&conflict.topic),
        "winner": one_line(&conflict.winner),
        "because": because(std::slice::from_ref(&conflict.because)),
        "losers": rejected(&conflict.losers),
    })
}

/// The script in parts, split at its headings `# ---- 5 project ----`.
fn script(text: &str) -> Vec<Value> {
    let mut parts: Vec<(String, Vec<Value>)> = vec![("head".to_owned(), Vec::new())];
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = heading(line) {
            parts.push((title, Vec::new()));
        }
        if let Some((_, lines)) = parts.last_mut() {
            lines.push(json!({ "n": at + 1, "text": sanitize(line) }));
        }
    }
    parts
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| json!({ "title": title, "count": lines.len(), "lines": lines }))
        .collect()
}

fn heading(line: &str) -> Option<String> {
    let rest = line.strip_prefix('#')?.trim();
    let inner = rest.strip_prefix("--")?.trim_matches('-').trim();
    inner
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| one_line(inner))
}

fn repair(repair: &RepairRecord) -> Value {
    let failure = &repair.failure;
    let place = match (&failure.step, failure.layer) {
        (Some(step), _) => step.clone(),
        (None, Some(layer)) => layer_name(layer),
        (None, None) => String::new(),
    };
    let lines: Vec<_> = failure.lines.iter().map(|line| one_line(line)).collect();
    json!({
        "attempt": repair.attempt,
        "failure": one_line(&failure.title),
        "place": one_line(&place),
        "lines": lines,
        "edit": one_line(&repair.edit.to_string()),
        "origin": one_line(&repair.edit.origin),
        "kept": repair.kept,
        "reason": one_line(&repair.reason),
        "wall": duration(repair.wall),
    })
}

fn charge(charge: &Charge) -> Value {
    json!({
        "charge": one_line(&charge.charge),
        "evidence": charge.evidence.iter().map(|line| one_line(line)).collect::<Vec<_>>(),
        "upheld": charge.upheld,
        "verdict": one_line(&charge.verdict),
    })
}

fn digest(certificate: &Certificate) -> String {
    let subject = certificate.subject.first();
    let digest = subject.and_then(|subject| subject.digest.get("sha256"));
    one_line(digest.map_or("", String::as_str))
}

fn docker(data: &ReportData<'_>) -> Value {
    let predicate = &data.certificate.predicate;
    let Some(proof) = &predicate.docker else {
        let why = predicate
            .docker_skipped
            .as_deref()
            .unwrap_or("not asked for");
        return json!({ "proved": false, "why": one_line(why), "layers": [], "commands": [] });
    };
    let layers = proof.layers.iter().map(|layer| {
        json!({
            "name": layer_name(layer.layer),
            "outcome": outcome_text(layer.outcome),
            "wall": duration(layer.wall),
        })
    });
    let commands = proof.commands.iter().map(pyramid::result_row);
    json!({
        "proved": true,
        "why": format!("{} in {}", level_name(proof.reached), duration(proof.wall)),
        "layers": layers.collect::<Vec<_>>(),
        "commands": commands.collect::<Vec<_>>(),
    })
}
