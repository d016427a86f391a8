//! `envc explain WHAT`: the chain of evidence of one thing, with the candidates that lost.

use super::columns;
use crate::emit::progress::words::layer_name;
use crate::emit::report::{action_text, channel};
use crate::emit::terminal::one_line;
use crate::evidence::Because;
use crate::packages::{Index, bases};
use crate::plan::{EnvVar, Plan, Rejected, Step, SystemPackage, Toolchain};
use crate::pyramid::{LeftOut, Pyramid, PyramidCommand};
use crate::script::Script;

/// Something that can be explained.
struct Subject {
    /// What it can be asked by; the first is its name.
    names: Vec<String>,
    kind: &'static str,
    rows: Vec<(&'static str, String)>,
    because: Vec<Because>,
    rejected: Vec<Rejected>,
}

/// Everything that is known of `what`: a package, capability, toolchain, step, command (its id or its text), service,
/// environment variable, a conflict's topic, or `base`. Letter case does not matter. `None` where nothing has the name; see
/// [`near_names`].
pub fn explain(plan: &Plan, script: &Script, pyramid: &Pyramid, what: &str) -> Option<String> {
    let what = one_line(what).to_lowercase();
    let texts: Vec<String> = subjects(plan, script, pyramid)
        .iter()
        .filter(|subject| subject.names.iter().any(|name| name.to_lowercase() == what))
        .map(text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Names that [`explain`] knows, each once, in order of the plan.
pub fn known_subjects(plan: &Plan, script: &Script, pyramid: &Pyramid) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for subject in subjects(plan, script, pyramid) {
        for name in subject.names {
            if !name.is_empty() && !known.contains(&name) {
                known.push(name);
            }
        }
    }
    known
}

/// At most five names that look like `what`, best first.
pub fn near_names(known: &[String], what: &str) -> Vec<String> {
    let what = one_line(what).to_lowercase();
    let allowed = ((what.chars().count() + 1) / 3).max(1);
    let mut near: Vec<(usize, &String)> = known
        .iter()
        // A whole script of a workflow is no name that somebody mistyped.
        .filter(|name| name.chars().count() <= 60)
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let within = what.len() >= 3
                && (lower.contains(&what) || lower.len() >= 3 && what.contains(&lower));
            let distance = edit_distance(&lower, &what);
            (within || distance <= allowed).then_some((distance, name))
        })
        .collect();
    near.sort();
    near.into_iter()
        .take(5)
        .map(|(_, name)| name.clone())
        .collect()
}

/// Levenshtein's distance of the first 64 characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let short = |text: &str| text.chars().take(64).collect::<String>();
    strsim::levenshtein(&short(a), &short(b))
}

fn subjects(plan: &Plan, script: &Script, pyramid: &Pyramid) -> Vec<Subject> {
    let mut all = of_plan(plan);
    all.extend(of_script(plan, script));
    all.extend(pyramid.commands.iter().map(command));
    all.extend(command_variables(pyramid));
    all.extend(pyramid.left_out.iter().map(left_out));
    all.extend(plan.conflicts.iter().map(|conflict| Subject {
        names: vec![one_line(&conflict.topic)],
        kind: "conflict",
        rows: vec![("won", conflict.winner.clone())],
        because: vec![conflict.because.clone()],
        rejected: conflict.losers.clone(),
    }));
    all
}

fn of_plan(plan: &Plan) -> Vec<Subject> {
    let mut all = vec![Subject {
        names: vec![
            "base".into(),
            one_line(&plan.base.image),
            one_line(&plan.base.id),
        ],
        kind: "base image",
        rows: vec![("image", plan.base.image.clone())],
        because: plan.base.because.clone(),
        rejected: Vec::new(),
    }];
    all.extend(plan.toolchains.iter().map(toolchain));
    all.extend(plan.services.iter().map(|service| Subject {
        names: vec![one_line(&service.name)],
        kind: "service",
        rows: vec![("image", service.image.clone())],
        because: service.because.clone(),
        rejected: Vec::new(),
    }));
    all
}

