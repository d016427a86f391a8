//! What is a document about building, and what in it is a command. The lists are data:
//! `grammars/documents.toml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::Block;
use crate::graph::{CommandSource, Os};
use crate::scan::Repository;
use crate::scan::languages::GRAMMARS;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    commands: Vec<String>,
    prose: Vec<String>,
    shells: Vec<String>,
    unmarked: Vec<String>,
    document: Vec<DocumentRule>,
    os: Vec<OsRule>,
    command_os: Vec<OsRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct DocumentRule {
    source: CommandSource,
    #[serde(with = "pattern")]
    pattern: Regex,
    matches: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct OsRule {
    os: Os,
    #[serde(with = "pattern")]
    pattern: Regex,
    matches: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

mod pattern {
    use regex::Regex;
    use serde::{Deserialize, Deserializer};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Regex, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map_err(serde::de::Error::custom)
    }
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = GRAMMARS
        .get_file("documents.toml")
        .and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

/// A prompt of an interactive shell: `$ `, `% `, `user@host:~/x$ `, `(venv) $ `.
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[:\s][^\s$#]*)?[$%]\s+(\S.*)$")
        .expect("a literal pattern")
});

/// `NAME=value` before a command.
static ASSIGNMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[A-Za-z_][A-Za-z0-9_]*=").expect("a literal pattern"));

/// How far a document is to be trusted, when it is one about building.
pub(super) fn source(path: &str, language: Option<&str>) -> Option<CommandSource> {
    let prose = matches!(
        language,
        None | Some("markdown" | "restructuredtext" | "asciidoc" | "text")
    );
    let name = path.rsplit('/').next()?;
    if !prose || path.matches('/').count() > 4 {
        return None;
    }
    RULES
        .document
        .iter()
        .find(|rule| rule.pattern.is_match(name))
        .map(|rule| rule.source)
}

/// The operating system a heading names; `None` when it names none or several.
pub(super) fn os(heading: &str) -> Option<Os> {
    let mut named = RULES
        .os
        .iter()
        .filter(|rule| rule.pattern.is_match(heading))
        .map(|rule| rule.os);
    match (named.next(), named.next()) {
        (Some(os), None) => Some(os),
        _ => None,
    }
}

/// The operating system that a command is for, by itself; the first rule that matches.
pub(super) fn command_os(text: &str) -> Option<Os> {
    let mut rules = RULES.command_os.iter();
    rules
        .find(|rule| rule.pattern.is_match(text))
        .map(|rule| rule.os)
}

/// Files that make a directory one to build in.
const MANIFESTS: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "Cargo.toml",
    "package.json",
    "configure",
    "configure.ac",
    "CMakeLists.txt",
    "meson.build",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "go.mod",
    "requirements.txt",
];

/// Whether commands of a document in `dir` may be meant for `dir` rather than for the whole repository.
pub(in crate::graph) fn is_project(repository: &Repository, dir: &str) -> bool {
    MANIFESTS
        .iter()
        .any(|name| repository.has(&format!("{dir}/{name}")))
}

fn is_shell(language: &str) -> bool {
    RULES
        .shells
        .iter()
        .any(|name| name.eq_ignore_ascii_case(language))
}

/// The lines of a block that a shell would be given.
pub(super) struct CommandLines {
    /// Without prompts, and without output where there are prompts.
    pub(super) lines: Vec<(u32, String)>,
    /// Whether they are commands beyond doubt.
    pub(super) certain: bool,
    /// The system that the prompts are of.
    pub(super) os: Option<Os>,
}

/// `C:\> ` and `PS C:\x> `.
static WINDOWS_PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:PS(?:\s+[A-Za-z]:[^>]*)?|[A-Za-z]:[^>]*|\(\S+\)\s*[A-Za-z]:[^>]*)>\s*(\S.*)$",
    )
    .expect("a literal pattern")
});

