//! Scanners and parsers: sources of flex and bison, and whether the repository ships what they make.

use crate::evidence::Place;
use crate::scan::{FileEntry, Repository, read_text};

use super::aside::is_aside;
use super::compiled::Compiled;

/// The endings of each generator's sources.
pub const FLEX: &[&str] = &["l", "ll", "lpp", "lex"];
pub const BISON: &[&str] = &["y", "yy", "ypp"];

/// A source of a generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    pub place: Place,
    /// Nothing made of it stands beside it: the build has to make it.
    pub must: bool,
}

/// The first source below `dir` that the build has to make something of, else the first one at all.
pub fn find(
    repository: &Repository,
    dir: &str,
    extensions: &[&str],
    compiled: &Compiled,
) -> Option<Generated> {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    let mut found = None;
    for entry in &repository.files {
        let path = entry.path.as_str();
        let kind = path
            .rsplit_once('.')
            .is_some_and(|(_, extension)| extensions.contains(&extension));
        if !kind
            || !path.starts_with(&prefix)
            || entry.vendored
            || is_aside(path)
            || !compiled.holds(path)
            || !has_rules(repository, entry)
        {
            continue;
        }
        let must = !is_made(repository, path);
        if must || found.is_none() {
            found = Some(Generated {
                place: Place::file(path),
                must,
            });
        }
        if must {
            break;
        }
    }
    found
}

/// Other generators use the same endings; rules of flex and bison stand below a line `%%`.
fn has_rules(repository: &Repository, entry: &FileEntry) -> bool {
    read_text(repository, &entry.path)
        .is_some_and(|text| text.lines().any(|line| line.trim_end() == "%%"))
}

/// Whether a file that is named after the source, as the generators and Automake do, stands beside it.
fn is_made(repository: &Repository, path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let (folder, name) = stem
        .rsplit_once('/')
        .map_or(("", stem), |(folder, name)| (folder, name));
    let beside = |file: String| {
        let path = if folder.is_empty() {
            file
        } else {
            format!("{folder}/{file}")
        };
        repository.has(&path)
    };
    [
        "c", "cc", "cpp", "cxx", "tab.c", "tab.cc", "tab.cpp", "yy.c", "yy.cc", "lex.c",
    ]
    .iter()
    .any(|end| beside(format!("{name}.{end}")) || beside(format!("{name}_{end}")))
        || ["lex.yy.c", "y.tab.c", "lex.yy.cc"]
            .iter()
            .any(|file| beside((*file).to_owned()))
        || [
            format!("lex.{name}.c"),
            format!("{name}_tab.c"),
            format!("{name}lex.c"),
        ]
        .into_iter()
        .any(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_need_not_be_made() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        let state = || {
            let repository = crate::scan::scan(dir.path(), &Default::default()).unwrap();
            find(&repository, "", BISON, &Compiled::default()).map(|found| found.must)
        };
        write("a.y", "%include {\n}\n");
        assert_eq!(state(), None, "another generator's");
        write("p.y", "%%\nx: ;\n%%\n");
        assert_eq!(state(), Some(true));
        write("p.tab.c", "");
        assert_eq!(state(), Some(false));
    }
}
