//! `#include` lines with the `#if`s around them, without a tree: directives are lines (ISO C, 6.10), and finding
//! them needs no more than knowing where comments and literals are. Parsing whole files for them takes twenty
//! times as long, and a tree loses an `#if` whose branches do not each hold whole statements.

use crate::graph::ImportFacts;

use super::conditions::Conditions;
use super::guard::one_line;
use super::reading::{Imports, MAX_IMPORTS};

/// Includes of a text in order of appearance.
pub(super) fn imports(language: &'static str, text: &str) -> Vec<(u32, ImportFacts)> {
    let Some(end) = last_include(text.as_bytes()) else {
        return Vec::new();
    };
    let mut lines = Lines::new(text);
    let mut conditions = Conditions::default();
    let mut found: Vec<(u32, &str, bool, Vec<usize>)> = Vec::new();
    while let Some((line, at, directive)) = lines.next_directive() {
        if at > end && !conditions.awaits() {
            break;
        }
        let (name, rest) = split(&directive);
        match name {
            "include" if found.len() < MAX_IMPORTS => {
                // The target is taken from the text: within quotes `//` is no comment.
                let raw = text.get(at..).unwrap_or_default();
                if let Some((target, system)) = target(raw) {
                    found.push((line, target, system, conditions.open()));
                }
            }
            "define" => conditions.define(rest),
            _ => conditions.directive(name, rest),
        }
    }
    let mut kept = Imports::new(language);
    for (line, target, system, open) in found {
        kept.add(line, one_line(target), system, conditions.text(&open));
    }
    kept.found
}

/// Where the last line that may be an include begins.
fn last_include(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"include")
        .filter(|at| {
            let before = text.get(..*at).unwrap_or_default();
            let before = before.trim_ascii_end();
            before.ends_with(b"#") || before.ends_with(b"\\")
        })
        .last()
}

/// `include` and the rest of `include <x.h>`.
fn split(directive: &str) -> (&str, &str) {
    let end = directive
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(directive.len());
    let (name, rest) = directive.split_at(end);
    (name, rest.trim())
}

/// The file that a directive beginning at `#` names; a macro names none that is known here.
fn target(raw: &str) -> Option<(&str, bool)> {
    let rest = raw.get(raw.find("include")? + "include".len()..)?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let (close, system) = match rest.as_bytes().first()? {
        b'<' => ('>', true),
        b'"' => ('"', false),
        _ => return None,
    };
    let inner = rest.get(1..)?;
    let end = inner.find([close, '\n'])?;
    let target = inner.get(..end)?;
    (inner.as_bytes().get(end) == Some(&(close as u8))).then_some((target, system))
}

