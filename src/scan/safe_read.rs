//! Reading files of a hostile tree: no blocking on a pipe, no following of links, no more than a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{FileKind, Repository};

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
/// text file, or cannot be read. Bytes that are not UTF-8 are replaced; a byte order mark is dropped.
pub fn read_text(repository: &Repository, path: &str) -> Option<String> {
    let entry = repository.file(path)?;
    if entry.kind != FileKind::Text {
        return None;
    }
    let bytes = read_head(&repository.root.join(path), super::MAX_TEXT).ok()?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(wrong) => String::from_utf8_lossy(wrong.as_bytes()).into_owned(),
    };
    Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
