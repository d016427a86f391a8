//! Facts about a repository as a whole.

use std::collections::BTreeMap;
use std::path::Path;

use super::languages::{Role, group, role};
use super::vendored::is_documentation;
use super::{FileEntry, FileKind, GitFacts, LanguageTotal, Repository};

impl Repository {
    /// Why there is nothing to build here, in words for a user; `None` where there is source or a build file.
    pub fn is_unsupported(&self) -> Option<String> {
        if self.files.is_empty() {
            return Some("the directory is empty: nothing to build".to_owned());
        }
        let speaks = |entry: &FileEntry| {
            let role = entry.language.as_deref().map(role);
            entry.kind == FileKind::Text && matches!(role, Some(Role::Code | Role::Build))
        };
        if self.files.iter().any(speaks) {
            return None;
        }
        Some(format!(
            "no source file among {} files: give the directory of a program or library",
            self.files.len()
        ))
    }
}

/// Files and bytes by language, of the project's own code; documents and examples count where there is nothing
/// else.
pub(super) fn totals(files: &[FileEntry]) -> BTreeMap<String, LanguageTotal> {
    let own = sums(files, |entry| !is_documentation(&entry.path));
    match own.is_empty() {
        true => sums(files, |_| true),
        false => own,
    }
}

fn sums(
    files: &[FileEntry],
    counts: impl Fn(&FileEntry) -> bool,
) -> BTreeMap<String, LanguageTotal> {
    let mut totals: BTreeMap<String, LanguageTotal> = BTreeMap::new();
    for entry in files {
        let Some(language) = &entry.language else {
            continue;
        };
        let source = matches!(role(language), Role::Code | Role::Build);
        if source && !entry.vendored && entry.kind == FileKind::Text && counts(entry) {
            let total = totals.entry(group(language).to_owned()).or_default();
            total.files += 1;
            total.bytes += entry.size;
        }
    }
    totals
}

/// The language with the most bytes; a language of build files only where there is no other.
pub(crate) fn primary(totals: &BTreeMap<String, LanguageTotal>) -> Option<&str> {
    let by_bytes = |(name, total): &(&String, &LanguageTotal)| {
        (
            role(name) == Role::Code,
            total.bytes,
            std::cmp::Reverse(name.to_string()),
        )
    };
    let best = totals.iter().max_by_key(by_bytes)?;
    Some(best.0)
}

/// Last segment of the remote, else of the directory, in characters that are safe in a file name and an image
/// name's tag.
pub(super) fn name(root: &Path, git: Option<&GitFacts>) -> String {
    let from_remote = git
        .and_then(|facts| facts.remote.as_deref())
        .and_then(remote_name);
    let from_dir = || {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        real.file_name()
            .and_then(|name| sanitised(&name.to_string_lossy()))
    };
    from_remote
        .or_else(from_dir)
        .unwrap_or_else(|| "repository".to_owned())
}

fn remote_name(remote: &str) -> Option<String> {
    let trimmed = remote.trim_end_matches('/');
    let trimmed = trimmed
        .strip_suffix(".git")
        .unwrap_or(trimmed)
        .trim_end_matches('/');
    sanitised(trimmed.rsplit(['/', ':']).next()?)
}

fn sanitised(name: &str) -> Option<String> {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
                c
            } else {
                '-'
            }
        })
        .take(100)
        .collect();
    let plain = plain.trim_matches(['.', '-']).to_owned();
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primary_language_is_of_the_projects_own_code() {
        let file = |path: &str, language: &str, size: u64, vendored: bool| FileEntry {
            path: path.to_owned(),
            size,
            kind: FileKind::Text,
            language: Some(language.to_owned()),
            executable: false,
            vendored,
            seen: Default::default(),
        };
        let files = [
            file("CMakeLists.txt", "cmake", 9000, false),
            file("app/a.tsx", "tsx", 700, false),
            file("app/b.ts", "typescript", 400, false),
            file("docs/big.js", "javascript", 5000, false),
            file("src/a.c", "c", 1000, false),
            file("vendor/b.c", "c", 9000, true),
        ];
        let all = totals(&files);
        assert_eq!(primary(&all), Some("typescript"));
        assert_eq!(all.get("typescript").map(|total| total.files), Some(2));
        assert!(!all.contains_key("javascript"));
        assert_eq!(primary(&totals(&files[..1])), Some("cmake"));
        assert_eq!(primary(&totals(&files[3..4])), Some("javascript"));
        assert_eq!(primary(&totals(&[])), None);
    }

    #[test]
    fn names_are_short_and_safe() {
        for (remote, name) in [
            ("https://host.example/team/json-c.git", Some("json-c")),
            ("git@host.example:team/a_b.git/", Some("a_b")),
            ("/srv/git/x.git", Some("x")),
            ("ssh://h/$(rm -rf ~)", Some("rm--rf")),
            ("https://h/..", None),
        ] {
            assert_eq!(remote_name(remote).as_deref(), name, "{remote}");
        }
    }
}
