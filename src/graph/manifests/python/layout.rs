//! Facts about a Python project that its files show: packages, lock files, tests.

use std::collections::BTreeSet;

use crate::evidence::Place;
use crate::graph::{EntryKind, Facts};

use super::super::drafts::Draft;
use super::super::ini;
use super::super::toml_doc::Doc;
use super::super::tree::{Tree, base, join, relative};

pub fn locks(tree: &Tree<'_>, draft: &mut Draft) {
    for name in [
        "uv.lock",
        "poetry.lock",
        "pdm.lock",
        "Pipfile.lock",
        "pylock.toml",
    ] {
        let path = join(&draft.facts.dir, name).unwrap_or_default();
        if tree.has(&path) {
            draft.attr("lock", &path, Place::file(&path));
        }
    }
}

/// Sources of extensions that are not in the tree while the Cython file of the same name is: each checkout has to make
/// them. Where Cython is a build requirement, the build does that by itself.
pub fn cython_sources(tree: &Tree<'_>, draft: &mut Draft) {
    let dir = draft.facts.dir.clone();
    let automatic = draft
        .facts
        .all("extension")
        .iter()
        .any(|attr| attr.value == "cython");
    if automatic {
        return;
    }
    for source in draft.facts.all("c-source").to_vec() {
        let Some((stem, ending)) = source.value.rsplit_once('.') else {
            continue;
        };
        let cython = format!("{stem}.pyx");
        let has = |file: &str| join(&dir, file).is_some_and(|path| tree.has(&path));
        if has(&cython) && !has(&source.value) {
            draft.attr("cython-source", cython, source.place.clone());
            if ending == "cpp" {
                draft.attr("cython-language", "CXX", source.place);
            }
        }
    }
}

/// Directories at the top of a project that hold no package to import.
const NOT_PACKAGES: &[&str] = &[
    "test",
    "tests",
    "testing",
    "doc",
    "docs",
    "example",
    "examples",
    "sample",
    "samples",
    "bench",
    "benchmark",
    "benchmarks",
    "script",
    "scripts",
    "tool",
    "tools",
    "build",
    "dist",
    "ci",
    "utils",
    "demo",
    "demos",
    "requirements",
    "buildutils",
    "contrib",
    "packaging",
    "site-packages",
    "tasks",
    "fuzz",
    "release",
];

/// Import names: packages and modules below `src/`, else those at the top that are named like the project, else
/// all packages at the top. Existing facts (`packages=[…]`) stay.
pub fn imports(tree: &Tree<'_>, draft: &mut Draft) {
    let dir = draft.facts.dir.clone();
    if !draft.has_attr("import") {
        let roots: Vec<String> = ["src", "lib", "python", "Lib", ""]
            .iter()
            .filter_map(|sub| join(&dir, sub))
            .collect();
        for root in roots {
            let found = packages(tree, draft, &root);
            for (name, path) in &found {
                draft.attr("import", name, Place::file(path));
            }
            if !found.is_empty() {
                break;
            }
        }
    }
    for import in draft.facts.all("import").to_vec() {
        let relative = import.value.replace('.', "/");
        for root in ["src", "lib", ""] {
            let main = join(&dir, &format!("{root}/{relative}/__main__.py")).unwrap_or_default();
            if tree.has(&main) {
                draft.entry(&import.value, EntryKind::Script, Place::file(main));
            }
        }
    }
}

