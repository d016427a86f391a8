//! Words, strings and signs of a programming language, for manifests that are programs (`build.gradle`, `Gemfile`,
//! `mix.exs`, `Package.swift`): enough to see what is called with which literals, without running them.

/// What a language writes comments and strings with.
pub struct Syntax {
    pub line_comments: &'static [&'static str],
    pub block_comments: &'static [(&'static str, &'static str)],
    pub quotes: &'static [char],
    /// Characters of a word besides letters, digits and `_`.
    pub word: &'static [char],
}

/// C and its kin: Groovy, Kotlin, Scala, Swift, Go.
pub const CURLY: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: &['"', '\''],
    word: &[],
};
/// Ruby, Elixir, Perl, Starlark, opam.
pub const HASH: Syntax = Syntax {
    line_comments: &["#"],
    block_comments: &[],
    quotes: &['"', '\''],
    word: &['?', '!'],
};
pub const LUA: Syntax = Syntax {
    line_comments: &["--"],
    block_comments: &[("--[[", "]]")],
    quotes: &['"', '\''],
    word: &[],
};
pub const ERLANG: Syntax = Syntax {
    line_comments: &["%"],
    block_comments: &[],
    quotes: &['"', '\''],
    word: &['@'],
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A string literal; escapes are kept but for the quote's own.
    Text,
    Number,
    /// One character.
    Sign,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub text: String,
    pub line: u32,
    /// Brackets around it.
    pub depth: u32,
}

/// Tokens of one file that are kept.
const MAX_TOKENS: usize = 200_000;

/// Brackets within each other; what stands deeper, and behind it, is not looked at. It bounds what [`inside`] costs when
/// it is called at every bracket.
const MAX_DEPTH: u32 = 200;

/// Characters of a literal that are kept.
const MAX_TEXT: usize = 2000;

impl Token {
    pub fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub fn word(&self) -> Option<&str> {
        (self.kind == Kind::Word).then_some(self.text.as_str())
    }

    pub fn literal(&self) -> Option<&str> {
        (self.kind == Kind::Text).then_some(self.text.as_str())
    }
}

pub fn tokens(text: &str, syntax: &Syntax) -> Vec<Token> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        depth: 0,
        found: Vec::new(),
    };
    while lexer.found.len() < MAX_TOKENS && lexer.depth <= MAX_DEPTH && lexer.step(syntax) {}
    lexer.found
}

