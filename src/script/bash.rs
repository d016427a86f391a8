//! Script → Bash text, by `templates/script/setup.sh.hbs`.

use std::collections::BTreeMap;

use handlebars::{Context, Handlebars, Helper, Output, RenderContext, RenderErrorReason};
use serde_json::json;

use crate::packages::Capability;
use crate::plan::{Action, EnvVar, Layer, SystemPackage};

use super::activation::{export_lines, nul, usable};
use super::toolchain::TEMPLATES;
use super::{Manager, Script, ScriptError, comment, managers, quote, step};

/// Longest evidence beside a package, in characters.
const EVIDENCE: usize = 60;

/// What another package manager calls a capability: `(capability, manager, Debian package)` → its requirement
/// (`pkgconfig(zlib)`), or `None` where it cannot say it. The manager is the stem of its file.
pub type Native<'a> = dyn Fn(&Capability, &str, &str) -> Option<String> + 'a;

/// The script's text: apt by package names, and every further manager that has a word for each requirement.
///
/// # Errors
/// [`ScriptError`] where a value cannot be written into a script, or a template is not known.
pub fn bash(script: &Script) -> Result<String, ScriptError> {
    bash_with(script, &native)
}

/// What a manager calls a capability, from the packages stage.
///
/// Base tools have a name in every manager, listed by Debian's; everything else is asked for by capability.
pub fn native(capability: &Capability, manager: &str, debian: &str) -> Option<String> {
    let known = crate::packages::Manager::ALL;
    let manager = known.into_iter().find(|known| known.name() == manager)?;
    let named = match crate::packages::package_for(debian, manager) {
        Some([one]) => Some(one.clone()),
        _ => None,
    };
    named.or_else(|| crate::packages::native_requirement(capability, manager))
}

/// As [`bash`], with an adapter for each further manager that `native` lets express every capability.
///
/// # Errors
/// As [`bash`].
pub fn bash_with(script: &Script, native: &Native<'_>) -> Result<String, ScriptError> {
    let handlebars = handlebars();
    let (packages, mut left_out) = usable_packages(&script.packages);
    let (managers, alternatives) = adapters(&packages, native)?;
    let (activation, exported) = export_lines(script)?;
    let (env, unset) = env_lines(script)?;
    left_out.extend(unset);
    let mut base = layer(script, Layer::Base, &handlebars)?;
    let mut package_lines = Vec::new();
    if !packages.is_empty() {
        package_lines = array(&packages);
        package_lines.extend(alternatives);
        base.insert(0, "\tneed \"${packages[@]}\"".to_owned());
    }
    let runtimes = layer(script, Layer::Runtimes, &handlebars)?;
    let project = layer(script, Layer::Project, &handlebars)?;
    let text_of = |lines: &[&[String]]| {
        lines
            .iter()
            .flat_map(|l| l.iter())
            .any(|l| l.contains("newer "))
    };
    let probes: Vec<_> = managers.iter().map(|m| m.probe.as_str()).collect();
    let repository = &script.repository;
    let data = json!({
        "name": comment(&repository.name, EVIDENCE),
        "commit": repository.commit.as_deref().map(|c| comment(&c.chars().take(12).collect::<String>(), 12)),
        "verified": script.verified.as_deref().map(|v| comment(v, 100)),
        "marker": repository.marker,
        "refusal": format!("is not {}: run in the repository or set REPO", comment(&repository.name, EVIDENCE)),
        "left_out": left_out, "env": env, "activation": activation, "parallel": parallel(script), "exported": exported.join(" "),
        "several": managers.len() > 1, "probes": probes.join(", "), "managers": managers,
        "versions": text_of(&[&base, &runtimes, &project]),
        "packages": package_lines, "base": base, "runtimes": runtimes, "project": project,
        "ready": script.ready,
    });
    render(&handlebars, "script/setup.sh.hbs", &data)
}

