//! Recorders: programs with the compilers' names that write down how they were called and call the compiler.

use std::path::Path;

use crate::run::{RunError, Session};
use crate::sandbox::REPOSITORY_DIR;

use super::{Entry, compiler, run};

/// Where the recorders stand in the sandbox.
pub const DIR: &str = "/opt/envc/record";
/// Where the real compilers are.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A record is the directory, the number of words, and the words, each ended by NUL, in a file of its own process.
const RECORDER: &str = r#"#!/bin/bash
name=${0##*/}
printf '%s\0' "$PWD" "$(($# + 1))" "$name" "$@" >>"${0%/*}/log.$$"
PATH=${PATH#"${0%/*}":}
real=$(type -P "$name") || { echo "$name: not found" >&2; exit 127; }
exec "$real" "$@"
"#;

const NAMES: [&str; 9] = [
    "cc",
    "c++",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "c99",
    "x86_64-linux-gnu-gcc",
    "x86_64-linux-gnu-g++",
];

/// Puts the recorders into the sandbox, those whose compiler is there.
pub fn install(session: &mut Session<'_>) -> Result<(), RunError> {
    for name in NAMES {
        let (finished, _) = run(
            session,
            "",
            &["bash", "-c", "type -P \"$1\" >/dev/null", "bash", name],
            &[],
        )?;
        if finished.outcome.ok() {
            session
                .sandbox
                .write_file(&format!("{DIR}/{name}"), RECORDER.as_bytes(), 0o755)?;
        }
    }
    Ok(())
}

/// All records, one after the other.
pub fn read(session: &mut Session<'_>) -> Result<String, RunError> {
    let argv = ["find", DIR, "-name", "log.*", "-exec", "cat", "{}", "+"];
    let (_, output) = run(session, "", &argv, &[])?;
    Ok(output)
}

/// The compilations of the repository among the records, each once. Probes of a configure run (below a temporary
/// directory, or of a file that it removes) are none of them.
pub fn entries(records: &str) -> Vec<Entry> {
    let mut words = records.split('\0');
    let mut found: Vec<Entry> = Vec::new();
    while let (Some(directory), Some(count)) = (words.next(), words.next()) {
        let Ok(count) = count.parse::<usize>() else {
            break;
        };
        let argv: Vec<String> = words.by_ref().take(count).map(str::to_owned).collect();
        let probe = |entry: &Entry| {
            let path = format!("{}/{}", entry.directory, entry.file);
            [
                "conftest",
                "CMakeFiles/CMakeScratch",
                "CMakeFiles/CMakeTmp",
                "CMakeFiles/3.",
                "meson-private",
            ]
            .iter()
            .any(|mark| path.contains(mark))
        };
        let ours = |entry: &Entry| {
            Path::new(&super::place::joined(directory, &entry.file)).starts_with(REPOSITORY_DIR)
        };
        for entry in compiler::entries(&argv, directory) {
            if ours(&entry) && !probe(&entry) && !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back() {
        let records = "/repo\x003\0gcc\0-c\0a.c\0/repo/sub dir\x004\0g++\0-c\0b c.cc\0-DX=\"1\"\0/repo\x003\0gcc\0-c\0conftest.c\0/tmp\x003\0gcc\0-c\0x.c\0/repo\x003\0gcc\0-c\0/tmp/dummy.c\0";
        let found = entries(records);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].file, "b c.cc");
        assert_eq!(found[1].directory, "/repo/sub dir");
        for torn in ["/repo", "/repo\0x\0", "/repo\x0099\0gcc\0a.c"] {
            assert!(entries(torn).len() < 2);
        }
    }
}
