//! Splitting shell text into commands that can be run one by one.
//!
//! A block of a document or a CI step is parsed with the Bash grammar, so that loops, here-documents and
//! continued lines stay whole. A command that changes the state of its shell (`cd` to a directory that does not
//! exist yet, `source`, a computed variable) keeps everything after it in one piece.

use std::collections::BTreeMap;

use regex::Regex;
use std::sync::LazyLock;
use tree_sitter::Node;

use super::syntax::parse_bash;
use crate::scan::Repository;

/// Bytes of one block that are looked at.
const MAX_BLOCK: usize = 64 * 1024;

/// Commands of one block that are kept.
const MAX_COMMANDS: usize = 200;

/// A command with the state that stands before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShellCommand {
    /// Lines after the block's first.
    pub(super) row: u32,
    pub(super) text: String,
    /// Relative to the repository's root.
    pub(super) dir: String,
    pub(super) env: BTreeMap<String, String>,
}

/// What a block starts with.
pub(super) struct Start<'a> {
    pub(super) repository: &'a Repository,
    pub(super) dir: &'a str,
}

/// One or more statements on the same lines.
struct Piece {
    row: usize,
    text: String,
    effect: Effect,
}

/// What a piece does to those after it.
#[derive(Debug, Clone, PartialEq)]
enum Effect {
    None,
    /// `cd DIR` alone.
    Directory(String),
    /// `export A=b` with literal values.
    Variables(Vec<(String, String)>),
    /// The options of the shell itself: `set -e`.
    Shell,
    /// Something that cannot be carried over.
    State,
}

/// Splits a block. Text that is no valid shell is split by line.
pub(super) fn split(block: &str, start: &Start) -> Vec<ShellCommand> {
    let mut pieces = pieces(block).into_iter().peekable();
    let mut dir = start.dir.to_owned();
    let mut env = BTreeMap::new();
    let mut commands = Vec::new();
    while let Some(piece) = pieces.next() {
        match piece.effect {
            Effect::Shell => continue,
            Effect::Variables(variables) => {
                env.extend(variables);
                continue;
            }
            Effect::Directory(ref to) => {
                if let Some(next) = resolve(start.repository, &dir, to) {
                    dir = next;
                    continue;
                }
            }
            Effect::None | Effect::State => {}
        }
        let carries = matches!(piece.effect, Effect::State | Effect::Directory(_));
        let mut text = piece.text;
        if carries {
            // A directory or state of its own: the rest only makes sense in the same shell.
            for rest in pieces.by_ref() {
                text.push('\n');
                text.push_str(&rest.text);
            }
        }
        let mut row = piece.row as u32;
        if let Effect::Directory(to) = &piece.effect
            && let Some(before) =
                commands.pop_if(|before: &mut ShellCommand| makes(&before.text, to))
        {
            text = format!("{}\n{text}", before.text);
            row = before.row;
        }
        commands.push(ShellCommand {
            row,
            text,
            dir: dir.clone(),
            env: env.clone(),
        });
        if commands.len() >= MAX_COMMANDS {
            break;
        }
    }
    commands
}

/// Whether a command is the `mkdir` of the directory that is entered next.
fn makes(command: &str, dir: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next() == Some("mkdir") && words.last() == Some(dir)
}

/// The directory that `cd to` leads to, where the repository has it.
fn resolve(repository: &Repository, dir: &str, to: &str) -> Option<String> {
    if to.starts_with(['/', '~', '$', '-']) {
        return None;
    }
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if path.is_empty() || is_directory(repository, &path) {
        return Some(path);
    }
    // The clone of the repository itself: where the commands stand already, whatever directory their text is in.
    let alone = to.trim_start_matches("./").trim_end_matches('/');
    let (first, below) = alone.split_once('/').unwrap_or((alone, ""));
    let own = is_own_name(&repository.name, first);
    (own && (below.is_empty() || is_directory(repository, below))).then(|| below.to_owned())
}

/// `git clone …; cd name` ends where the repository is already; the directory of an archive has a version after
/// its name.
fn is_own_name(name: &str, dir: &str) -> bool {
    let stem = name
        .rsplit_once('-')
        .filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()));
    name.eq_ignore_ascii_case(dir) || stem.is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(dir))
}

