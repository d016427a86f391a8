//! A `Gemfile` with its groups, and the versions its lock file was written by.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::super::Reading;
use super::super::tokens::{HASH, Token, literal_after, near, tokens};
use super::super::tree::join;
use super::{beside, commands, gem};

pub fn read(reading: &mut Reading<'_>) {
    let all = tokens(reading.text, &HASH);
    let site = beside(reading, "_config.yml").is_some();
    let draft = reading.drafts.project("ruby", reading.dir);
    draft.manifest(reading.path, reading.format);
    // A site's generator is run from here, if nothing else is.
    draft.product |= site;
    // Blocks around a statement; a group gives its scope.
    let mut blocks: Vec<Option<Scope>> = Vec::new();
    let mut line = 0;
    for (at, token) in all.iter().enumerate() {
        let first = token.line != std::mem::replace(&mut line, token.line);
        let Some(word) = token.word() else { continue };
        let place = Place::new(reading.path, token.line);
        let draft = reading.drafts.project("ruby", reading.dir);
        match word {
            "do" => blocks.push(group_of(&all, at)),
            "if" | "unless" | "case" | "begin" | "def" | "while" if first => blocks.push(None),
            "end" => {
                blocks.pop();
            }
            "gem" if first || blocks.is_empty() => {
                let scope =
                    scope_of(&all, at).or_else(|| blocks.iter().rev().flatten().next().cloned());
                option(draft, &all, at, reading.dir, reading.path);
                gem(draft, &all, at, scope.unwrap_or(Scope::Runtime), place);
            }
            "gemspec" if first => draft.attr("gemspec", "gemspec", place),
            "ruby" if first => ruby(reading, &all, at),
            _ => {}
        }
    }
    lock(reading);
    commands::read(reading);
}

/// The scope of `group :test, :development do`, whose `do` stands at `at`.
fn group_of(all: &[Token], at: usize) -> Option<Scope> {
    let line = all.get(at)?.line;
    let statement: Vec<&str> = all
        .get(at.saturating_sub(20)..at)?
        .iter()
        .filter(|token| token.line == line)
        .map(|token| token.text.as_str())
        .collect();
    (statement.first() == Some(&"group")).then(|| scope(&statement))
}

/// `gem "x", group: :test`, `groups: [:development, :test]`, `:group => :test`.
fn scope_of(all: &[Token], at: usize) -> Option<Scope> {
    let line = all.get(at)?.line;
    let statement = near(all, at, 40)
        .iter()
        .take_while(|token| token.line == line);
    let words: Vec<&str> = statement
        .skip_while(|token| !matches!(token.text.as_str(), "group" | "groups"))
        .map(|token| token.text.as_str())
        .collect();
    (!words.is_empty()).then(|| scope(&words))
}

fn scope(words: &[&str]) -> Scope {
    if words.contains(&"test") {
        Scope::Test
    } else if words.contains(&"development") {
        Scope::Dev
    } else {
        let name = words.iter().skip(1).find(|word| word.len() > 1).copied();
        Scope::Optional(name.unwrap_or("group").to_owned())
    }
}

/// `path:` is another project of the checkout, `git:` and `github:` are fetched.
fn option(
    draft: &mut super::super::drafts::Draft,
    all: &[Token],
    at: usize,
    dir: &str,
    file: &str,
) {
    let Some(line) = all.get(at).map(|token| token.line) else {
        return;
    };
    let statement: Vec<&Token> = near(all, at, 40)
        .iter()
        .take_while(|token| token.line == line)
        .collect();
    for (at, token) in statement.iter().enumerate() {
        let value = statement
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .find_map(|token| token.literal());
        match (token.word(), value) {
            (Some("path"), Some(path)) => {
                if let Some(to) = join(dir, path) {
                    draft.need(&to);
                }
            }
            (Some("git" | "github"), Some(from)) => {
                draft.attr("network", from, Place::new(file, line));
            }
            _ => {}
        }
    }
}

/// `ruby "3.2.2"`, `ruby ">= 2.7"`, `ruby file: ".ruby-version"`.
fn ruby(reading: &mut Reading<'_>, all: &[Token], at: usize) {
    let Some(token) = all.get(at) else { return };
    let file = near(all, at, 4).iter().any(|token| token.is("file"));
    let literal = literal_after(all, if file { at + 1 } else { at });
    let Some(literal) = literal.filter(|literal| literal.line == token.line) else {
        return;
    };
    let mut place = Place::new(reading.path, token.line);
    let mut version = literal.text.clone();
    if file {
        let Some(path) = join(reading.dir, &literal.text).filter(|path| reading.tree.has(path))
        else {
            return;
        };
        let text = reading.tree.read(&path).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default().trim();
        version = first.trim_start_matches("ruby-").to_owned();
        place = Place::new(path, 1);
    }
    let exact = version.starts_with(|c: char| c.is_ascii_digit());
    let trust = if exact { Trust::Lock } else { Trust::Manifest };
    let draft = reading.drafts.project("ruby", reading.dir);
    draft.tool("ruby", Some(version), trust, place);
}

/// `RUBY VERSION` and `BUNDLED WITH` of the lock file.
fn lock(reading: &mut Reading<'_>) {
    let Some(path) = beside(reading, "Gemfile.lock").or_else(|| beside(reading, "gems.locked"))
    else {
        return;
    };
    let text = reading.tree.read(&path).unwrap_or_default();
    let draft = reading.drafts.project("ruby", reading.dir);
    draft.attr("lock", &path, Place::file(&path));
    draft.manifest(&path, reading.format);
    let mut section = "";
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with(' ') {
            section = line.trim();
            continue;
        }
        let place = Place::new(&path, number);
        match section {
            "RUBY VERSION" => {
                if let Some(version) = line.trim().strip_prefix("ruby ") {
                    let version = version.split('p').next().unwrap_or(version).to_owned();
                    draft.tool("ruby", Some(version), Trust::Lock, place);
                }
            }
            "BUNDLED WITH" => {
                draft.tool("bundler", Some(line.trim().to_owned()), Trust::Lock, place)
            }
            _ => {}
        }
    }
}
