//! Bounded reading of the repository's files.

use std::fs::File;
use std::io::Read;

use crate::scan::{FileEntry, FileKind, Repository};

/// Bytes read of one manifest. Real ones are far smaller (LLVM's largest CMakeLists.txt has 60 kB), lock files
/// of large workspaces reach a megabyte.
pub const MAX_MANIFEST: u64 = 4 << 20;

/// Bytes of a file that many others inherit from: it is read again for each of them.
pub const MAX_SHARED: usize = 256 * 1024;

pub struct Tree<'a> {
    repository: &'a Repository,
}

impl<'a> Tree<'a> {
    pub fn new(repository: &'a Repository) -> Self {
        Self { repository }
    }

    pub fn files(&self) -> impl Iterator<Item = &'a FileEntry> {
        self.repository.files.iter()
    }

    pub fn has(&self, path: &str) -> bool {
        self.repository.has(path)
    }

    pub fn is_executable(&self, path: &str) -> bool {
        self.repository
            .file(path)
            .is_some_and(|entry| entry.executable)
    }

    /// Files anywhere below `dir` (all of them for the empty string).
    pub fn below(&self, dir: &str) -> impl Iterator<Item = &'a FileEntry> + use<'a> {
        let prefix = if dir.is_empty() {
            String::new()
        } else {
            format!("{dir}/")
        };
        let files = &self.repository.files;
        let start = files.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        files
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(move |entry| entry.path.starts_with(&prefix))
    }

    pub fn has_dir(&self, dir: &str) -> bool {
        self.below(dir).next().is_some()
    }

    /// The text of at most the first `bytes` of a file.
    pub fn read_head(&self, path: &str, bytes: usize) -> Option<String> {
        self.read_up_to(path, bytes as u64)
    }

    /// The text of a file, bytes that are not UTF-8 replaced, at most [`MAX_MANIFEST`] bytes. `None` where
    /// the scan did not call it text or it cannot be read.
    pub fn read(&self, path: &str) -> Option<String> {
        self.read_up_to(path, MAX_MANIFEST)
    }

    fn read_up_to(&self, path: &str, most: u64) -> Option<String> {
        let entry = self.repository.file(path)?;
        if entry.kind != FileKind::Text {
            return None;
        }
        let full = self.repository.root.join(&entry.path);
        // The tree may have changed since the scan: a pipe in a file's place would block.
        if !full.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(full)
            .ok()?
            .take(most)
            .read_to_end(&mut bytes)
            .ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_start_matches('\u{feff}').to_owned())
    }
}

/// The directory of a path; empty for the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The last component of a path.
pub fn base(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `dir/rest` with `.` and `..` resolved; `None` where it leaves the repository or is absolute.
pub fn join(dir: &str, rest: &str) -> Option<String> {
    if rest.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(rest.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// `path` seen from `dir`, where it stands below it.
pub fn relative<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    if dir.is_empty() {
        return Some(path);
    }
    if path == dir {
        return Some("");
    }
    path.strip_prefix(dir)?.strip_prefix('/')
}

/// Directories whose manifests describe something else than the repository's product: fixtures, samples,
/// other people's code.
const AUXILIARY: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testsuite",
    "test-suite",
    "testdata",
    "test_data",
    "test-data",
    "__tests__",
    "fixtures",
    "fixture",
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
    "benchmark",
    "benchmarks",
    "bench",
    "fuzz",
    "fuzzing",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "external",
    "extern",
    "externals",
    "vendor",
    "vendored",
    "_vendor",
    "deps",
    "subprojects",
    "submodules",
    "node_modules",
    "contrib",
    "template",
    "templates",
    "cookiecutter",
    "ci",
    "scripts",
    "msvc",
    "win32",
];

/// Words that make a directory auxiliary wherever they stand in its name: `template-react`, `e2e-fixtures`.
const SHOWN: &[&str] = &[
    "template",
    "templates",
    "fixture",
    "fixtures",
    "example",
    "examples",
    "playground",
];

/// Whether a directory is one of [`AUXILIARY`], has one of [`SHOWN`] in its name, is below such a one, or hidden.
pub fn is_auxiliary(dir: &str) -> bool {
    dir.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        (part.starts_with('.') && part.len() > 1)
            || AUXILIARY.contains(&part.as_str())
            || part.split(['-', '_']).any(|word| SHOWN.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_without_leaving_the_repository() {
        assert_eq!(join("a/b", "../c").as_deref(), Some("a/c"));
        assert_eq!(join("", "./x"), Some("x".to_owned()));
        assert_eq!(join("a", "../../etc"), None);
        assert_eq!(join("a", "/etc/passwd"), None);
    }

    #[test]
    fn auxiliary_is_by_whole_component() {
        assert!(is_auxiliary("Tests/unit"));
        assert!(is_auxiliary("packages/template-react"));
        assert!(is_auxiliary(".github/x"));
        assert!(!is_auxiliary("testament"));
        assert!(!is_auxiliary(""));
    }
}
