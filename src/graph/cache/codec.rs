//! Numbers and strings as bytes: small, quick to read, and safe to read from any bytes.

use std::ops::Range;

/// Writes values one after the other.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    /// Seven bits a byte, low ones first (LEB128).
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(super) fn fixed(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }
}

/// Reads what a [`Writer`] wrote; `None` where the bytes do not hold it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn fixed(&mut self) -> Option<u64> {
        let (head, rest) = self.bytes.split_first_chunk::<8>()?;
        self.bytes = rest;
        Some(u64::from_le_bytes(*head))
    }

    pub(super) fn take(&mut self, size: u64) -> Option<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(usize::try_from(size).ok()?)?;
        self.bytes = rest;
        Some(head)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let size = self.number()?;
        std::str::from_utf8(self.take(size)?).ok()
    }

    /// Bytes with their number before them.
    pub(super) fn take_text(&mut self) -> Option<&'a [u8]> {
        let size = self.number()?;
        self.take(size)
    }

    /// The place of such bytes, in a whole of which this reader has the last `of` bytes and which has `before` more
    /// in front.
    pub(super) fn range(&mut self, of: usize, before: usize) -> Option<Range<usize>> {
        let size = self.number()?;
        let start = before + of - self.bytes.len();
        let taken = self.take(size)?;
        Some(start..start + taken.len())
    }

    /// A count of things that take a byte at least, so that a forged one cannot ask for more room than there is.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(numbers in proptest::collection::vec(proptest::num::u64::ANY, 0..20), text in ".{0,40}") {
            let mut writer = Writer::default();
            for number in &numbers {
                writer.number(*number);
                writer.fixed(*number);
            }
            writer.text(&text);
            let mut reader = Reader::new(&writer.bytes);
            for number in &numbers {
                proptest::prop_assert_eq!(reader.number(), Some(*number));
                proptest::prop_assert_eq!(reader.fixed(), Some(*number));
            }
            proptest::prop_assert_eq!(reader.text(), Some(text.as_str()));
            proptest::prop_assert!(reader.is_at_end());
        }

        #[test]
        fn any_bytes_are_read_without_trouble(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            let mut reader = Reader::new(&bytes);
            while reader.text().is_some() && !reader.is_at_end() {}
            let mut reader = Reader::new(&bytes);
            while reader.number().is_some() {}
        }
    }
}
