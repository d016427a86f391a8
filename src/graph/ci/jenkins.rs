//! Jenkinsfile (Pipeline syntax): a Groovy program, of which the steps with literal texts are read. A bounded reader of
//! words, strings and brackets; nothing is evaluated.

use std::collections::BTreeMap;

use super::{Emit, Script, os_of_label, plain_dir};
use crate::graph::Os;
use crate::graph::yaml::Mark;

/// Words, strings and brackets of one file that are looked at.
const MAX_TOKENS: usize = 50_000;

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Word,
    /// `computed`: holds `${…}` of Groovy.
    Text {
        computed: bool,
    },
    /// Anything else: a bracket, a comma, a colon.
    Sign,
}

#[derive(Debug, Clone, PartialEq)]
struct Token {
    line: u32,
    kind: Kind,
    text: String,
}

/// A block that is open: what it changes for the steps in it.
#[derive(Debug, Clone, Default)]
struct Block {
    stage: Option<String>,
    dir: Option<String>,
    os: Option<Os>,
    env: BTreeMap<String, String>,
    /// `environment { … }`, whose assignments belong to the block around it.
    environment: bool,
    tools: bool,
    skipped: bool,
}

pub(super) fn pipeline(text: &str, file: u16, emit: &mut Emit) {
    let tokens = tokens(text);
    let mut open: Vec<Block> = vec![Block::default()];
    let mut next = Block::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let mark = Mark {
            file,
            line: token.line,
        };
        match (&token.kind, token.text.as_str()) {
            (Kind::Sign, "{") => {
                open.push(std::mem::take(&mut next));
            }
            (Kind::Sign, "}") if open.len() > 1 => {
                open.pop();
            }
            (Kind::Word, word) => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                this_word(word, rest, mark, &mut open, &mut next, emit);
            }
            _ => {}
        }
        at += 1;
    }
}

fn this_word(
    word: &str,
    rest: &[Token],
    mark: Mark,
    open: &mut [Block],
    next: &mut Block,
    emit: &mut Emit,
) {
    let argument = argument(rest);
    let text = argument.map(|token| token.text.as_str());
    match word {
        "stage" => next.stage = text.map(str::to_owned),
        "dir" => next.dir = text.map(str::to_owned),
        "environment" => next.environment = true,
        "tools" => next.tools = true,
        // Run when the rest is over, or failed.
        "post" => next.skipped = true,
        "withEnv" => next.env.extend(with_env(rest)),
        "label" | "node" => {
            let os = text.and_then(os_of_label);
            if word == "node" {
                next.os = os;
            } else if let Some(around) = around(open) {
                around.os = os.or(around.os);
            }
        }
        "image" | "inside" if is_known(argument) => {
            emit.image(text.unwrap_or_default(), mark);
            if let Some(around) = around(open) {
                around.os = Some(Os::Linux);
            }
        }
        "jdk" | "maven" | "nodejs" | "gradle" | "go" | "golang"
            if open.last().is_some_and(|block| block.tools) =>
        {
            tool(word, text.unwrap_or_default(), mark, emit);
        }
        "sh" | "bat" | "powershell" | "pwsh" => step(word, argument, mark, open, emit),
        name if open.last().is_some_and(|block| block.environment) => assign(name, rest, open),
        _ => {}
    }
}

