//! Hiding the host's sockets that have a name in a directory of the base: a socket is reachable through a read-only
//! mount, and through an overlay where nothing stands above it.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::sys::{self, Result};
use crate::sandbox::spec::Tree;

/// Where sockets of the host that are open now would stand in the sandbox.
pub fn of_the_host(trees: &[Tree]) -> Vec<PathBuf> {
    let text = fs::read("/proc/net/unix").unwrap_or_default();
    in_trees(&String::from_utf8_lossy(&text), trees)
}

/// `table` is as in proc(5): seven fields and, for a socket that has one, its name, which may hold spaces.
fn in_trees(table: &str, trees: &[Tree]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in table.lines().skip(1) {
        let Some(at) = line.find(" /") else {
            continue;
        };
        let path = Path::new(line.get(at + 1..).unwrap_or_default());
        for tree in trees {
            if let Ok(rest) = path.strip_prefix(&tree.lower) {
                found.push(Path::new(&tree.at).join(rest));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Puts the null device over each. Called when the sandbox's root is this process's: no link can lead out.
pub fn hide(paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        if fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket()) {
            sys::bind(Path::new("/dev/null"), path, false)?;
            sys::restrict(path, false)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::spec::TreeKind;

    #[test]
    fn names_are_found_where_the_tree_stands() {
        let tree = Tree {
            name: "root".into(),
            lower: "/bases/one".into(),
            at: "/".into(),
            kind: TreeKind::Overlay,
        };
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                     0: 00000002 00000000 00010000 0001 01 12 /bases/one/var/a socket\n\
                     0: 00000002 00000000 00010000 0001 01 13 @/bases/one/abstract\n\
                     0: 00000002 00000000 00010000 0001 01 14 /run/docker.sock\n\
                     0: 00000002 00000000 00010000 0001 01 15\n";
        assert_eq!(in_trees(table, &[tree]), [PathBuf::from("/var/a socket")]);
    }
}
