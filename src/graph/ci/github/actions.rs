//! What an action sets up. The table is data: `grammars/actions.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Job;
use super::expression::Known;
use crate::graph::ci::Emit;
use crate::graph::environments;
use crate::graph::yaml::{Mark, Yaml};
use crate::scan::languages::GRAMMARS;

#[derive(Debug, Default, Deserialize)]
struct Table {
    actions: HashMap<String, Action>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Action {
    tool: Option<String>,
    /// Inputs that hold a version, first found wins.
    inputs: Vec<String>,
    /// Inputs that name a file with the version.
    files: Vec<String>,
    /// Files that are looked for where no input says anything.
    implied: Vec<String>,
    #[serde(rename = "ref")]
    by_ref: bool,
    list: Option<String>,
    packages: Option<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let text = GRAMMARS
        .get_file("actions.toml")
        .and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

/// Tools and packages of a `uses:` step, with a version for every row that it runs in.
pub(super) fn add(step: &Yaml, uses: &str, job: &Job, emit: &mut Emit) {
    let (name, reference) = uses.split_once('@').unwrap_or((uses, ""));
    let Some(action) = TABLE.actions.get(name) else {
        return;
    };
    let mark = step.get("uses").map_or(step.mark, |uses| uses.mark);
    let condition = step.text_at(&["if"]).unwrap_or_default();
    if let Some(tool) = &action.tool {
        for row in &job.rows {
            let known = Known {
                row,
                ..job.known(&job.env)
            };
            if !known.is_false(condition) {
                versions(step, tool, action, reference, &known, mark, emit);
            }
        }
    }
    lists(step, action, job, mark, emit);
}

/// The versions of a tool that a step asks for in one row.
fn versions(
    step: &Yaml,
    tool: &str,
    action: &Action,
    reference: &str,
    known: &Known,
    mark: Mark,
    emit: &mut Emit,
) {
    let with = |key: &String| step.at(&["with", key.as_str()]);
    let filled = |value: &Yaml| {
        let (text, unresolved) = known.fill(value.text()?);
        unresolved.is_empty().then_some(text)
    };
    if let Some(value) = action.inputs.iter().find_map(with) {
        let texts = filled(value).unwrap_or_default();
        // A list of versions, one a line, installs all of them.
        let mut any = false;
        for version in texts.lines().map(str::trim).filter(|text| !text.is_empty()) {
            any = true;
            emit.tool(tool, Some(environments::plain_version(version)), value.mark);
        }
        if any {
            return;
        }
    }
    let named = action.files.iter().find_map(with);
    let named = named.and_then(|value| Some((filled(value)?, value.mark)));
    let implied = action.implied.iter().map(|file| (file.clone(), mark));
    for (path, mark) in named.into_iter().chain(implied) {
        let path = path.trim_start_matches("./");
        if let Some(version) = environments::version_in(emit.repository, path, tool) {
            return emit.tool(tool, Some(&version), mark);
        }
    }
    let version = Some(reference).filter(|_| action.by_ref && is_version(reference));
    emit.tool(tool, version, mark);
}

/// Tools and packages that an input lists, separated by commas or white space.
fn lists(step: &Yaml, action: &Action, job: &Job, mark: Mark, emit: &mut Emit) {
    let words = |key: &Option<String>| {
        let value = key.as_deref().and_then(|key| step.text_at(&["with", key]));
        let (text, _) = job.known(&job.env).fill(value.unwrap_or_default());
        text.split([',', ' ', '\n'])
            .map(str::trim)
            .filter(|word| !word.is_empty() && !word.contains(['$', '{', '}']))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for tool in words(&action.list) {
        let (name, version) = match tool.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (tool.as_str(), None),
        };
        emit.tool(name, version, mark);
    }
    for package in words(&action.packages) {
        emit.package(&package, mark);
    }
}

/// A toolchain rather than a revision of the action.
fn is_version(reference: &str) -> bool {
    matches!(reference, "stable" | "beta" | "nightly")
        || (reference.contains('.') && reference.chars().all(|c| c.is_ascii_digit() || c == '.'))
        || reference.starts_with("nightly-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_parses_and_every_action_says_something() {
        let text = crate::scan::languages::GRAMMARS
            .get_file("actions.toml")
            .unwrap()
            .contents_utf8()
            .unwrap();
        let table: super::Table = toml::from_str(text).unwrap();
        for (name, action) in &table.actions {
            assert!(
                action.tool.is_some() || action.list.is_some() || action.packages.is_some(),
                "{name}"
            );
            assert!(name.contains('/'), "{name}");
        }
    }
}
