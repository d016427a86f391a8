//! Environments that task runners make for tests: `tox.ini` and `noxfile.py`. What they install is what the
//! tests need. Commands are another reader's. Attributes are listed in `python.rs`.

use crate::evidence::{Place, Trust};
use crate::graph::{DependencyFacts, Facts, Scope};

use super::drafts::Draft;
use super::ini;
use super::python::requirement_name;
use super::python_ast;
use super::tree::{base, join};
use super::{Reader, Reading};

pub const TOX: Reader = Reader {
    format: "tox",
    matches: |path| base(path) == "tox.ini",
    read: tox,
};

pub const NOX: Reader = Reader {
    format: "nox",
    matches: |path| base(path) == "noxfile.py",
    read: nox,
};

/// A requirement that a task runner installs; `-r file` becomes an attribute.
fn installs(draft: &mut Draft, text: &str, scope: &Scope, place: &Place) {
    let text = text.trim();
    if let Some(file) = text.strip_prefix("-r") {
        if *scope == Scope::Test
            && let Some(path) = join(&draft.facts.dir, file.trim())
        {
            draft.attr("requirements-test", path, place.clone());
        }
        return;
    }
    let Some(name) = requirement_name(text).filter(|_| !text.contains(['{', '$'])) else {
        return;
    };
    let facts = DependencyFacts {
        ecosystem: "pypi".to_owned(),
        spec: text.to_owned(),
        scope: scope.clone(),
        capability: None,
        required: !matches!(scope, Scope::Optional(_)),
        trust: Trust::TaskRunner,
    };
    draft.add(name, place.clone(), Facts::Dependency(facts));
}

fn tox(reading: &mut Reading<'_>) {
    if reading.drafts.get("python", reading.dir).is_none() {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(reading.path, reading.format);
    for entry in ini::parse(reading.text) {
        let env = entry
            .section
            .strip_prefix("testenv")
            .map(|rest| rest.trim_start_matches(':').to_owned());
        let at = |line: u32| Place::new(reading.path, line);
        match (entry.section.as_str(), entry.key.as_str(), env) {
            ("tox", "envlist" | "env_list", _) => {
                let text = entry.text();
                for name in split_outside(&text, '{', '}') {
                    draft.attr("tox-env", name, at(entry.line));
                }
            }
            (_, "deps", Some(env)) => {
                for (text, line) in &entry.lines {
                    let (scope, text) = tox_scope(&env, text);
                    installs(draft, text, &scope, &at(*line));
                }
            }
            (_, "extras", Some(env)) if env.is_empty() => {
                for (text, line) in &entry.lines {
                    for extra in text
                        .split(',')
                        .map(str::trim)
                        .filter(|extra| !extra.is_empty())
                    {
                        draft.attr("tox-extra", extra, at(*line));
                    }
                }
            }
            _ => {}
        }
    }
}

/// `py27: mock` is for one factor only; a named environment is one of many.
fn tox_scope<'t>(env: &str, text: &'t str) -> (Scope, &'t str) {
    if let Some((factor, rest)) = text.split_once(": ") {
        return (Scope::Optional(format!("tox:{}", factor.trim())), rest);
    }
    if env.is_empty() {
        (Scope::Test, text)
    } else {
        (Scope::Optional(format!("tox:{env}")), text)
    }
}

/// Splits at commas and white space that stand outside of braces.
fn split_outside(text: &str, open: char, close: char) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0_u32, Vec::new(), String::new());
    for c in text.chars() {
        depth += u32::from(c == open);
        depth -= u32::from(c == close && depth > 0);
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn nox(reading: &mut Reading<'_>) {
    if reading.drafts.get("python", reading.dir).is_none() {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let module = python_ast::parse(reading.text);
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(reading.path, reading.format);
    for call in module
        .calls
        .iter()
        .filter(|call| call.object == "session" && call.name == "install")
    {
        let place = Place::new(reading.path, call.line);
        draft.attr("nox-session", &call.function, place.clone());
        let scope = match call.function.as_str() {
            "tests" | "test" | "unit" | "pytest" => Scope::Test,
            other => Scope::Optional(format!("nox:{other}")),
        };
        let mut after_flag = "";
        for (text, line) in call.args.iter().flat_map(python_ast::Value::texts) {
            let place = Place::new(reading.path, line);
            match after_flag {
                "-r" => installs(draft, &format!("-r {text}"), &scope, &place),
                _ if text.starts_with('-') || matches!(after_flag, "-c" | "-e") => {}
                _ => match text
                    .strip_prefix(".[")
                    .and_then(|rest| rest.strip_suffix(']'))
                {
                    Some(extras) if scope == Scope::Test => {
                        for extra in extras.split(',') {
                            draft.attr("tox-extra", extra.trim(), place.clone());
                        }
                    }
                    _ => installs(draft, text, &scope, &place),
                },
            }
            after_flag = text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn environments_of_tests() {
        let graph = repo(&[
            (
                "setup.cfg",
                "[metadata]\nname = a\n[options]\npackages = a\n",
            ),
            (
                "tox.ini",
                "[tox]\nenvlist = py{38,39}-{x,y}, lint\n[testenv]\nextras = tests\ndeps =\n  mock\n  -r req/t.txt\n  py38: old\n[testenv:lint]\ndeps = flake8\n",
            ),
            (
                "noxfile.py",
                "import nox\n@nox.session\ndef tests(session):\n    session.install('-r', 'dev.txt')\n    session.install('coverage', '.[socks]')\n",
            ),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" a (setup.cfg:2)
          import = a (setup.cfg:4)
          install-command = pip install -e . (setup.cfg:2)
          layout = package (setup.cfg)
          nox-session = tests (noxfile.py:4)
          requirements-test = req/t.txt (tox.ini:7)
          requirements-test = dev.txt (noxfile.py:4)
          tox-env = py{38,39}-{x,y} (tox.ini:2)
          tox-env = lint (tox.ini:2)
          tox-extra = tests (tox.ini:4)
          tox-extra = socks (noxfile.py:5)
          pypi mock [test] (tox.ini:6)
          pypi old [optional:tox:py38] if-present (tox.ini:8)
          pypi flake8 [optional:tox:lint] if-present (tox.ini:10)
          pypi coverage [test] (noxfile.py:5)
        "#);
    }
}
