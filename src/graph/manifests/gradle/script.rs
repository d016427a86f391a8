//! Build scripts in Groovy and Kotlin, as far as they call things with literals.

use super::super::jvm::feature_release;
use super::super::tokens::{CURLY, Kind, Token, inside, literal_after, near, starts, tokens};

#[derive(Default)]
pub struct Script {
    /// Requirements on Java.
    pub java: Vec<(String, u32)>,
    /// Id, version, line.
    pub plugins: Vec<(String, Option<String>, u32)>,
    /// Configuration, `group:name:version`, line.
    pub dependencies: Vec<(String, String, u32)>,
    /// Paths of projects that are depended on: `:core`.
    pub projects: Vec<(String, u32)>,
}

impl Script {
    pub fn read(text: &str, catalog: &[(String, String)]) -> Self {
        let all = tokens(text, &CURLY);
        let mut script = Self::default();
        for (at, token) in all.iter().enumerate() {
            let Some(word) = token.word() else { continue };
            match word {
                "plugins" if opens(&all, at + 1) => script.plugin_block(inside(&all, at + 1)),
                "apply" => script.applied(&all, at),
                "dependencies" if opens(&all, at + 1) => {
                    script.dependency_block(inside(&all, at + 1));
                }
                _ => script.java_at(&all, at, word, catalog),
            }
        }
        script.java.dedup_by(|a, b| a.0 == b.0);
        script
    }

    fn java_at(&mut self, all: &[Token], at: usize, word: &str, catalog: &[(String, String)]) {
        let line = all.get(at).map_or(0, |token| token.line);
        let exact = (word == "of"
            && at >= 2
            && all
                .get(at - 2)
                .is_some_and(|token| token.is("JavaLanguageVersion")))
            || (word == "jvmToolchain" && starts(all, at + 1, &["("]));
        let minimum = matches!(
            word,
            "sourceCompatibility" | "targetCompatibility" | "jvmTarget"
        ) || (word == "release"
            && at >= 2
            && all.get(at - 2).is_some_and(|token| token.is("options")));
        if !exact && !minimum {
            return;
        }
        if let Some(version) = version_after(all, at, catalog) {
            let version = if exact {
                version
            } else {
                format!(">={version}")
            };
            self.java.push((version, line));
        }
    }

    fn plugin_block(&mut self, block: &[Token]) {
        let depth = block.iter().map(|token| token.depth).min().unwrap_or(0);
        for (at, token) in block.iter().enumerate() {
            let Some(word) = token.word().filter(|_| token.depth == depth) else {
                continue;
            };
            let first = literal_after(block, at);
            let version = (at..block.len())
                .take(10)
                .take_while(|next| block.get(*next).is_some_and(|next| next.line == token.line))
                .find(|next| block.get(*next).is_some_and(|next| next.is("version")))
                .and_then(|next| literal_after(block, next))
                .map(|literal| literal.text.clone());
            match (word, first) {
                ("id", Some(id)) => self.plugins.push((id.text.clone(), version, token.line)),
                ("kotlin", Some(id)) => {
                    let id = format!("org.jetbrains.kotlin.{}", id.text);
                    self.plugins.push((id, version, token.line));
                }
                ("java" | "application" | "groovy" | "scala" | "war", _) => {
                    self.plugins.push((word.to_owned(), None, token.line));
                }
                _ => {}
            }
        }
    }

    /// `apply plugin: 'java'`, `apply(plugin = "java")`.
    fn applied(&mut self, all: &[Token], at: usize) {
        if near(all, at, 3).iter().any(|token| token.is("plugin"))
            && let Some(id) = near(all, at, 6)
                .iter()
                .find(|token| token.kind == Kind::Text)
        {
            self.plugins.push((id.text.clone(), None, id.line));
        }
    }

    fn dependency_block(&mut self, block: &[Token]) {
        for (at, token) in block.iter().enumerate() {
            let Some(word) = token.word() else { continue };
            let Some(literal) = literal_after(block, at) else {
                continue;
            };
            if word == "project" || (word == "path" && literal.text.starts_with(':')) {
                self.projects.push((literal.text.clone(), token.line));
            } else if literal.text.matches(':').count() >= 1
                && !literal.text.contains(['$', ' ', '/'])
                && !literal.text.starts_with(':')
            {
                self.dependencies
                    .push((word.to_owned(), literal.text.clone(), token.line));
            }
        }
    }
}

fn opens(all: &[Token], at: usize) -> bool {
    starts(all, at, &["{"])
}

/// The version behind a setting: a number, a string, `JavaVersion.VERSION_17`, `libs.versions.java.get()`.
fn version_after(all: &[Token], at: usize, catalog: &[(String, String)]) -> Option<String> {
    let first = all.get(at)?;
    let near = all.get(at + 1..).unwrap_or_default();
    let near: Vec<&Token> = near
        .iter()
        .take(14)
        .take_while(|token| token.line == first.line)
        .collect();
    if let Some(libs) = near.iter().position(|token| token.is("libs")) {
        let words = near.iter().skip(libs + 2).filter_map(|token| token.word());
        let name: Vec<&str> = words
            .skip_while(|word| *word == "versions")
            .take_while(|word| !matches!(*word, "get" | "toInt"))
            .collect();
        let name = name.join(".");
        let found = catalog.iter().find(|(known, _)| *known == name)?;
        return feature_release(&found.1);
    }
    near.iter()
        .take_while(|token| !(token.is("}") || token.is("{")))
        .filter(|token| token.kind != Kind::Sign)
        .take(4)
        .find_map(|token| match token.kind {
            Kind::Word if !token.text.contains("VERSION_") && !token.text.starts_with("JVM_") => {
                None
            }
            _ => feature_release(&token.text),
        })
}
