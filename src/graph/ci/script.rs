//! Lines that one shell is given.

use std::collections::BTreeMap;

use crate::graph::Os;
use crate::graph::yaml::{Mark, Value, Yaml};

/// Lists within lists of a script that are followed; GitLab allows ten.
const MAX_NESTING: usize = 10;

/// Rows of one script.
const MAX_ROWS: usize = 5000;

#[derive(Debug, Clone, Default)]
pub(super) struct Script {
    pub(super) text: String,
    /// Where each row of `text` stands.
    pub(super) lines: Vec<Mark>,
    pub(super) dir: String,
    pub(super) env: BTreeMap<String, String>,
    pub(super) os: Option<Os>,
    pub(super) context: String,
    pub(super) unresolved: Vec<String>,
    /// See [`crate::graph::CommandFacts::shell`].
    pub(super) shell: Option<String>,
    pub(super) row: BTreeMap<String, String>,
    /// The text in other rows of the matrix.
    pub(super) others: Vec<String>,
}

impl Script {
    pub(super) fn new(context: impl Into<String>, os: Option<Os>) -> Self {
        Self {
            context: context.into(),
            os,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, mark: Mark, text: &str) {
        if self.lines.len() < MAX_ROWS {
            self.text.push_str(text);
            self.text.push('\n');
            self.lines.push(mark);
        }
    }

    /// Fills in each row; one that becomes several keeps its place. What is not known is noted.
    pub(super) fn fill(&mut self, fill: impl Fn(&str) -> (String, Vec<String>)) {
        let (text, lines) = (
            std::mem::take(&mut self.text),
            std::mem::take(&mut self.lines),
        );
        for (row, mark) in text.lines().zip(lines) {
            let (filled, unresolved) = fill(row);
            for unknown in unresolved {
                if !self.unresolved.contains(&unknown) {
                    self.unresolved.push(unknown);
                }
            }
            if filled.is_empty() {
                self.push(mark, "");
            }
            for line in filled.lines() {
                self.push(mark, line);
            }
        }
    }

    /// Adds the lines of a scalar, or of each item of a list.
    pub(super) fn extend(&mut self, yaml: &Yaml) {
        self.extend_nested(yaml, MAX_NESTING);
    }

    fn extend_nested(&mut self, yaml: &Yaml, depth: usize) {
        match &yaml.value {
            Value::List(items) if depth > 0 => {
                for item in items {
                    self.extend_nested(item, depth - 1);
                }
            }
            Value::Scalar { text, literal } => {
                for (row, line) in (0..).zip(text.lines()) {
                    let down = if *literal { row } else { 0 };
                    self.push(yaml.mark.down(down), line);
                }
            }
            _ => {}
        }
    }
}
