//! Text from a repository or a process, made safe to show.
//!
//! Whatever a build prints may hold escape sequences that retitle the window, write to the clipboard, hide
//! text or redraw what stood above (ECMA-48; xterm's control sequences). Nothing of it reaches a terminal, the
//! journal or a report.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// Columns between tab stops, as terminals and compilers' caret lines assume.
const TAB: usize = 8;

/// Removes escape sequences, control characters and direction overrides; expands tabs to spaces; keeps newlines.
///
/// A carriage return that is not followed by a newline becomes one: the states of a progress bar end up
/// on lines of their own. A control string (title, hyperlink, clipboard) without its terminator
/// ends at the end of its line, so that it cannot swallow the rest of a log.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut column = 0;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => escape(&mut rest),
            '\u{9b}' => control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => control_string(&mut rest),
            '\t' => {
                let stop = TAB - column % TAB;
                cleaned.extend(std::iter::repeat_n(' ', stop));
                column += stop;
            }
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => {
                cleaned.push('\n');
                column = 0;
            }
            c if harmless(c) => {
                cleaned.push(c);
                column += 1;
            }
            _ => {}
        }
    }
    Cow::Owned(cleaned)
}

/// [`sanitize`] of bytes; what is not UTF-8 is replaced by U+FFFD.
pub fn sanitize_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => sanitize(text),
        Cow::Owned(text) => Cow::Owned(sanitize(&text).into_owned()),
    }
}

/// [`sanitize`] on one line: newlines become spaces, runs of spaces one.
pub fn one_line(text: &str) -> String {
    sanitize(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Cuts `text` to at most `columns` characters, the last one `…` where something was cut.
pub fn shorten(text: &str, columns: usize) -> Cow<'_, str> {
    if text.chars().count() <= columns {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(columns.saturating_sub(1)).collect();
    if columns > 0 {
        short.push('…');
    }
    Cow::Owned(short)
}

/// Characters that stay as they are.
fn harmless(c: char) -> bool {
    match c {
        '\n' => true,
        c if c.is_control() => false,
        // Direction marks, embeddings, overrides and isolates (Unicode TR9): "Trojan Source".
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            false
        }
        // Line separators, invisible spaces and tags: text that a reader does not see.
        '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => false,
        '\u{e0000}'..='\u{e007f}' => false,
        _ => true,
    }
}

/// What stands after ESC (ECMA-48, 5.3 and 5.4).
fn escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            control_string(rest);
        }
        _ => {
            while rest
                .next_if(|c| ('\u{20}'..='\u{2f}').contains(c))
                .is_some()
            {}
            rest.next_if(|c| ('\u{30}'..='\u{7e}').contains(c));
        }
    }
}

/// Parameters, intermediates and the final character of a control sequence. Where one is malformed
/// the offending character is left for the caller, as terminals do.
fn control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest
        .next_if(|c| ('\u{20}'..='\u{3f}').contains(c))
        .is_some()
    {}
    rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// Everything up to BEL, ST or the end of the line.
fn control_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                // ESC \ ends the string; any other escape cancels it and is dropped by itself.
                if rest.next_if_eq(&'\\').is_none() {
                    escape_after_cancel(rest);
                }
                return;
            }
            _ => {}
        }
    }
}

/// A new sequence that begins inside of a control string. Bounded: a string in a string in a string does not recurse.
fn escape_after_cancel(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => while rest.next_if(|c| *c != '\n').is_some() {},
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(
            sanitize("gcc -c föö.c\nok 日本"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn sequences_disappear() {
        let cases = [
            ("\u{1b}[1;31merror\u{1b}[0m: x", "error: x"),
            ("\u{1b}]0;title\u{7}after", "after"),
            (
                "\u{1b}]8;;https://x.test\u{1b}\\link\u{1b}]8;;\u{1b}\\ end",
                "link end",
            ),
            ("\u{1b}]52;c;cm0gLXJm\u{7}ok", "ok"),
            ("\u{1b}P1$r0m\u{1b}\\ok", "ok"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}!", "red!"),
            ("\u{1b}(Bok\u{1b}7\u{1b}=", "ok"),
            ("a\u{8}b\u{7}\u{0}c\u{7f}", "abc"),
            ("user\u{202e}txt.exe\u{2066}", "usertxt.exe"),
            ("\u{1b}]0;unterminated\nnext line", "\nnext line"),
            ("\u{1b}[12", ""),
            ("\u{1b}", ""),
            ("\u{1b}]0;a\u{1b}]0;b\u{1b}]c", ""),
        ];
        for (dirty, clean) in cases {
            assert_eq!(sanitize(dirty), clean, "{dirty:?}");
        }
    }

    #[test]
    fn tabs_and_returns() {
        assert_eq!(sanitize("ab\tc"), "ab      c");
        assert_eq!(sanitize("10%\r20%\r\nend"), "10%\n20%\nend");
        assert_eq!(one_line(" a\n\tb\u{1b}[2K  c "), "a b c");
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        assert_eq!(sanitize_bytes(b"a\xff\x1b[1mb"), "a\u{fffd}b");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("größe", 5), "größe");
        assert_eq!(shorten("größer", 5), "größ…");
        assert_eq!(shorten("ab", 0), "");
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let clean = sanitize_bytes(&bytes);
            prop_assert!(clean.bytes().all(|b| b >= 0x20 || b == b'\n'));
            prop_assert!(!clean.chars().any(|c| c != '\n' && c.is_control()));
        }

        #[test]
        fn sequences_of_all_kinds_go(text in "([\u{1b}\u{9b}\u{9d}\u{7}\u{9c}\\[\\]P;0-9mhX\\\\\n a\u{202e}]){0,80}") {
            let clean = sanitize(&text).into_owned();
            prop_assert!(clean.chars().all(harmless));
            prop_assert_eq!(sanitize(&clean), clean.as_str());
        }
    }
}
