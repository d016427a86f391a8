//! What of this machine is nobody's business in a sandbox that root makes over it. Root may read everything; the rule
//! is that the sandbox sees what every user of the machine may read, and an empty file or directory for the rest.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use walkdir::WalkDir;

use crate::sandbox::spec::{Mask, Tree};

/// Directories of the host that look empty whatever their modes: keys, mail, logs, other sandboxes' and engines' data.
pub const EMPTY: [&str; 14] = [
    "etc/docker",
    "etc/ssh",
    "etc/ssl/private",
    "etc/sudoers.d",
    "var/backups",
    "var/cache/apt/archives",
    "var/lib/containerd",
    "var/lib/containers",
    "var/lib/docker",
    "var/lib/kubelet",
    "var/log",
    "var/mail",
    "var/spool/cron",
    "var/tmp",
];

/// Where configuration and state lie, and how deep they are searched for what is locked. (Below a locked directory
/// nothing has to be searched, which is what large stores of data are in.)
const SEARCHED: [(&str, usize); 5] = [
    ("etc", 16),
    ("usr/local/etc", 16),
    ("opt", 4),
    ("var/lib", 4),
    ("var", 2),
];

/// What is in here is known to everybody, and much: the package manager's lists.
const PUBLIC: &str = "var/lib/dpkg";

/// Files of password hashes: programs want the accounts in them, so these are left, locked.
const ACCOUNTS: [&str; 4] = ["etc/shadow", "etc/gshadow", "etc/shadow-", "etc/gshadow-"];

/// The host's secrets as they look inside.
pub fn masks(trees: &[Tree]) -> Vec<Mask> {
    let mut masks: Vec<Mask> = EMPTY
        .iter()
        .filter_map(|path| mask(trees, path, None))
        .collect();
    for name in ACCOUNTS {
        let text = fs::read_to_string(Path::new("/").join(name)).unwrap_or_default();
        masks.extend(mask(trees, name, Some(locked(&text))));
    }
    for (dir, depth) in SEARCHED {
        for (path, is_dir) in unreadable(Path::new("/"), dir, depth) {
            let contents = (!is_dir).then(String::new);
            masks.extend(mask(trees, &path, contents));
        }
    }
    let mut seen = std::collections::HashSet::new();
    masks.retain(|mask| seen.insert((mask.tree.clone(), mask.path.clone())));
    masks
}

/// What users other than owner and group may not read below `dir`, by its path from `root`; and whether it is a
/// directory.
fn unreadable(root: &Path, dir: &str, depth: usize) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut walk = WalkDir::new(root.join(dir))
        .max_depth(depth)
        .same_file_system(true)
        .into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else {
            continue;
        };
        let Ok(meta) = entry.metadata() else {
            continue;
        };
        let wanted = if meta.is_dir() { 0o005 } else { 0o004 };
        let known = meta.is_dir() || meta.is_file();
        let path = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        let Some(path) = path.filter(|_| known) else {
            continue;
        };
        if path == PUBLIC {
            walk.skip_current_dir();
            continue;
        }
        let empty = EMPTY.contains(&path);
        if meta.mode() & wanted != wanted || empty {
            if meta.is_dir() {
                walk.skip_current_dir();
            }
            if !empty {
                found.push((path.to_owned(), meta.is_dir()));
            }
        }
    }
    found
}

fn mask(trees: &[Tree], path: &str, contents: Option<String>) -> Option<Mask> {
    let full = Path::new("/").join(path);
    let tree = trees
        .iter()
        .filter(|tree| tree.at != "/")
        .find(|tree| full.starts_with(&tree.at))?;
    let path = full.strip_prefix(&tree.at).ok()?.to_path_buf();
    // The top of a tree, as with a store below a locked directory, is not a thing that an upper layer could hide.
    (!path.as_os_str().is_empty()).then(|| Mask {
        tree: tree.name.clone(),
        path,
        contents,
    })
}

/// Replaces the second field (the password hash) of each line of shadow(5) or gshadow(5).
fn locked(text: &str) -> String {
    text.lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(':')?;
            let rest = rest.split_once(':').map_or("", |(_, rest)| rest);
            Some(format!("{name}:*:{rest}\n"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn passwords_are_locked() {
        let text = "root:$y$secret:19000:0:99999:7:::\nbin:*:1::::::\n";
        assert_eq!(locked(text), "root:*:19000:0:99999:7:::\nbin:*:1::::::\n");
    }

    #[test]
    fn what_others_may_not_read_is_found() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str, mode: u32| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        make("etc/open", 0o644);
        make("etc/sub/key", 0o640);
        make("etc/locked/inner", 0o644);
        let locked = fs::Permissions::from_mode(0o750);
        fs::set_permissions(root.path().join("etc/locked"), locked).unwrap();
        let mut found = unreadable(root.path(), "etc", 9);
        found.sort();
        assert_eq!(
            found,
            [
                ("etc/locked".to_owned(), true),
                ("etc/sub/key".to_owned(), false)
            ]
        );
    }
}
