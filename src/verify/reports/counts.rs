//! Numbers gathered from a runner's lines, and what they amount to.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What a number in a report stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    Passed,
    Failed,
    Errors,
    Skipped,
    /// All of the above together: what is not failed, in error or skipped has passed.
    Total,
    /// Tests announced: those that never reported are errors (a crash in between).
    Planned,
    /// Failed tests whose failure is the environment's (an import that failed, a signal): moved to the errors.
    Environment,
    /// Packages or files that passed, of a runner that does not count tests unless asked to.
    Units,
    /// Tests that ran: those that no other number speaks of have failed (`3/5 tests passed`).
    Run,
}

impl Field {
    /// Field of a capture group: its name, less trailing digits (`failed2` adds to `failed`).
    pub fn of_group(name: &str) -> Option<Self> {
        Some(match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "passed" => Self::Passed,
            "failed" => Self::Failed,
            "errors" => Self::Errors,
            "skipped" => Self::Skipped,
            "total" => Self::Total,
            "planned" => Self::Planned,
            "environment" => Self::Environment,
            "units" => Self::Units,
            "run" => Self::Run,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; 9]);

impl Counts {
    pub fn add(&mut self, field: Field, number: u64) {
        if let Some(slot) = self.0.get_mut(field as usize) {
            *slot = slot.saturating_add(number);
        }
    }

    pub fn get(&self, field: Field) -> u64 {
        self.0.get(field as usize).copied().unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|number| *number == 0)
    }

    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Adds the numbers of a list such as `1 failed, 2 passed` or `failures=1, errors=2`; words that `words`
    /// does not know (`3 warnings`) say nothing about tests.
    pub fn add_list(&mut self, list: &str, words: &BTreeMap<String, Field>) {
        for item in list.split([',', '|', ';', '/']) {
            // `118 passed (2 slow)`: the remark is not a number of its own.
            let item = item.split('(').next().unwrap_or(item);
            let digits: String = item
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(char::is_ascii_digit)
                .collect();
            let word: String = item
                .chars()
                .filter(|c| c.is_alphabetic() || *c == ' ')
                .collect::<String>()
                .trim()
                .to_lowercase();
            if let (Ok(number), Some(field)) = (digits.parse(), words.get(&word)) {
                self.add(*field, number);
            }
        }
    }

    /// `(passed, failed, errors, skipped)`.
    pub fn settle(&self) -> (u64, u64, u64, u64) {
        let (mut passed, mut failed) = (self.get(Field::Passed), self.get(Field::Failed));
        let (mut errors, skipped) = (self.get(Field::Errors), self.get(Field::Skipped));
        let total = self.get(Field::Total);
        if total > 0 {
            passed = total
                .saturating_sub(failed)
                .saturating_sub(errors)
                .saturating_sub(skipped);
        }
        if passed == 0 {
            passed = self.get(Field::Units);
        }
        failed = failed.max(self.get(Field::Run).saturating_sub(passed));
        let moved = self.get(Field::Environment).min(failed);
        failed -= moved;
        errors = errors.saturating_add(moved);
        let seen = passed.saturating_add(failed).saturating_add(errors);
        let missing = self
            .get(Field::Planned)
            .saturating_sub(seen.saturating_add(skipped));
        (passed, failed, errors.saturating_add(missing), skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_leaves_the_rest_as_passed() {
        let mut counts = Counts::default();
        counts.add(Field::Total, 10);
        counts.add(Field::Failed, 3);
        counts.add(Field::Environment, 1);
        counts.add(Field::Skipped, 2);
        assert_eq!(counts.settle(), (5, 2, 1, 2));
    }

    #[test]
    fn tests_that_never_reported_are_errors() {
        let mut counts = Counts::default();
        counts.add(Field::Planned, 4);
        counts.add(Field::Passed, 3);
        assert_eq!(counts.settle(), (3, 0, 1, 0));
    }

    #[test]
    fn absurd_numbers_do_not_overflow() {
        let mut counts = Counts::default();
        for _ in 0..3 {
            counts.add(Field::Total, u64::MAX);
            counts.add(Field::Failed, u64::MAX);
            counts.add(Field::Environment, 7);
        }
        assert_eq!(counts.settle(), (0, u64::MAX - 21, 21, 0));
    }
}
