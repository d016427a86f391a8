//! The text of a Dockerfile as instructions (Dockerfile reference, "Format").

/// Instructions of one file that are kept.
const MAX_INSTRUCTIONS: usize = 2000;

/// One instruction, continuation lines joined by a backslash and a new line: a row for each row of the file.
#[derive(Debug, PartialEq)]
pub(super) struct Instruction {
    pub(super) line: u32,
    pub(super) keyword: String,
    pub(super) rest: String,
}

/// Reads instructions; comments between continuation lines are dropped, as the reference has it.
pub(super) fn read(text: &str) -> Vec<Instruction> {
    let escape = escape(text);
    let mut found: Vec<Instruction> = Vec::new();
    let mut lines = (1..).zip(text.lines());
    let mut open = false;
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            // A row of the command for each row of the file, so that places stay right.
            if let (true, Some(last)) = (open, found.last_mut()) {
                last.rest.push_str("\\\n");
            }
            continue;
        }
        let (content, continued) = match trimmed.strip_suffix(escape) {
            Some(content) => (content, true),
            None => (trimmed, false),
        };
        if let (true, Some(last)) = (open, found.last_mut()) {
            last.rest.push_str("\\\n");
            last.rest.push_str(content);
        } else {
            let (keyword, rest) = content
                .split_once(char::is_whitespace)
                .unwrap_or((content, ""));
            if found.len() >= MAX_INSTRUCTIONS {
                break;
            }
            found.push(Instruction {
                line: number,
                keyword: keyword.to_ascii_uppercase(),
                rest: rest.trim_start().to_owned(),
            });
        }
        open = continued;
        let Some(last) = found.last_mut().filter(|_| !continued) else {
            continue;
        };
        if let Some(end) = here_document(last) {
            let body = lines.by_ref().map(|(_, line)| line);
            let body: Vec<&str> = body.take_while(|line| line.trim() != end).collect();
            last.rest = format!("{}\n{}\n{end}", last.rest, body.join("\n"));
        }
    }
    found
}

/// The parser directive `# escape=` at the top.
fn escape(text: &str) -> char {
    let directives = text
        .lines()
        .take_while(|line| line.trim_start().starts_with('#'));
    let mut marks = directives.filter_map(|line| {
        let line = line.trim_start_matches(['#', ' ', '\t']);
        line.strip_prefix("escape=")
    });
    marks
        .next()
        .and_then(|mark| mark.trim().chars().next())
        .filter(|mark| *mark == '`')
        .unwrap_or('\\')
}

/// The word that ends a here-document of a RUN or COPY.
fn here_document(instruction: &Instruction) -> Option<String> {
    if !matches!(instruction.keyword.as_str(), "RUN" | "COPY" | "ADD") {
        return None;
    }
    let last = instruction.rest.lines().last()?;
    let (_, after) = last.split_once("<<")?;
    let word = after.trim_start_matches('-').split_whitespace().next()?;
    let word = word.trim_matches(['"', '\'']);
    let name = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.then(|| word.to_owned())
}

/// What a RUN, CMD or ENTRYPOINT runs.
#[derive(Debug, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    /// Rows of the instruction above the text.
    pub(super) row: u32,
    /// The interpreter of a here-document's `#!` line, where it is no shell.
    pub(super) interpreter: Option<String>,
}

/// The shell text of a RUN: without `--mount` options; the exec form as a command line.
pub(super) fn command(rest: &str) -> Run {
    let mut rest = rest.trim();
    let mut row = 0;
    while rest.starts_with("--") {
        let Some((_, after)) = rest.split_once(char::is_whitespace) else {
            rest = "";
            break;
        };
        let trimmed = after.trim_start_matches(['\\', '\n', ' ', '\t', '\r']);
        let passed = after.get(..after.len() - trimmed.len()).unwrap_or_default();
        row += passed.matches('\n').count() as u32;
        rest = trimmed;
    }
    let run = |text: String, row| Run {
        text,
        row,
        interpreter: None,
    };
    if let Some(words) = exec_form(rest) {
        // `["/bin/bash", "-c", "…"]` is a text for a shell.
        let text = match words.as_slice() {
            [shell, flag, text]
                if is_shell(shell) && flag.starts_with('-') && flag.ends_with('c') =>
            {
                text.clone()
            }
            words => shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default(),
        };
        return run(text, row);
    }
    // `RUN <<EOF` runs the document itself.
    if let Some(document) = rest.strip_prefix("<<") {
        let mut lines: Vec<&str> = document.lines().skip(1).collect();
        lines.pop();
        let first = lines.first().copied().unwrap_or_default();
        let interpreter = first.strip_prefix("#!").and_then(interpreter);
        return Run {
            text: lines.join("\n"),
            row: row + 1,
            interpreter,
        };
    }
    run(rest.to_owned(), row)
}

