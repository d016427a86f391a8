//! `Cargo.toml`, `Cargo.lock` and `rust-toolchain(.toml)` (the Cargo Book, "The Manifest Format").
//!
//! A workspace is built as one project, in the directory of its root manifest, that has what all of its packages need; each
//! package is a project too, with `workspace-root`, its own name and the packages of the workspace that it requires.
//!
//! Attributes of a `cargo` project:
//! - `member`: directory of a package of the workspace, relative to the repository's root (`.` for the root)
//! - `package`: name of a package
//! - `rust-version`: as written, without the workspace's indirection
//! - `edition`: of any package; `edition-rust`: the first Rust that knows it
//! - `lock`: path of `Cargo.lock`; `lock-version`: its format; `lock-rust`: the first Cargo that reads it
//! - `language`: `C`, `CXX`: a compiler that a build script runs
//! - `links`: native library a package links
//! - `build-script`: path of a package's `build.rs`
//! - `network`: a git dependency, fetched during the build
//! - `feature`: name of a feature; `default-feature`: one that is on by default
//!
//! Tool `rust`: requirement from `rust-version` (`Manifest`) or the channel of `rust-toolchain` (`Lock`).

mod lock;
mod nested;
mod sys_crates;
mod target;
mod toolchain;
mod workspace;

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Facts, Scope};

use super::drafts::Draft;
use super::toml_doc::{Doc, Value};
use super::tree::{base, join, parent, relative};
use super::{Reader, Reading};

pub use nested::drop_built_by_scripts;

pub const READER: Reader = Reader {
    format: "cargo",
    matches: |path| base(path) == "Cargo.toml",
    read,
};

/// What a workspace's packages ask for, collected before the lock file is read.
#[derive(Default)]
pub struct Wanted {
    pub direct: Vec<Direct>,
    /// `crate/feature` asked for anywhere in the workspace.
    pub features: BTreeSet<String>,
}

/// A dependency some package of the workspace declares.
pub struct Direct {
    pub crate_name: String,
    pub scope: Scope,
    pub place: Place,
}

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    if doc.get(&["package"]).is_none() && doc.get(&["workspace"]).is_none() {
        reading.drafts.manifest_only(reading.path, reading.format);
        return;
    }
    let mut wanted = Wanted::default();
    package(reading, &doc, &doc, reading.dir, &mut wanted);
    for path in members(reading, &doc) {
        if !reading.drafts.claim(&path) {
            continue;
        }
        if let Some(text) = reading.tree.read(&path) {
            let member = Doc::parse(&text, &path);
            package(reading, &doc, &member, parent(&path), &mut wanted);
            workspace::member(reading, &doc, &member, &path);
        }
    }
    toolchain::read(reading);
    lock::read(reading, &wanted);
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("cargo", reading.dir);
    draft.suite("cargo", place.clone());
    commands(draft, &place);
}

/// What Cargo is told to do; a lock file is kept to.
fn commands(draft: &mut Draft, place: &Place) {
    let locked = if draft.has_attr("lock") {
        " --locked"
    } else {
        ""
    };
    let all = if draft.facts.all("member").len() > 1 {
        " --workspace"
    } else {
        ""
    };
    draft.command("install", format!("cargo fetch{locked}"), place.clone());
    draft.command("build", format!("cargo build{all}{locked}"), place.clone());
    draft.command("test", format!("cargo test{all}{locked}"), place.clone());
    let binary = draft.items().iter().find(|item| {
        matches!(
            item.facts,
            Facts::EntryPoint {
                entry: EntryKind::Command
            }
        )
    });
    if let Some((name, place)) = binary.map(|item| (item.name.clone(), item.place.clone()))
        && let Ok(word) = shlex::try_quote(&name)
    {
        draft.command("run", format!("cargo run{locked} --bin {word}"), place);
    }
}

/// Manifests of the workspace's packages besides its root: `members` minus `exclude`, and path dependencies.
fn members(reading: &Reading<'_>, root: &Doc<'_>) -> Vec<String> {
    let Some(workspace) = root.get(&["workspace"]) else {
        return Vec::new();
    };
    let set = |key: &str| globs(workspace.get(key).into_iter().flat_map(Value::array));
    let (include, exclude) = (set("members"), set("exclude"));
    let mut found: BTreeSet<String> = reading
        .tree
        .below(reading.dir)
        .filter(|entry| base(&entry.path) == "Cargo.toml" && entry.path != reading.path)
        .filter(|entry| {
            let dir = relative(parent(&entry.path), reading.dir).unwrap_or_default();
            include.is_match(dir) && !exclude.is_match(dir)
        })
        .map(|entry| entry.path.clone())
        .collect();
    let mut queue: Vec<String> = found.iter().cloned().collect();
    queue.push(reading.path.to_owned());
    while let Some(path) = queue.pop() {
        let Some(text) = reading.tree.read(&path) else {
            continue;
        };
        let doc = Doc::parse(&text, &path);
        for dir in path_dependencies(&doc, parent(&path)) {
            let manifest = join(&dir, "Cargo.toml").unwrap_or_default();
            let inside = relative(&dir, reading.dir);
            if inside.is_some_and(|dir| !dir.is_empty() && !exclude.is_match(dir))
                && reading.tree.has(&manifest)
                && found.insert(manifest.clone())
            {
                queue.push(manifest);
            }
        }
    }
    found.into_iter().collect()
}

