//! pip's requirements files (pip's "Requirements File Format"). Attributes are listed in `python.rs`.
//!
//! A file joins the Python project of its directory or the nearest one above. Where there is none, and Python
//! sources stand beside it, the directory becomes a project with `layout` = `requirements`.

use std::collections::BTreeSet;

use crate::evidence::Place;
use crate::graph::Scope;

use super::python::require;
use super::tree::{base, join, parent};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "requirements",
    matches,
    read,
};

fn matches(path: &str) -> bool {
    let name = base(path).to_ascii_lowercase();
    let Some(stem) = name
        .strip_suffix(".txt")
        .or_else(|| name.strip_suffix(".in"))
    else {
        return false;
    };
    let folder = base(parent(path)).to_ascii_lowercase();
    let word = |text: &str| {
        text.split(['-', '_', '.'])
            .any(|part| matches!(part, "requirements" | "requirement" | "reqs"))
    };
    word(stem) || ((folder == "requirements" || folder == "reqs") && !stem.contains("constraint"))
}

fn read(reading: &mut Reading<'_>) {
    let path = reading.path.to_owned();
    // `tests/requirements.txt` speaks of the project above it, `examples/app/requirements.txt` of itself.
    if super::tree::is_auxiliary(reading.dir) {
        let near = kind(&path, "") != Kind::Other || reading.dir.starts_with('.');
        if !near || reading.dir.contains('/') {
            return reading.drafts.manifest_only(&path, reading.format);
        }
    }
    let nearest = reading.drafts.nearest("python", reading.dir);
    let dir = match nearest {
        Some(dir) => dir,
        None => match home(reading) {
            Some(dir) => dir,
            None => return reading.drafts.manifest_only(&path, reading.format),
        },
    };
    let stem = path.rsplit_once('.').map_or("", |(_, end)| end);
    let compiled = format!("{}.txt", path.trim_end_matches(".in"));
    if stem == "in" && reading.tree.has(&compiled) {
        // The input of pip-compile; the compiled file says more.
        return reading.drafts.manifest_only(&path, reading.format);
    }
    let kind = kind(&path, &dir);
    let format = reading.format;
    let draft = reading.drafts.project("python", &dir);
    draft.manifest(&path, format);
    let attr = kind.attribute();
    draft.attr(attr, &path, Place::file(&path));
    let mut seen = BTreeSet::from([path.clone()]);
    let text = reading.text.to_owned();
    file(reading, &dir, &path, &text, &kind, &mut seen);
}

