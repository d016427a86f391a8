//! Values as words and as comments of a Bash text.
//!
//! A value of a repository is data: it may hold quotes, newlines, `$(…)`, bidirectional controls. As a word it
//! round-trips byte by byte; as a comment it stays on its line and cannot address a linter.

use std::fmt::Write;

/// NUL ends a C string: no argument, environment variable or file name can hold it, so no quoting of it exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("holds a NUL byte, which no shell word can hold")]
pub struct NulError;

/// One Bash word that expands to `value`, whatever is in it.
///
/// Ordinary values are quoted by `shlex`. A value with control characters, `$`, a backtick, a backslash or
/// unusual Unicode becomes `$'…'` (Bash manual, 3.1.2.4): on one line, every odd byte visible as `\xHH`, and none of
/// the look-alikes that a reviewer (or shellcheck) would stumble over.
///
/// # Errors
/// [`NulError`] where `value` holds a NUL byte.
pub fn quote(value: &str) -> Result<String, NulError> {
    if value.contains('\0') {
        return Err(NulError);
    }
    if value.starts_with('~') || value.chars().any(is_odd) {
        return Ok(ansi_c(value));
    }
    // Assignments and options are data here, never in a place where `=` means something.
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&b);
    if !value.is_empty() && value.bytes().all(is_plain) {
        return Ok(value.to_owned());
    }
    match shlex::try_quote(value) {
        Ok(word) => Ok(word.into_owned()),
        Err(_) => Err(NulError),
    }
}

/// Whether `c` is better shown as an escape than inside plain quotes.
fn is_odd(c: char) -> bool {
    matches!(c, '$' | '`' | '\\') || c.is_control() || (!c.is_ascii() && !c.is_alphanumeric())
}

fn ansi_c(value: &str) -> String {
    let mut word = String::from("$'");
    for c in value.chars() {
        match c {
            '\'' => word.push_str("\\'"),
            '\\' => word.push_str("\\\\"),
            '\n' => word.push_str("\\n"),
            '\t' => word.push_str("\\t"),
            '\r' => word.push_str("\\r"),
            // Bytes rather than `\u`, whose meaning depends on the locale.
            c if c.is_control() || (!c.is_ascii() && !c.is_alphanumeric()) => {
                let mut buffer = [0; 4];
                for byte in c.encode_utf8(&mut buffer).bytes() {
                    // Writing to a String cannot fail.
                    let _ = write!(word, "\\x{byte:02x}");
                }
            }
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

/// `text` as the words of a comment, without the `#`: one line, no control or invisible formatting character, not
/// longer than `limit` characters, and not a directive to shellcheck. May be empty.
pub fn comment(text: &str, limit: usize) -> String {
    // Bounded before anything else: evidence may be a line of a megabyte.
    let visible: String = text
        .chars()
        .take(limit.saturating_mul(4))
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    let mut line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > limit {
        let kept: String = line.chars().take(limit.saturating_sub(1)).collect();
        line = format!("{}…", kept.trim_end());
    }
    let bare = line.trim_start_matches('#').trim_start();
    if bare.starts_with("shellcheck") || line.starts_with('!') {
        line.insert_str(0, "- ");
    }
    line
}

/// Control characters, and the format characters of Unicode that reorder or hide what stands around them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A name for a directory of its own, from a repository's name: letters, digits, `.`, `_` and `-`.
pub fn slug(name: &str) -> String {
    let slug: String = name
        .chars()
        .take(64)
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '-' => c,
            _ => '-',
        })
        .collect();
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "repository" } else { slug }.to_owned()
}

/// Whether Bash takes `name` as a variable's name.
pub fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    #[test]
    fn ordinary_words_stay_readable() {
        assert_eq!(quote("build/x").as_deref(), Ok("build/x"));
        assert_eq!(quote("a b").as_deref(), Ok("'a b'"));
        assert_eq!(quote("").as_deref(), Ok("''"));
        assert_eq!(quote("$(id)\n").as_deref(), Ok("$'$(id)\\n'"));
        assert_eq!(quote("~/x").as_deref(), Ok("$'~/x'"));
        assert_eq!(quote("a\0b"), Err(NulError));
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(comment("a\nrm -rf /\u{202e}x", 60), "a rm -rf / x");
        assert_eq!(
            comment("shellcheck disable=all", 60),
            "- shellcheck disable=all"
        );
        assert_eq!(
            comment("# shellcheck disable=all", 60),
            "- # shellcheck disable=all"
        );
        assert_eq!(comment("abcdef", 4), "abc…");
        assert_eq!(comment(" \r\n ", 9), "");
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("json-c"), "json-c");
        assert_eq!(slug("../$(x) y"), "x--y");
        assert_eq!(slug(".."), "repository");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_quoted_word_comes_back_byte_by_byte(values in prop::collection::vec("[^\0]{0,12}", 1..8)) {
            let words: Vec<String> = values.iter().map(|v| quote(v).expect("no NUL")).collect();
            let text = format!("printf '%s\\0' {}", words.join(" "));
            prop_assert!(!text.contains('\n'));
            let output = Command::new("bash").args(["-c", &text]).output().expect("bash");
            prop_assert_eq!(output.stdout, (values.join("\0") + "\0").into_bytes());
        }

        #[test]
        fn a_comment_is_one_line(text in any::<String>()) {
            let line = comment(&text, 60);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(line.chars().count() <= 62);
        }
    }
}
