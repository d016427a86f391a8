//! `pyproject.toml`: PEP 517/518/621/735 tables, and those of poetry, pdm, flit, hatch, uv, setuptools, maturin.
//! Attributes are listed in `python.rs`.

use crate::evidence::Place;
use crate::graph::{EntryKind, Scope};

use super::drafts::Draft;
use super::python::{
    classifier, optional_set, require, requirement_name, requires_python, workspace,
};
use super::toml_doc::{Doc, Value};
use super::tree::base;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "pyproject",
    matches: |path| base(path) == "pyproject.toml",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    let poetry = doc.get(&["tool", "poetry"]);
    let groups = doc.get(&["dependency-groups"]);
    let parts = [
        doc.get(&["project"]),
        doc.get(&["build-system"]),
        poetry,
        groups,
    ];
    if parts.iter().all(Option::is_none) {
        // Only settings of linters; whether there is a project the other manifests tell.
        reading.drafts.manifest_only(reading.path, reading.format);
        return;
    }
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(reading.path, reading.format);
    build_system(draft, &doc);
    if let Some(project) = doc.get(&["project"]) {
        standard(draft, project);
    }
    if let Some(groups) = groups {
        dependency_groups(draft, groups);
    }
    if let Some(poetry) = poetry {
        poetry_table(draft, poetry);
    }
    managers(draft, &doc);
    if let Some(name) = draft.name.clone().and_then(|name| requirement_name(&name)) {
        draft.attr("distribution", name, Place::file(reading.path));
    }
    let built = doc.get(&["build-system"]).is_some();
    let unpackaged =
        doc.get(&["tool", "uv", "package"])
            .or(doc.get(&["tool", "poetry", "package-mode"]));
    let app = unpackaged.and_then(Value::bool) == Some(false) || (!built && poetry.is_none());
    let layout = if app { "app" } else { "package" };
    draft.attr("layout", layout, Place::file(reading.path));
    workspace::read(reading, &doc);
}

fn build_system(draft: &mut Draft, doc: &Doc<'_>) {
    let Some(table) = doc.get(&["build-system"]) else {
        return;
    };
    match table
        .get("build-backend")
        .and_then(|value| Some((value.str()?, value.place())))
    {
        Some((backend, place)) => {
            let kind = backend
                .split(['.', ':'])
                .next()
                .unwrap_or_default()
                .to_owned();
            draft.attr("backend", backend, place.clone());
            let compiled = [
                ("mesonpy", "meson-python", "C"),
                ("scikit_build_core", "scikit-build-core", "C"),
                ("maturin", "maturin", "Rust"),
            ];
            if let Some((_, extension, language)) =
                compiled.iter().find(|(module, ..)| *module == kind)
            {
                draft.attr("extension", *extension, place.clone());
                draft.attr("language", *language, place);
            }
        }
        None => draft.attr("backend", "setuptools.build_meta:__legacy__", table.place()),
    }
    for item in table.get("requires").into_iter().flat_map(Value::array) {
        if let Some(text) = item.str() {
            require(draft, text, &Scope::Build, &item.place());
        }
    }
}

fn standard(draft: &mut Draft, project: Value<'_, '_>) {
    if let Some(name) = project.get("name")
        && let Some(text) = name.str()
    {
        draft.name(text, &name.place());
    }
    if let Some(python) = project.get("requires-python")
        && let Some(text) = python.str()
    {
        requires_python(draft, text, python.place());
    }
    for item in strings(project.get("classifiers")) {
        classifier(draft, item.0, item.1);
    }
    for (text, place) in strings(project.get("dependencies")) {
        require(draft, text, &Scope::Runtime, &place);
    }
    for (extra, list) in project
        .get("optional-dependencies")
        .into_iter()
        .flat_map(Value::entries)
    {
        optional_set(draft, "extra", extra, &list.place());
        for (text, place) in strings(Some(list)) {
            require(draft, text, &Scope::Optional(extra.to_owned()), &place);
        }
    }
    for key in ["scripts", "gui-scripts"] {
        for (name, value) in project.get(key).into_iter().flat_map(Value::entries) {
            draft.entry(name, EntryKind::Command, value.place());
        }
    }
    for (text, place) in strings(project.get("dynamic")) {
        draft.attr("dynamic", text, place);
    }
}

fn strings<'d, 'a: 'd>(list: Option<Value<'d, 'a>>) -> impl Iterator<Item = (&'d str, Place)> {
    list.into_iter()
        .flat_map(Value::array)
        .filter_map(|item| Some((item.str()?, item.place())))
}

/// PEP 735; `include-group` is left to the installer.
fn dependency_groups(draft: &mut Draft, groups: Value<'_, '_>) {
    for (group, list) in groups.entries() {
        optional_set(draft, "group", group, &list.place());
        for (text, place) in strings(Some(list)) {
            require(draft, text, &Scope::Optional(group.to_owned()), &place);
        }
    }
}

