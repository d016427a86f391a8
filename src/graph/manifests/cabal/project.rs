//! Roots of Haskell builds: `cabal.project` and `stack.yaml` with their packages; hpack's `package.yaml`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;
use crate::graph::yaml::Yaml;

use super::super::tree::{base, parent, relative};
use super::super::workspace::Globs;
use super::super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "cabal-project",
    matches: |path| matches!(base(path), "cabal.project" | "stack.yaml"),
    read,
};

pub const HPACK: Reader = Reader {
    format: "hpack",
    matches: |path| base(path) == "package.yaml",
    read: hpack,
};

fn read(reading: &mut Reading<'_>) {
    let mut packages: Vec<(String, Place)> = Vec::new();
    let draft = reading.drafts.project("haskell", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if base(reading.path) == "stack.yaml" {
        let yaml = Yaml::parse(reading.text);
        for key in ["resolver", "snapshot"] {
            let found = yaml.as_ref().and_then(|yaml| yaml.get(key));
            if let Some((text, line)) = found.and_then(|at| Some((at.text()?, at.mark.line))) {
                draft.attr("resolver", text, Place::new(reading.path, line));
            }
        }
        let items = yaml.iter().flat_map(|yaml| yaml.list_at(&["packages"]));
        packages.extend(items.filter_map(|item| {
            Some((
                item.text()?.to_owned(),
                Place::new(reading.path, item.mark.line),
            ))
        }));
    } else {
        for field in super::fields(reading.text) {
            let place = Place::new(reading.path, field.line);
            match field.name.as_str() {
                "packages" | "optional-packages" => {
                    let words = field
                        .value
                        .split([' ', ','])
                        .filter(|word| !word.is_empty());
                    packages.extend(words.map(|word| (word.to_owned(), place.clone())));
                }
                "with-compiler" => {
                    let version = field.value.trim_start_matches("ghc-").to_owned();
                    if version.starts_with(|c: char| c.is_ascii_digit()) {
                        draft.tool("ghc", Some(version), Trust::Lock, place);
                    }
                }
                _ => {}
            }
        }
    }
    members(reading, packages);
    super::commands(reading);
}

/// Directories of packages below the root: named by directory, by pattern, or by their file.
fn members(reading: &mut Reading<'_>, packages: Vec<(String, Place)>) {
    let dirs = packages.into_iter().map(|(text, place)| {
        let text = text.trim_start_matches("./").trim_end_matches('/');
        let dir = match text.strip_suffix(".cabal") {
            Some(_) => parent(text),
            None => text,
        };
        (if dir == "." { "" } else { dir }.to_owned(), place)
    });
    let globs = Globs::new(dirs);
    let is_package = |path: &str| path.ends_with(".cabal") || base(path) == "package.yaml";
    let draft = reading.drafts.project("haskell", reading.dir);
    for entry in reading
        .tree
        .below(reading.dir)
        .filter(|entry| is_package(&entry.path))
    {
        let dir = parent(&entry.path);
        let inside = relative(dir, reading.dir).unwrap_or_default();
        if let Some(place) = globs.place_of(inside).filter(|_| dir != reading.dir) {
            draft.attr("member", dir, place);
        }
    }
}

/// Only where no `.cabal` file stands beside it: hpack writes that one.
fn hpack(reading: &mut Reading<'_>) {
    let written = reading
        .tree
        .below(reading.dir)
        .any(|entry| parent(&entry.path) == reading.dir && entry.path.ends_with(".cabal"));
    let declares = |yaml: &Yaml| {
        ["name", "library", "executables"]
            .iter()
            .any(|key| yaml.get(key).is_some())
    };
    let yaml = Yaml::parse(reading.text).filter(declares);
    let Some(yaml) = yaml.filter(|_| !written) else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let draft = reading.drafts.project("haskell", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let place = |line: u32| Place::new(reading.path, line);
    if let Some(name) = yaml.get("name") {
        draft.name(name.text().unwrap_or_default(), &place(name.mark.line));
    }
    for item in yaml.list_at(&["dependencies"]) {
        let text = item.text().unwrap_or_default();
        if let Some(name) = text.split_whitespace().next() {
            draft.package("hackage", name, text, Scope::Runtime, place(item.mark.line));
        }
    }
    if let Some(tests) = yaml.get("tests") {
        draft.suite("cabal", place(tests.mark.line));
    }
    super::commands(reading);
}