/// What stands in the script or was planned for it; what a repair added or changed is told apart.
fn of_script(plan: &Plan, script: &Script) -> Vec<Subject> {
    let mut all = Vec::new();
    let new = script
        .packages
        .iter()
        .filter(|p| !plan.packages.contains(p));
    let packages = plan.packages.iter().chain(new);
    let base = bases().iter().find(|base| base.id == plan.base.id);
    let index = base.map(Index::for_base);
    all.extend(packages.map(|p| package(p, script, index.as_ref())));
    let new = script.env.iter().filter(|v| !plan.env.contains(v));
    all.extend(plan.env.iter().chain(new).map(variable));
    let planned: Vec<&Step> = plan.projects.iter().flat_map(|p| &p.steps).collect();
    all.extend(script.steps.iter().map(|s| {
        step(
            s,
            match planned.contains(&s) {
                true => "step",
                false => "step, added or changed after the plan",
            },
        )
    }));
    let gone = |s: &&&Step| script.step(&s.id).is_none();
    let gone = planned.iter().filter(gone);
    all.extend(gone.map(|s| step(s, "step of the plan, not in the script")));
    all
}

fn toolchain(tool: &Toolchain) -> Subject {
    let mut rows = Vec::new();
    if !tool.requirement.is_empty() {
        rows.push(("asked", tool.requirement.clone()));
    }
    rows.extend(tool.version.clone().map(|version| ("version", version)));
    rows.push(("from", channel(tool.channel).to_owned()));
    Subject {
        names: vec![one_line(&tool.name)],
        kind: "toolchain",
        rows,
        because: tool.because.clone(),
        rejected: tool.rejected.clone(),
    }
}

/// Runners-up of a package that are named.
const RUNNERS_UP: usize = 4;

fn package(package: &SystemPackage, script: &Script, index: Option<&Index>) -> Subject {
    let installed = script.packages.iter().any(|p| p.package == package.package);
    let place = match installed {
        true => format!("setup.sh, {}", layer_name(3)),
        false => "not in the script: dropped as superfluous or by a repair".to_owned(),
    };
    let (_, subject) = package.capability.parts();
    Subject {
        names: vec![
            one_line(&package.package),
            one_line(&package.capability.to_string()),
            one_line(subject),
        ],
        kind: "system package",
        rows: vec![("provides", package.capability.to_string()), ("in", place)],
        because: package.because.clone(),
        rejected: runners_up(package, index),
    }
}

/// Other packages that provide the same.
fn runners_up(package: &SystemPackage, index: Option<&Index>) -> Vec<Rejected> {
    let providers = index
        .map(|index| index.providers(&package.capability))
        .unwrap_or_default();
    let others = providers
        .into_iter()
        .filter(|other| other.package != package.package);
    others
        .take(RUNNERS_UP)
        .map(|other| Rejected {
            value: other.package,
            reason: format!("also provides it ({}), and ranks lower", other.why),
            because: Vec::new(),
        })
        .collect()
}

fn variable(variable: &EnvVar) -> Subject {
    Subject {
        names: vec![one_line(&variable.name)],
        kind: "environment variable",
        rows: vec![("value", variable.value.clone())],
        because: variable.because.clone(),
        rejected: Vec::new(),
    }
}

/// Variables that commands of the pyramid run with, each with the commands.
fn command_variables(pyramid: &Pyramid) -> Vec<Subject> {
    let mut by_name: std::collections::BTreeMap<&str, Vec<&PyramidCommand>> = Default::default();
    for command in &pyramid.commands {
        for name in command.env.keys() {
            by_name.entry(name).or_default().push(command);
        }
    }
    let subject = |(name, commands): (&str, Vec<&PyramidCommand>)| Subject {
        names: vec![one_line(name)],
        kind: "environment variable of commands of the Test Pyramid",
        rows: commands
            .iter()
            .map(|c| {
                (
                    "value",
                    format!(
                        "{} for {}",
                        c.env.get(name).map_or("", String::as_str),
                        c.id
                    ),
                )
            })
            .collect(),
        because: commands
            .iter()
            .filter_map(|c| c.because.first().cloned())
            .take(3)
            .collect(),
        rejected: Vec::new(),
    };
    by_name.into_iter().map(subject).collect()
}

fn step(step: &Step, kind: &'static str) -> Subject {
    let mut rows = vec![
        ("does", action_text(&step.action)),
        (
            "in",
            format!("setup.sh, {}", layer_name(step.layer.number())),
        ),
    ];
    if !step.dir.is_empty() {
        rows.push(("directory", step.dir.clone()));
    }
    Subject {
        // `./configure` may be asked for as `configure`.
        names: vec![
            one_line(&step.id),
            one_line(step.id.trim_start_matches("./")),
        ],
        kind,
        rows,
        because: step.because.clone(),
        rejected: Vec::new(),
    }
}

