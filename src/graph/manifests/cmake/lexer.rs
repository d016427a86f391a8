//! The command language of CMake (cmake-language(7)): commands and their arguments, nothing evaluated.

use std::iter::Peekable;
use std::str::CharIndices;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Lower case: command names are not case-sensitive.
    pub name: String,
    pub args: Vec<Arg>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    pub text: String,
    pub kind: ArgKind,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// Split at `;` after expansion.
    Unquoted,
    Quoted,
    /// `[[…]]`: no expansion.
    Bracket,
    /// A parenthesis inside the arguments.
    Paren,
}

/// The commands of a file. What is not well-formed is skipped; an unterminated construct ends with the text.
pub fn parse(text: &str) -> Vec<Command> {
    let mut lexer = Lexer {
        text,
        chars: text.char_indices().peekable(),
        line: 1,
    };
    let mut commands = Vec::new();
    while commands.len() < MAX_COMMANDS {
        match lexer.command() {
            Some(command) => commands.push(command),
            None if lexer.chars.peek().is_none() => break,
            None => {}
        }
    }
    commands
}

const MAX_COMMANDS: usize = 20_000;
const MAX_ARGS: usize = 20_000;

struct Lexer<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    line: u32,
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let (_, c) = self.chars.next()?;
        if c == '\n' {
            self.line = self.line.saturating_add(1);
        }
        Some(c)
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|&(_, c)| c)
    }

    fn offset(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |&(at, _)| at)
    }

    fn rest(&mut self) -> &str {
        let at = self.offset();
        self.text.get(at..).unwrap_or_default()
    }

    fn command(&mut self) -> Option<Command> {
        self.blank();
        let line = self.line;
        let mut name = String::new();
        while let Some(c) = self
            .peek()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        {
            name.push(c.to_ascii_lowercase());
            self.bump();
        }
        if name.is_empty() {
            self.bump();
            return None;
        }
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.bump();
        }
        if self.peek() != Some('(') {
            return None;
        }
        self.bump();
        Some(Command {
            name,
            args: self.args(),
            line,
        })
    }

    fn args(&mut self) -> Vec<Arg> {
        let mut args = Vec::new();
        let mut depth = 0_u32;
        loop {
            self.blank();
            let line = self.line;
            let Some(c) = self.peek() else {
                return args;
            };
            let (text, kind) = match c {
                ')' if depth == 0 => {
                    self.bump();
                    return args;
                }
                '(' | ')' => {
                    self.bump();
                    depth = if c == '(' {
                        depth.saturating_add(1)
                    } else {
                        depth.saturating_sub(1)
                    };
                    (c.to_string(), ArgKind::Paren)
                }
                '"' => (self.quoted(), ArgKind::Quoted),
                '[' => match self.bracket() {
                    Some(text) => (text, ArgKind::Bracket),
                    None => (self.unquoted(), ArgKind::Unquoted),
                },
                _ => (self.unquoted(), ArgKind::Unquoted),
            };
            if args.len() < MAX_ARGS {
                args.push(Arg { text, kind, line });
            }
        }
    }

    /// White space and comments.
    fn blank(&mut self) {
        while let Some(c) = self.peek() {
            if c.is_whitespace() {
                self.bump();
            } else if c == '#' {
                self.bump();
                if self.peek() == Some('[') && self.bracket().is_some() {
                    continue;
                }
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            } else {
                return;
            }
        }
    }

    /// `[=*[ … ]=*]`; nothing is consumed where none opens here.
    fn bracket(&mut self) -> Option<String> {
        let rest = self.rest();
        let level = rest
            .strip_prefix('[')?
            .bytes()
            .take_while(|&b| b == b'=')
            .count();
        let open = level + 2;
        if rest.as_bytes().get(level + 1) != Some(&b'[') {
            return None;
        }
        let close = format!("]{}]", "=".repeat(level));
        let body = rest.get(open..).unwrap_or_default();
        let length = body.find(&close).unwrap_or(body.len());
        let content = body.get(..length).unwrap_or_default().to_owned();
        let stop = self.offset() + open + length + close.len();
        while self.chars.peek().is_some_and(|&(at, _)| at < stop) {
            self.bump();
        }
        Some(
            content
                .strip_prefix('\n')
                .map_or(content.clone(), str::to_owned),
        )
    }

    fn quoted(&mut self) -> String {
        let mut text = String::new();
        self.bump();
        while let Some(c) = self.bump() {
            match c {
                '"' => break,
                '\\' => self.escape(&mut text),
                _ => text.push(c),
            }
        }
        text
    }

    fn unquoted(&mut self) -> String {
        let mut text = String::new();
        // The first character is taken whatever it is, or a stray one would never be passed.
        let mut first = true;
        let mut references = 0_u32;
        while let Some(c) = self.peek() {
            let ends = c.is_whitespace() || matches!(c, '(' | ')' | '#');
            if ends && !first && references == 0 || c == '\n' {
                break;
            }
            first = false;
            self.bump();
            match c {
                '\\' => self.escape(&mut text),
                '"' => {
                    // `-Da="b c"` is one legacy argument.
                    while let Some(inner) = self.bump().filter(|c| *c != '"') {
                        text.push(inner);
                    }
                }
                '{' if text.ends_with('$') => {
                    references += 1;
                    text.push(c);
                }
                '}' => {
                    references = references.saturating_sub(1);
                    text.push(c);
                }
                _ => text.push(c),
            }
        }
        text
    }

    fn escape(&mut self, text: &mut String) {
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            // A list separator that is not one; what we read needs no difference.
            Some('\n') | None => {}
            Some(c) => text.push(c),
        }
    }
}

/// A word without the references that are not known.
pub fn without_unknown(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        parse(text)
            .into_iter()
            .map(|command| {
                let args: Vec<String> = command.args.into_iter().map(|arg| arg.text).collect();
                format!("{}:{} {}", command.line, command.name, args.join("|"))
            })
            .collect()
    }

    #[test]
    fn arguments_of_every_kind() {
        let text =
            "# c\nSet(A \"b c\" [=[x]]\n]=] ${D}/e) #[[ x()\n ]]\nif(NOT (A OR B))\nendif()\n";
        assert_eq!(
            shown(text),
            [
                "2:set A|b c|x]]\n|${D}/e",
                "5:if NOT|(|A|OR|B|)",
                "6:endif "
            ]
        );
    }

    #[test]
    fn unterminated_constructs_end_with_the_text() {
        for text in [
            "set(A \"b",
            "set(A [[b",
            "#[[ x",
            "set(",
            "set",
            "((((",
            "${",
            "set(A ${b",
            "\"\"\"",
            "set(\\",
        ] {
            parse(text);
        }
        parse(&format!("if({}", "(".repeat(500_000)));
        parse(&format!("set(A {})", "x".repeat(5 << 20)));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\[\\]=()\"#\\\\$\\{\\}\n ]){0,200}") {
            parse(&text);
        }
    }
}
