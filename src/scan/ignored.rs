//! Directories that a walk leaves out although no ignore file says so.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What tools leave behind in a tree: each can be made again, and none is the project's source.
const LEFT_BEHIND: &[&str] = &[
    ".envc",
    "node_modules",
    ".venv",
    "__pycache__",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".eggs",
    ".gradle",
    ".next",
    ".nuxt",
    ".parcel-cache",
    ".turbo",
    ".svelte-kit",
    ".nyc_output",
    ".dart_tool",
    ".stack-work",
    "dist-newstyle",
    ".zig-cache",
    "zig-cache",
    "zig-out",
    ".terraform",
    ".direnv",
    "DerivedData",
];

/// Files that a build writes and no archive ships: their ignored neighbours are of the same build.
const PRODUCTS: &[&str] = &[
    "config.status",
    "CMakeCache.txt",
    ".ninja_log",
    ".ninja_deps",
];

/// Extensions of such files.
const OBJECTS: &[&str] = &[
    "o", "lo", "obj", "class", "cmi", "cmx", "hi", "rmeta", "gcno",
];

/// Ignore files larger than this are not read: patterns cost time for every path.
const MAX_IGNORE_FILE: u64 = 1024 * 1024;

/// True for a directory to leave out when it is not tracked.
pub(super) fn is_left_behind(dir: &Path) -> bool {
    let Some(name) = dir.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    if LEFT_BEHIND.contains(&name) {
        return true;
    }
    let beside = |file: &str| {
        dir.parent()
            .is_some_and(|parent| parent.join(file).is_file())
    };
    let inside = |file: &str| dir.join(file).is_file();
    // `target` is also an everyday name: only cargo's, Maven's and sbt's own is left out.
    (name == "target"
        && ["Cargo.toml", "pom.xml", "build.sbt"]
            .into_iter()
            .any(beside))
        || inside("CACHEDIR.TAG")
        || inside("pyvenv.cfg")
        || (inside("CMakeCache.txt") && !inside("CMakeLists.txt"))
        || (inside("build.ninja") && dir.join("meson-info").is_dir())
}

/// Ignored files that a build left in a tree of which no git tells what belongs to it.
pub(super) struct Leftovers {
    /// Directories in which nothing but ignored files stands, a product among them.
    dirs: HashSet<OsString>,
    /// A product stands beside the sources: the tree was built in place, and every ignored file may be of that.
    in_place: bool,
}

impl Leftovers {
    /// `kept`: those of `all` that no ignore file names.
    pub(super) fn find(all: &[PathBuf], kept: &HashSet<&OsStr>) -> Self {
        let with_kept: HashSet<&OsStr> = kept
            .iter()
            .flat_map(|path| Path::new(path).ancestors().skip(1))
            .map(Path::as_os_str)
            .collect();
        let mut found = Self {
            dirs: HashSet::new(),
            in_place: false,
        };
        let ignored = |path: &&PathBuf| is_product(path) && !kept.contains(path.as_os_str());
        for path in all.iter().filter(ignored) {
            // The topmost directory that holds nothing else.
            let dirs = path.ancestors().skip(1).map(Path::as_os_str);
            let is_whole = |dir: &&OsStr| !dir.is_empty() && !with_kept.contains(dir);
            match dirs.take_while(is_whole).last() {
                Some(dir) => {
                    found.dirs.insert(dir.to_owned());
                }
                None => found.in_place = true,
            }
        }
        found
    }

    /// Whether an ignored file is a left-over.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.in_place
            || path
                .ancestors()
                .skip(1)
                .any(|dir| self.dirs.contains(dir.as_os_str()))
    }
}

/// Whether a file is written by builds only.
pub(super) fn is_product(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str());
    PRODUCTS.contains(&name) || extension.is_some_and(|extension| OBJECTS.contains(&extension))
}

/// False where `.gitignore` in `dir` is a pipe, a device, a link (git does not follow those either) or huge:
/// the walker would open it without looking.
pub(super) fn has_safe_ignore_file(dir: &Path) -> bool {
    match dir.join(".gitignore").symlink_metadata() {
        Ok(data) => data.is_file() && data.len() <= MAX_IGNORE_FILE,
        Err(_) => true,
    }
}
