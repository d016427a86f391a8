//! Directories that a walk leaves out although no ignore file says so.

use std::path::Path;

/// What tools leave behind in a tree: each can be made again, and none is the project's source.
const LEFT_BEHIND: &[&str] = &[
    ".envc",
    "node_modules",
    ".venv",
    "__pycache__",
    ".tox",
    ".nox",
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
    // `target` is also an everyday name: only cargo's own is left out.
    let cargo = || {
        dir.parent()
            .is_some_and(|parent| parent.join("Cargo.toml").is_file())
    };
    (name == "target" && (dir.join("CACHEDIR.TAG").is_file() || cargo()))
        || dir.join("pyvenv.cfg").is_file()
}

/// False where `.gitignore` in `dir` is a pipe, a device, a link (git does not follow those either) or huge:
/// the walker would open it without looking.
pub(super) fn has_safe_ignore_file(dir: &Path) -> bool {
    match dir.join(".gitignore").symlink_metadata() {
        Ok(data) => data.is_file() && data.len() <= MAX_IGNORE_FILE,
        Err(_) => true,
    }
}
