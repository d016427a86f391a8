//! Facts about a repository as a whole.

use std::collections::BTreeMap;
use std::path::Path;

use super::languages::{Role, role};
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

/// Files and bytes by language, of the project's own code.
pub(super) fn totals(files: &[FileEntry]) -> BTreeMap<String, LanguageTotal> {
    let mut totals: BTreeMap<String, LanguageTotal> = BTreeMap::new();
    for entry in files {
        let Some(language) = &entry.language else {
            continue;
        };
        let counted = matches!(role(language), Role::Code | Role::Build);
        if counted && !entry.vendored && entry.kind == FileKind::Text {
            let total = totals.entry(language.clone()).or_default();
            total.files += 1;
            total.bytes += entry.size;
        }
    }
    totals
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