/// The prompt of a superuser, or of a shell that marks its lines by `>`: both mean other things as well.
static DOUBTFUL_PROMPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*[#>]\s+(\S.*)$").expect("a literal pattern"));

/// The prompts of a block: `None` where it has none.
fn prompt(block: &Block, unmarked: bool) -> Option<(&'static Regex, Option<Os>)> {
    let any = |pattern: &Regex| block.lines.iter().any(|(_, line)| pattern.is_match(line));
    if any(&PROMPT) {
        return Some((&PROMPT, None));
    }
    if any(&WINDOWS_PROMPT) {
        return Some((&WINDOWS_PROMPT, Some(Os::Windows)));
    }
    let doubtful = |line: &str| {
        let text = DOUBTFUL_PROMPT.captures(line)?.get(1)?.as_str();
        is_command(text, false, |_| false).then_some(())
    };
    // Every line is one, or goes on with the one before: else `#` is a comment and `>` a quotation.
    let mut open = false;
    let all = block
        .lines
        .iter()
        .filter(|(_, line)| !line.trim().is_empty())
        .all(|(_, line)| {
            let known = open || doubtful(line).is_some();
            open = line.trim_end().ends_with('\\');
            known
        });
    (unmarked && all && !block.lines.is_empty()).then_some((&DOUBTFUL_PROMPT, None))
}

/// `None` for a block in another language.
pub(super) fn command_lines(block: &Block) -> Option<CommandLines> {
    let unmarked = RULES
        .unmarked
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&block.language));
    if !unmarked && !is_shell(&block.language) {
        return None;
    }
    let Some((pattern, os)) = prompt(block, unmarked) else {
        return Some(CommandLines {
            lines: block.lines.clone(),
            certain: is_shell(&block.language),
            os: None,
        });
    };
    let mut kept = Vec::new();
    let mut continued = false;
    for (number, line) in &block.lines {
        let text = match pattern.captures(line).and_then(|found| found.get(1)) {
            Some(text) => text.as_str(),
            None if continued => line.trim_start().strip_prefix("> ").unwrap_or(line),
            None => continue,
        };
        continued = text.trim_end().ends_with('\\');
        kept.push((*number, text.to_owned()));
    }
    Some(CommandLines {
        lines: kept,
        certain: true,
        os,
    })
}

/// Whether a piece of a block is a command rather than prose, output or a listing.
pub(super) fn is_command(text: &str, certain: bool, is_file: impl Fn(&str) -> bool) -> bool {
    if text.starts_with(">>>") || text.starts_with("...") {
        return false;
    }
    if certain {
        return true;
    }
    let mut words = text
        .split_whitespace()
        .skip_while(|word| ASSIGNMENT.is_match(word));
    let Some(first) = words.next() else {
        return false;
    };
    let whole = text.trim_end();
    if matches!(first, "for" | "while" | "if") {
        return whole.ends_with("done") || whole.ends_with("fi");
    }
    let local = first
        .strip_prefix("./")
        .is_some_and(|rest| !rest.is_empty());
    let known = RULES.commands.iter().any(|command| command == first);
    // A lone `name` is a word in a listing as likely as a command.
    let rest: Vec<&str> = words.collect();
    let bare = rest.is_empty()
        && !matches!(
            first,
            "make"
                | "mvn"
                | "rake"
                | "yarn"
                | "just"
                | "ninja"
                | "tox"
                | "nox"
                | "pytest"
                | "ctest"
                | "meson"
        )
        && !local;
    let prose = rest
        .iter()
        .any(|word| RULES.prose.iter().any(|prose| prose == word));
    (local || (known && !bare) || is_file(first)) && !prose
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_matches_its_examples_and_not_its_near_misses() {
        assert!(RULES.document.len() > 2 && RULES.os.len() > 2);
        let documents = RULES
            .document
            .iter()
            .map(|rule| (&rule.pattern, &rule.matches, &rule.not));
        let systems = RULES
            .os
            .iter()
            .chain(&RULES.command_os)
            .map(|rule| (&rule.pattern, &rule.matches, &rule.not));
        for (pattern, matches, not) in documents.chain(systems) {
            assert!(!matches.is_empty());
            matches
                .iter()
                .for_each(|text| assert!(pattern.is_match(text), "{pattern} must match {text}"));
            not.iter().for_each(|text| {
                assert!(!pattern.is_match(text), "{pattern} must not match {text}")
            });
        }
    }

    #[test]
    fn commands_of_unmarked_blocks() {
        for (text, expected) in [
            ("make test", true),
            ("make", true),
            ("make sure that it works", false),
            ("./configure --prefix=/usr", true),
            ("CC=clang ./configure", true),
            ("PASSED: 3", false),
            ("git", false),
            (">>> import x", false),
            ("tools/run.sh -a", true),
        ] {
            assert_eq!(
                is_command(text, false, |word| word == "tools/run.sh"),
                expected,
                "{text}"
            );
        }
        assert!(is_command("anything goes", true, |_| false));
    }
}
