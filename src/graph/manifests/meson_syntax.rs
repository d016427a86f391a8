//! The language of `meson.build` (Meson's "Syntax" reference): lexer and expressions.

mod lexer;

use lexer::{Token, lex};

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Text(String),
    Format(String),
    Bool(bool),
    Number(String),
    Name(String),
    List(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Call(Box<Call>),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What a method is called on.
    pub object: Option<Expr>,
    pub name: String,
    pub args: Vec<Expr>,
    pub keywords: Vec<(String, Expr)>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// An expression that stands alone, or is assigned (`+=` with `true`).
    Expr(Expr),
    Assign(String, Expr, bool),
    If(Expr),
    Elif(Expr),
    Else,
    Endif,
    Foreach(Vec<String>, Expr),
    Endforeach,
}

const MAX_DEPTH: u8 = 60;

/// The statements of a file, each with its line. What is not well-formed is skipped to the end of its line.
pub fn parse(text: &str) -> Vec<(Statement, u32)> {
    let tokens = lex(text);
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
    };
    let mut statements = Vec::new();
    while parser.at < tokens.len() {
        let line = parser.line();
        let start = parser.at;
        if let Some(statement) = parser.statement() {
            statements.push((statement, line));
        }
        if parser.at == start || !matches!(parser.peek(), None | Some(Token::Newline)) {
            parser.skip_line();
        }
        parser.at += usize::from(matches!(parser.peek(), Some(Token::Newline)));
    }
    statements
}

