//! Shell text taken apart: statements, and the simple commands within them.
//!
//! A small scanner of its own rather than the grammar of Bash, because the texts are of strangers: the grammar's
//! external scanner (version 0.25.1) can be made to crash by odd input, and a crash in C takes the whole process along.
//! What it does not understand stays one compound statement, which is taken or left as a whole.

/// Bytes of one block that are read; longer ones are not commands that a person types.
pub const MAX_TEXT: usize = 16 << 10;

/// A statement of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    /// A loop, a condition, a pipeline, a here-document: kept in one piece.
    pub compound: bool,
}

/// Words after which a statement goes on to a closing word, and those closing words.
const OPENING: [&str; 7] = ["if", "for", "while", "until", "case", "select", "{"];
const CLOSING: [&str; 4] = ["fi", "done", "esac", "}"];
/// Words that stand before a command inside a compound statement.
const INNER: [&str; 12] = [
    "if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "fi", "done",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// `;`, `&&` or a new line: one statement ends and another begins.
    End,
    /// `||`, `|` or `&`: the parts stay one statement.
    Join,
    /// `(` or `)`.
    Paren(i32),
    HereDocument,
}

/// The statements of a block, one after another; `a && b` are two. `None` where the text is not shell (a quote or a
/// bracket stays open), or longer than [`MAX_TEXT`]. A block that defines functions is one statement.
pub fn statements(text: &str) -> Option<Vec<Statement>> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let tokens = scan(text)?;
    let whole = || {
        let text = text.trim().to_owned();
        Some(vec![Statement {
            text,
            compound: true,
        }])
    };
    if tokens
        .iter()
        .any(|(token, ..)| *token == Token::HereDocument)
        || defines_function(text)
    {
        return whole();
    }
    let mut found = Vec::new();
    let (mut start, mut parens, mut depth, mut part) = (0, 0, 0, 0);
    let mut compound = false;
    let end = (Token::End, text.len(), text.len());
    for (token, from, to) in tokens.into_iter().chain([end]) {
        let piece = text.get(part..from).unwrap_or_default();
        depth += blocks(piece);
        part = to;
        match token {
            Token::Paren(by) => {
                // `a)` of a `case` closes nothing.
                if by > 0 || parens > 0 || depth == 0 {
                    parens += by;
                }
                compound = true;
            }
            Token::Join => compound = true,
            Token::End if parens == 0 && depth == 0 => {
                push(
                    &mut found,
                    text.get(start..from).unwrap_or_default(),
                    compound,
                );
                start = to;
                compound = false;
            }
            Token::End | Token::HereDocument => compound = true,
        }
    }
    (parens == 0 && depth == 0).then_some(found)
}

fn push(found: &mut Vec<Statement>, text: &str, compound: bool) {
    let text = text.trim();
    if !text.is_empty() && !text.starts_with('#') {
        found.push(Statement {
            text: text.to_owned(),
            compound,
        });
    }
}

/// Blocks that a piece opens, less those that it closes.
fn blocks(piece: &str) -> i32 {
    let mut depth = 0;
    for word in piece.split_whitespace() {
        if OPENING.contains(&word) {
            depth += 1;
        } else if CLOSING.contains(&word) {
            depth -= 1;
        } else if !INNER.contains(&word) {
            break;
        }
    }
    depth
}

fn defines_function(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let name = line
            .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .next();
        let rest = line
            .get(name.map_or(0, str::len)..)
            .unwrap_or_default()
            .trim_start();
        line.starts_with("function ") || rest.starts_with("()")
    })
}

/// Operators outside of quotes, comments and substitutions, each with where it begins and ends.
fn scan(text: &str) -> Option<Vec<(Token, usize, usize)>> {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let next = match at(i) {
            b'\\' => i + 2,
            b'\'' => close(bytes, i + 1, b'\'', false)?,
            b'"' => close(bytes, i + 1, b'"', true)?,
            b'`' => close(bytes, i + 1, b'`', true)?,
            b'$' if matches!(at(i + 1), b'(' | b'{') => substitution(bytes, i + 1)?,
            b'#' if i == 0 || at(i - 1).is_ascii_whitespace() => {
                let rest = bytes.get(i..).unwrap_or_default();
                i + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
            }
            b'<' if at(i + 1) == b'<' && at(i + 2) != b'<' => {
                tokens.push((Token::HereDocument, i, i + 2));
                i + 2
            }
            b'>' | b'<' if matches!(at(i + 1), b'&' | b'|') => i + 2,
            byte => {
                if let Some((token, length)) = operator(byte, at(i + 1)) {
                    tokens.push((token, i, i + length));
                    i + length
                } else {
                    i + 1
                }
            }
        };
        i = next;
    }
    Some(tokens)
}

