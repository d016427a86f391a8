//! `setup.cfg`: setuptools' declarative configuration. Attributes are listed in `python.rs`.

use crate::evidence::Place;
use crate::graph::{EntryKind, Scope};

use super::ini::{self, Entry};
use super::python::{classifier, optional_set, require, requires_python};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "setup_cfg",
    matches: |path| base(path) == "setup.cfg",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let entries = ini::parse(reading.text);
    let names = |section: &str| entries.iter().any(|entry| entry.section == section);
    let setup = join(reading.dir, "setup.py").is_some_and(|path| reading.tree.has(&path));
    let known = reading.drafts.get("python", reading.dir).is_some();
    let describes = names("metadata") && (names("options") || setup);
    if !(describes || (names("options") && setup) || known) {
        // Settings of other tools.
        reading.drafts.manifest_only(reading.path, reading.format);
        return;
    }
    let path = reading.path.to_owned();
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(&path, reading.format);
    if describes || names("options") {
        draft.attr("layout", "package", Place::file(&path));
    }
    for entry in &entries {
        one(draft, entry, &path);
    }
}

fn one(draft: &mut super::drafts::Draft, entry: &Entry, path: &str) {
    let at = |line: u32| Place::new(path, line);
    let requirements = |draft: &mut super::drafts::Draft, scope: &Scope| {
        for (text, line) in &entry.lines {
            // `a; b` on one line separates; `a; python_version…` is a marker: setuptools splits at newlines only.
            require(draft, text, scope, &at(*line));
        }
    };
    match (entry.section.as_str(), entry.key.as_str()) {
        ("metadata", "name") => draft.name(&entry.text(), &at(entry.line)),
        ("metadata", "classifiers" | "classifier") => {
            for (text, line) in &entry.lines {
                classifier(draft, text, at(*line));
            }
        }
        ("options", "python_requires") => requires_python(draft, &entry.text(), at(entry.line)),
        ("options", "install_requires") => requirements(draft, &Scope::Runtime),
        ("options", "setup_requires") => requirements(draft, &Scope::Build),
        ("options", "tests_require") => requirements(draft, &Scope::Test),
        ("options", "packages" | "py_modules") => {
            for (text, line) in &entry.lines {
                let names = text.split(',').map(str::trim);
                for name in names.filter(|name| {
                    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty()
                }) {
                    draft.attr("import", name, at(*line));
                }
            }
        }
        ("options", "scripts") => {
            for (text, line) in &entry.lines {
                draft.entry(base(text), EntryKind::Command, at(*line));
            }
        }
        ("options.extras_require", extra) => {
            optional_set(draft, "extra", extra, &at(entry.line));
            requirements(draft, &Scope::Optional(extra.to_owned()));
        }
        ("options.entry_points", "console_scripts" | "gui_scripts") => {
            for (text, line) in &entry.lines {
                if let Some((name, _)) = text.split_once('=') {
                    draft.entry(name.trim(), EntryKind::Command, at(*line));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn declarative_configuration() {
        let graph = repo(&[(
            "setup.cfg",
            "[metadata]\nname = demo\n[options]\npython_requires = >=3.8\ninstall_requires =\n    click>=7\n    tomli; python_version < '3.11'\npackages = find:\n[options.extras_require]\ntesting =\n    pytest\n[options.entry_points]\nconsole_scripts =\n    demo = demo:main\n[tool:pytest]\naddopts = -q\n",
        )]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" demo (setup.cfg:2)
          extra = testing (setup.cfg:10)
          install-command = pip install -e '.[testing]' (setup.cfg:10)
          layout = package (setup.cfg)
          run-command = demo (setup.cfg:14)
          test-extra = testing (setup.cfg:10)
          tool python >=3.8 Manifest (setup.cfg:4)
          pypi click>=7 [runtime] (setup.cfg:6)
          pypi tomli; python_version < '3.11' [runtime] (setup.cfg:7)
          pypi pytest [optional:testing] if-present (setup.cfg:11)
          entry Command demo (setup.cfg:14)
        "#);
    }

    #[test]
    fn settings_of_other_tools_are_no_project() {
        assert_eq!(
            repo(&[("setup.cfg", "[flake8]\nmax-line-length = 3\n")])
                .projects()
                .count(),
            0
        );
    }
}
