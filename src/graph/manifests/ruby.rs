//! `Gemfile`, `*.gemspec` and `Gemfile.lock` (Bundler's and RubyGems' manuals), read without running them.
//!
//! Attributes of a `ruby` project, besides those that all ecosystems share (see `mod.rs`):
//! - `native`: an `extconf.rb` or another extension that installing compiles
//! - `rails`: the gem `rails` or an application's `bin/rails`
//! - `network`: a gem from a version control system
//!
//! Tools: `ruby` from the Gemfile (`Lock`), `required_ruby_version` (`Manifest`) or the lock file (`Lock`); `bundler` from
//! the lock file.

mod commands;
mod gemfile;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};
use crate::packages::Capability;

use super::tokens::{HASH, Kind, Token, literal_after, near, tokens};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const GEMSPEC: Reader = Reader {
    format: "gemspec",
    matches: |path| path.ends_with(".gemspec"),
    read: gemspec,
};

pub const READER: Reader = Reader {
    format: "gemfile",
    matches: |path| matches!(base(path), "Gemfile" | "gems.rb"),
    read: gemfile::read,
};

fn gemspec(reading: &mut Reading<'_>) {
    let all = tokens(reading.text, &HASH);
    let draft = reading.drafts.project("ruby", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(reading.path, token.line);
        let Some(word) = token.word() else { continue };
        match word {
            "Specification" => {
                // `Gem::Specification.new 'name', version do |s|`
                let first = near(&all, at, 6).iter().find_map(Token::literal);
                if let Some(name) =
                    first.filter(|_| near(&all, at, 3).iter().any(|token| token.is("new")))
                {
                    draft.name(name, &place);
                }
            }
            "name" if draft.name.is_none() => {
                if let Some(name) = literal_after(&all, at) {
                    draft.name(&name.text, &place);
                    draft.attr("package", &name.text, place);
                }
            }
            "add_dependency" | "add_runtime_dependency" | "add_development_dependency" => {
                let scope = if word.contains("development") {
                    Scope::Dev
                } else {
                    Scope::Runtime
                };
                gem(draft, &all, at, scope, place);
            }
            "required_ruby_version" => {
                let line: Vec<&str> = near(&all, at, 12)
                    .iter()
                    .filter(|next| next.line == token.line)
                    .filter_map(Token::literal)
                    .collect();
                if !line.is_empty() {
                    draft.tool("ruby", Some(line.join(", ")), Trust::Manifest, place);
                }
            }
            "extensions" => {
                let file = near(&all, at, 12).iter().filter_map(Token::literal).next();
                if let Some(file) = file {
                    compiled(draft, file, &place);
                }
            }
            "executables" => {
                let names = near(&all, at + 1, 12)
                    .iter()
                    .take_while(|next| next.line == token.line && !next.is("map"))
                    .filter_map(Token::literal)
                    .filter(|name| !name.contains(['/', '*', '#', ' ']));
                for name in names {
                    draft.entry(name, EntryKind::Command, place.clone());
                }
            }
            _ => {}
        }
    }
    let name = draft.name.clone();
    if let Some(name) = name.filter(|name| !name.contains(['#', '$'])) {
        draft.entry(&name, EntryKind::Library, Place::file(reading.path));
    }
    commands::read(reading);
}

/// An extension: installing the gem compiles it against Ruby's headers.
fn compiled(draft: &mut super::drafts::Draft, file: &str, place: &Place) {
    draft.attr("native", file, place.clone());
    let needed = [
        Capability::Header("ruby.h".to_owned()),
        Capability::Command("make".to_owned()),
        Capability::Command("cc".to_owned()),
    ];
    for capability in needed {
        draft.system(capability, Scope::Build, true, place.clone());
    }
}

/// `gem "name", ">= 1", "< 2"`: the literals of one statement.
fn gem(draft: &mut super::drafts::Draft, all: &[Token], at: usize, scope: Scope, place: Place) {
    let Some(first) = all.get(at) else { return };
    let rest = near(all, at + 1, 30).iter();
    let literals: Vec<&str> = rest
        .take_while(|token| {
            matches!(token.kind, Kind::Text)
                || (token.kind == Kind::Sign
                    && matches!(token.text.as_str(), "," | "(" | "[" | "<" | "%"))
                || token.is("freeze")
                || token.is(".")
        })
        .take_while(|token| token.line <= first.line + 2)
        .filter_map(Token::literal)
        .collect();
    let Some((name, versions)) = literals.split_first() else {
        return;
    };
    if name.contains(['#', ' ', '/']) || name.is_empty() {
        return;
    }
    let spec = format!("{name} {}", versions.join(", "));
    draft.package("rubygems", name, spec.trim(), scope, place);
}

/// The file beside the project, where it is there.
fn beside(reading: &Reading<'_>, name: &str) -> Option<String> {
    join(reading.dir, name).filter(|path| reading.tree.has(path))
}
