//! Commands that print what is known before anything runs.

use serde::Serialize;

use crate::Analysis;
use crate::emit;
use crate::script;

use super::arguments::{Build, Emit, Explain, ScriptArguments, Show, Source};
use super::bases;
use super::exit::{Exit, Failure};
use super::source::resolve;

fn analyse(source: &Source) -> Result<Analysis, Failure> {
    let root = resolve(&source.path)?;
    let base = match &source.base {
        Some(base) => {
            let facts = bases::facts_of(base)?;
            if facts.is_none() {
                anstream::eprintln!("{}", unknown_base(base));
            }
            facts
        }
        None => None,
    };
    Ok(crate::analyse(&root, &source.constraints(), base.as_ref())?)
}

/// A plan for another base than the one that was named is worth a word.
fn unknown_base(base: &crate::sandbox::Base) -> String {
    let named = base.to_string();
    let known: Vec<&str> = crate::packages::bases()
        .iter()
        .map(|base| base.image.as_str())
        .collect();
    let named = emit::sanitize(&named).into_owned();
    let known = known.join(", ");
    format!(
        "envc: note: nothing is known of {named} before something runs in it; this is planned for a base that is known ({known})"
    )
}

/// Prints to standard output; a reader that went away is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

pub fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(value)?)
}

pub fn plan(options: &Show) -> Result<Exit, Failure> {
    let analysis = analyse(&options.source)?;
    match options.json {
        true => print_json(&analysis.plan)?,
        false => print(&emit::plan_table(&analysis.plan))?,
    }
    Ok(Exit::Verified)
}

pub fn script(options: &ScriptArguments) -> Result<Exit, Failure> {
    if let Some(file) = &options.check {
        return check(options, file);
    }
    let analysis = analyse(&options.source)?;
    match options.json {
        true => print_json(&analysis.script)?,
        false => print(&script::bash(&analysis.script)?)?,
    }
    Ok(Exit::Verified)
}

/// Reads a script that somebody else wrote and says which of its lines fake an environment.
fn check(options: &ScriptArguments, file: &std::path::Path) -> Result<Exit, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    let analysis = analyse(&options.source)?;
    let tracked: Vec<String> = analysis
        .repository
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let programs = script::programs_of(&analysis.pyramid);
    let findings = script::check(&text, &tracked, &programs);
    if options.json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            let place = format!("{}:{}", file.display(), finding.line);
            print(&emit::sanitize(&format!("{place}: {}", finding.text)))?;
        }
        if findings.is_empty() {
            print("nothing dishonest found")?;
        }
    }
    Ok(if findings.is_empty() {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

pub fn pyramid(options: &Show) -> Result<Exit, Failure> {
    let analysis = analyse(&options.source)?;
    match options.json {
        true => print_json(&analysis.pyramid)?,
        false => print(&crate::pyramid::text(&analysis.pyramid, true))?,
    }
    Ok(Exit::Verified)
}

pub fn explain(options: &Explain) -> Result<Exit, Failure> {
    let analysis = analyse(&options.source)?;
    let (plan, script, pyramid) = (&analysis.plan, &analysis.script, &analysis.pyramid);
    let Some(text) = emit::explain(plan, script, pyramid, &options.what) else {
        let known = emit::known_subjects(plan, script, pyramid);
        let near = emit::near_names(&known, &options.what);
        let hint = match near.is_empty() {
            true => "`envc plan` lists everything in it".to_owned(),
            false => format!("did you mean {}?", near.join(", ")),
        };
        return Err(Failure::new(
            Exit::NotReached,
            format!("nothing called {:?} is in the plan; {hint}", options.what),
        ));
    };
    match options.json {
        true => print_json(
            &serde_json::json!({ "what": options.what, "explanation": text.lines().collect::<Vec<_>>() }),
        )?,
        false => print(&text)?,
    }
    Ok(Exit::Verified)
}

/// `envc build --emit …`: several kinds in one call. A single kind stands alone; several are one JSON object.
pub fn emitted(options: &Build) -> Result<Exit, Failure> {
    let analysis = analyse(&options.source)?;
    let dockerfile = || super::build::dockerfile(&analysis.script, &analysis.pyramid);
    if let [one] = options.emit.as_slice() {
        match (one, options.json) {
            (Emit::Graph, _) => print_json(&analysis.graph)?,
            (Emit::Plan, _) => print_json(&analysis.plan)?,
            (Emit::Pyramid, _) => print_json(&analysis.pyramid)?,
            (Emit::Script, true) => print_json(&analysis.script)?,
            (Emit::Script, false) => print(&script::bash(&analysis.script)?)?,
            (Emit::Dockerfile, _) => print(&dockerfile()?)?,
        }
        return Ok(Exit::Verified);
    }
    let mut all = serde_json::Map::new();
    for kind in &options.emit {
        let (name, value) = match kind {
            Emit::Graph => ("graph", serde_json::to_value(&analysis.graph)?),
            Emit::Plan => ("plan", serde_json::to_value(&analysis.plan)?),
            Emit::Script => ("script", script::bash(&analysis.script)?.into()),
            Emit::Pyramid => ("pyramid", serde_json::to_value(&analysis.pyramid)?),
            Emit::Dockerfile => ("dockerfile", dockerfile()?.into()),
        };
        all.insert(name.to_owned(), value);
    }
    print_json(&all)?;
    Ok(Exit::Verified)
}
