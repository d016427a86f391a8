//! What a single file is.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

use super::languages::{Role, language, role};
use super::safe_read::{decode, read_head, utf16};
use super::vendored::{is_generated, is_vendored};
use super::{FileEntry, FileKind, Head, HeadKind, Known, MAX_TEXT, Seen, Stamp, Submodule};

/// Bytes that decide between text and binary, as git does with its first 8000.
const HEAD: u64 = 8 * 1024;

/// First line of a pointer file (Git LFS specification, `docs/spec.md`).
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// What every file of one scan is looked at with.
pub(super) struct Context<'a> {
    pub(super) root: &'a Path,
    /// `root` with its links resolved.
    pub(super) real: &'a Path,
    pub(super) submodules: &'a [Submodule],
    pub(super) known: &'a Known<'a>,
}

impl Context<'_> {
    /// The entry of the file at `relative`, and a remark about it. `None` when it vanished meanwhile.
    pub(super) fn classify(&self, relative: &Path) -> (Option<FileEntry>, Option<String>) {
        let path = self.root.join(relative);
        let shown = relative.to_string_lossy().into_owned();
        let data = match path.symlink_metadata() {
            Ok(data) => data,
            Err(wrong) => {
                return (
                    None,
                    Some(format!("{shown:?} cannot be looked at: {wrong}")),
                );
            }
        };
        let mut entry = FileEntry {
            path: shown,
            size: data.len(),
            kind: FileKind::Special,
            language: None,
            executable: data.is_file() && data.permissions().mode() & 0o111 != 0,
            vendored: false,
            seen: Seen {
                stamp: Stamp::of(&data),
                head: None,
            },
        };
        let remark = self.fill(&mut entry, relative, &data);
        (Some(entry), remark)
    }

    fn fill(&self, entry: &mut FileEntry, relative: &Path, data: &Metadata) -> Option<String> {
        if data.file_type().is_symlink() {
            return self.fill_link(entry, relative);
        }
        if !data.is_file() {
            return Some(format!(
                "{:?} is a pipe, socket or device: left out",
                entry.path
            ));
        }
        if relative.to_str().is_none() {
            entry.kind = FileKind::OddName;
            return Some(format!(
                "{:?} has a name that is not UTF-8: kept, not read",
                entry.path
            ));
        }
        entry.vendored = is_vendored(&entry.path) || self.in_submodule(&entry.path);
        let path = self.root.join(relative);
        match data.len() > MAX_TEXT {
            true => fill_huge(entry, &path),
            false => self.fill_regular(entry, &path),
        }
    }

    fn fill_link(&self, entry: &mut FileEntry, relative: &Path) -> Option<String> {
        let target = std::fs::read_link(self.root.join(relative)).unwrap_or_default();
        let outside = self.leaves(relative, &target);
        let target = target.to_string_lossy().into_owned();
        let remark = outside.then(|| {
            format!(
                "{:?} links out of the repository, to {target:?}",
                entry.path
            )
        });
        entry.kind = FileKind::Symlink { target, outside };
        remark
    }

    fn fill_regular(&self, entry: &mut FileEntry, path: &Path) -> Option<String> {
        let head = match (self.known)(&entry.path, &entry.seen.stamp) {
            Some(head) => head,
            None => match read_head(path, HEAD) {
                Ok(bytes) => look(&entry.path, entry.size, &bytes),
                Err(wrong) => {
                    entry.kind = FileKind::Binary;
                    return Some(format!("{:?} cannot be read: {wrong}", entry.path));
                }
            },
        };
        entry.seen.head = Some(head);
        entry.kind = match head.kind {
            HeadKind::Text => FileKind::Text,
            HeadKind::Binary => FileKind::Binary,
            HeadKind::LfsPointer => FileKind::LfsPointer,
        };
        entry.language = head.language.map(str::to_owned);
        entry.vendored |= head.generated;
        None
    }

    /// Whether a link leads out of the tree: by its text, or through another link.
    fn leaves(&self, relative: &Path, target: &Path) -> bool {
        if target.is_absolute() {
            return true;
        }
        let mut depth = relative.components().count() as i64 - 1;
        for part in target.components() {
            match part {
                Component::ParentDir => depth -= 1,
                Component::Normal(_) => depth += 1,
                _ => {}
            }
            if depth < 0 {
                return true;
            }
        }
        let resolved = self.root.join(relative).canonicalize();
        resolved.is_ok_and(|real| !real.starts_with(self.real))
    }

    fn in_submodule(&self, path: &str) -> bool {
        self.submodules.iter().any(|submodule| {
            path.strip_prefix(submodule.path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn fill_huge(entry: &mut FileEntry, path: &Path) -> Option<String> {
    entry.kind = FileKind::Huge;
    // What language is left unread is worth knowing; other data of this size is not.
    let head = read_head(path, HEAD).unwrap_or_default();
    if !head.contains(&0) {
        entry.language = language(&entry.path, &head, entry.size).map(str::to_owned);
    }
    Some(format!(
        "{:?} is larger than {} MiB: not read",
        entry.path,
        MAX_TEXT >> 20
    ))
}

/// What the first bytes of a file tell.
fn look(path: &str, size: u64, head: &[u8]) -> Head {
    let other = |kind| Head {
        kind,
        language: None,
        generated: false,
    };
    if head.starts_with(LFS) && size < 1024 {
        return other(HeadKind::LfsPointer);
    }
    let decoded = utf16(head).map(|_| decode(head.to_vec()).into_bytes());
    if decoded.is_none() && head.contains(&0) {
        return other(HeadKind::Binary);
    }
    let head = decoded.as_deref().unwrap_or(head);
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let language = language(path, head, size);
    // Only of code: a generated lock or requirements file still says what the project needs.
    let code = language.map(role) == Some(Role::Code);
    Head {
        kind: HeadKind::Text,
        language,
        generated: code && is_generated(path, head),
    }
}
