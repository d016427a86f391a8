//! Makefiles written by hand, where no other build system claims the directory (POSIX `make`, GNU make manual).
//!
//! Attributes of a `make` project:
//! - `makefile`: path of the makefile
//! - `goal`: the default goal; `target`: every target that can be asked for by name
//! - `test-target`: `check`, `test`, …; `install-target`: `install`
//! - `language`: `C`, `CXX`, `Fortran`, by the variables and compilers that recipes use
//! - `guarded`: `CAPABILITY if CONDITION`

use std::collections::BTreeMap;

use crate::evidence::Place;
use crate::graph::Scope;
use crate::packages::Capability;

use super::autotools::libc;
use super::drafts::Draft;
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "make",
    matches: |path| matches!(base(path), "Makefile" | "GNUmakefile" | "makefile"),
    read,
};

/// A line of a makefile with its continuations joined.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    text: String,
    number: u32,
    recipe: bool,
    /// The `ifeq`/`ifdef` around it, innermost; empty where there is none.
    condition: String,
}

fn read(reading: &mut Reading<'_>) {
    let dir = reading.dir.to_owned();
    let other = ["cmake", "meson", "autotools", "cargo", "python"];
    let claimed = other.iter().any(|ecosystem| {
        let exact = matches!(*ecosystem, "cargo" | "python");
        if exact {
            reading.drafts.get(ecosystem, &dir).is_some()
        } else {
            reading.drafts.covers(ecosystem, &dir)
        }
    });
    // Below another makefile it is reached by recursion.
    let parent = reading.drafts.covers("make", &dir) && !dir.is_empty();
    let better = base(reading.path) == "makefile" || base(reading.path) == "Makefile";
    let shadowed = better && join(&dir, "GNUmakefile").is_some_and(|path| reading.tree.has(&path));
    if claimed || parent || shadowed || !has_sources(reading, &dir) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("make", &dir);
    draft.manifest(reading.path, reading.format);
    draft.attr("makefile", reading.path, place);
    let mut state = State::default();
    let text = reading.text.to_owned();
    let path = reading.path.to_owned();
    file(reading, &dir, &path, &text, &mut state, 0);
}

/// A makefile that compiles something; one that only calls other tools is a task runner.
fn has_sources(reading: &Reading<'_>, dir: &str) -> bool {
    const SOURCES: &[&str] = &[".c", ".cc", ".cpp", ".cxx", ".f", ".f90", ".s", ".S", ".m"];
    reading
        .tree
        .below(dir)
        .filter(|entry| !entry.vendored)
        .any(|entry| SOURCES.iter().any(|end| entry.path.ends_with(end)))
}

#[derive(Default)]
struct State {
    /// Text of every makefile read: a library that it builds is not one it needs.
    all: String,
    vars: BTreeMap<String, String>,
    goal: bool,
}

fn file(
    reading: &mut Reading<'_>,
    dir: &str,
    path: &str,
    text: &str,
    state: &mut State,
    depth: u8,
) {
    state.all.push_str(text);
    for line in lines(text) {
        let place = Place::new(path, line.number);
        if let Some(rest) = include(&line.text).filter(|_| !line.recipe && depth < 8) {
            for name in rest.split_whitespace() {
                let Some(other) = join(dir, &expand(name, &state.vars)) else {
                    continue;
                };
                if let Some(text) = reading.tree.read(&other) {
                    reading.drafts.claim(&other);
                    file(reading, dir, &other, &text, state, depth + 1);
                }
            }
            continue;
        }
        let draft = reading.drafts.project("make", dir);
        if !line.recipe && depth < 8 {
            if let Some((name, value)) = assignment(&line.text) {
                if state.vars.len() < 5000 && value.len() < 4000 {
                    state
                        .vars
                        .entry(name.to_owned())
                        .or_insert_with(|| value.to_owned());
                }
                variable(draft, name, &place);
            } else {
                targets(draft, &line, &place, state);
            }
        }
        needs(draft, &line, &place, &state.all);
    }
}