fn command(command: &PyramidCommand) -> Subject {
    let mut rows = vec![
        ("runs", command.command.clone()),
        ("level", command.level.name().to_owned()),
        ("confidence", format!("{:.0} %", command.confidence * 100.0)),
    ];
    if !command.dir.is_empty() {
        rows.push(("directory", command.dir.clone()));
    }
    if command.added {
        rows.push(("added", "not found in the repository".to_owned()));
    }
    Subject {
        names: vec![one_line(&command.id), one_line(&command.command)],
        kind: "command of the Test Pyramid",
        rows,
        because: command.because.clone(),
        rejected: Vec::new(),
    }
}

fn left_out(left: &LeftOut) -> Subject {
    let mut rows = vec![("why not", left.reason.clone())];
    rows.extend(left.place.as_ref().map(|place| ("at", place.to_string())));
    Subject {
        names: vec![one_line(&left.command)],
        kind: "command that was left out",
        rows,
        because: Vec::new(),
        rejected: Vec::new(),
    }
}

fn text(subject: &Subject) -> String {
    let name = subject.names.first().map_or("", String::as_str);
    let mut rows: Vec<Vec<String>> = subject
        .rows
        .iter()
        .map(|(label, value)| vec![(*label).to_owned(), value.clone()])
        .collect();
    for (at, reason) in subject.because.iter().enumerate() {
        let label = if at == 0 { "because" } else { "" };
        rows.push(vec![label.to_owned(), sourced(reason)]);
    }
    for loser in &subject.rejected {
        let lost = format!("{}: {}", loser.value, loser.reason);
        rows.push(vec!["lost".to_owned(), lost]);
        let reasons = loser
            .because
            .iter()
            .map(|reason| vec![String::new(), sourced(reason)]);
        rows.extend(reasons);
    }
    format!("{name}: {}\n{}", subject.kind, columns(&rows, "  "))
}

/// Evidence with how far it is trusted.
fn sourced(reason: &Because) -> String {
    let trust = serde_json::to_value(reason.trust).ok();
    let trust = trust
        .as_ref()
        .and_then(|trust| trust.as_str())
        .unwrap_or_default();
    format!("{reason}  ({trust})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::sample;

    fn ask(what: &str) -> Option<String> {
        explain(&sample::plan(), &sample::script(), &sample::pyramid(), what)
    }

    #[test]
    fn a_package_by_any_of_its_names() {
        let text = ask("zlib1g-dev").unwrap();
        insta::assert_snapshot!(text);
        assert_eq!(ask("header:zlib.h").as_deref(), Some(text.as_str()));
        assert_eq!(ask("ZLIB.H").as_deref(), Some(text.as_str()));
    }

    #[test]
    fn the_losers_are_named() {
        let text = ask("c").unwrap();
        assert!(text.contains("clang: only named in one CI job"), "{text}");
        assert!(
            text.contains(".github/workflows/ci.yml:21 CC=clang (ci)"),
            "{text}"
        );
    }

    #[test]
    fn everything_that_is_known_can_be_asked() {
        let (plan, script, pyramid) = (sample::plan(), sample::script(), sample::pyramid());
        let known = known_subjects(&plan, &script, &pyramid);
        assert!(known.len() >= 12, "{known:?}");
        for name in &known {
            assert!(explain(&plan, &script, &pyramid, name).is_some(), "{name}");
        }
        assert_eq!(ask("nothing of the kind"), None);
    }

    #[test]
    fn a_package_that_a_repair_added() {
        let (plan, mut script, pyramid) = (sample::plan(), sample::script(), sample::pyramid());
        script.packages.push(SystemPackage {
            capability: crate::packages::Capability::Command("flex".into()),
            package: "flex".into(),
            because: vec![Because::no_place(
                crate::evidence::Trust::Observed,
                "flex: not found",
            )],
        });
        let text = explain(&plan, &script, &pyramid, "cmd:flex").unwrap();
        assert!(text.contains("flex: not found (observed)"), "{text}");
    }

    #[test]
    fn near_misses() {
        let known = ["zlib1g-dev", "cmake", "header:zlib.h", "t1"].map(str::to_owned);
        assert_eq!(near_names(&known, "zlib1g"), ["zlib1g-dev"]);
        assert_eq!(near_names(&known, "cmaek"), ["cmake"]);
        assert_eq!(near_names(&known, "qqqqqq"), Vec::<String>::new());
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