fn poetry_table(draft: &mut Draft, poetry: Value<'_, '_>) {
    draft.attr("manager", "poetry", poetry.place());
    if let Some(name) = poetry.get("name")
        && let Some(text) = name.str()
    {
        draft.name(text, &name.place());
    }
    for (text, place) in strings(poetry.get("classifiers")) {
        classifier(draft, text, place);
    }
    poetry_dependencies(draft, poetry.get("dependencies"), &Scope::Runtime);
    let dev = Scope::Optional("dev".to_owned());
    if let Some(table) = poetry.get("dev-dependencies") {
        optional_set(draft, "group", "dev", &table.place());
        draft.attr("poetry-group", "dev", table.place());
        poetry_dependencies(draft, Some(table), &dev);
    }
    for (group, table) in poetry.get("group").into_iter().flat_map(Value::entries) {
        optional_set(draft, "group", group, &table.place());
        draft.attr("poetry-group", group, table.place());
        poetry_dependencies(
            draft,
            table.get("dependencies"),
            &Scope::Optional(group.to_owned()),
        );
    }
    for (extra, list) in poetry.get("extras").into_iter().flat_map(Value::entries) {
        optional_set(draft, "extra", extra, &list.place());
    }
    for (name, value) in poetry.get("scripts").into_iter().flat_map(Value::entries) {
        draft.entry(name, EntryKind::Command, value.place());
    }
    if let Some(build) = poetry.get("build") {
        draft.attr("extension", "setuptools", build.place());
    }
}

fn poetry_dependencies(draft: &mut Draft, table: Option<Value<'_, '_>>, scope: &Scope) {
    for (name, value) in table.into_iter().flat_map(Value::entries) {
        let first = value.array().next();
        let detail = first.unwrap_or(value);
        let version = detail
            .str()
            .or_else(|| detail.get("version").and_then(Value::str))
            .unwrap_or("*");
        if name == "python" {
            requires_python(draft, version, value.place());
            continue;
        }
        if let Some(git) = detail.get("git").and_then(Value::str) {
            draft.attr("network", format!("{name} from {git}"), value.place());
        }
        let optional = detail.get("optional").and_then(Value::bool) == Some(true);
        let scope = if optional {
            Scope::Optional(name.to_owned())
        } else {
            scope.clone()
        };
        draft.package(
            "pypi",
            name,
            &poetry_spec(name, version),
            scope,
            value.place(),
        );
    }
}

/// Poetry's `^1.2.3` and `~1.2` in the words of PEP 440; what is PEP 440 already stays.
fn poetry_spec(name: &str, version: &str) -> String {
    let version = version.trim();
    let caret = version.strip_prefix('^');
    let tilde = version
        .strip_prefix('~')
        .filter(|rest| !rest.starts_with('='));
    let Some(lower) = caret.or(tilde).filter(|rest| !rest.contains(',')) else {
        let bare = version.starts_with(|c: char| c.is_ascii_digit());
        return match version {
            "*" | "" => name.to_owned(),
            _ if bare => format!("{name}=={version}"),
            _ => format!("{name}{version}"),
        };
    };
    let parts: Vec<u64> = lower
        .trim()
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect();
    let keep = match caret {
        // The first part that is not zero may not change.
        Some(_) => parts
            .iter()
            .position(|part| *part != 0)
            .unwrap_or(parts.len().saturating_sub(1)),
        None => parts.len().saturating_sub(1).min(1),
    };
    let mut upper: Vec<u64> = parts.iter().take(keep + 1).copied().collect();
    match upper.last_mut() {
        Some(last) => *last = last.saturating_add(1),
        None => return name.to_owned(),
    }
    let upper: Vec<String> = upper.iter().map(u64::to_string).collect();
    format!("{name}>={},<{}", lower.trim(), upper.join("."))
}

