//! `package.json` with the files of its package managers (npm, yarn, pnpm, bun).
//!
//! Attributes of a `node` project, besides those that all ecosystems share (see `mod.rs`):
//! - `package-manager`: `npm`, `yarn`, `pnpm` or `bun`, by `packageManager`, the lock file or the workspace
//! - `yarn`: `classic` or `berry`, by the lock file
//! - `package`: the name; `script`: name of a script
//! - `native`: why installing compiles something (`binding.gyp`, a dependency that is made for it)
//! - `install-script`: a locked dependency that runs a script when it is installed
//! - `module-type`: the field `type`
//! - `language`: `TypeScript` where there is a `tsconfig.json`
//! - `network`: a dependency from a version control system
//!
//! Tools `node`, `npm`, `yarn`, `pnpm`, `bun`: `engines`, `devEngines` (`Manifest`), `volta` and `packageManager` (`Lock`).

mod lines;
mod locks;
mod members;
mod scripts;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Facts, Scope};
use crate::packages::Capability;

use super::drafts::{Draft, Drafts};
use super::json_doc::{Doc, Item};
use super::tree::{base, join};
use super::{Reader, Reading};

pub use lines::{run_script, scripts_of};

pub(super) const READER: Reader = Reader {
    format: "package-json",
    matches: |path| base(path) == "package.json",
    read,
};

/// Fields without which a `package.json` declares nothing: it tells the directory's module type at most.
const DECLARES: &[&str] = &[
    "name",
    "scripts",
    "dependencies",
    "devDependencies",
    "workspaces",
    "main",
    "bin",
];

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    if !DECLARES.iter().any(|key| doc.get(&[key]).is_some()) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let root = reading.drafts.workspace_of("node", reading.dir);
    let draft = reading.drafts.project("node", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = is_product(&doc);
    if let Some(name) = doc.get(&["name"])
        && let Some(text) = name.str()
    {
        draft.attr("package", text, name.place());
        draft.name(text, &name.place());
    }
    if let Some(kind) = doc.get(&["type"])
        && let Some(text) = kind.str()
    {
        draft.attr("module-type", text, kind.place());
    }
    tools(draft, &doc);
    dependencies(draft, &doc);
    entries(draft, &doc);
    members::read(reading, &doc);
    let draft = reading.drafts.project("node", reading.dir);
    if let Some(root) = &root {
        draft.attr("workspace-root", shown(root), Place::file(reading.path));
        draft.need(root);
    }
    let inherited = root.and_then(|root| {
        let draft = reading.drafts.get("node", &root)?;
        draft.facts.attr("package-manager").cloned()
    });
    locks::read(reading, &doc, inherited);
    native(reading);
    scripts::read(reading, &doc);
}

/// A directory as an attribute's value.
fn shown(dir: &str) -> &str {
    if dir.is_empty() { "." } else { dir }
}

/// Whether it says that something is published, built or run.
fn is_product(doc: &Doc<'_>) -> bool {
    let has = |key: &str| doc.get(&[key]).is_some_and(|value| !value.is_empty());
    let private = doc.get(&["private"]).and_then(Item::bool) == Some(true);
    let published = has("name") && has("version") && !private;
    let fields = [
        "main",
        "module",
        "exports",
        "bin",
        "browser",
        "types",
        "typings",
        "workspaces",
        "dependencies",
        "peerDependencies",
        "gypfile",
        "contributes",
    ];
    let runs = [
        "start", "build", "serve", "dev", "compile", "dist", "bundle",
    ];
    published
        || fields.iter().any(|key| has(key))
        || runs
            .iter()
            .any(|name| doc.get(&["scripts", name]).is_some())
}

