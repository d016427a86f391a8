//! `Makefile.am`: programs, libraries and tests (the Automake manual, "The Uniform Naming Scheme").

use crate::evidence::Place;
use crate::graph::EntryKind;

use super::super::Reading;
use super::super::tree::{base, join, parent};

pub fn read(reading: &mut Reading<'_>, dir: &str) {
    let tree = reading.tree;
    let nested: Vec<&str> = tree
        .below(dir)
        .filter(|entry| {
            matches!(base(&entry.path), "configure.ac" | "configure.in")
                && parent(&entry.path) != dir
        })
        .map(|entry| parent(&entry.path))
        .collect();
    let files = tree
        .below(dir)
        .filter(|entry| base(&entry.path) == "Makefile.am" && !entry.vendored);
    let own = |path: &str| {
        !nested
            .iter()
            .any(|other| super::super::tree::relative(path, other).is_some())
    };
    for entry in files.filter(|entry| own(&entry.path)).take(1000) {
        let Some(text) = tree.read(&entry.path) else {
            continue;
        };
        let draft = reading.drafts.project("autotools", dir);
        draft.manifest(&entry.path, "automake");
        for (name, value, line) in assignments(&text) {
            variable(draft, &name, &value, Place::new(&entry.path, line));
        }
    }
    // Projects that use Autoconf and write their own Makefile.in.
    let template = join(dir, "Makefile.in").unwrap_or_default();
    let draft = reading.drafts.project("autotools", dir);
    if !draft.has_attr("automake")
        && let Some(text) = tree.read(&template)
    {
        draft.manifest(&template, "make");
        for (line, number) in text.lines().zip(1_u32..) {
            let Some((target, rest)) = line.split_once(':') else {
                continue;
            };
            if matches!(target.trim(), "check" | "test" | "tests") && !rest.starts_with('=') {
                let place = Place::new(&template, number);
                draft.attr("test-target", target.trim(), place.clone());
                draft.suite("make", place);
            }
        }
    }
}

fn variable(draft: &mut super::super::drafts::Draft, name: &str, value: &str, place: Place) {
    let words = value
        .split_whitespace()
        .filter(|word| !word.contains(['$', '@', '(']));
    match name {
        "TESTS" | "check_PROGRAMS" | "check_SCRIPTS" if !value.trim().is_empty() => {
            draft.suite("automake", place);
        }
        "bin_PROGRAMS" | "sbin_PROGRAMS" | "dist_bin_SCRIPTS" | "bin_SCRIPTS" => {
            for word in words {
                draft.entry(base(word), EntryKind::Command, place.clone());
            }
        }
        "lib_LTLIBRARIES" | "lib_LIBRARIES" => {
            for word in words {
                let stem = base(word).split('.').next().unwrap_or_default();
                draft.entry(
                    stem.strip_prefix("lib").unwrap_or(stem),
                    EntryKind::Library,
                    place.clone(),
                );
            }
        }
        _ => {}
    }
}

/// `NAME = value` and `NAME += value`, continuation lines joined.
pub fn assignments(text: &str) -> Vec<(String, String, u32)> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1_u32..);
    while let Some((line, number)) = lines.next() {
        let mut logical = line.to_owned();
        while logical.ends_with('\\') {
            logical.pop();
            let Some((next, _)) = lines.next().filter(|_| logical.len() < (1 << 20)) else {
                break;
            };
            logical.push(' ');
            logical.push_str(next.trim());
        }
        let Some((name, value)) = logical
            .split_once('=')
            .filter(|_| !logical.starts_with(['\t', '#']))
        else {
            continue;
        };
        let name = name.trim_end_matches(['+', ':', '?']).trim();
        if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let value = value.split('#').next().unwrap_or_default().trim();
            found.push((name.to_owned(), value.to_owned(), number));
        }
    }
    found
}