struct Lexer<'t> {
    rest: &'t str,
    line: u32,
    depth: u32,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn step(&mut self, syntax: &Syntax) -> bool {
        let Some(c) = self.rest.chars().next() else {
            return false;
        };
        if c.is_whitespace() {
            self.skip(c.len_utf8());
        } else if let Some((open, close)) = syntax
            .block_comments
            .iter()
            .find(|(open, _)| self.rest.starts_with(open))
        {
            let inner = self.rest.get(open.len()..).unwrap_or_default();
            let end = inner.find(close).map_or(inner.len(), |at| at + close.len());
            self.skip(open.len() + end);
        } else if syntax
            .line_comments
            .iter()
            .any(|mark| self.rest.starts_with(mark))
        {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if syntax.quotes.contains(&c) {
            self.string(c);
        } else if c.is_ascii_digit() {
            self.run(Kind::Number, |c| {
                c.is_ascii_alphanumeric() || matches!(c, '.' | '_')
            });
        } else if c.is_alphabetic() || c == '_' {
            let extra = syntax.word;
            self.run(Kind::Word, |c| {
                c.is_alphanumeric() || c == '_' || extra.contains(&c)
            });
        } else {
            self.sign(c);
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        let (done, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let lines = done.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.rest = rest;
    }

    fn push(&mut self, kind: Kind, text: &str) {
        self.found.push(Token {
            kind,
            text: text.chars().take(MAX_TEXT).collect(),
            line: self.line,
            depth: self.depth,
        });
    }

    fn run(&mut self, kind: Kind, belongs: impl Fn(char) -> bool) {
        let text = self.rest;
        let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
        self.push(kind, text.get(..end).unwrap_or_default());
        self.skip(end.max(1));
    }

    fn string(&mut self, quote: char) {
        let triple = quote.to_string().repeat(3);
        let fence = if self.rest.starts_with(&triple) {
            triple.as_str()
        } else {
            triple.get(..1).unwrap_or_default()
        };
        let inner = self.rest.get(fence.len()..).unwrap_or_default();
        let mut text = String::new();
        let mut end = inner.len();
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            if !escaped && inner.get(at..).is_some_and(|rest| rest.starts_with(fence)) {
                end = at + fence.len();
                break;
            }
            // An unclosed quote ends with its line, so that it hides no more than that.
            if c == '\n' && fence.len() == 1 && quote == '\'' {
                end = at;
                break;
            }
            if escaped && c != quote {
                text.push('\\');
            }
            escaped = c == '\\' && !escaped;
            if !escaped {
                text.push(c);
            }
        }
        self.push(Kind::Text, &text);
        self.skip(fence.len() + end);
    }

    fn sign(&mut self, c: char) {
        if matches!(c, ')' | ']' | '}') {
            self.depth = self.depth.saturating_sub(1);
        }
        self.push(Kind::Sign, c.encode_utf8(&mut [0; 4]));
        if matches!(c, '(' | '[' | '{') {
            self.depth = self.depth.saturating_add(1);
        }
        self.skip(c.len_utf8());
    }
}

/// The tokens of a call or block from its opening bracket at `at`, without the brackets.
pub fn inside(tokens: &[Token], at: usize) -> &[Token] {
    let Some(open) = tokens.get(at) else {
        return &[];
    };
    let rest = tokens.get(at + 1..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|token| token.depth <= open.depth)
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Whether `words` stand at `at`.
pub fn starts(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    words
        .iter()
        .zip(at..)
        .all(|(word, at)| tokens.get(at).is_some_and(|token| token.is(word)))
        && !words.is_empty()
}

/// At most `count` tokens from `at` on.
pub fn near(tokens: &[Token], at: usize, count: usize) -> &[Token] {
    let rest = tokens.get(at..).unwrap_or_default();
    rest.get(..count).unwrap_or(rest)
}

/// The literal behind the word at `at`, over at most three signs.
pub fn literal_after(tokens: &[Token], at: usize) -> Option<&Token> {
    let rest = tokens.get(at + 1..)?;
    rest.iter()
        .take(4)
        .take_while(|token| token.kind == Kind::Text || token.kind == Kind::Sign)
        .find(|token| token.kind == Kind::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, syntax: &Syntax) -> String {
        let one = |token: &Token| match token.kind {
            Kind::Text => format!("{}:<{}>", token.line, token.text),
            _ => format!("{}:{}", token.line, token.text),
        };
        let all: Vec<String> = tokens(text, syntax).iter().map(one).collect();
        all.join(" ")
    }

    #[test]
    fn words_strings_and_comments() {
        assert_eq!(
            shown(
                "a.b('x\\'y') // c\n/* \" \n*/ v = \"\"\"p\n\"q\" \"\"\" 1.8",
                &CURLY
            ),
            "1:a 1:. 1:b 1:( 1:<x'y> 1:) 3:v 3:= 3:<p\n\"q\" > 4:1.8"
        );
        assert_eq!(
            shown("gem 'a', :b # 'c'\nd?", &HASH),
            "1:gem 1:<a> 1:, 1:: 1:b 2:d?"
        );
        assert_eq!(shown("--[[ x\n]] y = 'it", &LUA), "2:y 2:= 2:<it>");
        let all = tokens("f(a[1], b) c", &CURLY);
        let texts: Vec<&str> = inside(&all, 1).iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["a", "[", "1", "]", ",", "b"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(\\PC|[\"'(){}\\[\\]/*#%\\\\\n-]){0,200}") {
            for syntax in [&CURLY, &HASH, &LUA, &ERLANG] {
                for (at, _) in tokens(&text, syntax).iter().enumerate() {
                    inside(&tokens(&text, syntax), at);
                }
            }
        }
    }
}
