//! .NET: `*.csproj`, `*.fsproj`, `*.vbproj`, `*.sln`, `*.slnx`, `global.json`, `Directory.Build.props`,
//! `Directory.Packages.props` (MSBuild reference).
//!
//! The solution is a project with its projects as `member`s; a project file outside of any is one by itself.
//!
//! Attributes of a `dotnet` project, besides those that all ecosystems share (see `mod.rs`):
//! - `framework`: a target framework (`net8.0`); `language`: `C#`, `F#`, `VB`
//! - `solution`: path of the solution; `windows`: why it builds on Windows only
//!
//! Tool `dotnet`: the newest target framework (`>=`, `Manifest`) or the SDK of `global.json` (`Lock`).

mod solution;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};

use super::drafts::Draft;
use super::json_doc::{Doc, Item};
use super::tree::{MAX_SHARED, Tree, base, is_auxiliary, join, parent};
use super::xml_doc::Element;
use super::{Reader, Reading};

pub use solution::READER as SOLUTION;

pub const READER: Reader = Reader {
    format: "dotnet",
    matches: is_project,
    read,
};

const LANGUAGES: [(&str, &str); 3] = [(".csproj", "C#"), (".fsproj", "F#"), (".vbproj", "VB")];

pub fn is_project(path: &str) -> bool {
    LANGUAGES.iter().any(|(ending, _)| path.ends_with(ending))
}

fn read(reading: &mut Reading<'_>) {
    let root = reading.drafts.workspace_of("dotnet", reading.dir);
    let above = root.clone().or_else(|| {
        let same = reading.drafts.get("dotnet", reading.dir)?;
        same.has_attr("solution").then(|| reading.dir.to_owned())
    });
    // Tests of a solution stand below `tests/`: what the solution names is no fixture.
    if above.is_none() && is_auxiliary(reading.dir) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let Some(file) = Element::parse(reading.text).filter(|root| root.name == "Project") else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let shared = shared(reading.tree, reading.dir);
    let draft = reading.drafts.project("dotnet", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let stem = base(reading.path)
        .rsplit_once('.')
        .map_or("", |(stem, _)| stem);
    draft.name(stem, &Place::file(reading.path));
    for (_, language) in LANGUAGES
        .iter()
        .filter(|(ending, _)| reading.path.ends_with(ending))
    {
        draft.attr("language", *language, Place::file(reading.path));
    }
    frameworks(draft, &file, reading.path, &shared);
    references(reading, &file);
    output(reading, &file, stem);
    global(reading);
    if let Some(root) = root {
        let draft = reading.drafts.project("dotnet", reading.dir);
        draft.attr(
            "workspace-root",
            if root.is_empty() { "." } else { &root },
            Place::file(reading.path),
        );
        draft.need(&root);
    } else if above.is_none() {
        commands(
            reading.drafts.project("dotnet", reading.dir),
            Place::file(reading.path),
            "",
        );
    }
}

/// The properties that a project inherits: `Directory.Build.props` of the nearest directory that has one.
fn shared(tree: &Tree<'_>, dir: &str) -> Vec<(Element, String)> {
    let mut found = Vec::new();
    let mut at = dir;
    loop {
        for name in [
            "Directory.Build.props",
            "Directory.Packages.props",
            "Directory.Build.targets",
        ] {
            if let Some(path) = join(at, name)
                && let Some(root) = tree
                    .read_head(&path, MAX_SHARED)
                    .and_then(|text| Element::parse(&text))
            {
                found.push((root, path));
            }
        }
        if at.is_empty() {
            return found;
        }
        at = parent(at);
    }
}

fn properties<'e>(root: &'e Element, name: &'e str) -> impl Iterator<Item = &'e Element> {
    root.all("PropertyGroup")
        .flat_map(move |group| group.all(name))
}

/// The nearest file's property.
fn first<'e>(all: &[(&'e Element, &'e str)], name: &str) -> Option<(&'e Element, &'e str)> {
    all.iter().find_map(|(root, path)| {
        let mut groups = root
            .children
            .iter()
            .filter(|group| group.name == "PropertyGroup");
        Some((groups.find_map(|group| group.child(name))?, *path))
    })
}

/// `TargetFramework(s)`, also through a property.
fn frameworks(draft: &mut Draft, file: &Element, path: &str, shared: &[(Element, String)]) {
    let all: Vec<(&Element, &str)> = std::iter::once((file, path))
        .chain(shared.iter().map(|(root, path)| (root, path.as_str())))
        .collect();
    let lookup = |name| first(&all, name);
    let names = [
        "TargetFrameworks",
        "TargetFramework",
        "TargetFrameworkVersion",
    ];
    let Some((element, path)) = names.iter().find_map(|name| lookup(name)) else {
        return;
    };
    let place = Place::new(path, element.line);
    let mut newest: Option<(u32, u32)> = None;
    for part in element
        .text
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let property = part
            .strip_prefix("$(")
            .and_then(|rest| rest.strip_suffix(')'));
        let value = property
            .and_then(|name| first(&all, name))
            .map_or(part, |(element, _)| element.text.as_str());
        for framework in value
            .split(';')
            .filter(|text| !text.is_empty() && !text.contains('$'))
        {
            draft.attr("framework", framework, place.clone());
            if framework.contains("-windows") {
                draft.attr("windows", framework, place.clone());
            }
            newest = newest.max(sdk_of(framework));
        }
    }
    if let Some((major, minor)) = newest {
        draft.tool(
            "dotnet",
            Some(format!(">={major}.{minor}")),
            Trust::Manifest,
            place,
        );
    } else if !draft.facts.all("framework").is_empty() {
        let old = draft
            .facts
            .all("framework")
            .iter()
            .all(|attr| attr.value.starts_with("net4") || attr.value.starts_with('v'));
        if old {
            draft.attr("windows", ".NET Framework", place);
        }
    }
}