fn globs<'d, 'a: 'd>(patterns: impl Iterator<Item = Value<'d, 'a>>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns.filter_map(Value::str) {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_default()
}

fn path_dependencies(doc: &Doc<'_>, dir: &str) -> Vec<String> {
    let tables = TABLES.iter().filter_map(|(key, _)| doc.get(&[key]));
    tables
        .chain(doc.get(&["workspace", "dependencies"]))
        .flat_map(Value::entries)
        .filter_map(|(_, value)| value.get("path")?.str())
        .filter_map(|path| join(dir, path))
        .collect()
}

const TABLES: [(&str, Scope); 3] = [
    ("dependencies", Scope::Runtime),
    ("build-dependencies", Scope::Build),
    ("dev-dependencies", Scope::Test),
];

/// One package (or the root of a virtual workspace, which gives only the manifest).
fn package(
    reading: &mut Reading<'_>,
    root: &Doc<'_>,
    doc: &Doc<'_>,
    dir: &str,
    wanted: &mut Wanted,
) {
    let manifest = join(dir, "Cargo.toml").unwrap_or_default();
    let draft = reading.drafts.project("cargo", reading.dir);
    draft.manifest(&manifest, reading.format);
    let Some(table) = doc.get(&["package"]) else {
        return;
    };
    let shown = if dir.is_empty() { "." } else { dir };
    draft.attr("member", shown, table.place());
    if let Some(name) = table
        .get("name")
        .and_then(|name| Some((name.str()?, name.place())))
    {
        draft.attr("package", name.0, name.1.clone());
        draft.name(name.0, &name.1);
    }
    for key in ["rust-version", "edition"] {
        if let Some(value) = inherited(root, table, key)
            && let Some(text) = value.str()
        {
            draft.attr(key, text, value.place());
        }
    }
    if let Some(links) = table.get("links")
        && let Some(text) = links.str()
    {
        draft.attr("links", text, links.place());
    }
    rust_needs(reading);
    features(reading, doc);
    entries(reading, doc, table, dir);
    dependencies(reading, root, doc, dir, wanted);
}

/// `key`, or the workspace's value where it says `key.workspace = true`.
fn inherited<'d, 'a>(root: &'d Doc<'a>, table: Value<'d, 'a>, key: &str) -> Option<Value<'d, 'a>> {
    let value = table.get(key)?;
    if value.is_table() {
        root.get(&["workspace", "package", key])
    } else {
        Some(value)
    }
}

/// The first Rust that knows an edition (the Edition Guide).
const EDITIONS: [(&str, &str); 4] = [
    ("2015", "1.0"),
    ("2018", "1.31"),
    ("2021", "1.56"),
    ("2024", "1.85"),
];

fn rust_needs(reading: &mut Reading<'_>) {
    let draft = reading.drafts.project("cargo", reading.dir);
    for attr in draft.facts.all("edition").to_vec() {
        if let Some((_, rust)) = EDITIONS.iter().find(|(name, _)| *name == attr.value) {
            draft.attr("edition-rust", *rust, attr.place);
        }
    }
    for attr in draft.facts.all("rust-version").to_vec() {
        draft.tool(
            "rust",
            Some(format!(">={}", attr.value)),
            Trust::Manifest,
            attr.place,
        );
    }
}

fn features(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let Some(table) = doc.get(&["features"]) else {
        return;
    };
    let draft = reading.drafts.project("cargo", reading.dir);
    for (name, value) in table.entries() {
        if name == "default" {
            for item in value.array().filter_map(Value::str) {
                draft.attr("default-feature", item, value.place());
            }
        } else {
            draft.attr("feature", name, value.place());
        }
    }
}

