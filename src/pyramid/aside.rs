//! What stands beside the project: examples, documents, websites, measurements, and the scripts that maintainers keep.

use super::classify::Candidate;
use super::{LeftOut, Level};

/// Directories of what is not the project itself.
const BESIDE: [&str; 20] = [
    "docker",
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "tutorial",
    "tutorials",
    "doc",
    "docs",
    "documentation",
    "website",
    "site",
    "fuzz",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "playground",
];

/// Directories whose scripts serve the maintainers: what they do to the repository is no use of what it builds.
const MAINTAINERS: [&str; 13] = [
    "ci",
    "scripts",
    "tools",
    "contrib",
    "support",
    "build-aux",
    "buildscripts",
    "hack",
    "etc",
    "website",
    "docs",
    "doc",
    "maint",
];

/// Takes out commands of what stands beside the project, level by level, wherever the project itself has a command.
pub fn remove(candidates: &mut Vec<Candidate>, left_out: &mut Vec<LeftOut>) {
    for level in Level::ALL {
        let own = |c: &Candidate| c.level == level && !c.probe && !is_beside(c);
        if !candidates.iter().any(own) {
            continue;
        }
        candidates.retain(|candidate| {
            let keep = candidate.level != level || candidate.planned || !is_beside(candidate);
            if !keep {
                left_out.push(LeftOut {
                    place: candidate.because.first().and_then(|b| b.place.clone()),
                    command: candidate.command.clone(),
                    reason: "concerns an example, a document, a website or a measurement beside the project"
                        .to_owned(),
                });
            }
            keep
        });
    }
}

/// It runs in such a directory, or its tool is told to (`pnpm --dir website …`, `make -C docs`).
fn is_beside(candidate: &Candidate) -> bool {
    let words: Vec<&str> = candidate.command.split_whitespace().collect();
    let told = words
        .iter()
        .zip(words.iter().skip(1))
        .filter_map(|(option, dir)| {
            let names = [
                "--dir",
                "--prefix",
                "--cwd",
                "-C",
                "--project",
                "--manifest-path",
            ];
            names.contains(option).then_some(*dir)
        });
    let glued = words.iter().filter_map(|word| {
        let (option, dir) = word.split_once('=')?;
        matches!(option, "--dir" | "--prefix" | "--cwd" | "--manifest-path").then_some(dir)
    });
    told.chain(glued)
        .chain([candidate.dir.as_str()])
        .any(below_beside)
}

fn below_beside(dir: &str) -> bool {
    dir.split('/')
        .any(|part| BESIDE.contains(&part.to_ascii_lowercase().as_str()))
}

/// A script by whose place it is the maintainers': below a hidden directory (`.github/`) or one of theirs.
pub fn is_maintainers(script: &str) -> bool {
    let script = script.trim_start_matches("./");
    let dirs = script.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    dirs.split('/').any(|part| {
        (part.starts_with('.') && part != "." && part != "..")
            || MAINTAINERS.contains(&part.to_ascii_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_maintainers() {
        for script in [
            "./scripts/publish",
            "ci/install.sh",
            ".github/scripts/x.sh",
            "a/tools/y.py",
        ] {
            assert!(is_maintainers(script), "{script}");
        }
        for script in [
            "./run.sh",
            "script/mojo",
            "bin/tool",
            "build/src/prog",
            "../x.sh",
        ] {
            assert!(!is_maintainers(script), "{script}");
        }
    }

    #[test]
    fn places_beside_the_project() {
        assert!(below_beside("examples/celery") && below_beside("website"));
        assert!(!below_beside("packages/site-map") && !below_beside(""));
    }
}
