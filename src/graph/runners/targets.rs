//! Which targets are worth a command. The list is data: `grammars/targets.toml`.

use std::sync::LazyLock;

use regex::RegexSet;
use serde::Deserialize;

use crate::scan::languages::GRAMMARS;

#[derive(Debug, Default, Deserialize)]
struct Table {
    target: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct Rule {
    pattern: String,
    matches: Vec<String>,
    not: Vec<String>,
}

fn table() -> Table {
    let text = GRAMMARS
        .get_file("targets.toml")
        .and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
}

static TARGETS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(table().target.iter().map(|rule| &rule.pattern)).unwrap_or_default()
});

pub(super) fn is_wanted(name: &str) -> bool {
    TARGETS.is_match(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_matches_its_examples_and_not_its_near_misses() {
        assert!(!table().target.is_empty());
        for rule in table().target {
            let regex = regex::Regex::new(&rule.pattern).unwrap();
            rule.matches
                .iter()
                .for_each(|name| assert!(regex.is_match(name), "{} {name}", rule.pattern));
            rule.not
                .iter()
                .for_each(|name| assert!(!is_wanted(name), "{name}"));
        }
    }
}
