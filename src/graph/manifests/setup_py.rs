//! `setup.py`: the literal arguments of `setup()` and of the extension classes, read from the syntax tree.
//! Nothing is executed. Attributes are listed in `python.rs`.

use crate::evidence::Place;
use crate::graph::{EntryKind, Scope};
use crate::packages::Capability;

use super::autotools::libc;
use super::drafts::Draft;
use super::python::{classifier, optional_set, require, requires_python};
use super::python_ast::{Call, Module, Value, parse};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "setup_py",
    matches: |path| base(path) == "setup.py",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let module = parse(reading.text);
    let imports = |name: &str| {
        module
            .imports
            .iter()
            .any(|(import, _)| import.split('.').next() == Some(name))
    };
    let setup = module.calls.iter().find(|call| call.name == "setup");
    let packaging =
        imports("setuptools") || imports("distutils") || imports("skbuild") || imports("numpy");
    if setup.is_none() && !packaging {
        // `setup.py` is also a name for scripts that set something else up.
        reading.drafts.manifest_only(reading.path, reading.format);
        return;
    }
    let (path, format) = (reading.path.to_owned(), reading.format);
    let own_config = |name: &str| join(reading.dir, name).filter(|path| reading.tree.has(path));
    let helpers: Vec<String> = [
        "setupinfo.py",
        "setup_build.py",
        "setupext.py",
        "setup_helpers.py",
    ]
    .iter()
    .filter_map(|name| own_config(name))
    .collect();
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(&path, format);
    draft.attr("layout", "package", Place::file(&path));
    if let Some(call) = setup {
        setup_call(draft, call, &path);
    }
    extensions(draft, &module, &path);
    searches(draft, &module, &path);
    config_programs(draft, &module, &path);
    for helper in helpers {
        if let Some(text) = reading.tree.read(&helper) {
            let module = parse(&text);
            let draft = reading.drafts.project("python", reading.dir);
            draft.manifest(&helper, format);
            extensions(draft, &module, &helper);
            searches(draft, &module, &helper);
            config_programs(draft, &module, &helper);
        }
    }
}

fn setup_call(draft: &mut Draft, call: &Call, path: &str) {
    let at = |line: u32| Place::new(path, line);
    for (key, value, line) in &call.keywords {
        match key.as_str() {
            "name" => {
                for (text, line) in value.texts() {
                    draft.name(text, &at(line));
                }
            }
            "python_requires" => {
                for (text, line) in value.texts() {
                    requires_python(draft, text, at(line));
                }
            }
            "classifiers" => {
                for (text, line) in value.texts() {
                    text.lines()
                        .for_each(|text| classifier(draft, text, at(line)));
                }
            }
            "install_requires" => requirements(draft, value, &Scope::Runtime, path),
            "setup_requires" => requirements(draft, value, &Scope::Build, path),
            "tests_require" => requirements(draft, value, &Scope::Test, path),
            "extras_require" => extras(draft, value, path),
            "entry_points" => entry_points(draft, value, path),
            "scripts" => {
                for (text, line) in value.texts() {
                    draft.entry(base(text), EntryKind::Command, at(line));
                }
            }
            "packages" | "py_modules" => {
                for (text, line) in value
                    .texts()
                    .into_iter()
                    .filter(|(text, _)| !text.contains('.'))
                {
                    draft.attr("import", text, at(line));
                }
            }
            "cffi_modules" => draft.attr("extension", "cffi", at(*line)),
            "rust_extensions" => {
                draft.attr("extension", "setuptools-rust", at(*line));
                draft.attr("language", "Rust", at(*line));
            }
            "ext_modules" => draft.attr("extension", "setuptools", at(*line)),
            "use_scm_version" => draft.attr("vcs-version", "setuptools-scm", at(*line)),
            _ => {}
        }
    }
    if call.keyword("cffi_modules").is_some() || call.keyword("ext_modules").is_some() {
        draft.attr("language", "C", at(call.line));
    }
}

fn requirements(draft: &mut Draft, value: &Value, scope: &Scope, path: &str) {
    for (text, line) in value.texts() {
        for one in text.lines() {
            require(draft, one, scope, &Place::new(path, line));
        }
    }
}

