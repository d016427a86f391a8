//! The version of a tool that a file of the repository asks for: what `python-version-file` and the like of CI systems
//! resolve to.

use std::sync::LazyLock;

use regex::Regex;

use super::{base, mise, names, sdkman, single, tool_versions};
use crate::graph::manifests::{Doc, DocValue};
use crate::scan::{Repository, read_text};

/// `go 1.22` or `toolchain go1.22.1` (Go modules reference).
static GO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:toolchain\s+go|go\s+)(\d+(?:\.\d+)*)").expect("a literal pattern")
});

static GEMFILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\s*ruby\s+["']\s*((?:~>|>=|=)?\s*\d[\d.]*)["']"#).expect("a literal pattern")
});

/// What the file at `path` says of `tool`, in the notation of the plan. `None` where it says nothing.
pub(in crate::graph) fn version_in(
    repository: &Repository,
    path: &str,
    tool: &str,
) -> Option<String> {
    let text = read_text(repository, path)?;
    let found = written(path, &text, tool)?;
    let version = names::version(tool, &found);
    version
        .contains(|c: char| c.is_ascii_digit())
        .then_some(version)
}

fn written(path: &str, text: &str, tool: &str) -> Option<String> {
    let of =
        |(name, version): (&str, &str)| (names::tool(name) == tool).then(|| version.to_owned());
    match base(path) {
        ".tool-versions" => tool_versions::entries(text)
            .into_iter()
            .find_map(|(_, name, version)| of((name, version))),
        ".sdkmanrc" => sdkman::entries(text)
            .into_iter()
            .find_map(|(_, name, version)| of((name, version))),
        "mise.toml" | ".mise.toml" => mise::tools(text)
            .into_iter()
            .find_map(|(_, name, version)| of((&name, version.as_deref()?))),
        "go.mod" | "go.work" => {
            // The line of the toolchain says more than the language's.
            let found = GO.captures_iter(text).last()?;
            found.get(1).map(|version| version.as_str().to_owned())
        }
        "Gemfile" => GEMFILE
            .captures(text)
            .and_then(|found| found.get(1))
            .map(|version| version.as_str().to_owned()),
        "package.json" => package(text, tool),
        "composer.json" => json(text, "/require/php"),
        "global.json" => json(text, "/sdk/version"),
        "pyproject.toml" | "Pipfile" => pyproject(text),
        _ => single::versions(path, text)
            .first()
            .or(bare(text).as_ref())
            .map(|(_, version)| (*version).to_owned()),
    }
}

/// A file of any name whose first line is a version.
fn bare(text: &str) -> Option<(u32, &str)> {
    let line = text.lines().next()?.trim();
    let short = line.len() < 30 && !line.contains(char::is_whitespace);
    (short && names::plain_version(line).starts_with(|c: char| c.is_ascii_digit()))
        .then_some((1, line))
}

fn json(text: &str, way: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json.pointer(way)?.as_str().map(str::to_owned)
}

/// `volta` first, then `engines`, as actions/setup-node reads it; package managers from `packageManager`.
fn package(text: &str, tool: &str) -> Option<String> {
    let manager = json(text, "/packageManager").and_then(|text| {
        let (name, version) = text.split_once('@')?;
        let version = version.split('+').next()?.to_owned();
        (name == tool).then_some(version)
    });
    manager
        .or_else(|| json(text, &format!("/volta/{tool}")))
        .or_else(|| json(text, &format!("/engines/{tool}")))
}

fn pyproject(text: &str) -> Option<String> {
    let doc = Doc::parse(text, "");
    let ways: [&[&str]; 3] = [
        &["project", "requires-python"],
        &["tool", "poetry", "dependencies", "python"],
        &["requires", "python_version"],
    ];
    let found = ways
        .iter()
        .find_map(|way| doc.get(way).and_then(DocValue::str))?;
    Some(found.to_owned())
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn what_files_say() {
        for (path, text, tool, expected) in [
            (".python-version", "3.12\n", "python", Some("3.12")),
            (
                ".tool-versions",
                "nodejs 20.1\ngolang 1.21\n",
                "go",
                Some("1.21"),
            ),
            (".tool-versions", "nodejs 20.1\n", "go", None),
            (
                "go.mod",
                "module x\n\ngo 1.21\n\ntoolchain go1.22.3\n",
                "go",
                Some("1.22.3"),
            ),
            ("go.mod", "module x\ngo 1.21 // why\n", "go", Some("1.21")),
            (
                "a/package.json",
                "{\"engines\": {\"node\": \">=18\"}}",
                "node",
                Some(">=18"),
            ),
            (
                "package.json",
                "{\"volta\": {\"node\": \"20.1.0\"}, \"engines\": {\"node\": \"18\"}}",
                "node",
                Some("20.1.0"),
            ),
            (
                "package.json",
                "{\"packageManager\": \"pnpm@8.6.0+sha\"}",
                "pnpm",
                Some("8.6.0"),
            ),
            (
                "pyproject.toml",
                "[project]\nrequires-python = \">=3.9\"\n",
                "python",
                Some(">=3.9"),
            ),
            (
                "Gemfile",
                "source 'x'\nruby '3.2.1'\n",
                "ruby",
                Some("3.2.1"),
            ),
            (
                "global.json",
                "{\"sdk\": {\"version\": \"8.0.100\"}}",
                "dotnet",
                Some("8.0.100"),
            ),
            ("mise.toml", "[tools]\nnode = '22'\n", "node", Some("22")),
            ("ci/version.txt", "1.2.3\n", "go", Some("1.2.3")),
            ("ci/version.txt", "some words here\n", "go", None),
        ] {
            assert_eq!(written(path, text, tool).as_deref(), expected, "{path}");
        }
    }
}
