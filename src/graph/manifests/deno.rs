//! `deno.json` and `deno.jsonc` (Deno's configuration).
//!
//! Attributes of a `deno` project: those that all ecosystems share (see `mod.rs`), and `task`.

use crate::evidence::Place;
use crate::graph::{EntryKind, Scope};

use super::drafts::Draft;
use super::json_doc::{Doc, Item};
use super::tree::{base, join};
use super::workspace::Globs;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "deno",
    matches: |path| matches!(base(path), "deno.json" | "deno.jsonc"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    let says = [
        "name",
        "tasks",
        "imports",
        "exports",
        "workspace",
        "version",
    ];
    // Settings of the editor or of the formatter alone.
    if !says.iter().any(|key| doc.get(&[key]).is_some()) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let root = reading.drafts.workspace_of("deno", reading.dir);
    let tree = reading.tree;
    let lock = join(reading.dir, "deno.lock").filter(|path| tree.has(path));
    let tests = tree.below(reading.dir).find(|entry| {
        let stem = base(&entry.path);
        !entry.vendored && (stem.contains("_test.ts") || stem.contains(".test.ts"))
    });
    let tests = tests.map(|entry| Place::file(&entry.path));
    let draft = reading.drafts.project("deno", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if let Some(name) = doc.get(&["name"]) {
        draft.name(name.str().unwrap_or_default(), &name.place());
        draft.entry(
            name.str().unwrap_or_default(),
            EntryKind::Library,
            name.place(),
        );
    }
    for (name, value) in doc.get(&["imports"]).into_iter().flat_map(Item::entries) {
        let spec = value.str().unwrap_or_default();
        if let Some((kind @ ("npm" | "jsr"), _)) = spec.split_once(':') {
            draft.package(kind, name, spec, Scope::Runtime, value.place());
        }
    }
    members(reading, &doc);
    let draft = reading.drafts.project("deno", reading.dir);
    let place = Place::file(reading.path);
    tasks(draft, &doc);
    if let Some(lock) = &lock {
        draft.attr("lock", lock, Place::file(lock));
    }
    if let Some(tests) = tests {
        draft.suite("deno", tests.clone());
        draft.command("test", "deno test", tests);
    }
    match root {
        Some(root) => {
            draft.attr(
                "workspace-root",
                if root.is_empty() { "." } else { &root },
                place,
            );
            draft.need(&root);
        }
        None => draft.command("install", "deno install", lock.map_or(place, Place::file)),
    }
}

/// Directories of `workspace`.
fn members(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let tree = reading.tree;
    let draft = reading.drafts.project("deno", reading.dir);
    let members: Vec<(String, Place)> =
        [doc.get(&["workspace"]), doc.get(&["workspace", "members"])]
            .into_iter()
            .flatten()
            .flat_map(Item::strings)
            .map(|(text, place)| (text.to_owned(), place))
            .collect();
    let globs = Globs::new(members.into_iter());
    for entry in tree
        .below(reading.dir)
        .filter(|entry| (READER.matches)(&entry.path))
    {
        let dir = super::tree::parent(&entry.path);
        let inside = super::tree::relative(dir, reading.dir).unwrap_or_default();
        if let Some(place) = globs.place_of(inside).filter(|_| dir != reading.dir) {
            draft.attr("member", dir, place);
        }
    }
}

fn tasks(draft: &mut Draft, doc: &Doc<'_>) {
    for (name, value) in doc.get(&["tasks"]).into_iter().flat_map(Item::entries) {
        draft.attr("task", name, value.place());
        let what = match name {
            "test" => "test",
            "build" => "build",
            "start" | "serve" | "run" => "run",
            _ => continue,
        };
        draft.command(what, format!("deno task {name}"), value.place());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_workspace_with_tasks() {
        let graph = repo(&[
            (
                "deno.jsonc",
                "{\n  // c\n  \"workspace\": [\"./a\"],\n  \"imports\": {\"std\": \"jsr:@std/assert@1\", \"x\": \"./x.ts\"},\n  \"tasks\": {\"test\": \"deno test -A\"}\n}",
            ),
            ("a/deno.json", "{\"name\": \"@s/a\"}"),
            ("a/b_test.ts", ""),
            ("f/deno.json", "{\"fmt\": {}}"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        deno "" test (deno.jsonc)
          install-command = deno install (deno.jsonc)
          member = a (deno.jsonc:3)
          task = test (deno.jsonc:5)
          test-command = deno task test (deno.jsonc:5)
          jsr jsr:@std/assert@1 [runtime] (deno.jsonc:4)
          suite deno (a/b_test.ts)
        deno "a" @s/a (a/deno.json:1)
          test-command = deno test (a/b_test.ts)
          workspace-root = . (a/deno.json)
          project deno "" (deno.jsonc)
          entry Library @s/a (a/deno.json:1)
          suite deno (a/b_test.ts)
        "#);
    }
}
