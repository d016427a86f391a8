//! What all readers of Python packaging files share, and what the tree itself says of a Python project.
//!
//! One project a directory, whichever of `pyproject.toml`, `setup.cfg`, `setup.py`, `Pipfile` and requirements
//! files stand in it. Attributes of a `python` project:
//! - `backend`: `build-backend`, or `setuptools.build_meta:__legacy__` where only `setup.py` says how to build
//! - `layout`: `package` (can be installed), `requirements` (only requirements files and modules), `app`
//!   (declares dependencies and is not built)
//! - `python`: a Python version of the classifiers
//! - `extra`, `group`: names of extras and dependency groups; `test-extra`, `test-group`: those that tests need
//! - `requirements`, `requirements-test`, `requirements-dev`, `requirements-docs`: requirements files
//! - `lock`: path of a lock file
//! - `extension`: how compiled modules are built: `setuptools`, `cython`, `cffi`, `meson-python`,
//!   `scikit-build-core`, `maturin`, `setuptools-rust`, `pybind11`
//! - `language`: of the compiled modules: `C`, `CXX`, `Rust`, `Fortran`
//! - `c-source`: a source file of an extension, relative to the project; `cython-source`: the Cython file that such
//!   a source is made from, where the checkout lacks the source; `cython-language` = `CXX` where it is C++
//! - `poetry-group`, `listed-group`: a `group` in a table of Poetry's, or of uv's or PDM's (a list of requirements),
//!   which installers that follow the standard do not read
//! - `import`: a name to import once installed
//! - `dynamic`: a field that the backend computes
//! - `vcs-version`: the version comes from git tags (`setuptools-scm` and the like); the value is the tool
//! - `tox-env`: an environment of tox; `tox-extra`: an extra its tests install; `nox-session`: a session
//! - `manager`: `poetry`, `pdm`, `hatch`, `uv`, `pipenv`, `flit`
//! - `network`: a dependency from a version control system
//! - `distribution`: the name in its normal form, by which other projects of a workspace require it
//!
//! Tool `python`: `requires-python` (`Manifest`), `.python-version`, `.tool-versions`, `runtime.txt` (`Lock`).

mod commands;
mod layout;
pub mod workspace;

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::drafts::{Draft, Drafts};
use super::tree::{Tree, base, join, relative};
use super::{Reader, Reading};

/// Files that pin the interpreter for version managers.
pub const PINS: Reader = Reader {
    format: "python",
    matches: |path| {
        matches!(
            base(path),
            ".python-version" | ".tool-versions" | "runtime.txt"
        )
    },
    read: pins,
};

fn pins(reading: &mut Reading<'_>) {
    let dir = reading.dir.to_owned();
    if reading.drafts.get("python", &dir).is_none() {
        return;
    }
    let (path, format) = (reading.path, reading.format);
    let found = reading
        .text
        .lines()
        .zip(1_u32..)
        .find_map(|(line, number)| {
            let line = line.split('#').next().unwrap_or_default().trim();
            let version = match base(path) {
                ".tool-versions" => line.strip_prefix("python ")?.split_whitespace().next()?,
                "runtime.txt" => line.strip_prefix("python-")?,
                _ => line,
            };
            version
                .starts_with(|c: char| c.is_ascii_digit())
                .then(|| (version.to_owned(), number))
        });
    if let Some((version, number)) = found {
        let draft = reading.drafts.project("python", &dir);
        draft.manifest(path, format);
        draft.tool(
            "python",
            Some(version),
            Trust::Lock,
            Place::new(path, number),
        );
    }
}

/// The name of a PEP 508 requirement in its normal form (PEP 503); `None` where the text is none. Read here
/// rather than by `pep508_rs`, which takes fewer of the old forms that pip knows and panics on some text outside ASCII.
pub fn requirement_name(text: &str) -> Option<String> {
    let name: String = text
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .collect();
    let rest = text.get(name.len()..).unwrap_or_default().trim_start();
    let follows =
        rest.is_empty() || rest.starts_with(['=', '<', '>', '!', '~', '[', ';', '(', '@', ',']);
    if !follows || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let parts: Vec<&str> = lower
        .split(['-', '_', '.'])
        .filter(|part| !part.is_empty())
        .collect();
    Some(parts.join("-"))
}

/// Adds one requirement as written.
pub fn require(draft: &mut Draft, text: &str, scope: &Scope, place: &Place) {
    let text = text.trim();
    if text.len() > 2000 {
        return;
    }
    let Some(name) = requirement_name(text) else {
        return;
    };
    let marker = text.split_once(';').map_or("", |(_, marker)| marker.trim());
    let scope = if is_foreign(marker) {
        Scope::Optional(marker.to_owned())
    } else {
        scope.clone()
    };
    if text.contains("git+") || text.contains("hg+") {
        draft.attr("network", text, place.clone());
    }
    build_tool(draft, &name, &scope, place);
    draft.package("pypi", &name, text, scope, place.clone());
}

