//! A command that was run where its manifest is not.

use crate::repair::Operation;
use crate::repair::candidates::{Problem, base_name};

/// Programs and the files they look for in their directory.
const MANIFESTS: [(&str, &[&str]); 13] = [
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("cmake", &["CMakeLists.txt"]),
    ("ctest", &["CTestTestfile.cmake"]),
    ("meson", &["meson.build"]),
    ("cargo", &["Cargo.toml"]),
    ("pip", &["pyproject.toml", "setup.py"]),
    ("uv", &["pyproject.toml", "setup.py"]),
    ("python", &["setup.py", "pyproject.toml"]),
    ("python3", &["setup.py", "pyproject.toml"]),
    ("tox", &["tox.ini"]),
    ("nox", &["noxfile.py"]),
    ("configure", &["configure"]),
    ("just", &["justfile", "Justfile"]),
];

/// Directories that hold what the command looks for, the nearest to the root first.
pub(super) fn of_manifest(problem: &Problem<'_>) -> Vec<Operation> {
    let Some(command) = problem.failed_command() else {
        return Vec::new();
    };
    let words = problem.words();
    let mut wanted: Vec<&str> = words
        .iter()
        .filter_map(|word| {
            MANIFESTS
                .iter()
                .find(|(program, _)| base_name(word) == *program)
        })
        .flat_map(|(_, files)| files.iter().copied())
        .collect();
    // What the message names counts first, e.g. a file that a script opened.
    if let Some(path) = problem.capture("path") {
        wanted.insert(0, path.trim_start_matches("./"));
    }
    let mut dirs: Vec<&str> = problem
        .context
        .files
        .iter()
        .filter_map(|file| {
            let found = wanted.iter().find(|name| ends_with(file, name))?;
            Some(file.get(..file.len() - found.len())?.trim_end_matches('/'))
        })
        .collect();
    dirs.sort_by_key(|dir| {
        (
            dir.matches('/').count() + usize::from(!dir.is_empty()),
            *dir,
        )
    });
    dirs.dedup();
    dirs.into_iter()
        .filter(|dir| *dir != command.dir)
        .take(3)
        .map(|dir| Operation::MoveCommand {
            id: command.id.clone(),
            dir: dir.to_owned(),
        })
        .collect()
}

/// Whether `file` is `name` or ends with `/name`.
fn ends_with(file: &str, name: &str) -> bool {
    !name.is_empty()
        && file
            .strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}
