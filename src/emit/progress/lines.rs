//! Pieces of output put together to lines.

use std::collections::VecDeque;

use crate::emit::terminal::sanitize;

/// Characters of a line that are kept; the rest of a longer one is dropped.
const MAX_LINE: usize = 2000;

/// Takes pieces, gives whole lines, remembers the last few.
#[derive(Debug)]
pub struct Lines {
    partial: String,
    last: VecDeque<String>,
    keep: usize,
}

impl Lines {
    /// Remembers the last `keep` lines.
    pub fn new(keep: usize) -> Self {
        Self {
            partial: String::new(),
            last: VecDeque::new(),
            keep,
        }
    }

    pub fn clear(&mut self) {
        self.partial.clear();
        self.last.clear();
    }

    /// Gives the lines that `piece` completes, without what is blank.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        let mut complete = Vec::new();
        for c in sanitize(piece).chars() {
            if c == '\n' {
                complete.extend(self.finish());
            } else if self.partial.len() < MAX_LINE {
                self.partial.push(c);
            }
        }
        complete
    }

    /// Ends a line that has no newline yet.
    pub fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.partial);
        let line = line.trim_end();
        if line.is_empty() {
            return None;
        }
        if self.last.len() == self.keep {
            self.last.pop_front();
        }
        self.last.push_back(line.to_owned());
        Some(line.to_owned())
    }

    pub fn last(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.last.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_lines() {
        let mut lines = Lines::new(2);
        assert_eq!(lines.push("on"), Vec::<String>::new());
        assert_eq!(lines.push("e\ntwo\n\nth"), ["one", "two"]);
        assert_eq!(lines.finish().as_deref(), Some("th"));
        assert_eq!(lines.last().collect::<Vec<_>>(), ["two", "th"]);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let mut lines = Lines::new(1);
        for _ in 0..100 {
            lines.push(&"x".repeat(1000));
        }
        assert_eq!(lines.finish().map(|line| line.len()), Some(MAX_LINE));
    }
}