/// Where a project with only requirements files starts: the file's directory (or the one above a
/// `requirements/` folder) if Python sources stand there.
fn home(reading: &mut Reading<'_>) -> Option<String> {
    if super::tree::is_auxiliary(reading.dir) {
        return None;
    }
    let folder = matches!(base(reading.dir), "requirements" | "reqs");
    let dir = if folder {
        parent(reading.dir)
    } else {
        reading.dir
    }
    .to_owned();
    let source = reading
        .tree
        .below(&dir)
        .any(|entry| entry.path.ends_with(".py") && !entry.vendored);
    source.then(|| {
        let place = Place::file(reading.path);
        reading
            .drafts
            .project("python", &dir)
            .attr("layout", "requirements", place);
        dir
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Runtime,
    Test,
    Dev,
    Docs,
    Other,
}

impl Kind {
    fn attribute(self) -> &'static str {
        match self {
            Self::Runtime => "requirements",
            Self::Test => "requirements-test",
            Self::Dev => "requirements-dev",
            Self::Docs => "requirements-docs",
            Self::Other => "requirements-other",
        }
    }

    fn scope(self, path: &str) -> Scope {
        match self {
            Self::Runtime => Scope::Runtime,
            Self::Test => Scope::Test,
            Self::Dev => Scope::Dev,
            Self::Docs => Scope::Optional("docs".to_owned()),
            Self::Other => Scope::Optional(path.to_owned()),
        }
    }
}

/// What a file is for, by the words of its path below the project.
fn kind(path: &str, dir: &str) -> Kind {
    let inside = super::tree::relative(path, dir)
        .unwrap_or(path)
        .to_ascii_lowercase();
    let inside = inside.trim_end_matches(".txt").trim_end_matches(".in");
    let words: Vec<&str> = inside.split(['/', '-', '_', '.']).collect();
    let is = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if is(&[
        "doc",
        "docs",
        "documentation",
        "rtd",
        "readthedocs",
        "sphinx",
    ]) {
        Kind::Docs
    } else if is(&["test", "tests", "testing", "unittest", "pytest"]) {
        Kind::Test
    } else if is(&["dev", "devel", "develop", "development", "local"]) {
        Kind::Dev
    } else if words.iter().all(|word| {
        matches!(
            *word,
            "requirements"
                | "requirement"
                | "reqs"
                | "base"
                | "common"
                | "prod"
                | "production"
                | "main"
                | "runtime"
                | "install"
                | "python"
                | "src"
                | "all"
                | "default"
                | "core"
        )
    }) {
        Kind::Runtime
    } else {
        Kind::Other
    }
}

fn file(
    reading: &mut Reading<'_>,
    dir: &str,
    path: &str,
    text: &str,
    kind: &Kind,
    seen: &mut BTreeSet<String>,
) {
    for (line, number) in logical_lines(text) {
        let place = Place::new(path, number);
        let option = |names: [&str; 2]| {
            names.iter().find_map(|name| {
                let rest = line.strip_prefix(name)?;
                Some(rest.trim_start_matches('=').trim().to_owned())
                    .filter(|_| rest.starts_with([' ', '=', '\t']) || name.len() == 2)
            })
        };
        if let Some(other) = option(["--requirement", "-r"]) {
            let Some(other) = join(parent(path), &other) else {
                continue;
            };
            // A file with a purpose of its own is read for that.
            if matches(&other) && self::kind(&other, dir) != *kind {
                continue;
            }
            reading.drafts.claim(&other);
            if seen.len() < 50
                && seen.insert(other.clone())
                && let Some(text) = reading.tree.read(&other)
            {
                let format = reading.format;
                reading
                    .drafts
                    .project("python", dir)
                    .manifest(&other, format);
                file(reading, dir, &other, &text, kind, seen);
            }
        } else if let Some(target) = option(["--editable", "-e"]) {
            editable(reading, dir, path, &target, &place);
        } else if !line.starts_with('-') {
            requirement(reading, dir, &line, &kind.scope(path), &place);
        }
    }
}

fn requirement(reading: &mut Reading<'_>, dir: &str, line: &str, scope: &Scope, place: &Place) {
    // Per-requirement options follow a space and dashes: hashes, `--global-option`.
    let hashed = line.contains("--hash");
    let text = line.split(" --").next().unwrap_or_default().trim();
    let draft = reading.drafts.project("python", dir);
    if hashed && *scope == Scope::Runtime {
        draft.attr("lock", &place.path, Place::file(&place.path));
    }
    if text.starts_with(['.', '/']) {
        return;
    }
    if text.starts_with("git+") || text.starts_with("hg+") || text.starts_with("http") {
        draft.attr("network", text, place.clone());
        return;
    }
    require(draft, text, scope, place);
}

fn editable(reading: &mut Reading<'_>, dir: &str, path: &str, target: &str, place: &Place) {
    let local = target.split(['[', '#']).next().unwrap_or_default();
    let draft = reading.drafts.project("python", dir);
    if target.contains("+") && target.contains("://") {
        draft.attr("network", target, place.clone());
    } else if let Some(to) = join(dir, local)
        .filter(|to| to != dir)
        .or_else(|| join(parent(path), local).filter(|to| to != dir))
    {
        draft.needs.insert(("python".to_owned(), to));
    }
}

/// Lines without comments, those that end in a backslash joined with the next.
fn logical_lines(text: &str) -> Vec<(String, u32)> {
    let mut lines: Vec<(String, u32)> = Vec::new();
    let mut open: Option<(String, u32)> = None;
    for (raw, number) in text.lines().zip(1_u32..) {
        let comment = raw.trim_start().starts_with('#');
        let line = if comment {
            ""
        } else {
            raw.split(" #").next().unwrap_or_default()
        };
        let (body, continues) = match line.trim_end().strip_suffix('\\') {
            Some(body) => (body, true),
            None => (line, false),
        };
        let mut current = open.take().unwrap_or((String::new(), number));
        current.0.push_str(body.trim_end());
        if continues {
            open = Some(current);
        } else if !current.0.trim().is_empty() {
            lines.push((current.0.trim().to_owned(), current.1));
        }
    }
    lines.extend(open.filter(|(text, _)| !text.trim().is_empty()));
    lines
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};
    use super::*;

    #[test]
    fn a_directory_of_requirements_and_modules() {
        let graph = repo(&[
            (
                "requirements.txt",
                "-r requirements/base.txt\n# c\ngunicorn==20.0 # why\n--index-url x\n-e ./sub\n",
            ),
            (
                "requirements/base.txt",
                "flask>=2 \\\n  ; python_version > '3'\n-r ../requirements.txt\n",
            ),
            ("requirements-test.txt", "pytest\n"),
            ("main.py", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" test (requirements-test.txt)
          install-command = pip install -r requirements.txt (requirements.txt)
          layout = requirements (requirements-test.txt)
          requirements = requirements.txt (requirements.txt)
          requirements-test = requirements-test.txt (requirements-test.txt)
          pypi pytest [test] (requirements-test.txt:1)
          pypi flask>=2  ; python_version > '3' [runtime] (requirements/base.txt:1)
          pypi gunicorn==20.0 [runtime] (requirements.txt:3)
        "#);
    }

    #[test]
    fn purposes_by_name() {
        assert_eq!(kind("requirements.txt", ""), Kind::Runtime);
        assert_eq!(kind("requirements/dev.txt", ""), Kind::Dev);
        assert_eq!(kind("test-requirements.txt", ""), Kind::Test);
        assert_eq!(kind("docs/requirements.txt", ""), Kind::Docs);
        assert_eq!(kind("requirements/gpu.txt", ""), Kind::Other);
        assert!(
            matches("requirements/base.txt")
                && !matches("CMakeLists.txt")
                && !matches("robots.txt")
        );
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\\\#\n -]){0,200}") {
            logical_lines(&text);
        }
    }
}