/// Lets `make` and `cmake --build` use the machine's processors, and no more: `make -j` alone starts as many compilers
/// as there are files. Whoever runs the script may say otherwise (`MAKEFLAGS= setup.sh`).
fn parallel(script: &Script) -> Vec<&'static str> {
    let lines = [
        ("make", "export MAKEFLAGS=\"${MAKEFLAGS--j$(nproc)}\""),
        (
            "cmake",
            "export CMAKE_BUILD_PARALLEL_LEVEL=\"${CMAKE_BUILD_PARALLEL_LEVEL-$(nproc)}\"",
        ),
    ];
    let runs = |program: &str| {
        script.steps.iter().any(|step| match &step.action {
            Action::Run { argv, .. } => argv.first().is_some_and(|first| first == program),
            _ => false,
        })
    };
    let sets = |line: &str| {
        let name = |v: &EnvVar| line.starts_with(&format!("export {}=", v.name));
        script.env.iter().any(name)
    };
    let wanted = lines
        .into_iter()
        .filter(|(program, line)| runs(program) && !sets(line));
    wanted.map(|(_, line)| line).collect()
}

/// The lines that export the plan's variables, each under its reason, and a line for each that cannot be exported.
fn env_lines(script: &Script) -> Result<(Vec<String>, Vec<String>), ScriptError> {
    let (mut lines, mut left_out) = (Vec::new(), Vec::new());
    for variable in &script.env {
        if !usable(&variable.name) {
            let text = format!("variable {:?}: the script cannot set it", variable.name);
            left_out.push(comment(&text, EVIDENCE));
            continue;
        }
        let value = quote(&variable.value).map_err(|e| nul(&variable.name, e))?;
        let reason = variable.because.first().map(ToString::to_string);
        let reason = comment(&reason.unwrap_or_default(), EVIDENCE);
        if !reason.is_empty() {
            lines.push(format!("# {reason}"));
        }
        lines.push(format!("export {}={value}", variable.name));
    }
    Ok((lines, left_out))
}

/// Handlebars as every emitted file uses it: no HTML escapes, no missing values, and `{{quote value}}`.
pub(super) fn handlebars() -> Handlebars<'static> {
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(handlebars::no_escape);
    handlebars.register_helper(
        "quote",
        Box::new(
            |helper: &Helper<'_>,
             _: &Handlebars<'_>,
             _: &Context,
             _: &mut RenderContext<'_, '_>,
             out: &mut dyn Output| {
                let value = helper.param(0).and_then(|p| p.value().as_str());
                let value = value
                    .ok_or_else(|| RenderErrorReason::Other("quote takes one text".to_owned()))?;
                let word = quote(value)
                    .map_err(|error| RenderErrorReason::Other(format!("{value:?} {error}")))?;
                out.write(&word)?;
                Ok(())
            },
        ),
    );
    handlebars
}

/// Renders the embedded template at `path`.
pub(super) fn render(
    handlebars: &Handlebars<'_>,
    path: &str,
    data: &serde_json::Value,
) -> Result<String, ScriptError> {
    let bad = |why: String| ScriptError::Template {
        name: path.to_owned(),
        why,
    };
    let template = TEMPLATES
        .get_file(path)
        .and_then(|file| file.contents_utf8())
        .ok_or_else(|| bad("not embedded".to_owned()))?;
    handlebars
        .render_template(template, data)
        .map_err(|error| bad(error.to_string()))
}

/// The lines of a layer's function, evidence over each step; a reason that holds for several in a row is said once.
fn layer(
    script: &Script,
    layer: Layer,
    handlebars: &Handlebars<'_>,
) -> Result<Vec<String>, ScriptError> {
    let mut lines = Vec::new();
    if script.steps_of(layer).any(step::is_in_repository) {
        lines.push("\tcd \"$repo\"".to_owned());
    }
    let mut said = String::new();
    for step in script.steps_of(layer) {
        let evidence = step::evidence(step);
        if evidence != said && !evidence.is_empty() {
            lines.push(format!("\t# {evidence}"));
        }
        said = evidence;
        lines.extend(step::lines(step, handlebars)?);
    }
    Ok(lines)
}

