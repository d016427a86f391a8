//! Literals in one pair of quotes, as C, C++ and Python write them.

/// Where a literal that begins at `start` ends, and how many lines its escapes go on over. It ends behind its quote, or
/// before the end of its line at the latest.
pub(super) fn end(bytes: &[u8], start: usize) -> (usize, u32) {
    let quote = bytes.get(start);
    let (mut at, mut lines) = (start + 1, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                lines += u32::from(bytes.get(at + 1) == Some(&b'\n'));
                at += 2;
            }
            b'\n' => break,
            byte => {
                at += 1;
                if Some(byte) == quote {
                    break;
                }
            }
        }
    }
    (at, lines)
}