/// A marker that cannot hold on Linux with CPython 3.
fn is_foreign(marker: &str) -> bool {
    const FOREIGN: &[&str] = &[
        "sys_platform=='win32'",
        "sys_platform=='darwin'",
        "sys_platform=='cygwin'",
        "os_name=='nt'",
        "platform_system=='Windows'",
        "platform_system=='Darwin'",
        "python_version<'3'",
        "python_version<'3.0'",
        "python_version=='2.7'",
        "platform_python_implementation=='PyPy'",
        "sys_platform!='linux'",
        "implementation_name=='pypy'",
    ];
    let flat: String = marker
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')'))
        .collect();
    let flat = flat.replace('"', "'");
    !marker.contains(" or ") && FOREIGN.iter().any(|foreign| flat.contains(foreign))
}

/// What a build requirement tells about how the package is built.
fn build_tool(draft: &mut Draft, name: &str, scope: &Scope, place: &Place) {
    if *scope != Scope::Build {
        return;
    }
    const KINDS: &[(&str, &str, &str)] = &[
        ("cython", "cython", "C"),
        ("cffi", "cffi", "C"),
        ("meson-python", "meson-python", "C"),
        ("scikit-build-core", "scikit-build-core", "C"),
        ("scikit-build", "scikit-build", "C"),
        ("maturin", "maturin", "Rust"),
        ("setuptools-rust", "setuptools-rust", "Rust"),
        ("pybind11", "pybind11", "CXX"),
        ("nanobind", "nanobind", "CXX"),
        ("mypy", "mypyc", "C"),
        ("sip", "sip", "CXX"),
    ];
    const VERSIONS: &[&str] = &[
        "setuptools-scm",
        "hatch-vcs",
        "versioneer",
        "pdm-vcs",
        "poetry-dynamic-versioning",
        "setuptools-git-versioning",
        "flit-scm",
        "vcs-versioning",
    ];
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    if let Some((_, kind, language)) = KINDS.iter().find(|(package, ..)| *package == name) {
        draft.attr("extension", *kind, place.clone());
        draft.attr("language", *language, place.clone());
    }
    if VERSIONS.contains(&name.as_str()) {
        draft.attr("vcs-version", name, place.clone());
    }
}

/// `requires-python`, as written.
pub fn requires_python(draft: &mut Draft, text: &str, place: Place) {
    if !text.trim().is_empty() {
        draft.tool(
            "python",
            Some(text.trim().to_owned()),
            Trust::Manifest,
            place,
        );
    }
}

/// `Programming Language :: Python :: 3.11` → attribute `python`.
pub fn classifier(draft: &mut Draft, text: &str, place: Place) {
    let Some(version) = text
        .trim()
        .strip_prefix("Programming Language :: Python :: ")
    else {
        return;
    };
    if version.contains('.') && version.chars().all(|c| c.is_ascii_digit() || c == '.') {
        draft.attr("python", version, place);
    }
}

/// Names of extras and groups that hold what tests need, the likeliest first.
const TEST_NAMES: &[&str] = &[
    "test",
    "tests",
    "testing",
    "unittest",
    "unittests",
    "test_all",
    "tests_all",
    "pytest",
    "dev",
    "develop",
    "development",
    "devel",
    "ci",
    "all",
];

/// Records an extra (`kind` = `extra`) or a dependency group (`group`).
pub fn optional_set(draft: &mut Draft, kind: &str, name: &str, place: &Place) {
    draft.attr(kind, name, place.clone());
}

/// Picks the set that tests need: every one named after tests, else the first of the likely names that brings a
/// test framework or is called for development.
pub fn choose_test_sets(draft: &mut Draft) {
    for kind in ["extra", "group"] {
        let known = draft.facts.all(kind).to_vec();
        let normal = |name: &str| name.to_ascii_lowercase().replace('-', "_");
        let found = TEST_NAMES.iter().find_map(|wanted| {
            let attr = known.iter().find(|attr| normal(&attr.value) == *wanted)?;
            (*wanted != "all").then(|| attr.clone())
        });
        if let Some(attr) = found {
            draft.attr(&format!("test-{kind}"), attr.value, attr.place);
        }
    }
}

/// After all manifests are read: what the files of the tree add to each Python project.
pub fn finish(tree: &Tree<'_>, drafts: &mut Drafts) {
    let dirs: Vec<String> = drafts
        .all()
        .filter(|draft| draft.facts.ecosystem == "python")
        .map(|draft| draft.facts.dir.clone())
        .collect();
    for dir in &dirs {
        let nested: Vec<&String> = dirs.iter().filter(|other| *other != dir).collect();
        let draft = drafts.project("python", dir);
        layout::locks(tree, draft);
        layout::imports(tree, draft);
        layout::tests(tree, draft, &nested);
        layout::cython_sources(tree, draft);
        choose_test_sets(draft);
        if !draft.has_attr("backend") && tree.has(&join(dir, "setup.py").unwrap_or_default()) {
            let path = join(dir, "setup.py").unwrap_or_default();
            draft.attr(
                "backend",
                "setuptools.build_meta:__legacy__",
                Place::file(path),
            );
        }
        commands::read(draft);
    }
    drafts.link_by_name("python", "distribution");
}

#[cfg(test)]
mod tests;
