//! Is a script honest? It may not create, alter or shadow a file that the repository tracks, a test configuration or a
//! program that the pyramid runs; not install a fake of a tool; not swallow a failure where the step matters; and not
//! put switches that skip tests where every later command reads them (`DESIGN.md`, verification).
//!
//! The check reads the text's syntax and runs nothing. What a program does that the script calls is not seen here:
//! the comparison of tracked files after the run is the second half of the answer.

mod facts;
mod knowledge;
mod reader;
mod rules;
mod targets;
mod vacuous;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use vacuous::is_vacuous_test;

use super::{Native, Script, ScriptError, bash_with};

/// One thing that an honest script does not do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// From 1.
    pub line: u32,
    pub rule: Rule,
    /// What it does and to what, for a person.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Creates, alters or removes a file that the repository tracks.
    TrackedFile,
    /// Makes or alters a file that decides which tests run.
    TestConfig,
    /// Puts something in the place of a program that builds or tests go through.
    FakeTool,
    /// Goes on as if nothing had happened after a step that matters failed.
    SwallowedFailure,
    /// Leaves tests out for good.
    SkippedTests,
    /// Cannot be read, so cannot be called honest.
    Unreadable,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

/// Longest text that is checked, in bytes; a longer one is refused.
pub const LONGEST: usize = 256 * 1024;
/// Deepest `bash -c 'bash -c …'` that is followed; a deeper one is refused.
const DEEPEST: u32 = 4;

/// What of a script's text is dishonest, by line. `tracked` are the repository's tracked files (relative to its root),
/// `pyramid_programs` the programs its pyramid runs (names or paths). Empty: nothing was found.
pub fn check(text: &str, tracked: &[String], pyramid_programs: &[String]) -> Vec<Finding> {
    let repository = rules::Repository::new(tracked, pyramid_programs);
    let mut findings = BTreeSet::new();
    let outer = facts::Nested {
        line: 1,
        text: text.to_owned(),
        errexit: sets(text, "errexit", 'e'),
        pipefail: text.contains("pipefail"),
        cwd: String::new(),
    };
    // A fragment (one step's text) is run by a script that ends at the first failure; a script must say so itself.
    let errexit = outer.errexit || !text.starts_with("#!");
    check_text(
        &facts::Nested { errexit, ..outer },
        0,
        &repository,
        &mut findings,
    );
    findings.into_iter().collect()
}

/// What an edit would add to the dishonesty of a script: the findings of the text after the edit that the text before
/// did not have. An edit with any is refused.
///
/// # Errors
/// [`ScriptError`] where one of the two cannot be written.
pub fn check_edit(
    before: &Script,
    after: &Script,
    native: &Native<'_>,
    tracked: &[String],
    pyramid_programs: &[String],
) -> Result<Vec<Finding>, ScriptError> {
    let old = check(&bash_with(before, native)?, tracked, pyramid_programs);
    let mut new = check(&bash_with(after, native)?, tracked, pyramid_programs);
    // Lines move with an edit: a finding is known by what it says.
    new.retain(|finding| {
        !old.iter()
            .any(|known| known.rule == finding.rule && known.text == finding.text)
    });
    Ok(new)
}

fn check_text(
    nested: &facts::Nested,
    depth: u32,
    repository: &rules::Repository<'_>,
    findings: &mut BTreeSet<Finding>,
) {
    let mut unreadable = |why: &str| {
        findings.insert(Finding {
            line: nested.line,
            rule: Rule::Unreadable,
            text: why.to_owned(),
        });
    };
    if nested.text.len() > LONGEST {
        return unreadable("too long to check");
    }
    if depth > DEEPEST {
        return unreadable("shells within shells, too deep to check");
    }
    let Some(facts) = reader::read(&nested.text, &nested.cwd) else {
        return unreadable("too long, too deeply nested or too odd to check");
    };
    let offset = nested.line.saturating_sub(1);
    for mut finding in rules::findings(&facts, nested, repository) {
        finding.line = finding.line.saturating_add(offset);
        findings.insert(finding);
    }
    for mut inner in facts.nested {
        inner.line = inner.line.saturating_add(offset);
        check_text(&inner, depth + 1, repository, findings);
    }
}

/// Whether some `set` of the text switches an option on, by name or letter.
fn sets(text: &str, name: &str, letter: char) -> bool {
    text.lines()
        .map(str::trim_start)
        .filter_map(|line| line.strip_prefix("set "))
        .any(|options| {
            options.contains(name)
                || options
                    .split_whitespace()
                    .any(|o| o.starts_with('-') && !o.starts_with("--") && o.contains(letter))
        })
        || text.lines().next().is_some_and(|first| {
            first.starts_with("#!")
                && first
                    .split_whitespace()
                    .skip(1)
                    .any(|o| o.starts_with('-') && o.contains(letter))
        })
}

#[cfg(test)]
mod tests;