/// `python3` of `/usr/bin/env python3`; `None` for a shell.
fn interpreter(line: &str) -> Option<String> {
    let mut words = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    (!is_shell(program)).then(|| program.to_owned())
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(name, "sh" | "bash" | "ash" | "dash" | "zsh")
}

/// The words of `["a", "b"]`.
pub(super) fn exec_form(rest: &str) -> Option<Vec<String>> {
    let joined = rest.replace("\\\n", " ");
    serde_json::from_str(joined.trim()).ok()
}

/// `ENV A=b C="d"` or the old `ENV A b`.
pub(super) fn variables(rest: &str) -> Vec<(String, String)> {
    let joined = rest.replace("\\\n", " ");
    let first = joined.split_whitespace().next().unwrap_or_default();
    if !first.contains('=') {
        let pair = joined.split_once(char::is_whitespace);
        return pair
            .map(|(name, value)| (name.to_owned(), unquoted(value.trim())))
            .into_iter()
            .collect();
    }
    let words = shlex::split(&joined).unwrap_or_default();
    let pair = |word: &String| {
        word.split_once('=')
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    words.iter().filter_map(pair).collect()
}

/// The old form takes the rest of the line, without quotes around it.
fn unquoted(value: &str) -> String {
    let inner = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_commands() {
        let text = "# syntax\nFROM --platform=x debian:12 AS b\nENV A=b C=\"d e\"\nRUN --mount=type=cache,target=/x \\\n  apt-get update && \\\n  # why\n  apt-get install -y gcc\nRUN [\"make\", \"a b\"]\nRUN <<EOF\nset -e\nmake\nEOF\nENV OLD value here\nCMD x\n";
        let found = read(text);
        let keywords: Vec<_> = found
            .iter()
            .map(|found| (found.line, found.keyword.as_str()))
            .collect();
        assert_eq!(
            keywords,
            [
                (2, "FROM"),
                (3, "ENV"),
                (4, "RUN"),
                (8, "RUN"),
                (9, "RUN"),
                (13, "ENV"),
                (14, "CMD")
            ]
        );
        assert_eq!(
            variables(&found[1].rest),
            [("A".into(), "b".into()), ("C".into(), "d e".into())]
        );
        let run = command(&found[2].rest);
        assert_eq!(run.text, "apt-get update && \\\n\\\napt-get install -y gcc");
        assert_eq!(run.row, 1);
        assert_eq!(command(&found[3].rest).text, "make 'a b'");
        assert_eq!(command(&found[4].rest).text, "set -e\nmake");
        assert_eq!(
            variables(&found[5].rest),
            [("OLD".into(), "value here".into())]
        );
    }

    #[test]
    fn escapes_shells_and_interpreters() {
        let found =
            read("# escape=`\r\nFROM x\r\nRUN a `\r\n  b\r\nCOPY <<EOF /x\r\nRUN no\r\nEOF\r\n");
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].rest, "a \\\nb");
        assert_eq!(
            command("[\"/bin/bash\", \"-lc\", \"make -j && x\"]").text,
            "make -j && x"
        );
        let run = command("<<EOF\n#!/usr/bin/env python3\nprint()\nEOF");
        assert_eq!(run.interpreter.as_deref(), Some("python3"));
        assert_eq!(command("<<EOF\n#!/bin/bash\nmake\nEOF").interpreter, None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(RUN|ENV|FROM|COPY <<E\n)?.{0,200}") {
            for found in read(&text) {
                command(&found.rest);
                variables(&found.rest);
            }
        }
    }
}
