//! Which files a repository consists of.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};

use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;

use super::ScanError;
use super::git::Git;
use super::ignored::{Leftovers, has_safe_ignore_file, is_left_behind, is_product};

/// Relative paths, sorted, of everything but directories.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) paths: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
}

/// Tracked files, and others that are not ignored. Nothing under a `.git` is listed.
pub(super) fn list(root: &Path, git: Option<&Git>) -> Result<Listing, ScanError> {
    let mut warnings = Vec::new();
    let mut paths = match git {
        Some(_) => walk_with(root, true, &mut warnings),
        None => shipped(root, &mut warnings),
    };
    if let Some(git) = git {
        let walked: HashSet<&OsStr> = paths.iter().map(|path| path.as_os_str()).collect();
        let missed: Vec<PathBuf> = git
            .tracked()
            .par_iter()
            // What the walk met is there, and was reached without crossing a link.
            .filter(|path| !walked.contains(path.as_os_str()))
            .filter(|path| is_plain(path) && exists(root, path))
            .cloned()
            .collect();
        paths.extend(missed);
        sort(&mut paths);
    }
    Ok(Listing { paths, warnings })
}

/// By bytes, as [`super::Repository::files`] are: comparing paths by their parts takes ten times as long.
fn sort(paths: &mut Vec<PathBuf>) {
    paths.par_sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
}

/// What is there where no git tells which files are the project's. An ignore file cannot hide what an archive ships
/// (a lock file, a generated `configure`): an archive is made without left-overs, so what is in it was put there.
/// What a tool left behind since is told by its marks (see [`Leftovers`]).
fn shipped(root: &Path, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let all = walk_with(root, false, warnings);
    let named = |name: &str| {
        all.iter()
            .any(|path| path.file_name().is_some_and(|own| own == name))
    };
    // Most archives hold no product, and need no second walk.
    if !all.iter().any(|path| is_product(path)) || !named(".gitignore") {
        return all;
    }
    let kept = walk_with(root, true, warnings);
    let kept: HashSet<&OsStr> = kept.iter().map(|path| path.as_os_str()).collect();
    let leftovers = Leftovers::find(&all, &kept);
    let is_shipped = |path: &&PathBuf| kept.contains(path.as_os_str()) || !leftovers.holds(path);
    all.iter().filter(is_shipped).cloned().collect()
}

/// Relative paths of the files below `root`, sorted; those that ignore files name are left out if so `asked`.
fn walk_with(root: &Path, asked: bool, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut waiting = vec![(root.to_owned(), asked && has_safe_ignore_file(root))];
    // Directories whose ignore file must not be opened are walked again without ignore files.
    while let Some((dir, ignoring)) = waiting.pop() {
        let walked = walk(&dir, ignoring);
        let relative = walked
            .paths
            .iter()
            .filter_map(|path| path.strip_prefix(root).ok());
        paths.extend(relative.map(Path::to_owned));
        for dir in walked.unsafe_dirs {
            let shown = dir.strip_prefix(root).unwrap_or(&dir).display().to_string();
            warnings.push(format!("{shown}/.gitignore is no plain file: not read"));
            waiting.push((dir, false));
        }
        for warning in walked.warnings {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    sort(&mut paths);
    paths
}

/// Paths come from an index that may be forged: no `..`, no absolute path, nothing inside a `.git`.
fn is_plain(path: &Path) -> bool {
    use std::path::Component;
    path.components().all(|part| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    })
}

/// A tracked path that is reached without crossing a link (a forged index may list files behind one).
fn exists(root: &Path, path: &Path) -> bool {
    let real = root.join(path);
    let Ok(data) = real.symlink_metadata() else {
        return false;
    };
    let mut parents = path
        .ancestors()
        .skip(1)
        .filter(|parent| !parent.as_os_str().is_empty());
    !data.is_dir()
        && parents.all(|parent| {
            root.join(parent)
                .symlink_metadata()
                .is_ok_and(|data| data.is_dir())
        })
}

#[derive(Default)]
struct Walked {
    paths: Vec<PathBuf>,
    unsafe_dirs: Vec<PathBuf>,
    warnings: Vec<String>,
}

enum Seen {
    File(PathBuf),
    Trouble(String),
}

fn walk(root: &Path, ignoring: bool) -> Walked {
    let unsafe_dirs = Arc::new(Mutex::new(Vec::new()));
    let (send, receive) = mpsc::channel();
    builder(root, ignoring, unsafe_dirs.clone())
        .build_parallel()
        .run(|| {
            let send = send.clone();
            Box::new(move |entry| {
                let seen = match entry {
                    Ok(entry) if entry.file_type().is_none_or(|kind| kind.is_dir()) => {
                        return WalkState::Continue;
                    }
                    Ok(entry) => Seen::File(entry.into_path()),
                    Err(wrong) => Seen::Trouble(format!("not listed: {wrong}")),
                };
                match send.send(seen) {
                    Ok(()) => WalkState::Continue,
                    Err(_) => WalkState::Quit,
                }
            })
        });
    drop(send);
    let mut walked = Walked::default();
    for seen in receive {
        match seen {
            Seen::File(path) => walked.paths.push(path),
            Seen::Trouble(text) => walked.warnings.push(text),
        }
    }
    walked.warnings.sort();
    if let Ok(mut dirs) = unsafe_dirs.lock() {
        walked.unsafe_dirs.append(&mut dirs);
        walked.unsafe_dirs.sort();
    }
    walked
}

fn builder(root: &Path, ignoring: bool, unsafe_dirs: Arc<Mutex<Vec<PathBuf>>>) -> WalkBuilder {
    let exclude = root.join(".git/info/exclude");
    let safe_exclude = exclude.symlink_metadata().is_ok_and(|data| data.is_file());
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get().min(8));
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_ignore(ignoring)
        .git_exclude(ignoring && safe_exclude)
        .require_git(false)
        .follow_links(false)
        .threads(threads)
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            if entry.file_name().eq_ignore_ascii_case(".git") {
                return false;
            }
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            if is_left_behind(entry.path()) {
                return false;
            }
            if ignoring && !has_safe_ignore_file(entry.path()) {
                if let Ok(mut dirs) = unsafe_dirs.lock() {
                    dirs.push(entry.path().to_owned());
                }
                return false;
            }
            true
        });
    builder
}
