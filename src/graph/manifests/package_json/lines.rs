//! Command lines of scripts and of those who run them.

/// How a package manager is told to run a script of the package.
pub fn run_script(manager: &str, name: &str) -> String {
    let word = shlex::try_quote(name).map_or_else(|_| String::new(), |word| word.into_owned());
    let short = matches!(name, "test" | "start");
    match manager {
        "yarn" => format!("yarn run {word}"),
        "npm" | "pnpm" if short => format!("{manager} {word}"),
        // `bun test` is Bun's own runner, not the script.
        other => format!("{other} run {word}"),
    }
}

/// Whether the words stand one after another in a command line.
pub fn has_words(text: &str, words: &[&str]) -> bool {
    let all: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')'))
        .filter(|word| !word.is_empty())
        .collect();
    // `--reporter tap` names no program.
    let option = |at: usize| at > 0 && all.get(at - 1).is_some_and(|word| word.starts_with('-'));
    all.windows(words.len().max(1))
        .enumerate()
        .any(|(at, found)| found == words && !option(at))
}

/// Names and texts of the scripts in a `package.json`, with their lines.
pub fn scripts_of(text: &str) -> Vec<(String, String, u32)> {
    let doc = super::super::json_doc::Doc::parse(text, "");
    let entries = doc.get(&["scripts"]).into_iter();
    entries
        .flat_map(super::super::json_doc::Item::entries)
        .filter_map(|(name, value)| {
            Some((name.to_owned(), value.str()?.to_owned(), value.place().line))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_run_by_their_manager() {
        let all = [
            ("npm", "test"),
            ("npm", "a b"),
            ("yarn", "test"),
            ("pnpm", "start"),
            ("bun", "test"),
        ];
        let shown: Vec<String> = all.iter().map(|(m, s)| run_script(m, s)).collect();
        assert_eq!(
            shown,
            [
                "npm test",
                "npm run 'a b'",
                "yarn run test",
                "pnpm start",
                "bun run test"
            ]
        );
        assert!(has_words("tsc && mocha -r x", &["mocha"]));
        assert!(!has_words("mochawesome", &["mocha"]));
        assert!(!has_words("mocha --reporter tap", &["tap"]));
    }
}