/// Whether some file stands below `path`.
pub(super) fn is_directory(repository: &Repository, path: &str) -> bool {
    let prefix = format!("{path}/");
    let at = repository
        .files
        .partition_point(|entry| entry.path.as_str() < prefix.as_str());
    repository
        .files
        .get(at)
        .is_some_and(|entry| entry.path.starts_with(&prefix))
}

/// `${{ … }}` and `{{ … }}` of CI and task files, `<placeholder>` of documents: hidden from the parser.
pub(super) static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\$?\{\{[^{}\n]*\}\}|<[A-Za-z][A-Za-z0-9 _./-]*>").expect("a literal pattern")
});

fn pieces(block: &str) -> Vec<Piece> {
    let end = (0..=block.len().min(MAX_BLOCK))
        .rev()
        .find(|at| block.is_char_boundary(*at));
    let block = block.get(..end.unwrap_or(0)).unwrap_or_default();
    let hidden = TEMPLATE.replace_all(block, |found: &regex::Captures| {
        found
            .get(0)
            .map_or(String::new(), |text| "_".repeat(text.as_str().len()))
    });
    match parse_bash(&hidden) {
        Some(tree) if !tree.root_node().has_error() => from_tree(tree.root_node(), block),
        _ => by_line(block),
    }
}

fn from_tree(root: Node, block: &str) -> Vec<Piece> {
    let mut pieces: Vec<(usize, usize, usize, usize, Effect)> = Vec::new();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        if node.kind() == "comment" {
            continue;
        }
        let (row, last) = (node.start_position().row, node.end_position().row);
        let effect = effect(node, block);
        match pieces.last_mut() {
            Some(before) if before.1 >= row => {
                before.1 = last;
                before.3 = node.end_byte();
                // Two statements on one line: what either does to the shell cannot be taken apart.
                before.4 = match (&before.4, effect) {
                    (Effect::None, Effect::None) => Effect::None,
                    _ => Effect::State,
                };
            }
            _ => pieces.push((row, last, node.start_byte(), node.end_byte(), effect)),
        }
    }
    let piece = |(row, _, start, end, effect): (usize, usize, usize, usize, Effect)| {
        let text = block.get(start..end)?.trim_end().to_owned();
        (!text.is_empty()).then_some(Piece { row, text, effect })
    };
    pieces.into_iter().filter_map(piece).collect()
}

fn by_line(block: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open = false;
    for (row, line) in block.lines().enumerate() {
        let text = line.trim();
        if open && let Some(last) = pieces.last_mut() {
            last.text.push('\n');
            last.text.push_str(text);
        } else if !text.is_empty() && !text.starts_with('#') {
            let words: Vec<&str> = text.split_whitespace().collect();
            pieces.push(Piece {
                row,
                text: text.to_owned(),
                effect: of_words(&words),
            });
        }
        open = text.ends_with('\\');
    }
    pieces
}

/// What a top-level statement does to its shell.
fn effect(node: Node, block: &str) -> Effect {
    let text = |node: Node| block.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "command" => {
            let words: Vec<&str> = text(node).split_whitespace().collect();
            of_words(&words)
        }
        "declaration_command" | "variable_assignment" | "variable_assignments" => {
            literal_variables(text(node)).map_or(Effect::State, Effect::Variables)
        }
        "subshell" | "function_definition" => Effect::None,
        _ if changes_state(node, block) => Effect::State,
        _ => Effect::None,
    }
}

fn of_words(words: &[&str]) -> Effect {
    match words {
        ["cd" | "pushd", dir] => Effect::Directory(dir.trim_matches(['"', '\'']).to_owned()),
        [
            "cd" | "pushd" | "popd" | "source" | "." | "eval" | "exec" | "umask" | "ulimit"
            | "shopt",
            ..,
        ] => Effect::State,
        ["set", options, ..] if options.starts_with(['-', '+']) => Effect::Shell,
        _ => Effect::None,
    }
}

/// A `cd`, `source` or assignment somewhere inside a list, a loop or a condition, outside of a subshell.
fn changes_state(node: Node, block: &str) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "subshell" | "command_substitution" | "function_definition" | "pipeline" => continue,
            // An assignment before a command is part of that command, and is not looked into.
            "declaration_command" | "variable_assignment" => return true,
            "command" => {
                let text = block.get(node.byte_range()).unwrap_or_default();
                let words: Vec<&str> = text.split_whitespace().collect();
                if matches!(of_words(&words), Effect::Directory(_) | Effect::State) {
                    return true;
                }
                continue;
            }
            _ => {}
        }
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    false
}

