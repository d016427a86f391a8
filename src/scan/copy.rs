//! What has to stand in a sandbox so that the repository is there as it is here.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::git::Git;
use super::{Repository, walk};

/// Relative paths with their real bytes, and what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyList {
    pub paths: Vec<PathBuf>,
    pub warnings: Vec<String>,
}

/// Everything to copy: listed files (odd names and links as such) and what is in `.git`. Sockets, pipes and
/// devices are left out. The tree is listed again: [`Repository::files`] has names for people, not bytes.
pub fn files_to_copy(repository: &Repository) -> Vec<PathBuf> {
    list_to_copy(repository).paths
}

/// [`files_to_copy`] with the reasons for what is missing.
pub fn list_to_copy(repository: &Repository) -> CopyList {
    let root = &repository.root;
    let mut list = CopyList::default();
    let git = repository
        .git
        .as_ref()
        .and_then(|_| Git::open(root, &mut list.warnings));
    match walk::list(root, git.as_ref()) {
        Ok(listing) => {
            list.warnings.extend(listing.warnings);
            list.paths.extend(
                listing
                    .paths
                    .into_iter()
                    .filter(|path| can_be_copied(&root.join(path))),
            );
        }
        Err(wrong) => list.warnings.push(wrong.to_string()),
    }
    add_git_directory(root, &mut list);
    list
}

fn can_be_copied(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|data| data.is_file() || data.file_type().is_symlink())
}

/// Version schemes such as setuptools-scm's read `.git` during a build, so it goes along. A `.git` file points
/// to a directory elsewhere (a linked work tree, a submodule) that would not be there: it is left out.
fn add_git_directory(root: &Path, list: &mut CopyList) {
    let dot_git = root.join(".git");
    match dot_git.symlink_metadata() {
        Ok(data) if data.is_dir() => {}
        Ok(_) => {
            list.warnings.push(
                ".git points to a directory elsewhere (a linked work tree or a submodule): git does not work \
                 in the sandbox"
                    .to_owned(),
            );
            return;
        }
        Err(_) => return,
    }
    for entry in WalkDir::new(&dot_git).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() || entry.file_type().is_symlink() => {
                if let Ok(relative) = entry.path().strip_prefix(root) {
                    list.paths.push(relative.to_owned());
                }
            }
            Ok(_) => {}
            Err(wrong) => list.warnings.push(format!("not copied: {wrong}")),
        }
    }
}