fn include(text: &str) -> Option<&str> {
    ["include ", "-include ", "sinclude "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
}

/// `$(NAME)` of simple variables; anything else stays.
fn expand(word: &str, vars: &BTreeMap<String, String>) -> String {
    let Some((before, rest)) = word.split_once("$(") else {
        return word.to_owned();
    };
    match rest.split_once(')') {
        Some((name, after)) => format!(
            "{before}{}{after}",
            vars.get(name).map_or("", String::as_str)
        ),
        None => word.to_owned(),
    }
}

fn assignment(text: &str) -> Option<(&str, &str)> {
    let text = text
        .strip_prefix("export ")
        .or_else(|| text.strip_prefix("override "))
        .unwrap_or(text);
    let (left, value) = text.split_once('=')?;
    let name = left.trim_end_matches([':', '+', '?', '!']).trim();
    let plain =
        !name.is_empty() && !name.contains(char::is_whitespace) && !name.contains([':', '$', '(']);
    plain.then_some((name, value.trim()))
}

fn variable(draft: &mut Draft, name: &str, place: &Place) {
    let language = match name {
        "CC" | "CFLAGS" => "C",
        "CXX" | "CXXFLAGS" => "CXX",
        "FC" | "FFLAGS" | "F77" => "Fortran",
        _ => return,
    };
    draft.attr("language", language, place.clone());
}

fn targets(draft: &mut Draft, line: &Line, place: &Place, state: &mut State) {
    let Some((names, _)) = line.text.split_once(':') else {
        return;
    };
    for name in names.split_whitespace() {
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'));
        if !plain || name.starts_with('.') {
            // `$(TARGET):` may be the default goal, by a name that is not plain.
            state.goal |= !name.starts_with('.') && !name.contains('%');
            continue;
        }
        if !state.goal {
            draft.attr("goal", name, place.clone());
            state.goal = true;
        }
        if draft.facts.all("target").len() < 200 && !name.ends_with(".o") {
            draft.attr("target", name, place.clone());
        }
        match name {
            "check" | "test" | "tests" | "runtests" | "unittest" => {
                draft.attr("test-target", name, place.clone());
                draft.suite("make", place.clone());
            }
            "install" => draft.attr("install-target", name, place.clone()),
            _ => {}
        }
    }
}

/// `-lfoo`, calls of pkg-config and of compilers.
fn needs(draft: &mut Draft, line: &Line, place: &Place, all: &str) {
    const FOREIGN: &[&str] = &[
        "Windows", "MINGW", "mingw", "Darwin", "WIN32", "CYGWIN", "MSYS", "FreeBSD", "SunOS",
    ];
    let foreign = FOREIGN.iter().any(|word| line.condition.contains(word));
    let required = line.condition.is_empty();
    let scope = if foreign {
        Scope::Optional(line.condition.clone())
    } else {
        Scope::Build
    };
    let words: Vec<&str> = line
        .text
        .split([' ', '\t', '"', '\'', '`', '(', ')', ','])
        .filter(|word| !word.is_empty())
        .collect();
    for capability in libraries(&words, all).chain(modules(&words)) {
        if !required {
            let text = format!("{capability} if {}", line.condition);
            draft.attr("guarded", text, place.clone());
        }
        draft.system(capability, scope.clone(), required, place.clone());
    }
    if line.recipe {
        compiler(draft, line, place);
    }
}

/// `-lfoo`, where no makefile builds `libfoo` itself.
fn libraries<'w>(words: &'w [&'w str], all: &'w str) -> impl Iterator<Item = Capability> + 'w {
    let built = |name: &str| {
        let ends = [".a", ".so", ".la", "$"];
        ends.iter()
            .any(|end| all.contains(&format!("lib{name}{end}")))
    };
    words
        .iter()
        .filter_map(|word| word.strip_prefix("-l"))
        .filter(|name| !name.is_empty() && name.len() < 60 && name.chars().all(plain))
        .filter(move |name| !libc::is_library(name) && !built(name))
        .map(|name| Capability::Library(name.to_owned()))
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

/// Modules that a call of pkg-config names, and pkg-config itself.
fn modules(words: &[&str]) -> Vec<Capability> {
    let Some(at) = words
        .iter()
        .position(|word| matches!(*word, "pkg-config" | "$PKG_CONFIG" | "PKG_CONFIG"))
    else {
        return Vec::new();
    };
    let ends = ["||", "&&", "|", ";", "2>/dev/null", ">/dev/null", ">"];
    let args: Vec<&&str> = words
        .iter()
        .skip(at + 1)
        .take_while(|word| !ends.contains(word))
        .collect();
    let asks = |word: &str| {
        ["--libs", "--cflags", "--exists"]
            .iter()
            .any(|option| word.starts_with(option))
    };
    if !args.iter().any(|word| asks(word)) {
        return Vec::new();
    }
    let named = args.iter().filter(|word| {
        word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(plain)
    });
    let mut found: Vec<Capability> = named
        .map(|word| Capability::PkgConfig((**word).to_owned()))
        .collect();
    if !found.is_empty() {
        found.push(Capability::Command("pkg-config".to_owned()));
    }
    found
}

fn compiler(draft: &mut Draft, line: &Line, place: &Place) {
    const COMPILERS: [(&str, &str); 6] = [
        ("$(CC)", "C"),
        ("gcc", "C"),
        ("cc", "C"),
        ("$(CXX)", "CXX"),
        ("g++", "CXX"),
        ("gfortran", "Fortran"),
    ];
    let text = line.text.trim_start_matches(['@', '-', '+', ' ', '\t']);
    let first = text.split_whitespace().next().unwrap_or_default();
    if let Some((_, language)) = COMPILERS.iter().find(|(compiler, _)| *compiler == first) {
        draft.attr("language", *language, place.clone());
    }
}

fn lines(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut conditions: Vec<String> = Vec::new();
    let mut raw = text.lines().zip(1_u32..);
    while let Some((line, number)) = raw.next() {
        let recipe = line.starts_with('\t');
        let mut logical = line.trim().to_owned();
        while logical.ends_with('\\') {
            logical.pop();
            let Some((next, _)) = raw.next().filter(|_| logical.len() < (1 << 20)) else {
                break;
            };
            logical.push(' ');
            logical.push_str(next.trim());
        }
        let word = logical.split([' ', '\t', '(']).next().unwrap_or_default();
        match word {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" | ".if" => {
                if conditions.len() < 200 {
                    conditions.push(logical.chars().take(120).collect());
                }
                continue;
            }
            "else" => {
                if let Some(last) = conditions.last_mut() {
                    *last = match logical.strip_prefix("else ") {
                        Some(next) => next.chars().take(120).collect(),
                        None => format!("not {}", last.chars().take(110).collect::<String>()),
                    };
                }
                continue;
            }
            "endif" | ".endif" => {
                conditions.pop();
                continue;
            }
            _ => {}
        }
        let text = if recipe {
            logical
        } else {
            logical
                .split('#')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        if !text.is_empty() {
            found.push(Line {
                text,
                number,
                recipe,
                condition: conditions.last().cloned().unwrap_or_default(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, repo_bytes, summary};
    use super::*;

    #[test]
    fn targets_libraries_and_conditions() {
        let graph = repo(&[
            (
                "Makefile",
                "CC ?= cc\nLDLIBS = -lz -lm # -lno\nifeq ($(OS),Windows_NT)\nLDLIBS += -lcurlwin\nelse ifdef TLS\nLDLIBS += -lssl\nendif\nPNG := $(shell pkg-config --libs libpng)\ninclude config.mk\n.PHONY: all\nall: demo\ndemo: a.o \\\n  b.o\n\t$(CC) -o $@ $^ $(LDLIBS)\ntest: demo\n\t./demo\ninstall:\n\tcp demo x\n",
            ),
            ("config.mk", "CXXFLAGS = -O2\n"),
            ("a.c", ""),
            ("lib/Makefile", "x:\n"),
            ("lib/x.c", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r##"
        make "" test (Makefile)
          goal = all (Makefile:11)
          guarded = lib:curlwin if ifeq ($(OS),Windows_NT) (Makefile:4)
          guarded = lib:ssl if ifdef TLS (Makefile:6)
          install-target = install (Makefile:17)
          language = C (Makefile:1)
          language = CXX (config.mk:1)
          makefile = Makefile (Makefile)
          target = all (Makefile:11)
          target = demo (Makefile:12)
          target = test (Makefile:15)
          target = install (Makefile:17)
          test-target = test (Makefile:15)
          system lib:z [build] (Makefile:2)
          system lib:curlwin [optional:ifeq ($(OS),Windows_NT)] if-present (Makefile:4)
          system lib:ssl [build] if-present (Makefile:6)
          system pc:libpng [build] (Makefile:8)
          system cmd:pkg-config [build] (Makefile:8)
          suite make (Makefile:15)
        "##);
    }

    #[test]
    fn task_runners_and_other_build_systems_are_left_alone() {
        assert_eq!(
            repo(&[("Makefile", "test:\n\tpytest\n"), ("a.py", "")])
                .projects()
                .count(),
            0
        );
        let graph = repo(&[
            ("Makefile", "all:\n"),
            ("CMakeLists.txt", "project(a)\n"),
            ("a.c", ""),
        ]);
        assert_eq!(graph.projects().count(), 1);
    }

    #[test]
    fn hostile_makefiles_are_survived() {
        repo(&[("Makefile", "include Makefile\nall:\\\n"), ("a.c", "")]);
        repo(&[("Makefile", &"ifdef A\n".repeat(50_000)), ("a.c", "")]);
        repo(&[("Makefile", &"a\\\n".repeat(50_000)), ("a.c", "")]);
        repo_bytes(&[
            ("Makefile", b"\xff\xfe: \xc3\x28\n\t-l\xff\n"),
            ("a.c", b""),
        ]);
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\\\:=#$()\n\t ]){0,200}") {
            lines(&text);
        }
    }
}