/// The literal pairs of `withEnv(['A=b', "C=${d}"]) {`.
fn with_env(rest: &[Token]) -> BTreeMap<String, String> {
    let list = rest
        .iter()
        .take_while(|token| token.text != "{" || token.kind != Kind::Sign);
    list.filter(|token| token.kind == Kind::Text { computed: false })
        .filter_map(|token| token.text.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// `A = 'b'` in `environment { … }`: for the block around it.
fn assign(name: &str, rest: &[Token], open: &mut [Block]) {
    let assigned = rest.first().is_some_and(|token| token.text == "=");
    let value = rest.get(1);
    let value = value.filter(|token| assigned && token.kind == Kind::Text { computed: false });
    let parent = open.len().saturating_sub(2);
    if let (Some(value), Some(block)) = (value, open.get_mut(parent)) {
        block.env.insert(name.to_owned(), value.text.clone());
    }
}

/// The stage or pipeline that an `agent { … }` speaks for: two blocks out of `docker { image … }`.
fn around(open: &mut [Block]) -> Option<&mut Block> {
    let at = open
        .iter()
        .rposition(|block| block.stage.is_some())
        .unwrap_or(0);
    open.get_mut(at)
}

fn is_known(argument: Option<&Token>) -> bool {
    argument.is_some_and(|token| {
        token.kind == Kind::Text { computed: false } && !token.text.contains('$')
    })
}

/// The string behind a step's name: `'x'`, `('x')`, `(script: 'x', …)`, `image 'x'`.
fn argument(rest: &[Token]) -> Option<&Token> {
    let mut rest = rest.iter().peekable();
    rest.next_if(|token| token.kind == Kind::Sign && token.text == "(");
    let first = rest.next()?;
    match &first.kind {
        Kind::Text { .. } => Some(first),
        // Named arguments: the text of `script`, else of whatever comes first.
        Kind::Word => {
            let mut before: Vec<&str> = vec![&first.text];
            for token in rest.take(30) {
                let named = matches!(
                    before.as_slice(),
                    [.., "script" | "name" | "path" | "label" | "image", ":"]
                );
                if named && matches!(token.kind, Kind::Text { .. }) {
                    return Some(token);
                }
                if matches!(token.text.as_str(), "{" | "}" | ")") && token.kind == Kind::Sign {
                    return None;
                }
                before.push(&token.text);
            }
            None
        }
        Kind::Sign => None,
    }
}

/// `maven 'maven-3.9'`, `jdk 'openjdk-17'`: names that an administrator chose, with the version in them as a rule.
fn tool(word: &str, name: &str, mark: Mark, emit: &mut Emit) {
    let tool = match word {
        "jdk" => "java",
        "nodejs" => "node",
        "golang" => "go",
        word => word,
    };
    let start = name.find(|c: char| c.is_ascii_digit());
    let version = start.and_then(|at| name.get(at..));
    let version = version.map(|text| {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .next()
            .unwrap_or(text)
    });
    emit.tool(tool, version.filter(|text| !text.is_empty()), mark);
}

fn step(word: &str, argument: Option<&Token>, mark: Mark, open: &[Block], emit: &mut Emit) {
    let Some(argument) = argument else { return };
    if open.iter().any(|block| block.skipped) {
        return;
    }
    let stage = open.iter().rev().find_map(|block| block.stage.clone());
    let os = open.iter().rev().find_map(|block| block.os);
    let mut script = Script::new(stage.unwrap_or_else(|| "Jenkins".to_owned()), os);
    match word {
        "bat" => {
            script.shell = Some("cmd".to_owned());
            script.os = Some(Os::Windows);
        }
        "powershell" | "pwsh" => script.shell = Some(word.to_owned()),
        _ => {}
    }
    let first = Mark {
        line: argument.line,
        ..mark
    };
    for (row, line) in (0..).zip(argument.text.lines()) {
        script.push(first.down(row), line);
    }
    if matches!(argument.kind, Kind::Text { computed: true }) {
        // `${…}` of a double-quoted text is Groovy's.
        let mut rest = argument.text.as_str();
        while let Some((_, after)) = rest.split_once("${") {
            let (inner, next) = after.split_once('}').unwrap_or((after, ""));
            script.unresolved.push(format!("${{{inner}}}"));
            rest = next;
        }
    }
    for block in open {
        script.env.extend(block.env.clone());
        if let Some(dir) = &block.dir {
            match plain_dir(dir) {
                Some(dir) if script.dir.is_empty() => script.dir = dir,
                Some(dir) => script.dir = format!("{}/{dir}", script.dir),
                None => script.unresolved.push(dir.clone()),
            }
        }
    }
    emit.script(&script);
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= MAX_TOKENS {
            break;
        }
        let length = if rest.starts_with("//") || rest.starts_with("#!") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.get(2..)
                .and_then(|inner| inner.find("*/"))
                .map_or(rest.len(), |at| at + 4)
        } else if first == '\'' || first == '"' {
            let (length, token) = string(rest, line);
            tokens.push(token);
            length
        } else if first.is_alphanumeric() || first == '_' {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let text = rest.get(..end).unwrap_or_default().to_owned();
            tokens.push(Token {
                line,
                kind: Kind::Word,
                text,
            });
            end
        } else {
            if !first.is_whitespace() {
                tokens.push(Token {
                    line,
                    kind: Kind::Sign,
                    text: first.to_string(),
                });
            }
            first.len_utf8()
        };
        let (passed, next) = rest.split_at_checked(length).unwrap_or((rest, ""));
        line += passed.matches('\n').count() as u32;
        rest = next;
    }
    tokens
}

