//! Paths of the sandbox and of the repository on disk.

use std::path::Path;

use crate::sandbox::REPOSITORY_DIR;

use super::Entry;

/// The sandbox's path of a directory of the repository.
pub fn absolute(dir: &str) -> String {
    match dir.trim_matches('/') {
        "" | "." => REPOSITORY_DIR.to_owned(),
        dir => format!("{REPOSITORY_DIR}/{dir}"),
    }
}

/// `name` seen from `directory`.
pub fn joined(directory: &str, name: &str) -> String {
    let path = Path::new(directory).join(name);
    let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(part) => parts.push(part),
            std::path::Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    let parts: Vec<String> = parts
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    format!("/{}", parts.join("/"))
}

/// The entry with the repository's own place in the sandbox's stead.
pub fn relocate(mut entry: Entry, root: &Path) -> Entry {
    let root = root.to_string_lossy();
    entry.directory = moved(&entry.directory, &root);
    entry.file = moved(&entry.file, &root);
    for argument in &mut entry.arguments {
        *argument = moved(argument, &root);
    }
    entry.output = entry.output.map(|output| moved(&output, &root));
    entry.command = None;
    if Path::new(&entry.directory).is_dir() {
        entry
    } else {
        anchored(entry, &root)
    }
}

/// Options that name a directory or a file to be read.
const PATHS: [&str; 7] = [
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-I",
    "-L",
];

/// The entry without its directory, a build directory that only the sandbox has: what was relative to it is absolute, and
/// the compiler runs in the repository.
fn anchored(mut entry: Entry, root: &str) -> Entry {
    let directory = std::mem::replace(&mut entry.directory, root.to_owned());
    let mut is_path = false;
    for argument in &mut entry.arguments {
        let whole = std::mem::take(&mut is_path) || *argument == entry.file;
        if whole {
            *argument = joined(&directory, argument);
        } else if PATHS.contains(&argument.as_str()) || argument == "-o" || argument == "-MF" {
            is_path = true;
        } else if let Some((option, path)) = PATHS
            .iter()
            .find_map(|option| Some((*option, argument.strip_prefix(option)?)))
        {
            *argument = format!("{option}{}", joined(&directory, path));
        }
    }
    entry.file = joined(&directory, &entry.file);
    entry.output = entry.output.map(|output| joined(&directory, &output));
    entry
}

/// Replaces the sandbox's directory wherever a path begins with it: alone, behind an option, behind `=` or `:`.
fn moved(text: &str, root: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(REPOSITORY_DIR) {
        let (before, found) = rest.split_at(at);
        let after = found.get(REPOSITORY_DIR.len()..).unwrap_or_default();
        let begins = before.chars().next_back().is_none_or(|c| {
            !matches!(c, '/' | '.' | '_' | '-') && (!c.is_alphanumeric() || option_before(before))
        });
        let ends = after
            .chars()
            .next()
            .is_none_or(|c| matches!(c, '/' | '"' | '\'' | ':' | ',' | ' '));
        out.push_str(before);
        out.push_str(if begins && ends { root } else { REPOSITORY_DIR });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `-I`, `-L`, `-isystem`: an option that its value follows at once.
fn option_before(before: &str) -> bool {
    [
        "-I",
        "-L",
        "-F",
        "-B",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-include",
    ]
    .contains(&before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_repositorys_own_directory_moves() {
        let to = |text: &str| moved(text, "/home/x/y");
        assert_eq!(to("/repo"), "/home/x/y");
        assert_eq!(to("/repo/src/a.c"), "/home/x/y/src/a.c");
        assert_eq!(to("-I/repo/include"), "-I/home/x/y/include");
        assert_eq!(to("-DDIR=\"/repo/etc\""), "-DDIR=\"/home/x/y/etc\"");
        assert_eq!(to("--sysroot=/repo"), "--sysroot=/home/x/y");
        for same in [
            "/reports/x",
            "/usr/repo/x",
            "/srv/repository",
            "a/repo/b",
            "-Iother/repo",
        ] {
            assert_eq!(to(same), same);
        }
    }

    #[test]
    fn a_directory_that_only_the_sandbox_has_is_written_out() {
        let entry = Entry {
            directory: "/repo/no-such-dir".to_owned(),
            file: "../lib/a.c".to_owned(),
            arguments: [
                "cc",
                "-I../lib",
                "-I",
                ".",
                "-I/usr/include/x",
                "-isystem",
                "../s",
                "-DX=../y",
                "-o",
                "a.o",
                "-c",
                "../lib/a.c",
            ]
            .map(str::to_owned)
            .to_vec(),
            command: None,
            output: Some("a.o".to_owned()),
        };
        let moved = relocate(entry, Path::new("/w"));
        assert_eq!(
            (moved.directory.as_str(), moved.file.as_str()),
            ("/w", "/w/lib/a.c")
        );
        assert_eq!(
            moved.arguments.join(" "),
            "cc -I/w/lib -I /w/no-such-dir -I/usr/include/x -isystem /w/s -DX=../y -o /w/no-such-dir/a.o -c /w/lib/a.c"
        );
    }

    #[test]
    fn directories_join() {
        assert_eq!(joined("/repo", "src"), "/repo/src");
        assert_eq!(joined("/repo/src", "../lib/."), "/repo/lib");
        assert_eq!(joined("/repo", "/abs"), "/abs");
    }
}
