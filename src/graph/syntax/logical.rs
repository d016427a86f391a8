//! Logical lines of Python (The Python Language Reference, 2.1): physical ones joined by brackets, backslashes and
//! long strings, with comments left out.

/// A logical line. Positions are offsets into the text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Logical {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Of the physical line it begins on; counts from 1.
    pub(super) line: u32,
    /// Columns before it, a tab to the next multiple of eight.
    pub(super) indent: usize,
    /// The first colon outside of brackets that is no part of `:=` or of a `lambda`.
    pub(super) colon: Option<usize>,
    /// Semicolons outside of brackets.
    pub(super) semicolons: Vec<usize>,
    /// Identifiers before a bracket with the string that follows it first: `import_module("a")`.
    pub(super) calls: Vec<(&'static str, usize, usize)>,
}

/// What was begun on a logical line and not ended.
#[derive(Default)]
struct Open {
    brackets: usize,
    /// Each has a colon to come.
    lambdas: usize,
}

/// Functions whose first argument names a module.
const CALLS: [&str; 3] = ["import_module", "__import__", "importorskip"];

/// Statements that no bracket can hold: one at the head of a line ends a bracket that was never closed.
const NEVER_INSIDE: [&[u8]; 5] = [b"def ", b"class ", b"import ", b"@", b"async def "];

/// Reads a text by logical lines.
pub(super) struct Lines<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// Whether any of [`CALLS`] occurs in the text.
    calls: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let holds = |name: &&str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            calls: CALLS.iter().any(holds),
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The column of the next line that is neither blank nor a comment.
    fn indent(&mut self) -> Option<usize> {
        let mut column = 0;
        loop {
            match self.bytes.get(self.at)? {
                b' ' => column += 1,
                b'\t' => column = column / 8 * 8 + 8,
                b'\r' | 0x0c => {}
                b'\n' => {
                    self.line += 1;
                    column = 0;
                }
                b'#' => {
                    self.skip_line();
                    continue;
                }
                _ => return Some(column),
            }
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    pub(super) fn next(&mut self) -> Option<Logical> {
        let indent = self.indent()?;
        let mut logical = Logical {
            start: self.at,
            line: self.line,
            indent,
            ..Logical::default()
        };
        let mut open = Open::default();
        logical.end = loop {
            match self.bytes.get(self.at) {
                None => break self.at,
                Some(b'\n') => {
                    let end = self.at;
                    self.at += 1;
                    self.line += 1;
                    if open.brackets == 0 || self.is_never_inside() {
                        break end;
                    }
                }
                Some(b'#') => {
                    let end = self.at;
                    self.skip_line();
                    if open.brackets == 0 {
                        break end;
                    }
                }
                Some(b'"' | b'\'') => self.string(),
                Some(b'\\') => self.backslash(),
                Some(byte) => {
                    self.code(*byte, &mut logical, &mut open);
                    self.at += 1;
                }
            }
        };
        Some(logical)
    }

    /// Joins two lines, or stands for an error.
    fn backslash(&mut self) {
        let step = if self.peek(1) == b'\r' { 3 } else { 2 };
        self.line += u32::from(self.bytes.get(self.at + step - 1) == Some(&b'\n'));
        self.at += step;
    }

    fn code(&self, byte: u8, logical: &mut Logical, open: &mut Open) {
        match byte {
            b'(' | b'[' | b'{' => open.brackets += 1,
            b')' | b']' | b'}' => open.brackets = open.brackets.saturating_sub(1),
            b';' if open.brackets == 0 => logical.semicolons.push(self.at),
            b':' if open.brackets == 0 => self.colon(logical, open),
            b'l' if open.brackets == 0 && self.is_lambda() => open.lambdas += 1,
            b'_' | b'i' if self.calls => self.call(logical),
            _ => {}
        }
    }

    fn is_never_inside(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        NEVER_INSIDE.iter().any(|word| rest.starts_with(word))
    }

    fn colon(&self, logical: &mut Logical, open: &mut Open) {
        if self.peek(1) == b'=' {
            return;
        }
        if open.lambdas > 0 {
            open.lambdas -= 1;
        } else if logical.colon.is_none() {
            logical.colon = Some(self.at);
        }
    }

    fn begins_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        before.is_none_or(|byte| !is_word(*byte))
    }

    fn is_lambda(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let after = rest.get(6).copied().unwrap_or(0);
        rest.starts_with(b"lambda") && !is_word(after) && self.begins_word()
    }

    /// Takes note of a call of [`CALLS`] whose first argument is one plain string.
    fn call(&self, logical: &mut Logical) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(name) = CALLS.iter().find(|name| rest.starts_with(**name)) else {
            return;
        };
        let inner = rest.get(name.len()..).unwrap_or_default().trim_start();
        let Some(argument) = inner.strip_prefix('(').map(str::trim_start) else {
            return;
        };
        let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (Some(quote), true) = (quote, self.begins_word()) else {
            return;
        };
        let start = self.text.len() - argument.len() + 1;
        let string = argument.get(1..).unwrap_or_default();
        if let Some(size) = string.find(quote)
            && logical.calls.len() < 100
        {
            logical.calls.push((name, start, start + size));
        }
    }

    /// A string; one in single quotes ends with its line at the latest.
    fn string(&mut self) {
        let quote = self.peek(0);
        if self.peek(1) == quote && self.peek(2) == quote {
            return self.long_string(quote);
        }
        let (end, lines) = super::quoted::end(self.bytes, self.at);
        (self.at, self.line) = (end, self.line + lines);
    }

    fn long_string(&mut self, quote: u8) {
        self.at += 3;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(size) = memchr::memchr3(quote, b'\\', b'\n', rest) else {
                self.at = self.bytes.len();
                return;
            };
            self.at += size;
            match self.peek(0) {
                b'\n' => self.line += 1,
                b'\\' => {
                    self.line += u32::from(self.peek(1) == b'\n');
                    self.at += 1;
                }
                _ if self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
