//! What an action sets up. The table is data: `grammars/actions.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::yaml::Yaml;
use crate::scan::languages::GRAMMARS;

use super::Emit;
use super::condition::Known;
use super::matrix::Row;

#[derive(Debug, Default, Deserialize)]
struct Table {
    actions: HashMap<String, Action>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Action {
    tool: Option<String>,
    inputs: Vec<String>,
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
pub(super) fn add(step: &Yaml, uses: &str, rows: &[Row], emit: &mut Emit) {
    let (name, reference) = uses.split_once('@').unwrap_or((uses, ""));
    let Some(action) = TABLE.actions.get(name) else {
        return;
    };
    let with = step.get("with");
    let input = |key: &str| with.and_then(|with| with.get(key));
    let empty = Default::default();
    let line = step.get("uses").map_or(step.line, |uses| uses.line);
    if let Some(tool) = &action.tool {
        let value = action.inputs.iter().find_map(|key| input(key));
        for row in rows {
            let known = Known { row, env: &empty };
            let written = value.and_then(Yaml::text);
            let line = value.map_or(line, |value| value.line);
            let (texts, unresolved) = written.map(|text| known.fill(text)).unwrap_or_default();
            // A list of versions, one a line, installs all of them.
            for version in texts
                .lines()
                .map(str::trim)
                .filter(|text| !text.is_empty() && unresolved.is_empty())
            {
                emit.tool(tool, Some(version), line);
            }
            if texts.is_empty() {
                let version = is_version(reference).then_some(reference);
                emit.tool(tool, version.filter(|_| action.by_ref), line);
            }
        }
    }
    let words = |key: &Option<String>| {
        let text = key
            .as_deref()
            .and_then(input)
            .and_then(Yaml::text)
            .unwrap_or_default();
        text.split([',', ' ', '\n'])
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for tool in words(&action.list) {
        let (name, version) = tool
            .split_once('@')
            .map_or((tool.as_str(), None), |(name, version)| {
                (name, Some(version))
            });
        emit.tool(name, version, line);
    }
    for package in words(&action.packages) {
        emit.package(&package, line);
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