/// A string at the start of a text: its length with quotes, and its content with escapes undone.
fn string(text: &str, line: u32) -> (usize, Token) {
    let quotes = ["'''", "\"\"\"", "'", "\""];
    let quote = quotes
        .into_iter()
        .find(|quote| text.starts_with(quote))
        .unwrap_or("'");
    let body = text.get(quote.len()..).unwrap_or_default();
    let mut content = String::new();
    let mut computed = false;
    let mut escaped = false;
    let mut length = text.len();
    for (offset, c) in body.char_indices() {
        if escaped {
            escaped = false;
            match c {
                'n' => content.push('\n'),
                't' => content.push('\t'),
                // A line that goes on.
                '\n' => content.push_str("\\\n"),
                c => content.push(c),
            }
            continue;
        }
        if body
            .get(offset..)
            .is_some_and(|rest| rest.starts_with(quote))
        {
            length = offset + 2 * quote.len();
            break;
        }
        // A string in single marks ends with its line, closed or not.
        if c == '\n' && quote.len() == 1 {
            length = offset + quote.len();
            break;
        }
        escaped = c == '\\';
        computed |= quote.starts_with('"') && c == '$';
        if !escaped {
            content.push(c);
        }
    }
    let token = Token {
        line,
        kind: Kind::Text { computed },
        text: content,
    };
    (length, token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_words() {
        let found = tokens("sh 'a \\'b\\'' // no\nsh(script: \"\"\"x ${y}\n z\"\"\") /* { */ }");
        let texts: Vec<(u32, &str)> = found
            .iter()
            .map(|token| (token.line, token.text.as_str()))
            .collect();
        assert_eq!(
            texts,
            [
                (1, "sh"),
                (1, "a 'b'"),
                (2, "sh"),
                (2, "("),
                (2, "script"),
                (2, ":"),
                (2, "x ${y}\n z"),
                (3, ")"),
                (3, "}"),
            ]
        );
        assert_eq!(found[6].kind, Kind::Text { computed: true });
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(sh |'''|\"|[a-z{}()'\\\\é$:,/*\n]){0,80}") {
            tokens(&text);
        }
    }

    #[test]
    fn a_declarative_pipeline() {
        let text = "pipeline {\n  agent { docker { image 'maven:3.9-eclipse-temurin-17' } }\n  tools { jdk 'openjdk-17' }\n  environment { A = 'b'; C = \"${x}\" }\n  stages {\n    stage('Build') {\n      steps {\n        sh 'mvn -B package' // go\n        dir('sub') {\n          sh \"\"\"\n            make V=${params.V}\n            make check\n          \"\"\"\n        }\n      }\n    }\n    stage(\"Win\") {\n      agent { label 'windows' }\n      steps { bat 'nmake'; sh(script: 'ls', returnStdout: true) }\n    }\n    stage('Env') { steps { withEnv(['D=e', \"F=${g}\"]) { sh 'run' } } }\n  }\n  post { always { sh 'clean' } }\n}\n";
        insta::assert_snapshot!(crate::graph::ci::testing::shown("Jenkinsfile", text), @"
        2: tool java 17
        2: tool maven 3.9
        8: [] mvn -B package (Build) Linux A=b
        11: [sub] make V=${params.V} (Build) Linux A=b ?${params.V}
        12: [sub] make check (Build) Linux A=b
        19: [] nmake (Win) Windows <cmd> A=b
        19: [] ls (Win) Windows A=b
        21: [] run (Env) Linux A=b D=e
        ");
    }
}
