//! Macro calls in `configure.ac` (GNU M4 with Autoconf's quotes) and the shell text between them. Nothing is
//! expanded: a call is a name and the raw text of its arguments.

/// A macro call with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub args: Vec<Arg>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arg {
    /// Without one level of quotes and surrounding white space.
    pub text: String,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Call(Call),
    /// A line of shell text between calls (comments removed), at most [`MAX_SHELL`] bytes of it.
    Shell(String, u32),
}

const MAX_PIECES: usize = 50_000;
const MAX_SHELL: usize = 4000;

/// The pieces of a text in order. `first` is the number of its first line.
pub fn scan(text: &str, first: u32) -> Vec<Piece> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        text,
        at: 0,
        line: first,
        pieces: Vec::new(),
        shell: String::new(),
        shell_line: first,
    };
    while scanner.at < scanner.bytes.len() && scanner.pieces.len() < MAX_PIECES {
        scanner.step();
    }
    scanner.flush();
    scanner.pieces
}

struct Scanner<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    line: u32,
    pieces: Vec<Piece>,
    shell: String,
    shell_line: u32,
}

impl Scanner<'_> {
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        if self.byte() == Some(b'\n') {
            self.line = self.line.saturating_add(1);
        }
        self.at += 1;
    }

    fn flush(&mut self) {
        let shell = std::mem::take(&mut self.shell);
        if !shell.trim().is_empty() {
            self.pieces
                .push(Piece::Shell(shell.trim().to_owned(), self.shell_line));
        }
        self.shell_line = self.line;
    }

    fn step(&mut self) {
        let start = self.at;
        match self.byte() {
            Some(b'\n') => {
                self.flush();
                self.bump();
                self.shell_line = self.line;
            }
            Some(b'#') if self.starts_comment() => self.skip_line(),
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.word(),
            Some(_) => {
                self.bump();
                while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                self.push(start);
            }
            None => {}
        }
    }

    fn push(&mut self, start: usize) {
        if self.shell.len() < MAX_SHELL {
            self.shell
                .push_str(self.text.get(start..self.at).unwrap_or_default());
        }
    }

    /// `#` after a blank; `$#` and `x#y` are shell text.
    fn starts_comment(&self) -> bool {
        self.at == 0
            || self
                .bytes
                .get(self.at - 1)
                .is_some_and(u8::is_ascii_whitespace)
    }

    fn skip_line(&mut self) {
        while self.byte().is_some_and(|c| c != b'\n') {
            self.at += 1;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self
            .byte()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_')
        {
            self.at += 1;
        }
        let word = self.text.get(start..self.at).unwrap_or_default();
        if word == "dnl" {
            return self.skip_line();
        }
        let is_macro = word.contains('_')
            && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && !word.contains(|c: char| c.is_ascii_lowercase())
            || word.starts_with("m4_")
            || word.starts_with("gl_");
        if !is_macro {
            return self.push(start);
        }
        let name = word.to_owned();
        let line = self.line;
        if self.byte() == Some(b'(') {
            self.flush();
            self.bump();
            let args = self.args();
            self.pieces.push(Piece::Call(Call { name, args, line }));
            self.shell_line = self.line;
        } else if self.shell.trim().is_empty()
            && matches!(self.byte(), None | Some(b'\n' | b'\r' | b' ' | b'\t'))
        {
            self.pieces.push(Piece::Call(Call {
                name,
                args: Vec::new(),
                line,
            }));
        } else {
            self.push(start);
        }
    }

    /// Arguments up to the closing parenthesis; the end of the text closes everything.
    fn args(&mut self) -> Vec<Arg> {
        let mut args = Vec::new();
        let (mut quotes, mut parens) = (0_u32, 0_u32);
        let mut start = self.at;
        let mut line = self.line;
        while let Some(c) = self.byte() {
            let end = match c {
                b'[' => {
                    quotes += 1;
                    false
                }
                b']' => {
                    quotes = quotes.saturating_sub(1);
                    false
                }
                b'(' if quotes == 0 => {
                    parens += 1;
                    false
                }
                b')' if quotes == 0 && parens > 0 => {
                    parens -= 1;
                    false
                }
                b')' if quotes == 0 => true,
                b',' if quotes == 0 && parens == 0 => true,
                _ => false,
            };
            if end {
                args.push(self.arg(start, line));
                self.bump();
                if c == b')' || args.len() > 1000 {
                    return args;
                }
                start = self.at;
                line = self.line;
                continue;
            }
            self.bump();
        }
        args.push(self.arg(start, line));
        args
    }

    fn arg(&self, start: usize, mut line: u32) -> Arg {
        let raw = self.text.get(start..self.at).unwrap_or_default();
        let mut text = without_dnl(raw);
        let lead = text.len() - text.trim_start().len();
        line +=
            u32::try_from(text.get(..lead).unwrap_or_default().matches('\n').count()).unwrap_or(0);
        text = text.trim().to_owned();
        if let Some(inner) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            && closes_at_end(&text)
        {
            let lead = inner.len() - inner.trim_start().len();
            line += u32::try_from(inner.get(..lead).unwrap_or_default().matches('\n').count())
                .unwrap_or(0);
            return Arg {
                text: inner.trim().to_owned(),
                line,
            };
        }
        Arg { text, line }
    }
}

/// An argument may start with a `dnl` comment; its line end stays so that lines can be counted.
fn without_dnl(raw: &str) -> String {
    match raw.trim_start().strip_prefix("dnl") {
        Some(rest) if rest.starts_with([' ', '\n', '\t']) => {
            let kept = rest
                .find('\n')
                .and_then(|at| rest.get(at..))
                .unwrap_or_default();
            let lead = raw.len() - raw.trim_start().len();
            format!("{}{kept}", raw.get(..lead).unwrap_or_default())
        }
        _ => raw.to_owned(),
    }
}

/// Whether the quote that opens a text is closed by its last character.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0_i64;
    for (at, c) in text.bytes().enumerate() {
        depth += i64::from(c == b'[') - i64::from(c == b']');
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_shell_text() {
        let text = "AC_INIT([a, b], 1.0)\ndnl AC_NO(x)\nif test \"x$y\" = xyes; then # AC_NO(z)\n  AC_CHECK_LIB(z, [f(a,b)],\n    [ok], [AC_MSG_ERROR([no])])\nfi\nLT_INIT\n";
        let shown: Vec<String> = scan(text, 1)
            .into_iter()
            .map(|piece| match piece {
                Piece::Shell(text, line) => format!("{line}:{text}"),
                Piece::Call(call) => {
                    let args: Vec<String> = call
                        .args
                        .iter()
                        .map(|arg| format!("{}@{}", arg.text, arg.line))
                        .collect();
                    format!("{}:{}({})", call.line, call.name, args.join("|"))
                }
            })
            .collect();
        assert_eq!(
            shown,
            [
                "1:AC_INIT(a, b@1|1.0@1)",
                "3:if test \"x$y\" = xyes; then",
                "4:AC_CHECK_LIB(z@4|f(a,b)@4|ok@5|AC_MSG_ERROR([no])@5)",
                "6:fi",
                "7:LT_INIT()",
            ]
        );
    }

    #[test]
    fn unterminated_calls_end_with_the_text() {
        scan(&format!("AC_INIT({}", "[".repeat(200_000)), 1);
        scan(&"AC_INIT(".repeat(20_000), 1);
        scan(&"x".repeat(5 << 20), 1);
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|AC_A\\(|[\\[\\](),#\n ]|dnl ){0,150}") {
            scan(&text, 1);
        }
    }
}
