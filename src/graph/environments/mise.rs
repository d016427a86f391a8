//! `mise.toml` (mise, "Configuration"): tools, variables, tasks.

use crate::graph::manifests::{Doc, DocValue};
use crate::graph::{CommandFacts, CommandSource, Facts};

use super::{Format, Found, Reading, base};

/// Characters of what a task does that are kept.
const MAX_RECIPE: usize = 200;

pub(super) const FORMAT: Format = Format {
    matches: |path| {
        matches!(base(path), "mise.toml" | ".mise.toml" | ".rtx.toml")
            || matches!(
                path,
                ".config/mise.toml" | ".mise/config.toml" | "mise/config.toml"
            )
    },
    read,
    pins: true,
};

/// `(line, tool, version)`; the first of several versions.
pub(super) fn tools(text: &str) -> Vec<(u32, String, Option<String>)> {
    let doc = Doc::parse(text, "");
    let Some(table) = doc.get(&["tools"]) else {
        return Vec::new();
    };
    let version = |value: DocValue| {
        let first = value.array().next().unwrap_or(value);
        let inner = first.get("version").unwrap_or(first);
        let text = inner.str().or_else(|| inner.integer());
        text.map(str::to_owned)
            .filter(|text| text.contains(|c: char| c.is_ascii_digit()) && !text.contains(':'))
    };
    table
        .entries()
        .map(|(name, value)| {
            // `npm:prettier`, `cargo:just`, `aqua:x/y`: the program is the last part.
            let name = name.strip_prefix("core:").unwrap_or(name);
            (value.place().line, name.to_owned(), version(value))
        })
        .collect()
}

fn read(reading: &mut Reading) {
    for (line, tool, version) in tools(reading.text) {
        reading.tool(line, &tool, version.as_deref());
    }
    let doc = Doc::parse(reading.text, reading.path);
    if let Some(env) = doc.get(&["env"]) {
        for (name, value) in env.entries().filter(|(name, _)| *name != "_") {
            reading.variable(value.place().line, name, value.str());
        }
    }
    let Some(tasks) = doc.get(&["tasks"]) else {
        return;
    };
    for (name, task) in tasks.entries() {
        let run = task.get("run").unwrap_or(task);
        let rows: Vec<&str> = match run.str() {
            Some(text) => vec![text],
            None => run.array().filter_map(|row| row.str()).collect(),
        };
        let Ok(quoted) = shlex::try_quote(name) else {
            continue;
        };
        let recipe = format!("{name}: {}", rows.join("; "));
        let facts = CommandFacts {
            context: recipe.chars().take(MAX_RECIPE).collect(),
            dir: base_dir(reading.path).to_owned(),
            ..CommandFacts::new(format!("mise run {quoted}"), CommandSource::TaskRunner)
        };
        let name = facts.text.clone();
        reading.push(Found::Node(task.place().line, name, Facts::Command(facts)));
    }
}

/// The directory that a configuration file speaks for.
fn base_dir(path: &str) -> &str {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    match dir {
        ".config" | ".mise" | "mise" => "",
        dir => dir,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn tools_variables_and_tasks() {
        let text = "[tools]\nnode = '20'\npython = [\"3.11\", \"3.10\"]\ngo = { version = '1.22' }\n\"npm:prettier\" = 'latest'\n\n[env]\nA = 'b'\n_.file = '.env'\n\n[tasks.test]\nrun = ['make', 'make check']\n[tasks]\nbuild = 'make'\n";
        insta::assert_snapshot!(found("mise.toml", text), @r#"
        4: tool go 1.22
        2: tool node 20
        5: tool npm:prettier *
        3: tool python 3.11
        8: variable A=Some("b")
        14: run mise run build (build: make)
        11: run mise run test (test: make; make check)
        "#);
    }
}