/// Optional dependencies that the default features switch on.
fn on_by_default(doc: &Doc<'_>) -> BTreeSet<String> {
    let mut on = BTreeSet::new();
    let mut queue = vec!["default".to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(feature) = queue.pop() {
        if !seen.insert(feature.clone()) {
            continue;
        }
        let Some(list) = doc.get(&["features", &feature]) else {
            on.insert(feature);
            continue;
        };
        for item in list.array().filter_map(Value::str) {
            let weak = item.contains("?/");
            let name = item.strip_prefix("dep:").unwrap_or(item);
            let name = name.split('/').next().unwrap_or(name);
            if item.starts_with("dep:") || item.contains('/') && !weak {
                on.insert(name.to_owned());
            } else if !weak {
                queue.push(name.to_owned());
            }
        }
    }
    on
}

fn entries(reading: &mut Reading<'_>, doc: &Doc<'_>, table: Value<'_, '_>, dir: &str) {
    let name = table
        .get("name")
        .and_then(Value::str)
        .unwrap_or_default()
        .to_owned();
    let tree = reading.tree;
    let draft = reading.drafts.project("cargo", reading.dir);
    for bin in doc.get(&["bin"]).into_iter().flat_map(Value::array) {
        if let Some(command) = bin.get("name").and_then(Value::str) {
            draft.entry(command, EntryKind::Command, bin.place());
        }
    }
    let auto = table.get("autobins").and_then(Value::bool) != Some(false);
    let main = join(dir, "src/main.rs").unwrap_or_default();
    if auto && tree.has(&main) && !has_bin_at(doc, "src/main.rs") && !name.is_empty() {
        draft.entry(&name, EntryKind::Command, Place::file(main));
    }
    let bins = join(dir, "src/bin").unwrap_or_default();
    for entry in tree.below(&bins).filter(|_| auto) {
        let inside = relative(&entry.path, &bins).unwrap_or_default();
        let stem = match inside.split_once('/') {
            None => inside.strip_suffix(".rs"),
            Some((folder, "main.rs")) => Some(folder),
            Some(_) => None,
        };
        if let Some(stem) = stem.filter(|_| !has_bin_at(doc, &format!("src/bin/{inside}"))) {
            draft.entry(stem, EntryKind::Command, Place::file(&entry.path));
        }
    }
    let lib = join(dir, "src/lib.rs").unwrap_or_default();
    if tree.has(&lib) || doc.get(&["lib"]).is_some() {
        let import = doc
            .get(&["lib", "name"])
            .and_then(Value::str)
            .map_or(name.replace('-', "_"), str::to_owned);
        draft.entry(&import, EntryKind::Library, table.place());
    }
    let script = table
        .get("build")
        .and_then(Value::str)
        .unwrap_or("build.rs");
    if let Some(path) = join(dir, script).filter(|path| tree.has(path)) {
        draft.attr("build-script", path.clone(), Place::file(path));
    }
}

fn has_bin_at(doc: &Doc<'_>, path: &str) -> bool {
    doc.get(&["bin"])
        .into_iter()
        .flat_map(Value::array)
        .any(|bin| match bin.get("path").and_then(Value::str) {
            Some(written) => written.trim_start_matches("./") == path,
            None => bin
                .get("name")
                .and_then(Value::str)
                .is_some_and(|name| path == format!("src/bin/{name}.rs")),
        })
}

fn dependencies(
    reading: &mut Reading<'_>,
    root: &Doc<'_>,
    doc: &Doc<'_>,
    dir: &str,
    wanted: &mut Wanted,
) {
    let on = on_by_default(doc);
    let mut tables: Vec<(Value<'_, '_>, Scope)> = Vec::new();
    for (key, scope) in TABLES {
        tables.extend(doc.get(&[key]).map(|table| (table, scope)));
    }
    for (condition, target) in doc.get(&["target"]).into_iter().flat_map(Value::entries) {
        for (key, scope) in TABLES {
            let scope = if target::may_hold(condition) {
                scope
            } else {
                Scope::Optional(condition.to_owned())
            };
            tables.extend(target.get(key).map(|table| (table, scope)));
        }
    }
    for (table, scope) in tables {
        for (key, value) in table.entries() {
            dependency(reading, root, (key, value), &scope, &on, dir, wanted);
        }
    }
}

fn dependency(
    reading: &mut Reading<'_>,
    root: &Doc<'_>,
    (key, value): (&str, Value<'_, '_>),
    scope: &Scope,
    on: &BTreeSet<String>,
    dir: &str,
    wanted: &mut Wanted,
) {
    let shared = root.get(&["workspace", "dependencies", key]);
    let inherits = value.get("workspace").and_then(Value::bool) == Some(true);
    let source = shared.filter(|_| inherits).unwrap_or(value);
    let name = source.get("package").and_then(Value::str).unwrap_or(key);
    let version = source
        .str()
        .or_else(|| source.get("version").and_then(Value::str));
    for spec in [Some(value), shared.filter(|_| inherits)]
        .into_iter()
        .flatten()
    {
        for feature in spec
            .get("features")
            .into_iter()
            .flat_map(Value::array)
            .filter_map(Value::str)
        {
            wanted.features.insert(format!("{name}/{feature}"));
        }
    }
    let optional = value.get("optional").and_then(Value::bool) == Some(true) && !on.contains(key);
    let scope = if optional {
        Scope::Optional(key.to_owned())
    } else {
        scope.clone()
    };
    let draft = reading.drafts.project("cargo", reading.dir);
    if source.get("git").is_some() {
        draft.attr("network", format!("git dependency {name}"), value.place());
    }
    if source.get("path").is_some() && version.is_none() {
        let from = if inherits { reading.dir } else { dir };
        let to = source
            .get("path")
            .and_then(Value::str)
            .and_then(|path| join(from, path));
        draft.needs.extend(to.map(|dir| ("cargo".to_owned(), dir)));
        return;
    }
    draft.package(
        "cargo",
        name,
        &format!("{name} {}", version.unwrap_or("*")),
        scope.clone(),
        value.place(),
    );
    wanted.direct.push(Direct {
        crate_name: name.to_owned(),
        scope,
        place: value.place(),
    });
}

#[cfg(test)]
mod tests;
