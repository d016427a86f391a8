//! Python projects that need each other: uv's workspaces and sources, path dependencies of Poetry and PDM.

use crate::evidence::Place;

use super::super::Reading;
use super::super::toml_doc::{Doc, Value};
use super::super::tree::{base, join, parent, relative};
use super::super::workspace::Globs;

pub fn read(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    members(reading, doc);
    let root = reading.drafts.workspace_of("python", reading.dir);
    let draft = reading.drafts.project("python", reading.dir);
    if let Some(root) = root {
        let shown = if root.is_empty() { "." } else { &root };
        draft.attr("workspace-root", shown, Place::file(reading.path));
        draft.need(&root);
    }
    let mut paths: Vec<String> = Vec::new();
    let mut collect = |table: Option<Value<'_, '_>>| {
        for (_, value) in table.into_iter().flat_map(Value::entries) {
            paths.extend(value.get("path").and_then(Value::str).map(str::to_owned));
        }
    };
    collect(doc.get(&["tool", "uv", "sources"]));
    collect(doc.get(&["tool", "poetry", "dependencies"]));
    collect(doc.get(&["tool", "poetry", "dev-dependencies"]));
    for (_, group) in doc
        .get(&["tool", "poetry", "group"])
        .into_iter()
        .flat_map(Value::entries)
    {
        collect(group.get("dependencies"));
    }
    for dir in paths.iter().filter_map(|path| join(reading.dir, path)) {
        draft.need(&dir);
    }
}

/// `[tool.uv.workspace] members`, `exclude`.
fn members(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let list = |key: &str| {
        let values = doc.get(&["tool", "uv", "workspace", key]).into_iter();
        values
            .flat_map(Value::array)
            .filter_map(|item| Some((item.str()?.to_owned(), item.place())))
    };
    let excluded = list("exclude").map(|(text, place)| (format!("!{text}"), place));
    let globs = Globs::new(list("members").chain(excluded));
    let tree = reading.tree;
    let draft = reading.drafts.project("python", reading.dir);
    if doc.get(&["tool", "uv", "workspace"]).is_none() {
        return;
    }
    for entry in tree.below(reading.dir) {
        let dir = parent(&entry.path);
        if base(&entry.path) != "pyproject.toml" || entry.vendored || dir == reading.dir {
            continue;
        }
        let inside = relative(dir, reading.dir).unwrap_or_default();
        if let Some(place) = globs.place_of(inside) {
            draft.attr("member", dir, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{repo, summary};

    #[test]
    fn a_workspace_of_uv_and_a_path_of_poetry() {
        let graph = repo(&[
            (
                "pyproject.toml",
                "[project]\nname = \"root\"\ndependencies = [\"core\"]\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\nexclude = [\"packages/old\"]\n",
            ),
            ("uv.lock", ""),
            (
                "packages/core/pyproject.toml",
                "[project]\nname = \"core\"\n[build-system]\nrequires = []\n[tool.hatch.envs.test]\ndependencies = [\"pytest\"]\n",
            ),
            (
                "packages/app/pyproject.toml",
                "[project]\nname = \"app\"\ndependencies = [\"core\"]\n",
            ),
            (
                "packages/old/pyproject.toml",
                "[tool.poetry]\nname = \"old\"\n[tool.poetry.dependencies]\ncore = {path = \"../core\"}\n",
            ),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" root (pyproject.toml:2)
          distribution = root (pyproject.toml)
          install-command = uv sync (uv.lock)
          layout = app (pyproject.toml)
          lock = uv.lock (uv.lock)
          manager = uv (pyproject.toml:4)
          member = packages/app (pyproject.toml:5)
          member = packages/core (pyproject.toml:5)
          pypi core [runtime] (pyproject.toml:3)
        python "packages/app" app (packages/app/pyproject.toml:2)
          distribution = app (packages/app/pyproject.toml)
          layout = app (packages/app/pyproject.toml)
          workspace-root = . (packages/app/pyproject.toml)
          project python "" (pyproject.toml:2)
          pypi core [runtime] (packages/app/pyproject.toml:3)
          project python "packages/core" (packages/core/pyproject.toml:2)
        python "packages/core" core (packages/core/pyproject.toml:2)
          backend = setuptools.build_meta:__legacy__ (packages/core/pyproject.toml:3)
          build-command = python -m build (packages/core/pyproject.toml:3)
          distribution = core (packages/core/pyproject.toml)
          layout = package (packages/core/pyproject.toml)
          manager = hatch (packages/core/pyproject.toml:5)
          workspace-root = . (packages/core/pyproject.toml)
          project python "" (pyproject.toml:2)
          pypi pytest [test] (packages/core/pyproject.toml:6)
        python "packages/old" old (packages/old/pyproject.toml:2)
          distribution = old (packages/old/pyproject.toml)
          install-command = poetry install (packages/old/pyproject.toml:1)
          layout = package (packages/old/pyproject.toml)
          manager = poetry (packages/old/pyproject.toml:1)
          project python "packages/core" (packages/core/pyproject.toml:2)
          pypi core [runtime] (packages/old/pyproject.toml:4)
        "#);
    }
}