fn operator(byte: u8, next: u8) -> Option<(Token, usize)> {
    Some(match (byte, next) {
        (b'\n', _) => (Token::End, 1),
        (b';', b';') => (Token::Join, 2),
        (b';', _) => (Token::End, 1),
        (b'&', b'&') => (Token::End, 2),
        (b'&', b'>') => return None,
        (b'|', b'|' | b'&') => (Token::Join, 2),
        (b'|' | b'&', _) => (Token::Join, 1),
        (b'(', _) => (Token::Paren(1), 1),
        (b')', _) => (Token::Paren(-1), 1),
        _ => return None,
    })
}

/// Just behind the closing quote.
fn close(bytes: &[u8], from: usize, quote: u8, escapes: bool) -> Option<usize> {
    let mut i = from;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'\\' if escapes => i += 1,
            byte if *byte == quote => return Some(i + 1),
            _ => {}
        }
        i += 1;
    }
    None
}

/// Just behind a `$(…)` or `${…}`, by counting brackets.
fn substitution(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (i, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The simple commands of a compound statement, its keywords removed. A here-document's lines are among them:
/// better one line too many is judged than one too few.
pub fn simple_commands(text: &str) -> Vec<String> {
    let Some(tokens) = scan(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut start = 0;
    let end = (Token::End, text.len(), text.len());
    for (_, from, to) in tokens.into_iter().chain([end]) {
        let mut piece = text.get(start..from).unwrap_or_default().trim();
        start = to;
        while let Some(rest) = INNER.iter().find_map(|word| {
            let rest = piece.strip_prefix(word)?;
            rest.starts_with(char::is_whitespace)
                .then(|| rest.trim_start())
        }) {
            piece = rest;
        }
        let empty = piece.is_empty()
            || piece.starts_with('#')
            || CLOSING.contains(&piece)
            || INNER.contains(&piece);
        if !empty && !piece.starts_with("for ") && !piece.starts_with("case ") {
            found.push(piece.to_owned());
        }
    }
    found
}

/// A value quoted where it needs it; empty for what no shell can hold (a NUL).
pub fn quote(value: &str) -> String {
    shlex::try_quote(value).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let found = statements(text).expect("is shell");
        found.into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn lines_and_conjunctions_are_statements() {
        assert_eq!(
            texts("# build\nmkdir build && cd build && cmake ..\nmake -j4; ctest # all\n"),
            [
                "mkdir build",
                "cd build",
                "cmake ..",
                "make -j4",
                "ctest # all"
            ]
        );
        assert_eq!(texts("pytest \\\n  tests\n"), ["pytest \\\n  tests"]);
        assert_eq!(
            texts("echo 'a && b; c' \"d; e\" $(f; g)"),
            ["echo 'a && b; c' \"d; e\" $(f; g)"]
        );
        assert_eq!(texts("make -j$(nproc) 2>&1"), ["make -j$(nproc) 2>&1"]);
        assert!(statements("make").is_some_and(|s| !s[0].compound));
    }

    #[test]
    fn what_belongs_together_stays() {
        for text in [
            "for x in a b; do\n  make $x\ndone",
            "make check || cat log",
            "t() { pytest \"$@\"; }\nt tests",
            "if [ -f x ]; then (cd y && make); fi",
            "(cd x; make)",
            "cat <<EOF > x\nrm -rf /\nEOF",
            "case $x in\n a) make;;\nesac",
            "while true; do if a; then b; fi; done",
        ] {
            assert_eq!(texts(text), [text]);
            assert!(statements(text).is_some_and(|s| s[0].compound), "{text}");
        }
        assert_eq!(
            simple_commands("if [ -f x ]; then (cd y && make); fi"),
            ["[ -f x ]", "cd y", "make"]
        );
        assert_eq!(
            simple_commands("make check | tee x"),
            ["make check", "tee x"]
        );
    }

    #[test]
    fn what_is_not_shell_is_nothing() {
        assert_eq!(statements("if x then ("), None);
        assert_eq!(statements("it's"), None);
        assert_eq!(statements("if make"), None);
        assert_eq!(statements(&"a;".repeat(MAX_TEXT)), None);
        assert_eq!(statements(&"(".repeat(8000)), None);
        assert_eq!(statements(&"$(".repeat(8000)), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_apart(text in ".{0,120}") {
            let _ = statements(&text);
            let _ = simple_commands(&text);
        }

        #[test]
        fn shell_like_text_is_taken_apart(text in "[a-c \n;&|(){}<>$'\"`\\\\#é]{0,60}") {
            for statement in statements(&text).unwrap_or_default() {
                proptest::prop_assert!(text.contains(&statement.text));
            }
            let _ = simple_commands(&text);
        }
    }
}