fn tools(draft: &mut Draft, doc: &Doc<'_>) {
    const NAMES: [&str; 5] = ["node", "npm", "yarn", "pnpm", "bun"];
    for (key, trust) in [("engines", Trust::Manifest), ("volta", Trust::Lock)] {
        for (name, value) in doc.get(&[key]).into_iter().flat_map(Item::entries) {
            if let Some(version) = value.str().filter(|_| NAMES.contains(&name)) {
                draft.tool(name, Some(version.to_owned()), trust, value.place());
            }
        }
    }
    for key in ["runtime", "packageManager"] {
        let Some(entry) = doc.get(&["devEngines", key]) else {
            continue;
        };
        let lone = entry.is_object().then_some(entry);
        for item in lone.into_iter().chain(entry.array()) {
            if let Some(name) = item.get("name").and_then(Item::str)
                && NAMES.contains(&name)
            {
                let version = item.get("version").and_then(Item::str).map(str::to_owned);
                draft.tool(name, version, Trust::Manifest, item.place());
            }
        }
    }
}

fn dependencies(draft: &mut Draft, doc: &Doc<'_>) {
    let tables = [
        ("dependencies", Scope::Runtime),
        ("devDependencies", Scope::Dev),
        ("peerDependencies", Scope::Optional("peer".to_owned())),
        (
            "optionalDependencies",
            Scope::Optional("optional".to_owned()),
        ),
    ];
    for (key, scope) in tables {
        for (name, value) in doc.get(&[key]).into_iter().flat_map(Item::entries) {
            let Some(version) = value.str() else {
                continue;
            };
            let local = ["file:", "link:", "portal:"]
                .iter()
                .find_map(|prefix| version.strip_prefix(prefix));
            if let Some(dir) = local.and_then(|path| join(&draft.facts.dir, path)) {
                draft.need(&dir);
            }
            if ["git+", "git:", "github:", "gitlab:", "bitbucket:"]
                .iter()
                .any(|prefix| version.starts_with(prefix))
            {
                draft.attr("network", format!("{name} from {version}"), value.place());
            }
            let spec = format!("{name}@{version}");
            draft.package("npm", name, &spec, scope.clone(), value.place());
        }
    }
}

fn entries(draft: &mut Draft, doc: &Doc<'_>) {
    let name = doc.get(&["name"]).and_then(Item::str).unwrap_or_default();
    if let Some(bin) = doc.get(&["bin"]) {
        if bin.str().is_some() {
            // The command is the package's name without its scope.
            draft.entry(base(name), EntryKind::Command, bin.place());
        }
        for (command, value) in bin.entries() {
            draft.entry(command, EntryKind::Command, value.place());
        }
    }
    let library = ["exports", "main", "module"]
        .iter()
        .find_map(|key| doc.get(&[key]));
    if let Some(place) = library.map(Item::place)
        && !name.is_empty()
    {
        draft.entry(name, EntryKind::Library, place);
    }
}

/// Packages that are in a project for compiling an addon against Node's headers.
const ADDON: &[&str] = &[
    "node-gyp",
    "node-addon-api",
    "nan",
    "napi-macros",
    "cmake-js",
];

/// What `node-gyp` needs (its manual, "Installation"): Python, make, a C++ compiler.
fn native(reading: &mut Reading<'_>) {
    let gyp = join(reading.dir, "binding.gyp").filter(|path| reading.tree.has(path));
    let draft = reading.drafts.project("node", reading.dir);
    let mut places: Vec<(String, Place)> = gyp
        .map(|path| ("binding.gyp".to_owned(), Place::file(path)))
        .into_iter()
        .collect();
    for item in draft.items() {
        if matches!(item.facts, Facts::Dependency(_)) && ADDON.contains(&item.name.as_str()) {
            places.push((item.name.clone(), item.place.clone()));
        }
    }
    for (reason, place) in &places {
        draft.attr("native", reason, place.clone());
    }
    if let Some((_, place)) = places.first() {
        for command in ["python3", "make", "c++"] {
            let needed = Capability::Command(command.to_owned());
            draft.system(needed, Scope::Build, true, place.clone());
        }
    }
}

/// Dependencies on other packages of the workspace become edges between projects.
pub fn finish(drafts: &mut Drafts) {
    drafts.link_by_name("node", "package");
}