fn packages(tree: &Tree<'_>, draft: &Draft, root: &str) -> Vec<(String, String)> {
    let own = draft
        .name
        .clone()
        .unwrap_or_default()
        .to_ascii_lowercase()
        .replace(['-', '.'], "_");
    let top = draft.facts.dir == root;
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    for entry in tree.below(root) {
        let path = relative(&entry.path, root).unwrap_or_default();
        let parts: Vec<&str> = path.split('/').collect();
        let name = match parts.as_slice() {
            [package, init] if init.starts_with("__init__.py") => *package,
            [module]
                if !top
                    || module
                        .strip_suffix(".py")
                        .is_some_and(|stem| stem.eq_ignore_ascii_case(&own)) =>
            {
                module.strip_suffix(".py").unwrap_or_default()
            }
            _ => continue,
        };
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain
            && !matches!(name, "setup" | "conftest" | "__init__" | "__main__")
            && !(top && NOT_PACKAGES.contains(&name))
        {
            found.insert((name.to_owned(), entry.path.clone()));
        }
    }
    let named: Vec<_> = found
        .iter()
        .filter(|(name, _)| {
            name.to_ascii_lowercase().trim_start_matches("py") == own.trim_start_matches("py")
        })
        .cloned()
        .collect();
    if named.is_empty() || !top {
        found.into_iter().collect()
    } else {
        named
    }
}

/// Which framework runs the tests: pytest where anything configures or requires it, else unittest where there
/// are test modules.
pub fn tests(tree: &Tree<'_>, draft: &mut Draft, nested: &[&String]) {
    let dir = draft.facts.dir.clone();
    // A published archive often has the settings and not the tests.
    let mut sources = tree.below(&dir).filter(|entry| entry.path.ends_with(".py"));
    if !sources.any(|entry| relative(&entry.path, &dir).is_some_and(looks_like_test)) {
        return;
    }
    if let Some(place) = pytest(tree, draft) {
        return draft.suite("pytest", place);
    }
    let inner = |path: &str| {
        nested
            .iter()
            .any(|other| relative(other, &dir).is_some() && relative(path, other).is_some())
    };
    let mut modules = tree
        .below(&dir)
        .filter(|entry| is_test_module(&entry.path) && !entry.vendored && !inner(&entry.path));
    let Some(first) = modules.next() else {
        return;
    };
    let mut all = std::iter::once(first).chain(modules).take(40);
    let uses_pytest = |text: String| {
        text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("import pytest") || line.starts_with("from pytest")
        })
    };
    let by_import = all.find(|entry| tree.read(&entry.path).is_some_and(uses_pytest));
    match by_import {
        Some(entry) => draft.suite("pytest", Place::file(&entry.path)),
        None => draft.suite("unittest", Place::file(&first.path)),
    }
}

fn looks_like_test(path: &str) -> bool {
    let folder = |part: &str| {
        matches!(
            part.to_ascii_lowercase().as_str(),
            "test" | "tests" | "testing" | "t"
        )
    };
    path.split('/').rev().skip(1).any(folder) || is_test_module(path)
}

fn is_test_module(path: &str) -> bool {
    let name = base(path);
    let stem = name.strip_suffix(".py").unwrap_or_default();
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "tests"
        || (stem == "test" && path.contains('/'))
}

fn pytest(tree: &Tree<'_>, draft: &Draft) -> Option<Place> {
    let dir = &draft.facts.dir;
    let at = |name: &str| join(dir, name).filter(|path| tree.has(path));
    if let Some(path) = at("pytest.ini")
        .or_else(|| at(".pytest.ini"))
        .or_else(|| at("pytest.toml"))
    {
        return Some(Place::file(path));
    }
    if let Some(path) = at("pyproject.toml")
        && let Some(text) = tree.read(&path)
        && let Some(value) = Doc::parse(&text, &path).get(&["tool", "pytest"])
    {
        return Some(value.place());
    }
    for (file, section) in [("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")] {
        if let Some(path) = at(file)
            && let Some(text) = tree.read(&path)
            && let Some(entry) = ini::parse(&text)
                .iter()
                .find(|entry| entry.section == section)
        {
            return Some(Place::new(path, entry.line));
        }
    }
    let required = draft.items().iter().find(|item| {
        matches!(item.facts, Facts::Dependency(_)) && item.name.eq_ignore_ascii_case("pytest")
    });
    if let Some(item) = required {
        return Some(item.place.clone());
    }
    let conftest = [
        "conftest.py",
        "tests/conftest.py",
        "test/conftest.py",
        "src/conftest.py",
    ];
    conftest.iter().find_map(|name| at(name)).map(Place::file)
}