fn extras(draft: &mut Draft, value: &Value, path: &str) {
    let Value::Dict(entries) = value else {
        return;
    };
    for (key, list) in entries {
        let Value::Text(extra, line) = key else {
            continue;
        };
        // `:python_version<"3"` is a condition, not a name.
        let scope = match extra.split_once(':') {
            Some(("", marker)) => Scope::Optional(marker.to_owned()),
            _ => {
                optional_set(draft, "extra", extra, &Place::new(path, *line));
                Scope::Optional(extra.clone())
            }
        };
        requirements(draft, list, &scope, path);
    }
}

fn entry_points(draft: &mut Draft, value: &Value, path: &str) {
    match value {
        Value::Dict(groups) => {
            for (group, list) in groups {
                if !matches!(group, Value::Text(name, _) if name == "console_scripts" || name == "gui_scripts")
                {
                    continue;
                }
                for (text, line) in list.texts() {
                    commands(draft, text, &Place::new(path, line));
                }
            }
        }
        Value::Text(text, line) => {
            let mut inside = false;
            for entry in text.lines().map(str::trim) {
                if entry.starts_with('[') {
                    inside = entry == "[console_scripts]" || entry == "[gui_scripts]";
                } else if inside {
                    commands(draft, entry, &Place::new(path, *line));
                }
            }
        }
        _ => {}
    }
}

/// `name = module:function`
fn commands(draft: &mut Draft, text: &str, place: &Place) {
    if let Some((name, _)) = text.split_once('=') {
        draft.entry(name.trim(), EntryKind::Command, place.clone());
    }
}

/// Classes of extension modules: how they are built and in which language.
const CLASSES: &[(&str, &str, &str)] = &[
    ("Extension", "setuptools", "C"),
    ("Pybind11Extension", "pybind11", "CXX"),
    ("RustExtension", "setuptools-rust", "Rust"),
    ("CMakeExtension", "cmake", "CXX"),
    ("cythonize", "cython", "C"),
    ("CppExtension", "setuptools", "CXX"),
];

fn extensions(draft: &mut Draft, module: &Module, path: &str) {
    for call in &module.calls {
        let Some((_, kind, language)) = CLASSES.iter().find(|(class, ..)| *class == call.name)
        else {
            continue;
        };
        let place = Place::new(path, call.line);
        draft.attr("extension", *kind, place.clone());
        let cxx = matches!(call.keyword("language"), Some(Value::Text(text, _)) if text == "c++");
        draft.attr("language", if cxx { "CXX" } else { language }, place);
        let named = call.keyword("sources").into_iter().chain(&call.args);
        for (source, line) in named.flat_map(Value::texts) {
            if source.ends_with(".c") || source.ends_with(".cpp") {
                draft.attr("c-source", source, Place::new(path, line));
            }
        }
        for (library, line) in call
            .keyword("libraries")
            .map(Value::texts)
            .unwrap_or_default()
        {
            if !matches!(
                library,
                "m" | "c" | "dl" | "rt" | "pthread" | "stdc++" | "util"
            ) && !is_windows(library)
            {
                let capability = Capability::Library(library.to_owned());
                // What stands in a literal may still be changed before the build.
                draft.system(capability, Scope::Build, false, Place::new(path, line));
            }
        }
    }
}

/// Helpers in build scripts that look for a header or a library by a literal name.
fn searches(draft: &mut Draft, module: &Module, path: &str) {
    for call in &module.calls {
        let name = call.name.trim_start_matches('_');
        let make: fn(String) -> Capability = match name {
            "find_include_file" | "find_header" | "check_header" | "has_header" => {
                Capability::Header
            }
            "find_library_file" | "find_library" | "has_library" => Capability::Library,
            _ => continue,
        };
        for (text, line) in call.args.iter().flat_map(Value::texts) {
            let plain = text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'));
            if plain
                && !text.is_empty()
                && text.len() < 80
                && !libc::is_header(text)
                && !libc::is_library(text)
            {
                draft.system(
                    make(text.to_owned()),
                    Scope::Build,
                    false,
                    Place::new(path, line),
                );
            }
        }
    }
}

fn is_windows(library: &str) -> bool {
    let library = library.to_ascii_lowercase();
    [
        "ws2_32", "wsock32", "advapi32", "user32", "kernel32", "shell32", "crypt32", "secur32",
        "iphlpapi", "psapi", "gdi32",
    ]
    .contains(&library.as_str())
}

