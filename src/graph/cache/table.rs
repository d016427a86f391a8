//! A store's file: what is known of each path, sorted, so that it is searched without being taken apart first.
//!
//! Form: [`MAGIC`], a hash of all that follows (16 bytes), then the header (version, root, what it adds to, time),
//! the number of entries, and the entries.

use std::ops::Range;
use std::path::Path;

use crate::graph::syntax::{Reading, Want};
use crate::scan::languages::named;
use crate::scan::{Head, HeadKind, Stamp};

use super::codec::{Reader, Writer};
use super::content_hash;

/// Changed with the form of the file.
const MAGIC: &[u8; 16] = b"envc-readings/1\n";

/// Content, language and what was asked: together they settle what a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) content: u128,
    pub(super) language: &'static str,
    pub(super) want: Want,
}

/// What is known of one path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) stamp: Stamp,
    pub(super) head: Option<Head>,
    /// With the place of the reading's bytes.
    pub(super) reading: Option<(Key, Range<usize>)>,
}

/// One file of a store.
pub(super) struct Table {
    bytes: Vec<u8>,
    /// The hash in its head: its identity.
    pub(super) identity: u128,
    /// Identity of the table that this one adds to.
    pub(super) base: u128,
    /// Nanoseconds since 1970: what was written to later than this may not be what was read.
    written: i64,
    /// Path and the bytes of its entry, by path.
    index: Vec<(Range<usize>, Range<usize>)>,
}

/// What the table of another version of the program or another directory is told by.
pub(super) struct Header<'a> {
    pub(super) version: u128,
    pub(super) root: &'a Path,
    pub(super) base: u128,
    pub(super) written: i64,
}

impl Table {
    /// `None` where the bytes are not what was once written, or were written by another version or for another root.
    pub(super) fn decode(bytes: Vec<u8>, version: u128, root: &Path) -> Option<Self> {
        let body = bytes.strip_prefix(MAGIC)?;
        let (hash, body) = body.split_first_chunk::<16>()?;
        let identity = u128::from_le_bytes(*hash);
        if content_hash(body) != identity {
            return None;
        }
        let start = MAGIC.len() + hash.len();
        let mut from = Reader::new(body);
        let is_ours =
            wide(&mut from)? == version && from.take_text()? == root.as_os_str().as_encoded_bytes();
        let base = wide(&mut from)?;
        let written = i64::try_from(from.fixed()?).ok()?;
        let count = from.count().filter(|_| is_ours)?;
        let mut index = Vec::with_capacity(count);
        for _ in 0..count {
            let path = from.range(body.len(), start)?;
            let entry = from.range(body.len(), start)?;
            index.push((path, entry));
        }
        from.is_at_end().then_some(())?;
        Some(Self {
            identity,
            base,
            written,
            index,
            bytes,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = (&str, &Range<usize>)> {
        self.index
            .iter()
            .map(|(path, entry)| (self.text(path), entry))
    }

    fn text(&self, range: &Range<usize>) -> &str {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn raw(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    pub(super) fn find(&self, path: &str) -> Option<&Range<usize>> {
        let at = self
            .index
            .binary_search_by(|(known, _)| self.raw(known).cmp(path.as_bytes()))
            .ok()?;
        Some(&self.index.get(at)?.1)
    }

    pub(super) fn entry(&self, at: &Range<usize>) -> Option<Entry> {
        let bytes = self.raw(at);
        let mut from = Reader::new(bytes);
        let stamp = Stamp {
            size: from.number()?,
            modified: i64::try_from(from.fixed()?).ok()?,
            changed: i64::try_from(from.fixed()?).ok()?,
            inode: from.number()?,
        };
        let head = head(&mut from)?;
        let reading = match from.number()? {
            0 => None,
            want => {
                let content = wide(&mut from)?;
                let language = named(from.text()?)?;
                let want = Want::of_bits(want);
                let size = from.count()?;
                let key = Key {
                    content,
                    language,
                    want,
                };
                Some((key, at.end.checked_sub(size)?..at.end))
            }
        };
        Some(Entry {
            stamp,
            head,
            reading,
        })
    }

    pub(super) fn reading(&self, key: &Key, at: &Range<usize>) -> Option<Reading> {
        super::blob::decode(self.raw(at), key.language)
    }

    /// Whether a file with this stamp is the one that was read: its time is older than the reading by more than a
    /// tick of the clock.
    pub(super) fn is_same(&self, known: &Stamp, now: &Stamp) -> bool {
        let newest = now.modified.max(now.changed);
        known == now && newest.saturating_add(super::TICK) < self.written
    }
}

fn wide(from: &mut Reader) -> Option<u128> {
    let bytes = from.take(16)?;
    Some(u128::from_le_bytes(bytes.try_into().ok()?))
}

fn head(from: &mut Reader) -> Option<Option<Head>> {
    let kind = match from.number()? {
        0 => return Some(None),
        1 => HeadKind::Text,
        2 => HeadKind::Binary,
        3 => HeadKind::LfsPointer,
        _ => return None,
    };
    let generated = from.number()? == 1;
    let language = match from.text()? {
        "" => None,
        name => Some(named(name)?),
    };
    Some(Some(Head {
        kind,
        language,
        generated,
    }))
}

/// The bytes of one entry, as [`Table::entry`] reads them.
pub(super) fn encode_entry(
    stamp: &Stamp,
    head: Option<&Head>,
    reading: Option<(&Key, &[u8])>,
) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(stamp.size);
    out.fixed(stamp.modified.max(0) as u64);
    out.fixed(stamp.changed.max(0) as u64);
    out.number(stamp.inode);
    match head {
        None => out.number(0),
        Some(head) => {
            out.number(match head.kind {
                HeadKind::Text => 1,
                HeadKind::Binary => 2,
                HeadKind::LfsPointer => 3,
            });
            out.number(u64::from(head.generated));
            out.text(head.language.unwrap_or_default());
        }
    }
    match reading {
        None => out.number(0),
        Some((key, bytes)) => {
            out.number(key.want.bits());
            out.bytes.extend(key.content.to_le_bytes());
            out.text(key.language);
            out.number(bytes.len() as u64);
            out.bytes.extend(bytes);
        }
    }
    out.bytes
}

/// A whole table; `entries` sorted by path.
pub(super) fn encode(header: &Header, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Writer::default();
    out.bytes.extend(header.version.to_le_bytes());
    let root = header.root.as_os_str().as_encoded_bytes();
    out.number(root.len() as u64);
    out.bytes.extend(root);
    out.bytes.extend(header.base.to_le_bytes());
    out.fixed(header.written.max(0) as u64);
    out.number(entries.len() as u64);
    for (path, entry) in entries {
        out.text(path);
        out.number(entry.len() as u64);
        out.bytes.extend(*entry);
    }
    let mut file = MAGIC.to_vec();
    file.extend(content_hash(&out.bytes).to_le_bytes());
    file.extend(out.bytes);
    file
}
