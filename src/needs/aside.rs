//! Files that a default build on Linux leaves out, by their paths: tests, samples, other systems, bindings.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// `knowledge/needs/paths.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    /// Directories that a default build does not compile.
    aside: HashSet<String>,
    /// Words of file names that are other systems.
    foreign: HashSet<String>,
    /// Frameworks that only Apple's systems have.
    frameworks: HashSet<String>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/needs/paths.toml"))
        .expect("embedded data is checked by a test")
});

/// Whether a file stands in a directory of tests.
pub fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut dirs = lower.split('/').rev().skip(1);
    dirs.any(|part| part.starts_with("test") || part.ends_with("test") || part.ends_with("tests"))
}

/// Whether a file stands in a directory of samples, which tests may hold too (`tests/examples/`).
pub fn is_sample(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut dirs = lower.split('/').rev().skip(1);
    dirs.any(|part| {
        matches!(
            part,
            "example" | "examples" | "demo" | "demos" | "sample" | "samples"
        )
    })
}

/// `aix-dev.c`, `plugin_win32.cpp`, `HaikuOutput.cxx`: a word of the name is another system.
fn is_foreign(path: &str) -> bool {
    let plain = |word: &str| NAMES.foreign.contains(word.to_ascii_lowercase().as_str());
    path.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| plain(word) || humps(word).into_iter().any(plain))
}

/// The parts of `HaikuOutputPlugin`.
fn humps(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut lower = false;
    for (at, c) in word.char_indices() {
        if c.is_ascii_uppercase() && lower {
            parts.push(word.get(start..at).unwrap_or_default());
            start = at;
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    parts.push(word.get(start..).unwrap_or_default());
    parts
}

/// Whether Objective-C code is for Apple's frameworks, which GNUstep does not have.
pub fn is_for_apple(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let rest = line
            .strip_prefix("#import")
            .or_else(|| line.strip_prefix("#include"));
        rest.and_then(|rest| rest.trim_start().strip_prefix('<'))
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(framework, _)| NAMES.frameworks.contains(framework))
    })
}

/// Directories that a default build does not compile, and those of tests; and files of other systems.
pub fn is_aside(path: &str) -> bool {
    if is_foreign(path) {
        return true;
    }
    let dir = path
        .rsplit_once('/')
        .map_or("", |(dir, _)| dir)
        .to_ascii_lowercase();
    dir.split('/').any(|part| {
        NAMES.aside.contains(part)
            || [
                "example",
                "test",
                "sample",
                "demo",
                "benchmark",
                "win",
                "msvc",
            ]
            .iter()
            .any(|start| {
                part.strip_prefix(start).is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with(|c: char| !c.is_ascii_lowercase())
                })
            })
            || ["example", "examples", "test", "tests"].iter().any(|end| {
                part.strip_suffix(end)
                    .is_some_and(|rest| rest.ends_with(|c: char| !c.is_ascii_alphanumeric()))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_a_default_build_leaves_out() {
        for path in [
            "examples/a.c",
            "src/win32/x.c",
            "lib/aix-dev.c",
            "foo-tests/a.c",
            "contrib/x.c",
            "src/HaikuOutputPlugin.cxx",
            "Demo2/a.c",
        ] {
            assert!(is_aside(path), "{path}");
        }
        for path in [
            "src/main.c",
            "testament/a.c",
            "lib/winding.c",
            "demonic/x.c",
            "latest/a.c",
            "src/AudioSource.cxx",
        ] {
            assert!(!is_aside(path), "{path}");
        }
        assert!(is_sample("tests/examples/a.c") && !is_sample("tests/a.c"));
        assert!(is_for_apple("#import <Cocoa/Cocoa.h>\n"));
        assert!(!is_for_apple("#import <Foundation/Foundation.h>\n"));
        assert!(is_test("t/unit/tests/a.c") && !is_test("src/a.c"));
    }
}
