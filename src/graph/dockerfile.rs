//! Dockerfiles (Dockerfile reference): each RUN is a command, with the ENV and FROM before it.

use std::collections::BTreeMap;

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::shell::is_directory;
use super::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, Os};

const MAX_DOCKERFILE: u64 = 256 * 1024;
const MAX_DOCKERFILES: usize = 30;

/// One instruction, continuation lines joined.
#[derive(Debug, PartialEq)]
struct Instruction {
    line: u32,
    keyword: String,
    rest: String,
}

pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let readable = |entry: &&FileEntry| {
        let docker = entry.language.as_deref() == Some("dockerfile");
        docker && entry.kind == FileKind::Text && !entry.vendored && entry.size <= MAX_DOCKERFILE
    };
    for entry in repository
        .files
        .iter()
        .filter(readable)
        .take(MAX_DOCKERFILES)
    {
        if let Some(text) = read_text(repository, &entry.path) {
            add_file(repository, graph, &entry.path, &instructions(&text));
        }
    }
}

fn add_file(
    repository: &Repository,
    graph: &mut KnowledgeGraph,
    path: &str,
    instructions: &[Instruction],
) {
    let Some(file) = graph.file(path) else { return };
    let mut from = String::new();
    let mut env = BTreeMap::new();
    let mut dir = String::new();
    for instruction in instructions {
        match instruction.keyword.as_str() {
            "FROM" => {
                from = format!("FROM {}", image(&instruction.rest));
                env.clear();
                dir.clear();
            }
            "ENV" => env.extend(variables(&instruction.rest)),
            // An absolute directory is where the repository was copied to, as a rule.
            "WORKDIR" => {
                let to = instruction
                    .rest
                    .trim_start_matches("./")
                    .trim_end_matches('/');
                dir = if is_directory(repository, to) {
                    to.to_owned()
                } else {
                    String::new()
                };
            }
            "RUN" => {
                let text = command(&instruction.rest);
                if text.is_empty() {
                    continue;
                }
                let facts = CommandFacts {
                    text,
                    source: CommandSource::Dockerfile,
                    dir: dir.clone(),
                    env: env.clone(),
                    os: Some(Os::Linux),
                    context: from.clone(),
                    unresolved: Vec::new(),
                };
                add_run(graph, file, Place::new(path, instruction.line), facts);
            }
            _ => {}
        }
    }
}

fn add_run(graph: &mut KnowledgeGraph, file: NodeId, place: Place, facts: CommandFacts) {
    let node = graph.add(facts.text.clone(), Some(place), Facts::Command(facts));
    graph.link(file, node, EdgeKind::Contains);
}

/// Reads instructions; comments between continuation lines are dropped, as the reference has it.
fn instructions(text: &str) -> Vec<Instruction> {
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
        let (content, continued) = match trimmed.strip_suffix('\\') {
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
            found.push(Instruction {
                line: number,
                keyword: keyword.to_ascii_uppercase(),
                rest: rest.trim_start().to_owned(),
            });
        }
        open = continued;
        if !continued && let Some(end) = here_document(content) {
            let body = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| line.trim() != end);
            let body: Vec<&str> = body.collect();
            if let Some(last) = found.last_mut() {
                last.rest = format!("{}\n{}\n{end}", last.rest, body.join("\n"));
            }
        }
    }
    found
}

/// The word that ends a here-document, in a RUN only.
fn here_document(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("<<")?;
    let word = after
        .trim_start_matches('-')
        .split_whitespace()
        .next()?
        .trim_matches(['"', '\'']);
    let run = before.trim_start().to_ascii_uppercase().starts_with("RUN");
    let name = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (run && name).then_some(word)
}

/// The image of `FROM [--platform=…] image [AS name]`.
fn image(rest: &str) -> &str {
    rest.split_whitespace()
        .find(|word| !word.starts_with("--"))
        .unwrap_or_default()
}

/// The shell text of a RUN: without `--mount` options; the exec form as a command line.
fn command(rest: &str) -> String {
    let mut rest = rest.trim();
    while rest.starts_with("--") {
        let Some((_, after)) = rest.split_once(char::is_whitespace) else {
            return String::new();
        };
        rest = after.trim_start_matches(['\\', '\n', ' ', '\t']);
    }
    if let Ok(words) = serde_json::from_str::<Vec<String>>(rest) {
        return shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    }
    // `RUN <<EOF` runs the document itself.
    if let Some(document) = rest.strip_prefix("<<") {
        let mut lines: Vec<&str> = document.lines().skip(1).collect();
        lines.pop();
        return lines.join("\n");
    }
    rest.to_owned()
}

/// `ENV A=b C="d"` or the old `ENV A b`.
fn variables(rest: &str) -> Vec<(String, String)> {
    let joined = rest.replace("\\\n", " ");
    let first = joined.split_whitespace().next().unwrap_or_default();
    if !first.contains('=') {
        let pair = joined.split_once(char::is_whitespace);
        return pair
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_commands() {
        let text = "# syntax\nFROM --platform=x debian:12 AS b\nENV A=b C=\"d e\"\nRUN --mount=type=cache,target=/x \\\n  apt-get update && \\\n  # why\n  apt-get install -y gcc\nRUN [\"make\", \"a b\"]\nRUN <<EOF\nset -e\nmake\nEOF\nENV OLD value here\nCMD x\n";
        let found = instructions(text);
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
        assert_eq!(image(&found[0].rest), "debian:12");
        assert_eq!(
            variables(&found[1].rest),
            [("A".into(), "b".into()), ("C".into(), "d e".into())]
        );
        assert_eq!(
            command(&found[2].rest),
            "apt-get update && \\\n\\\napt-get install -y gcc"
        );
        assert_eq!(command(&found[3].rest), "make 'a b'");
        assert_eq!(command(&found[4].rest), "set -e\nmake");
        assert_eq!(
            variables(&found[5].rest),
            [("OLD".into(), "value here".into())]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(RUN|ENV|FROM)?.{0,200}") {
            for found in instructions(&text) {
                command(&found.rest);
                variables(&found.rest);
            }
        }
    }
}