struct Parser<'t> {
    tokens: &'t [(Token, u32)],
    at: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(0, |(_, line)| *line)
    }

    fn mark(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Mark(at)) if *at == mark);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(name)) if name == word);
        self.at += usize::from(found);
        found
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Newline)) {
            self.at += 1;
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        match self.peek()? {
            Token::Newline => None,
            Token::Name(word) => match word.as_str() {
                "if" | "elif" => {
                    self.at += 1;
                    let condition = self.expr(0);
                    Some(if word == "if" {
                        Statement::If(condition)
                    } else {
                        Statement::Elif(condition)
                    })
                }
                "else" | "endif" | "endforeach" => {
                    self.at += 1;
                    Some(match word.as_str() {
                        "else" => Statement::Else,
                        "endif" => Statement::Endif,
                        _ => Statement::Endforeach,
                    })
                }
                "foreach" => self.foreach(),
                _ => self.simple(),
            },
            _ => self.simple(),
        }
    }

    fn foreach(&mut self) -> Option<Statement> {
        self.at += 1;
        let mut names = Vec::new();
        while let Some(Token::Name(name)) = self.peek() {
            names.push(name.clone());
            self.at += 1;
            self.mark(",");
        }
        self.mark(":")
            .then(|| Statement::Foreach(names, self.expr(0)))
    }

    fn simple(&mut self) -> Option<Statement> {
        if let (Some(Token::Name(name)), Some((Token::Mark(mark @ ("=" | "+=")), _))) =
            (self.peek(), self.tokens.get(self.at + 1))
        {
            self.at += 2;
            return Some(Statement::Assign(name.clone(), self.expr(0), *mark == "+="));
        }
        Some(Statement::Expr(self.expr(0)))
    }

    /// `a ? b : c` and everything that binds tighter. Beyond [`MAX_DEPTH`] the rest of the line is unknown.
    fn expr(&mut self, depth: u8) -> Expr {
        if depth > MAX_DEPTH {
            self.skip_line();
            return Expr::Unknown;
        }
        let first = self.binary(depth, 0);
        if !self.mark("?") {
            return first;
        }
        self.expr(depth + 1);
        self.mark(":");
        self.expr(depth + 1);
        Expr::Unknown
    }

    fn binary(&mut self, depth: u8, level: usize) -> Expr {
        const LEVELS: [&[&str]; 5] = [
            &["or"],
            &["and"],
            &["==", "!=", "<", ">", "<=", ">=", "in"],
            &["+", "-"],
            &["*", "/"],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.unary(depth);
        };
        let mut left = self.binary(depth, level + 1);
        let mut operands = 0;
        while let Some(operator) = operators
            .iter()
            .find(|operator| self.mark(operator) || self.word(operator))
        {
            let right = self.binary(depth, level + 1);
            operands += 1;
            // A long chain nests to the left; its tail adds nothing that is read here.
            left = if operands > 200 {
                Expr::Unknown
            } else {
                Expr::Binary(operator, Box::new(left), Box::new(right))
            };
        }
        left
    }

    fn unary(&mut self, depth: u8) -> Expr {
        let mut negate = false;
        while self.word("not") {
            negate = !negate;
        }
        self.mark("-");
        let value = self.postfix(depth);
        if negate {
            Expr::Not(Box::new(value))
        } else {
            value
        }
    }

    fn postfix(&mut self, depth: u8) -> Expr {
        let line = self.line();
        let mut value = match (self.peek(), self.tokens.get(self.at + 1)) {
            (Some(Token::Name(name)), Some((Token::Mark("("), _))) => {
                self.at += 2;
                self.call(None, name.clone(), line, depth)
            }
            _ => self.primary(depth),
        };
        let mut links = 0;
        loop {
            if self.mark(".") {
                let Some(Token::Name(name)) = self.peek() else {
                    return Expr::Unknown;
                };
                self.at += 1;
                links += 1;
                let object = if links > 100 { Expr::Unknown } else { value };
                value = if self.mark("(") {
                    self.call(Some(object), name.clone(), line, depth)
                } else {
                    Expr::Unknown
                };
            } else if self.mark("[") {
                self.expr(depth + 1);
                self.mark("]");
                value = Expr::Unknown;
            } else {
                return value;
            }
        }
    }

    fn call(&mut self, object: Option<Expr>, name: String, line: u32, depth: u8) -> Expr {
        let mut call = Call {
            object,
            name,
            args: Vec::new(),
            keywords: Vec::new(),
            line,
        };
        loop {
            let start = self.at;
            if self.mark(")") || self.peek().is_none() {
                break;
            }
            if let (Some(Token::Name(key)), Some((Token::Mark(":"), _))) =
                (self.peek(), self.tokens.get(self.at + 1))
            {
                self.at += 2;
                call.keywords.push((key.clone(), self.expr(depth + 1)));
            } else {
                call.args.push(self.expr(depth + 1));
            }
            self.mark(",");
            if self.at == start {
                self.at += 1;
            }
        }
        Expr::Call(Box::new(call))
    }

    fn primary(&mut self, depth: u8) -> Expr {
        let Some(token) = self.peek() else {
            return Expr::Unknown;
        };
        match token {
            Token::Newline => return Expr::Unknown,
            Token::Mark("(") => {
                self.at += 1;
                let value = self.expr(depth + 1);
                self.mark(")");
                return value;
            }
            Token::Mark(open @ ("[" | "{")) => {
                self.at += 1;
                return self.collection(if *open == "[" { "]" } else { "}" }, depth);
            }
            // Left to whoever waits for it.
            Token::Mark(_) => return Expr::Unknown,
            _ => self.at += 1,
        }
        match token {
            Token::Text(text) => Expr::Text(text.clone()),
            Token::Format(text) => Expr::Format(text.clone()),
            Token::Number(text) => Expr::Number(text.clone()),
            Token::Name(name) => match name.as_str() {
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                _ => Expr::Name(name.clone()),
            },
            _ => Expr::Unknown,
        }
    }

    fn collection(&mut self, close: &str, depth: u8) -> Expr {
        let (mut items, mut pairs) = (Vec::new(), Vec::new());
        while !self.mark(close) && self.peek().is_some() {
            let start = self.at;
            let item = self.expr(depth + 1);
            if close == "}" && self.mark(":") {
                pairs.push((item, self.expr(depth + 1)));
            } else {
                items.push(item);
            }
            self.mark(",");
            if self.at == start {
                self.at += 1;
            }
        }
        if close == "}" {
            Expr::Dict(pairs)
        } else {
            Expr::List(items)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_keywords_and_methods() {
        let statements = parse(
            "project('a', 'c', # x\n  version: '1')\nz = cc.find_library('z', required: not get_option('z'))\nif a == 'b' and x\nendif\n",
        );
        let lines: Vec<u32> = statements.iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, [1, 3, 4, 5]);
        let Statement::Expr(Expr::Call(call)) = &statements[0].0 else {
            panic!()
        };
        assert_eq!(
            (call.name.as_str(), call.args.len(), call.keywords.len()),
            ("project", 2, 1)
        );
        let Statement::Assign(name, Expr::Call(call), false) = &statements[1].0 else {
            panic!()
        };
        assert_eq!((name.as_str(), call.name.as_str()), ("z", "find_library"));
        assert_eq!(call.object, Some(Expr::Name("cc".to_owned())));
    }

    #[test]
    fn deep_nesting_is_survived() {
        for open in ["(", "[", "{", "f(", "a.b(", "not ", "x ? ", "1 + (", "a:"] {
            parse(&open.repeat(20_000));
        }
        parse(&format!("x = {}1", "1 + ".repeat(50_000)));
        parse(&format!("x = a{}", ".b()".repeat(50_000)));
        parse("'abc");
        parse("'''abc");
        parse(&"x".repeat(5 << 20));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|if |foreach |[\\[\\](){}'\",:.?=+\\\\\n ]){0,150}") {
            parse(&text);
        }
    }
}
