//! Text to tokens.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Name(String),
    Text(String),
    /// `f'…@x@…'`: known only where names are.
    Format(String),
    Number(String),
    /// One or two characters of punctuation.
    Mark(&'static str),
    Newline,
}

const MAX_TOKENS: usize = 400_000;
const MARKS: [&str; 22] = [
    "==", "!=", "<=", ">=", "+=", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "<", ">", "+",
    "-", "*", "/", "?",
];

pub fn lex(text: &str) -> Vec<(Token, u32)> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1_u32;
    let mut depth = 0_u32;
    while let Some(c) = rest.chars().next().filter(|_| tokens.len() < MAX_TOKENS) {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\n' => {
                // Inside of brackets a line end is a blank.
                if depth == 0 {
                    tokens.push((Token::Newline, line));
                }
                line += 1;
                rest = after;
            }
            '#' => {
                rest = after
                    .find('\n')
                    .and_then(|at| after.get(at..))
                    .unwrap_or_default()
            }
            '\\' => {
                // A backslash joins lines.
                rest = match after.strip_prefix('\n') {
                    Some(joined) => {
                        line += 1;
                        joined
                    }
                    None => after,
                };
            }
            '\'' => rest = string(rest, false, &mut line, &mut tokens),
            'f' if after.starts_with('\'') => rest = string(after, true, &mut line, &mut tokens),
            _ if c.is_ascii_alphanumeric() || c == '_' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len());
                let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
                let number = c.is_ascii_digit();
                let word = word.to_owned();
                tokens.push((
                    if number {
                        Token::Number(word)
                    } else {
                        Token::Name(word)
                    },
                    line,
                ));
                rest = tail;
            }
            _ => match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                Some(mark) => {
                    depth += u32::from(matches!(*mark, "(" | "[" | "{"));
                    depth -= u32::from(matches!(*mark, ")" | "]" | "}") && depth > 0);
                    tokens.push((Token::Mark(mark), line));
                    rest = rest.get(mark.len()..).unwrap_or_default();
                }
                None => rest = after,
            },
        }
    }
    tokens
}

/// A string at the start of `rest`; returns what follows. An unterminated one ends with its line (or the text).
fn string<'t>(
    rest: &'t str,
    format: bool,
    line: &mut u32,
    tokens: &mut Vec<(Token, u32)>,
) -> &'t str {
    let start = *line;
    let make = |text: String| {
        if format {
            Token::Format(text)
        } else {
            Token::Text(text)
        }
    };
    if let Some(body) = rest.strip_prefix("'''") {
        let end = body.find("'''").unwrap_or(body.len());
        let content = body.get(..end).unwrap_or_default();
        *line += u32::try_from(content.matches('\n').count()).unwrap_or(0);
        tokens.push((make(content.to_owned()), start));
        return body.get(end + 3..).unwrap_or_default();
    }
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => {
                tokens.push((make(text), start));
                return rest.get(at + 1..).unwrap_or_default();
            }
            '\n' => {
                tokens.push((make(text), start));
                return rest.get(at..).unwrap_or_default();
            }
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped @ ('\\' | '\''))) => text.push(escaped),
                Some((at, '\n')) => return rest.get(at..).unwrap_or_default(),
                Some((_, other)) => text.extend(['\\', other]),
                None => {}
            },
            _ => text.push(c),
        }
    }
    tokens.push((make(text), start));
    ""
}