/// Reads a text by logical lines, and gives those that begin with `#`.
struct Lines<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// Only white space and comments were on the line so far.
    fresh: bool,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            fresh: true,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Line, offset of the `#`, and the directive after it with comments taken out and continued lines joined.
    fn next_directive(&mut self) -> Option<(u32, usize, String)> {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => self.newline(),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'#' if self.fresh => {
                    let (line, at) = (self.line, self.at);
                    self.at += 1;
                    return Some((line, at, self.directive()));
                }
                b'/' if matches!(self.peek(1), b'/' | b'*') => self.comment(),
                b'"' | b'\'' => self.literal(),
                _ => {
                    self.fresh = false;
                    self.skip_code();
                }
            }
        }
        None
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.fresh = true;
    }

    /// Goes on to the next byte that may begin something else than code.
    fn skip_code(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'"' | b'\'' | b'/' if !self.is_plain(*byte) => return,
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.line += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    /// A slash that begins no comment, or the separator in `1'000`.
    fn is_plain(&self, byte: u8) -> bool {
        match byte {
            b'/' => !matches!(self.peek(1), b'/' | b'*'),
            b'\'' => {
                let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
                before.is_some_and(u8::is_ascii_hexdigit) && self.peek(1).is_ascii_hexdigit()
            }
            _ => false,
        }
    }

    fn comment(&mut self) {
        let block = self.peek(1) == b'*';
        let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
        if !block {
            self.at += 2;
            self.skip_line();
            return;
        }
        let size = memchr::memmem::find(rest, b"*/").map_or(rest.len(), |at| at + 2);
        let inside = rest.get(..size).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', inside).count() as u32;
        self.at += 2 + size;
    }

    /// To the end of the logical line.
    fn skip_line(&mut self) {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(size) = memchr::memchr(b'\n', rest) else {
                self.at = self.bytes.len();
                return;
            };
            let line = rest.get(..size).unwrap_or_default();
            let continued = line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
            self.at += size;
            if !continued {
                return;
            }
            self.at += 1;
            self.line += 1;
        }
    }

    /// A string or character, which ends with its line at the latest; a raw string of C++ ends at its own mark.
    fn literal(&mut self) {
        self.fresh = false;
        let quote = self.peek(0);
        if quote == b'"' && self.is_raw() {
            return self.raw_string();
        }
        let (end, lines) = super::quoted::end(self.bytes, self.at);
        (self.at, self.line) = (end, self.line + lines);
    }

    /// Whether an `R` that is a prefix and not the end of a name stands before the quote.
    fn is_raw(&self) -> bool {
        let head = self.bytes.get(..self.at).unwrap_or_default();
        let start = head
            .iter()
            .rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let prefix = head.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
        matches!(prefix, b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
    }

    fn raw_string(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let mark = rest.split('(').next().unwrap_or_default();
        // At most 16 characters, none of them white space (ISO C++, [lex.string]).
        if mark.len() > 16 || mark.contains([' ', ')', '\\', '\n', '\t']) {
            self.at += 1;
            return;
        }
        let close = format!("){mark}\"");
        let size = memchr::memmem::find(rest.as_bytes(), close.as_bytes())
            .map_or(rest.len(), |at| at + close.len());
        let inside = rest.as_bytes().get(..size).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', inside).count() as u32;
        self.at += 1 + size;
    }

    /// The rest of a directive's logical line; a comment counts as a space.
    fn directive(&mut self) -> String {
        let mut text = String::new();
        let mut from = self.at;
        loop {
            let byte = self.peek(0);
            let comment = byte == b'/' && matches!(self.peek(1), b'/' | b'*');
            let continued = byte == b'\\' && self.is_continued();
            if !(comment || continued || byte == b'\n' || self.at >= self.bytes.len()) {
                match byte {
                    b'"' | b'\'' => self.literal(),
                    _ => self.at += 1,
                }
                continue;
            }
            text.push_str(self.text.get(from..self.at).unwrap_or_default());
            if comment {
                text.push(' ');
                self.comment();
            } else if continued {
                text.push(' ');
                self.at += if self.peek(1) == b'\r' { 3 } else { 2 };
                self.line += 1;
            } else {
                break;
            }
            from = self.at;
        }
        text.trim().to_owned()
    }

    fn is_continued(&self) -> bool {
        self.peek(1) == b'\n' || (self.peek(1) == b'\r' && self.peek(2) == b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        imports("c", text)
            .iter()
            .map(|(line, import)| {
                let (open, close) = if import.system {
                    ("<", ">")
                } else {
                    ("\"", "\"")
                };
                format!("{line} {open}{}{close} [{}]", import.target, import.guard)
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn comments_literals_and_continued_lines_are_told_apart() {
        let text = "/* #include <no.h>\n*/ #include <a.h>\nchar *s = \"/*\"; char c = '\"';\n#include \"b//c.h\" // x\n\
                    int n = 1'000'000;\n  #  include <d.h> /* y\n*/\n#define X \\\n#include <no.h>\n//\\\n#include <no.h>\n\
                    auto r = R\"x(\n#include <no.h>\n)\" )x\";\n#include <e.h>\n#include MACRO\n#include <unclosed\n";
        insta::assert_snapshot!(found(text), @r#"
        2 <a.h> []
        4 "b//c.h" []
        6 <d.h> []
        15 <e.h> []
        "#);
    }

    #[test]
    fn a_guard_that_is_defined_after_the_last_include_is_cancelled_too() {
        let text = "#ifndef A_H\n#include <a.h>\n#define A_H\n#endif\n#ifndef B\n#include <b.h>\n#endif\n#define B\n";
        insta::assert_snapshot!(found(text), @"
        2 <a.h> []
        6 <b.h> [!defined(B)]
        ");
    }

    #[test]
    fn branches_that_hold_no_whole_statements_are_no_trouble() {
        let text = "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\n#if B || \\\r\n  C\r\n#include <c.h>\r\n#endif\r\n";
        insta::assert_snapshot!(found(text), @"9 <c.h> [B || C]");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "([#/*\"'\\\\\n <>a-zR(){}é]|#if |#endif\n|#include <a.h>\n){0,60}") {
            let mut lines = Lines::new(&text);
            while lines.next_directive().is_some() {}
            proptest::prop_assert!(lines.at >= text.len());
            imports("c", &text);
        }
    }
}