/// `export A=b C="d"` where no value is computed.
fn literal_variables(text: &str) -> Option<Vec<(String, String)>> {
    if text.contains(['$', '`']) {
        return None;
    }
    let words = shlex::split(text)?;
    let mut variables = Vec::new();
    for word in words
        .iter()
        .skip_while(|word| matches!(word.as_str(), "export" | "declare" | "-x"))
    {
        let (name, value) = word.split_once('=')?;
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain {
            return None;
        }
        variables.push((name.to_owned(), value.to_owned()));
    }
    (!variables.is_empty()).then_some(variables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{ScanOptions, scan};

    fn repository() -> (tempfile::TempDir, Repository) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("sub/deep")).unwrap();
        std::fs::write(dir.path().join("sub/deep/a.c"), "").unwrap();
        let repository = scan(dir.path(), &ScanOptions::default()).unwrap();
        (dir, repository)
    }

    fn shown(block: &str) -> Vec<String> {
        let (_dir, repository) = repository();
        let start = Start {
            repository: &repository,
            dir: "",
        };
        split(block, &start)
            .iter()
            .map(|command| format!("{}[{}] {}", command.row, command.dir, command.text))
            .collect()
    }

    #[test]
    fn independent_lines_are_taken_apart_and_others_kept() {
        assert_eq!(
            shown("make # all\n\nmake \\\n  test"),
            ["0[] make", "2[] make \\\n  test"]
        );
        assert_eq!(
            shown("cd sub\nmake\ncd deep\nmake x\ncd ../..\ntox"),
            ["1[sub] make", "3[sub/deep] make x", "5[] tox"]
        );
        assert_eq!(
            shown("mkdir -p b\ncd b\ncmake ..\nmake"),
            ["0[] mkdir -p b\ncd b\ncmake ..\nmake"]
        );
        assert_eq!(
            shown("(cd sub && make)\nmake"),
            ["0[] (cd sub && make)", "1[] make"]
        );
        assert_eq!(
            shown("cd sub && make\nmake y"),
            ["0[] cd sub && make\nmake y"]
        );
        assert_eq!(
            shown("set -ex\n. venv/bin/activate\npytest"),
            ["1[] . venv/bin/activate\npytest"]
        );
        assert_eq!(
            shown("if a; then X=0; fi\necho $X"),
            ["0[] if a; then X=0; fi\necho $X"]
        );
        assert_eq!(shown("A=1 make && B=2 c\nd").len(), 2);
        assert_eq!(shown("cd ..\nmake"), ["0[] cd ..\nmake"]);
        assert_eq!(shown("x=$(a)\nmake $x"), ["0[] x=$(a)\nmake $x"]);
        assert_eq!(
            shown("git clone u\ncd other\nmake"),
            ["0[] git clone u", "1[] cd other\nmake"]
        );
        assert_eq!(
            shown("pip install <name>\nmake ${{ x }}"),
            ["0[] pip install <name>", "1[] make ${{ x }}"]
        );
    }

    #[test]
    fn the_repository_knows_its_own_name() {
        assert!(is_own_name("json-c-0.16", "json-c") && is_own_name("Thing", "thing"));
        assert!(!is_own_name("json-c", "json") && !is_own_name("json-c-0.16", "json-c-build"));
    }

    #[test]
    fn literal_variables_become_the_environment() {
        let (_dir, repository) = repository();
        let start = Start {
            repository: &repository,
            dir: "sub",
        };
        let commands = split("export CC=clang X='a b'\nmake", &start);
        assert_eq!(commands.len(), 1);
        assert_eq!(commands[0].env["X"], "a b");
        assert_eq!(commands[0].dir, "sub");
    }

    #[test]
    fn text_that_is_no_shell_is_split_by_line() {
        assert_eq!(
            shown("if (\nmake )) x\nnext \\\n  more"),
            ["0[] if (", "1[] make )) x", "2[] next \\\nmore"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)[a-z$(){}<'\"\\\\\n;&|# é-]{0,120}") {
            let (_dir, repository) = repository();
            let start = Start { repository: &repository, dir: "" };
            let rows = text.lines().count();
            for command in split(&text, &start) {
                proptest::prop_assert!(!command.text.is_empty());
                proptest::prop_assert!((command.row as usize) <= rows);
            }
        }
    }
}
