//! Submodules, from `.gitmodules` and the index.

use std::path::{Path, PathBuf};

use super::Submodule;
use super::git::without_credentials;
use super::safe_read::read_head;

/// Bytes of `.gitmodules` that are read.
const MAX_GITMODULES: u64 = 256 * 1024;

/// Reads `.gitmodules` (gitmodules(5)); `links` are the submodules of the index, listed even when the file
/// forgets them. Works without git too: an archive of a repository has the file and empty directories.
pub(super) fn read(root: &Path, links: &[PathBuf]) -> Vec<Submodule> {
    let text = read_head(&root.join(".gitmodules"), MAX_GITMODULES).unwrap_or_default();
    let mut found = parse(&String::from_utf8_lossy(&text));
    for link in links {
        let path = link.to_string_lossy().into_owned();
        if found.iter().all(|submodule| submodule.path != path) {
            found.push(Submodule {
                path,
                url: String::new(),
                populated: false,
            });
        }
    }
    found.retain(|submodule| is_inside(&submodule.path));
    for submodule in &mut found {
        submodule.populated = has_content(&root.join(&submodule.path));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

pub(super) fn warnings(submodules: &[Submodule]) -> impl Iterator<Item = String> {
    submodules
        .iter()
        .filter(|submodule| !submodule.populated)
        .map(|submodule| {
            format!(
                "submodule {:?} is empty: `git submodule update --init --recursive` fetches it",
                submodule.path
            )
        })
}

fn is_inside(path: &str) -> bool {
    use std::path::Component;
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

fn has_content(dir: &Path) -> bool {
    std::fs::read_dir(dir)
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() != ".git"))
}

fn parse(text: &str) -> Vec<Submodule> {
    let mut found: Vec<Submodule> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("[submodule") {
            found.push(Submodule {
                path: String::new(),
                url: String::new(),
                populated: false,
            });
        } else if let (Some(last), Some((key, value))) = (found.last_mut(), line.split_once('=')) {
            let value = value.trim().trim_matches('"').to_owned();
            match key.trim().to_ascii_lowercase().as_str() {
                "path" => last.path = value,
                "url" => last.url = without_credentials(&value),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_path_and_url_and_refuses_a_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let text = "[submodule \"a\"]\n\tpath = \"third/a\"\n\turl = https://u:p@h/a\n[submodule \"b\"]\npath=../b\nurl=x\n";
        std::fs::write(dir.path().join(".gitmodules"), text).unwrap();
        let found = read(dir.path(), &[PathBuf::from("lib/c")]);
        let paths: Vec<&str> = found
            .iter()
            .map(|submodule| submodule.path.as_str())
            .collect();
        assert_eq!(paths, ["lib/c", "third/a"]);
        assert_eq!(found[1].url, "https://h/a");
        assert_eq!(warnings(&found).count(), 2);
    }
}