/// Tables of other tools: which manager the project is used with, and their development dependencies.
fn managers(draft: &mut Draft, doc: &Doc<'_>) {
    for tool in ["uv", "pdm", "hatch", "flit"] {
        if let Some(table) = doc.get(&["tool", tool]) {
            draft.attr("manager", tool, table.place());
        }
    }
    let uv = doc
        .get(&["tool", "uv", "dev-dependencies"])
        .map(|list| ("dev", list));
    let pdm = doc.get(&["tool", "pdm", "dev-dependencies"]);
    for (group, list) in uv
        .into_iter()
        .chain(pdm.into_iter().flat_map(Value::entries))
    {
        optional_set(draft, "group", group, &list.place());
        draft.attr("listed-group", group, list.place());
        for (text, place) in strings(Some(list)) {
            require(draft, text, &Scope::Optional(group.to_owned()), &place);
        }
    }
    if let Some(modules) = doc.get(&["tool", "setuptools", "ext-modules"]) {
        draft.attr("extension", "setuptools", modules.place());
        draft.attr("language", "C", modules.place());
    }
    for keys in [
        ["tool", "setuptools", "packages"],
        ["tool", "setuptools", "py-modules"],
    ] {
        for (text, place) in strings(doc.get(&keys)).filter(|(text, _)| !text.contains('.')) {
            draft.attr("import", text, place);
        }
    }
    for (env, value) in doc
        .get(&["tool", "hatch", "envs"])
        .into_iter()
        .flat_map(Value::entries)
    {
        let scope = match env {
            "default" | "test" | "tests" | "hatch-test" => Scope::Test,
            other => Scope::Optional(format!("hatch:{other}")),
        };
        for key in ["dependencies", "extra-dependencies"] {
            for (text, place) in strings(value.get(key)) {
                require(draft, text, &scope, &place);
            }
        }
    }
    if let Some(module) = doc.get(&["tool", "flit", "module", "name"])
        && let Some(text) = module.str()
    {
        draft.attr("import", text, module.place());
    }
    if let Some(module) = doc.get(&["tool", "maturin", "module-name"])
        && let Some(text) = module.str()
    {
        draft.attr(
            "import",
            text.split('.').next().unwrap_or(text),
            module.place(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};
    use super::*;

    #[test]
    fn standard_tables() {
        let graph = repo(&[
            (
                "pyproject.toml",
                r#"
[build-system]
requires = ["setuptools>=61", "Cython", "setuptools_scm[toml]"]
build-backend = "setuptools.build_meta"
[project]
name = "Demo-Pkg"
dynamic = ["version"]
requires-python = ">=3.9"
classifiers = ["Programming Language :: Python :: 3.12", "Programming Language :: Python :: 3"]
dependencies = [
  "requests>=2",
  "colorama; sys_platform == 'win32'",
]
[project.optional-dependencies]
test = ["pytest"]
docs = ["sphinx"]
[project.scripts]
demo = "demo_pkg:main"
[dependency-groups]
dev = [{include-group = "lint"}, "ruff"]
"#,
            ),
            ("src/demo_pkg/__init__.py", ""),
            ("src/demo_pkg/__main__.py", ""),
            ("tests/test_a.py", ""),
            ("uv.lock", ""),
            (".python-version", "3.12\n"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" Demo-Pkg (pyproject.toml:6)
          backend = setuptools.build_meta (pyproject.toml:4)
          build-command = python -m build (pyproject.toml:4)
          distribution = demo-pkg (pyproject.toml)
          dynamic = version (pyproject.toml:7)
          extension = cython (pyproject.toml:3)
          extra = docs (pyproject.toml:16)
          extra = test (pyproject.toml:15)
          group = dev (pyproject.toml:20)
          import = demo_pkg (src/demo_pkg/__init__.py)
          install-command = uv sync (uv.lock)
          language = C (pyproject.toml:3)
          layout = package (pyproject.toml)
          lock = uv.lock (uv.lock)
          python = 3.12 (pyproject.toml:9)
          run-command = uv run demo (pyproject.toml:18)
          test-command = uv run pytest (pyproject.toml:15)
          test-extra = test (pyproject.toml:15)
          test-group = dev (pyproject.toml:20)
          vcs-version = setuptools-scm (pyproject.toml:3)
          pypi setuptools>=61 [build] (pyproject.toml:3)
          pypi Cython [build] (pyproject.toml:3)
          pypi setuptools_scm[toml] [build] (pyproject.toml:3)
          tool python >=3.9 Manifest (pyproject.toml:8)
          pypi requests>=2 [runtime] (pyproject.toml:11)
          pypi colorama; sys_platform == 'win32' [optional:sys_platform == 'win32'] if-present (pyproject.toml:12)
          pypi sphinx [optional:docs] if-present (pyproject.toml:16)
          pypi pytest [optional:test] if-present (pyproject.toml:15)
          pypi ruff [optional:dev] if-present (pyproject.toml:20)
          tool python 3.12 Lock (.python-version:1)
          entry Command demo (pyproject.toml:18)
          entry Script demo_pkg (src/demo_pkg/__main__.py)
          suite pytest (pyproject.toml:15)
        "#);
    }

    #[test]
    fn settings_of_linters_are_no_project() {
        assert_eq!(
            repo(&[("pyproject.toml", "[tool.black]\nline-length = 3\n")])
                .projects()
                .count(),
            0
        );
    }

    #[test]
    fn poetry_versions_in_pep_440() {
        assert_eq!(poetry_spec("a", "^1.2.3"), "a>=1.2.3,<2");
        assert_eq!(poetry_spec("a", "^0.2.3"), "a>=0.2.3,<0.3");
        assert_eq!(poetry_spec("a", "~1.2.3"), "a>=1.2.3,<1.3");
        assert_eq!(poetry_spec("a", "*"), "a");
        assert_eq!(poetry_spec("a", "1.0"), "a==1.0");
        assert_eq!(poetry_spec("a", ">=1,<2"), "a>=1,<2");
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_versions_never_panic(version in "[~^]?.{0,30}") {
            poetry_spec("a", &version);
        }
    }
}