/// Packages whose names apt can take (Debian policy, 5.6.7, and an architecture), and a line for each other one: a name
/// such as `-o=…` would be an option.
fn usable_packages(packages: &[SystemPackage]) -> (Vec<&SystemPackage>, Vec<String>) {
    let (good, bad): (Vec<_>, Vec<_>) = packages.iter().partition(|p| is_package(&p.package));
    let lines = bad
        .iter()
        .map(|p| {
            comment(
                &format!("package {:?}: not a package's name", p.package),
                EVIDENCE,
            )
        })
        .collect();
    (good, lines)
}

fn is_package(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.:".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(legal)
}

/// A requirement in another manager's words that cannot be an option or a second word.
fn is_requirement(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.:_/()=<>@".contains(c))
}

/// The `packages=(…)` array: one line a reason, its evidence at the end in one column, as shfmt puts it.
fn array(packages: &[&SystemPackage]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for package in packages {
        let reason = package
            .because
            .first()
            .map(ToString::to_string)
            .unwrap_or_default();
        let reason = comment(&reason, EVIDENCE);
        let at = *index.entry(reason.clone()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, names)) => names.push(&package.package),
            None => groups.push((reason, vec![&package.package])),
        }
    }
    let joined: Vec<(String, String)> = groups
        .into_iter()
        .map(|(reason, names)| (names.join(" "), reason))
        .collect();
    let mut lines = vec!["packages=(".to_owned()];
    let widths = columns(&joined);
    for ((names, reason), width) in joined.iter().zip(widths) {
        lines.push(if reason.is_empty() {
            format!("\t{names}")
        } else {
            format!("\t{names:width$} # {reason}")
        });
    }
    lines.push(")".to_owned());
    lines
}

/// Width of the names before each comment: shfmt aligns the comments of lines that follow each other.
fn columns(lines: &[(String, String)]) -> Vec<usize> {
    let mut widths = vec![0; lines.len()];
    let mut start = 0;
    for block in lines.chunk_by(|a, b| a.1.is_empty() == b.1.is_empty()) {
        let width = block
            .iter()
            .map(|(names, _)| names.len())
            .max()
            .unwrap_or(0);
        for slot in widths.iter_mut().skip(start).take(block.len()) {
            *slot = width;
        }
        start += block.len();
    }
    widths
}

/// Adapters that can say everything that is needed, apt first, and the lines that give the others their words.
fn adapters(
    packages: &[&SystemPackage],
    native: &Native<'_>,
) -> Result<(Vec<Manager>, Vec<String>), ScriptError> {
    let mut chosen = Vec::new();
    let mut by_words: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for manager in managers() {
        if manager.name == "apt" {
            chosen.push(manager.clone());
            continue;
        }
        let words: Option<Vec<String>> = packages
            .iter()
            .map(|p| native(&p.capability, &manager.name, &p.package).filter(|w| is_requirement(w)))
            .collect();
        let Some(mut words) = words.filter(|words| !words.is_empty()) else {
            continue;
        };
        words.sort();
        words.dedup();
        let quoted: Vec<String> = words
            .iter()
            .map(|word| quote(word).map_err(|e| nul(word, e)))
            .collect::<Result<_, _>>()?;
        by_words
            .entry(quoted.join(" "))
            .or_default()
            .push(manager.name.as_str());
        chosen.push(manager.clone());
    }
    let mut cases: Vec<String> = by_words
        .into_iter()
        .map(|(words, names)| format!("{}) packages=({words}) ;;", names.join(" | ")))
        .collect();
    if !cases.is_empty() {
        for manager in &mut chosen {
            manager.lines.insert(0, format!("manager={}", manager.name));
        }
        cases.insert(0, "case $manager in".to_owned());
        cases.push("esac".to_owned());
    }
    Ok((chosen, cases))
}
