//! Lines as a person would see them: no escape sequences, no carriage-return overprinting.

/// Longest part of a line that is looked at, in bytes. Summaries are short; a line of 100 MB is not a summary.
pub const MAX_LINE: usize = 4096;

/// Removes escape sequences (ECMA-48 CSI and OSC) and other control characters, and keeps what the last
/// carriage return left on the screen. Invalid UTF-8 is replaced.
pub fn clean_line(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let text = text.trim_end_matches(['\r', '\n']);
    let shown = text.rsplit('\r').next().unwrap_or(text);
    strip(shown)
}

fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // CSI: parameters, then one final byte in @..~
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                // OSC: up to BEL or ESC \
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' {
                            break;
                        }
                        if c == '\u{1b}' {
                            chars.next();
                            break;
                        }
                    }
                }
                // Character-set selection takes one more byte.
                Some('(' | ')') => {
                    chars.next();
                }
                _ => {}
            },
            '\t' => out.push('\t'),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_progress_bars_vanish() {
        assert_eq!(
            clean_line(b"\x1b[32m\x1b[1m5 passed\x1b[0m in 0.1s\r\n"),
            "5 passed in 0.1s"
        );
        assert_eq!(clean_line(b"10%\r50%\r3 passing"), "3 passing");
        assert_eq!(clean_line(b"\x1b]0;title\x07ok"), "ok");
        assert_eq!(clean_line(b"\x1b(Bok\x1b"), "ok");
        assert_eq!(clean_line(b"\xff\x00x"), "\u{fffd}x");
    }
}
