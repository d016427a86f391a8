//! The toolchains that an image of a registry carries, by its name and tag. The table is data: `grammars/images.toml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::scan::languages::GRAMMARS;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    image: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct Rule {
    tool: String,
    /// The first group that takes part is the version.
    #[serde(deserialize_with = "pattern")]
    pattern: Regex,
    /// Image → version, empty for none.
    examples: Vec<(String, String)>,
    #[serde(default)]
    not: Vec<String>,
}

fn pattern<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let text = String::deserialize(deserializer)?;
    Regex::new(&text).map_err(serde::de::Error::custom)
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file = GRAMMARS.get_file("images.toml");
    let text = file.and_then(|file| file.contents_utf8());
    toml::from_str(text.unwrap_or_default()).unwrap_or_default()
});

/// `(tool, version)` of an image, `python:3.11-slim`.
pub(in crate::graph) fn tools(image: &str) -> Vec<(String, Option<String>)> {
    let image = &tagged(image);
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    for rule in &TABLE.image {
        if let Some(matched) = rule.pattern.captures(image)
            && found.iter().all(|(tool, _)| *tool != rule.tool)
        {
            found.push((rule.tool.clone(), version(&matched).map(str::to_owned)));
        }
    }
    found
}

/// The image with its tag, without its digest; none is `latest`.
fn tagged(image: &str) -> String {
    let image = image.split('@').next().unwrap_or(image).trim();
    let last = image.rsplit('/').next().unwrap_or(image);
    if last.contains(':') {
        image.to_owned()
    } else {
        format!("{image}:latest")
    }
}

fn version<'t>(matched: &regex::Captures<'t>) -> Option<&'t str> {
    matched
        .iter()
        .skip(1)
        .flatten()
        .next()
        .map(|group| group.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_matches_its_examples_and_not_its_near_misses() {
        let text = GRAMMARS
            .get_file("images.toml")
            .unwrap()
            .contents_utf8()
            .unwrap();
        let table: Table = toml::from_str(text).unwrap();
        for rule in &table.image {
            assert!(!rule.examples.is_empty());
            for (image, expected) in &rule.examples {
                let image = tagged(image);
                let found = rule.pattern.captures(&image);
                let found = found.unwrap_or_else(|| panic!("{} must match {image}", rule.pattern));
                let text = version(&found).unwrap_or_default();
                assert_eq!(text, expected, "{image}");
            }
            for image in &rule.not {
                assert!(
                    !rule.pattern.is_match(image),
                    "{} must not match {image}",
                    rule.pattern
                );
            }
        }
    }

    #[test]
    fn an_image_may_carry_two() {
        let found = tools("maven:3.9-eclipse-temurin-17@sha256:0");
        assert_eq!(found.len(), 2);
        assert_eq!(tools("debian:bookworm"), []);
    }
}
