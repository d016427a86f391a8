//! Commands within sentences: "run `make check`". Only where the sentence says to run it.

use std::sync::LazyLock;

use regex::Regex;

use super::Block;

/// A verb that tells the reader to run something, shortly before code in backticks (two in reStructuredText).
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(run|runs|running|execute|executing|type|typing|invoke|invoking|issue|enter|call|calling|use|using|with|via)\b:?[^`]{0,40}?(`{1,2})([^`]+)`{1,2}",
    )
    .expect("a literal pattern")
});

/// What turns the sentence around, or tells of a habit of some other program.
static TURNED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(not|don't|never|instead of|rather than|without|cannot|can't|no longer|which runs|will run|that runs|fails?|failed)\b[^`]*$")
        .expect("a literal pattern")
});

/// `and then `make``: goes on with what was told.
static AND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:,|and|then|followed by|&&|;|\s)*\s*(`{1,2})([^`]+)`{1,2}")
        .expect("a literal pattern")
});

/// Commands of one line that are kept.
const MAX_COMMANDS: usize = 5;

/// The commands that a line of prose tells the reader to run.
pub(super) fn commands(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    // A link's text is a name.
    if !line.contains('`') || line.len() > 2000 {
        return found;
    }
    let mut rest = line;
    while let Some(told) = TOLD.captures(rest).filter(|_| found.len() < MAX_COMMANDS) {
        let (Some(whole), Some(verb), Some(code)) = (told.get(0), told.get(1), told.get(3)) else {
            break;
        };
        // A verb that stands in code itself tells nothing.
        let ahead = rest.get(..verb.start()).unwrap_or_default();
        if ahead.matches('`').count() % 2 == 1 {
            let after = rest.get(verb.end()..).unwrap_or_default();
            rest = after.split_once('`').map_or("", |(_, after)| after);
            continue;
        }
        let before = rest.get(..code.start()).unwrap_or_default();
        let sentence = before.rsplit(['.', ';', '!', '?']).next().unwrap_or(before);
        let sentence = sentence.trim_end_matches('`');
        let between = rest.get(verb.end()..code.start()).unwrap_or_default();
        rest = rest.get(whole.end()..).unwrap_or_default();
        if TURNED.is_match(sentence) || between.contains(". ") {
            continue;
        }
        // "with `make`" and "use `make`" name a tool as likely as a command.
        let weak = matches!(
            verb.as_str().to_ascii_lowercase().as_str(),
            "use" | "using" | "with" | "via" | "call" | "calling"
        );
        let code = code.as_str().trim();
        if weak && code.split_whitespace().count() < 2 {
            continue;
        }
        found.push(code.to_owned());
        while let Some(next) = AND.captures(rest) {
            let (Some(whole), Some(code)) = (next.get(0), next.get(2)) else {
                break;
            };
            if found.len() < MAX_COMMANDS {
                found.push(code.as_str().trim().to_owned());
            }
            rest = rest.get(whole.end()..).unwrap_or_default();
        }
    }
    found
}

/// Gathers the commands of a list's items: its steps are taken one after another in one shell.
#[derive(Default)]
pub(super) struct Steps {
    block: Block,
}

impl Steps {
    /// Adds a line of prose. Gives the block of the steps before it where it does not go on with them.
    pub(super) fn line(&mut self, number: u32, line: &str) -> Option<Block> {
        let trimmed = line.trim();
        let listed = is_item(trimmed) || line.starts_with([' ', '\t']) || trimmed.is_empty();
        let ended = if listed { None } else { self.end() };
        for command in commands(trimmed) {
            self.block.lines.push((number, command));
        }
        // Outside of a list each line stands for itself.
        ended.or_else(|| if listed { None } else { self.end() })
    }

    pub(super) fn end(&mut self) -> Option<Block> {
        let mut block = std::mem::take(&mut self.block);
        block.language = "inline".to_owned();
        (!block.lines.is_empty()).then_some(block)
    }
}

/// `1. x`, `- x`, `* x`, `#. x`.
fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    numbered
        || ["- ", "* ", "+ ", "#. "]
            .iter()
            .any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_tell_and_those_that_do_not() {
        for (line, expected) in [
            ("Run `make check` to test.", "make check"),
            (
                "To build, simply run ``cargo build --release``.",
                "cargo build --release",
            ),
            (
                "Then run `./configure`, `make` and `make install`.",
                "./configure|make|make install",
            ),
            ("You can use `npm test` to run the tests", "npm test"),
            ("Build with `make`", ""),
            ("Do not run `make install` as root", ""),
            ("Never execute `rm -rf x`", ""),
            ("The `run` command prints `x y`", ""),
            ("Run the program. The `make` tool is needed", ""),
            ("This fails if you run `a`", ""),
            ("Type `ninja` in the directory", "ninja"),
        ] {
            assert_eq!(commands(line).join("|"), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(run |`|not |and |[a-zé. ]){0,60}") {
            commands(&text);
        }
    }
}
