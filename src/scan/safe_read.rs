//! Reading files of a hostile tree: no blocking on a pipe, no following of links, no more than a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{FileEntry, FileKind, Repository};

/// Opens a regular file and nothing else. Never blocks, never follows a link in the last component.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let flags =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// The first `limit` bytes of a regular file.
pub(crate) fn read_head(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file of the repository by its path in [`Repository::files`]; `None` when it is not listed, not a
/// text file, or cannot be read. Decoded as [`decode`] says.
pub fn read_text(repository: &Repository, path: &str) -> Option<String> {
    let entry = repository.file(path)?;
    if entry.kind != FileKind::Text {
        return None;
    }
    let bytes = read_head(&repository.root.join(path), super::MAX_TEXT).ok()?;
    Some(decode(bytes))
}

/// A file's content with what is to be known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceBytes {
    pub bytes: Vec<u8>,
    /// It is not what the scan saw.
    pub remark: Option<String>,
}

/// The content of a file that the scan listed; [`decode`] makes text of it.
///
/// # Errors
/// In words for a person: it vanished, or something else stands in its place.
pub fn read_source_bytes(
    repository: &Repository,
    entry: &FileEntry,
) -> Result<SourceBytes, String> {
    let path = repository.root.join(&entry.path);
    let bytes =
        read_whole(&path, entry.size).map_err(|wrong| format!("cannot be read: {wrong}"))?;
    let changed = bytes.len() as u64 != entry.size;
    Ok(SourceBytes {
        bytes,
        remark: changed.then(|| "changed while it was read".to_owned()),
    })
}

/// A regular file of about `size` bytes, [`super::MAX_TEXT`] at most, in as few calls as can be.
fn read_whole(path: &Path, size: u64) -> io::Result<Vec<u8>> {
    let limit = super::MAX_TEXT;
    let mut bytes = Vec::with_capacity(size.min(limit) as usize + 1);
    open_regular(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Bytes as text: UTF-16 where a byte order mark says so, else UTF-8, in which what is not UTF-8 is replaced. A
/// byte order mark is dropped.
pub fn decode(bytes: Vec<u8>) -> String {
    if let Some(big) = utf16(&bytes) {
        let units = bytes.chunks_exact(2).skip(1).map(|pair| match pair {
            [a, b] if big => u16::from_be_bytes([*a, *b]),
            [a, b] => u16::from_le_bytes([*a, *b]),
            _ => 0,
        });
        return char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(wrong) => String::from_utf8_lossy(wrong.as_bytes()).into_owned(),
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

/// Whether a text begins with a byte order mark of UTF-16, and if so, whether it is big-endian.
pub(super) fn utf16(head: &[u8]) -> Option<bool> {
    match head {
        // UTF-32's mark begins like UTF-16's.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_by_their_marks() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            (b"\xef\xbb\xbfmarked", "marked"),
            (b"\xff\xfea\0\xe9\0\n\0", "a\u{e9}\n"),
            (b"\xfe\xff\0a\0b\0", "ab"),
            (b"caf\xe9", "caf\u{fffd}"),
            (b"\xff\xfe\0\xd8", "\u{fffd}"),
            (b"\xff", "\u{fffd}"),
        ] {
            assert_eq!(decode(bytes.to_vec()), text, "{bytes:?}");
        }
    }
}
