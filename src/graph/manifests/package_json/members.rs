//! Packages of a workspace: `workspaces` (npm, yarn, bun), `pnpm-workspace.yaml`, `lerna.json`.

use crate::evidence::Place;

use super::super::Reading;
use super::super::json_doc::{Doc, Item};
use super::super::tree::{base, join, parent, relative};
use super::super::workspace::Globs;
use crate::graph::yaml::Yaml;

pub fn read(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let mut patterns: Vec<(String, Place)> = Vec::new();
    for field in [
        doc.get(&["workspaces"]),
        doc.get(&["workspaces", "packages"]),
    ] {
        let strings = field.into_iter().flat_map(Item::strings);
        patterns.extend(strings.map(|(text, place)| (text.to_owned(), place)));
    }
    let mut beside = Vec::new();
    if let Some(path) = join(reading.dir, "pnpm-workspace.yaml")
        && let Some(text) = reading.tree.read(&path)
    {
        let yaml = Yaml::parse(&text);
        let items = yaml.iter().flat_map(|yaml| yaml.list_at(&["packages"]));
        for item in items {
            let place = Place::new(&path, item.mark.line);
            patterns.extend(item.text().map(|text| (text.to_owned(), place)));
        }
        beside.push(path);
    }
    if let Some(path) = join(reading.dir, "lerna.json")
        && let Some(text) = reading.tree.read(&path)
    {
        let doc = Doc::parse(&text, &path);
        let packages = doc.get(&["packages"]).into_iter().flat_map(Item::strings);
        patterns.extend(packages.map(|(text, place)| (text.to_owned(), place)));
        beside.push(path.clone());
    }
    let draft = reading.drafts.project("node", reading.dir);
    for path in beside {
        draft.manifest(&path, "package-json");
    }
    if patterns.is_empty() {
        return;
    }
    let globs = Globs::new(patterns.into_iter());
    for entry in reading.tree.below(reading.dir) {
        if base(&entry.path) != "package.json" || entry.vendored || entry.path == reading.path {
            continue;
        }
        let dir = parent(&entry.path);
        let inside = relative(dir, reading.dir).unwrap_or_default();
        if let Some(place) = globs.place_of(inside) {
            draft.attr("member", dir, place);
            draft.product = true;
        }
    }
}