/// Programs like `pg_config` and `xml2-config` that a build asks for flags.
fn config_programs(draft: &mut Draft, module: &Module, path: &str) {
    for (text, line) in &module.texts {
        let name_like = text.len() < 40
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'));
        let program = text == "pkg-config"
            || ((text.ends_with("-config")
                || matches!(
                    text.as_str(),
                    "pg_config" | "mysql_config" | "mariadb_config"
                ))
                && !text.starts_with("--"));
        if name_like && program && text.len() > "-config".len() {
            let capability = Capability::Command(text.clone());
            draft.system(capability, Scope::Build, false, Place::new(path, *line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, repo_bytes, summary};

    #[test]
    fn sources_that_cython_makes() {
        let setup = (
            "setup.py",
            "setup(name='d', ext_modules=[Extension('d._a', sources=['d/_a.c']), Extension('d.b', ['d/b.c'])])",
        );
        let made = |files: &[(&str, &str)]| -> Vec<String> {
            let graph = repo(files);
            let project = super::super::testing::project(&graph, "python", "");
            let sources = project.all("cython-source").iter();
            sources.map(|attr| attr.value.clone()).collect()
        };
        let (a, b) = (("d/_a.pyx", ""), ("d/b.c", ""));
        assert_eq!(made(&[setup, a, b]), ["d/_a.pyx"]);
        // An archive has the source, and a build that requires Cython makes it.
        assert!(made(&[setup, a, b, ("d/_a.c", "")]).is_empty());
        let build = ("pyproject.toml", "[build-system]\nrequires = ['cython']\n");
        assert!(made(&[setup, a, b, build]).is_empty());
    }

    #[test]
    fn literal_arguments_of_setup() {
        let graph = repo(&[
            (
                "setup.py",
                r#"
from setuptools import setup, Extension
REQS = ["six>=1.9"]
EXTRAS = {"test": ["pytest"], ':python_version<"3"': ["enum34"]}
ext = Extension("demo._c", ["c.c"], libraries=["ev", "m"], language="c++")
def find():
    return run(["xml2-config", "--cflags"])
setup(
    name="demo",
    python_requires=">=3.6",
    install_requires=REQS + ["attrs"],
    extras_require=EXTRAS,
    tests_require=["mock"],
    ext_modules=[ext],
    packages=["demo", "demo.sub"],
    entry_points={"console_scripts": ["demo = demo:main"]},
    classifiers=["Programming Language :: Python :: 3.6"],
)
"#,
            ),
            ("demo/__init__.py", ""),
            ("tests/test_a.py", "import unittest\n"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" demo (setup.py:9)
          backend = setuptools.build_meta:__legacy__ (setup.py)
          build-command = python -m build (setup.py)
          c-source = c.c (setup.py:5)
          extension = setuptools (setup.py:14)
          extra = test (setup.py:4)
          import = demo (setup.py:15)
          install-command = pip install -e '.[test]' (setup.py:4)
          language = C (setup.py:8)
          language = CXX (setup.py:5)
          layout = package (setup.py)
          python = 3.6 (setup.py:17)
          run-command = demo (setup.py:16)
          test-command = pytest (setup.py:4)
          test-extra = test (setup.py:4)
          tool python >=3.6 Manifest (setup.py:10)
          pypi six>=1.9 [runtime] (setup.py:3)
          pypi attrs [runtime] (setup.py:11)
          pypi pytest [optional:test] if-present (setup.py:4)
          pypi enum34 [optional:python_version<"3"] if-present (setup.py:4)
          pypi mock [test] (setup.py:13)
          system lib:ev [build] if-present (setup.py:5)
          system cmd:xml2-config [build] if-present (setup.py:7)
          entry Command demo (setup.py:16)
          suite pytest (setup.py:4)
        "#);
    }

    #[test]
    fn other_scripts_of_that_name_are_no_projects() {
        assert_eq!(
            repo(&[("setup.py", "import os\nos.mkdir('x')\n")])
                .projects()
                .count(),
            0
        );
    }

    #[test]
    fn hostile_scripts_are_survived() {
        repo(&[("setup.py", "from setuptools import setup\nsetup(name='a")]);
        repo_bytes(&[(
            "setup.py",
            b"import setuptools\nsetup(name='\xff\xfe', install_requires=['\xff'])\n",
        )]);
    }
}
