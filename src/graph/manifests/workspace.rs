//! Glob patterns of workspaces: `packages/*`, `!packages/old`, `apps/**`.

use globset::{GlobBuilder, GlobMatcher};

use crate::evidence::Place;

/// Patterns of one workspace that are kept.
const MAX_PATTERNS: usize = 500;

pub struct Globs {
    include: Vec<(GlobMatcher, Place)>,
    exclude: Vec<GlobMatcher>,
}

impl Globs {
    /// Patterns with their places; one that starts with `!` takes out again.
    pub fn new(patterns: impl Iterator<Item = (String, Place)>) -> Self {
        let mut globs = Self {
            include: Vec::new(),
            exclude: Vec::new(),
        };
        for (pattern, place) in patterns.take(MAX_PATTERNS) {
            let (out, text) = match pattern.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, pattern.as_str()),
            };
            let text = text.trim_start_matches("./").trim_end_matches('/');
            let Ok(glob) = GlobBuilder::new(text).literal_separator(true).build() else {
                continue;
            };
            if out {
                globs.exclude.push(glob.compile_matcher());
            } else {
                globs.include.push((glob.compile_matcher(), place));
            }
        }
        globs
    }

    /// The place of the pattern that takes a directory in.
    pub fn place_of(&self, dir: &str) -> Option<Place> {
        if self.exclude.iter().any(|glob| glob.is_match(dir)) {
            return None;
        }
        let found = self.include.iter().find(|(glob, _)| glob.is_match(dir));
        found.map(|(_, place)| place.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exclusion_wins() {
        let patterns = ["./packages/*/", "!packages/old", "a/**", "["];
        let globs = Globs::new(
            (1..)
                .zip(patterns)
                .map(|(line, text)| (text.to_owned(), Place::new("f", line))),
        );
        let line = |dir: &str| globs.place_of(dir).map(|place| place.line);
        assert_eq!(line("packages/x"), Some(1));
        assert_eq!(line("packages/old"), None);
        assert_eq!(line("packages/x/y"), None);
        assert_eq!(line("a/b/c"), Some(3));
    }
}
