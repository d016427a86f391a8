//! Output → lines of plain text, in bounded memory.

use std::borrow::Cow;

/// Bytes read at the start and at the end of a longer output: causes stand at the start of a build's failure and at the
/// end of a script's, and what lies between is progress.
const HEAD: usize = 8 << 20;
const TAIL: usize = 16 << 20;
/// Lines kept of each, so that an output of empty lines costs no more than another.
const HEAD_LINES: usize = 150_000;
const TAIL_LINES: usize = 300_000;
/// Bytes of a line that are looked at; a minified file or a link command can have a megabyte.
const LINE: usize = 4096;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line<'a> {
    /// Zero-based, in the whole output.
    pub number: usize,
    pub text: Cow<'a, str>,
}

/// The lines that diagnosis looks at, blank ones left out.
pub(crate) fn lines(output: &str) -> Vec<Line<'_>> {
    if output.len() <= HEAD + TAIL {
        return window(output, 0, HEAD_LINES + TAIL_LINES);
    }
    let head = output.get(..floor(output, HEAD)).unwrap_or_default();
    let from = floor(output, output.len() - TAIL);
    let tail = output.get(from..).unwrap_or_default();
    let skipped = output
        .as_bytes()
        .get(..from)
        .map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
    let mut all = window(head, 0, HEAD_LINES);
    all.extend(window(tail, skipped, TAIL_LINES));
    all
}

/// Non-blank lines of `text`, numbered from `first`; of more than `most`, a third from the start and the rest from the end.
fn window(text: &str, first: usize, most: usize) -> Vec<Line<'_>> {
    let make = |(at, raw)| Line {
        number: first + at,
        text: plain_line(raw),
    };
    let filled = |line: &(usize, &str)| !line.1.trim().is_empty();
    let count = text.split('\n').enumerate().filter(filled).count();
    let numbered = text.split('\n').enumerate().filter(filled);
    if count <= most {
        return numbered.map(make).collect();
    }
    let head = most / 3;
    let skip = count - (most - head);
    numbered
        .enumerate()
        .filter(|(nth, _)| *nth < head || *nth >= skip)
        .map(|(_, line)| make(line))
        .collect()
}

/// The greatest character boundary at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What a terminal would show of one line at last: what stands after the last carriage return, no escapes, no controls, cut.
fn plain_line(raw: &str) -> Cow<'_, str> {
    let shown = raw
        .rsplit('\r')
        .find(|part| !part.trim().is_empty())
        .unwrap_or_default();
    let cut = shown.get(..floor(shown, LINE)).unwrap_or_default();
    if cut.chars().any(|c| c.is_control() && c != '\t') {
        Cow::Owned(plain_text(cut))
    } else {
        Cow::Borrowed(cut)
    }
}

/// `text` without terminal escapes (ECMA-48 control sequences and operating system commands) and without other control
/// characters but tab and newline.
pub fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    // Parameters and intermediates, then one final byte of @ to ~. Anything else ends it unread.
                    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                    let _ = chars.next_if(|c| matches!(c, '@'..='~'));
                }
                Some(']') => {
                    // Ends with BEL or ESC \; a line's end also ends it, lest one escape hides the rest.
                    while let Some(c) = chars.next_if(|c| *c != '\n') {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                Some('(' | ')') => {
                    chars.next();
                    chars.next();
                }
                Some(_) => {
                    let _ = chars.next_if(|c| !c.is_control());
                }
                None => {}
            },
            '\n' | '\t' => out.push(c),
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
    fn escapes_and_progress_bars_go() {
        let log = "\u{1b}[01m\u{1b}[Kmain.c:1:10:\u{1b}[m\u{1b}[K \u{1b}[01;31mfatal error: \u{1b}[mzlib.h\n\
                   10%\r 50%\r100% done\r\n\n\u{1b}]0;title\u{7}shown";
        let shown: Vec<_> = lines(log)
            .into_iter()
            .map(|l| (l.number, l.text.into_owned()))
            .collect();
        assert_eq!(
            shown,
            [
                (0, "main.c:1:10: fatal error: zlib.h".to_owned()),
                (1, "100% done".to_owned()),
                (3, "shown".to_owned()),
            ]
        );
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        let log = "é".repeat(10_000);
        let all = lines(&log);
        assert_eq!(all.len(), 1);
        assert!(all[0].text.len() <= LINE);
    }

    #[test]
    fn numbers_hold_behind_what_is_left_out() {
        let mut log = "progress line of some length, forty bytes\n".repeat(900_000);
        log.push_str("last");
        assert!(log.len() > HEAD + TAIL);
        let all = lines(&log);
        let last = all.last().unwrap();
        assert_eq!((last.number, last.text.as_ref()), (900_000, "last"));
        assert!(all.len() <= HEAD_LINES + TAIL_LINES);
        assert_eq!(all[0].number, 0);
    }

    proptest::proptest! {
        #[test]
        fn no_control_character_survives(text in proptest::collection::vec(proptest::char::any(), 0..200)) {
            let text: String = text.into_iter().collect();
            let plain = plain_text(&text);
            proptest::prop_assert!(plain.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
    }
}