/// The first SDK that builds for a framework: `net8.0`, `netcoreapp3.1`. Any builds for `netstandard2.0`.
fn sdk_of(framework: &str) -> Option<(u32, u32)> {
    let text = framework.split('-').next()?;
    let version = text
        .strip_prefix("netcoreapp")
        .or_else(|| text.strip_prefix("net"))?;
    let (major, minor) = version.split_once('.')?;
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    (major >= 5 || text.starts_with("netcoreapp")).then_some((major, minor))
}

fn references(reading: &mut Reading<'_>, file: &Element) {
    let draft = reading.drafts.project("dotnet", reading.dir);
    for group in file.all("ItemGroup") {
        for reference in group.all("PackageReference") {
            let Some(name) = reference
                .attribute("Include")
                .or_else(|| reference.attribute("Update"))
            else {
                continue;
            };
            let version = reference
                .attribute("Version")
                .or_else(|| reference.value("Version"));
            let spec =
                version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
            let place = Place::new(reading.path, reference.line);
            draft.package("nuget", name, &spec, Scope::Runtime, place);
        }
        for reference in group.all("ProjectReference") {
            let path = reference
                .attribute("Include")
                .unwrap_or_default()
                .replace('\\', "/");
            if let Some(to) = join(reading.dir, &path) {
                draft.need(parent(&to));
            }
        }
    }
}

/// Packages of test frameworks, and the suite they make.
const SUITES: &[(&str, &str)] = &[
    ("xunit", "xunit"),
    ("nunit", "nunit"),
    ("mstest", "mstest"),
    ("tunit", "tunit"),
    ("expecto", "expecto"),
    ("microsoft.net.test.sdk", "dotnet"),
];

fn output(reading: &mut Reading<'_>, file: &Element, stem: &str) {
    let draft = reading.drafts.project("dotnet", reading.dir);
    let web = file
        .attribute("Sdk")
        .is_some_and(|sdk| sdk.ends_with(".Web") || sdk.ends_with(".Worker"));
    let kind = properties(file, "OutputType").next();
    let exe = kind.is_some_and(|kind| kind.text.eq_ignore_ascii_case("exe"));
    let windowed = kind.filter(|kind| kind.text.eq_ignore_ascii_case("winexe"));
    let mut found: Vec<(&str, Place)> = Vec::new();
    for (package, suite) in SUITES {
        let item = draft.items().iter().find(|item| {
            let name = item.name.to_ascii_lowercase();
            name == *package
                || name
                    .strip_prefix(package)
                    .is_some_and(|rest| rest.starts_with('.'))
        });
        // The SDK's own package comes with every framework.
        if let Some(item) = item.filter(|_| *suite != "dotnet" || found.is_empty()) {
            found.push((suite, item.place.clone()));
        }
    }
    let place = Place::new(reading.path, kind.map_or(1, |kind| kind.line));
    if !found.is_empty() {
        for (suite, place) in found {
            draft.suite(suite, place);
        }
    } else if exe || web {
        draft.entry(stem, EntryKind::Command, place.clone());
        draft.command("run", "dotnet run", place);
    } else {
        draft.entry(stem, EntryKind::Library, Place::file(reading.path));
    }
    if let Some(kind) = windowed {
        draft.attr("windows", "WinExe", Place::new(reading.path, kind.line));
    }
}

/// `global.json` beside the project or above it.
fn global(reading: &mut Reading<'_>) {
    let mut at = reading.dir;
    loop {
        if let Some(path) = join(at, "global.json").filter(|path| reading.tree.has(path)) {
            let text = reading.tree.read(&path).unwrap_or_default();
            let doc = Doc::parse(&text, &path);
            let draft = reading.drafts.project("dotnet", reading.dir);
            if let Some(version) = doc.get(&["sdk", "version"])
                && let Some(text) = version.str()
            {
                let roll = doc.get(&["sdk", "rollForward"]).and_then(Item::str);
                let exact = roll.is_none_or(|roll| {
                    matches!(
                        roll,
                        "disable" | "patch" | "latestPatch" | "feature" | "latestFeature"
                    )
                });
                let text = if exact {
                    text.to_owned()
                } else {
                    format!(">={text}")
                };
                draft.manifest(&path, reading.format);
                draft.tool("dotnet", Some(text), Trust::Lock, version.place());
            }
            return;
        }
        if at.is_empty() {
            return;
        }
        at = parent(at);
    }
}

/// `target` is the solution where several stand in one directory.
fn commands(draft: &mut Draft, place: Place, target: &str) {
    let with = |command: &str| {
        if target.is_empty() {
            command.to_owned()
        } else {
            format!("{command} {target}")
        }
    };
    draft.command("install", with("dotnet restore"), place.clone());
    draft.command("build", with("dotnet build"), place.clone());
    draft.command("test", with("dotnet test"), place);
}
