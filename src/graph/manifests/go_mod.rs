//! `go.mod` (Go Modules Reference) with `go.sum`, `vendor/` and `go.work`.
//!
//! Attributes of a `go` project, besides those that all ecosystems share (see `mod.rs`):
//! - `module`: the module's path
//! - `vendor`: the directory of vendored packages
//! - `main`: directory of a main package, relative to the project
//! - `cgo`: a file that imports `C`; `language`: `C`
//! - `replace`: a module that is taken from a directory
//! - `legacy`: a dependency manager from before modules: `dep`, `glide`, `godep`, `govendor`
//!
//! Tool `go`: the `go` line (`>=`, `Manifest`), the `toolchain` line (`Lock`).

mod legacy;
mod sources;
#[cfg(test)]
mod tests;
mod work;

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::drafts::Drafts;
use super::tree::{base, join};
use super::{Reader, Reading};

pub use legacy::READER as LEGACY;
pub use work::READER as WORK;

pub const READER: Reader = Reader {
    format: "go-mod",
    matches: |path| base(path) == "go.mod",
    read,
};

/// A line of a module file: its verb, the words behind it, and the comment at its end.
#[derive(Debug, PartialEq, Eq)]
struct Directive {
    verb: String,
    words: Vec<String>,
    comment: String,
    line: u32,
}

/// Directives of `go.mod` and `go.work`, those in blocks with the verb of their block.
fn directives(text: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for (line, raw) in (1..).zip(text.lines()) {
        let (content, comment) = raw.split_once("//").unwrap_or((raw, ""));
        let mut words: Vec<String> = content
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '`']).to_owned())
            .collect();
        let Some(first) = words.first().cloned() else {
            continue;
        };
        if first == ")" {
            block = None;
            continue;
        }
        if words.last().is_some_and(|last| last == "(") && words.len() == 2 {
            block = Some(first);
            continue;
        }
        let verb = block.clone().unwrap_or_else(|| words.remove(0));
        found.push(Directive {
            verb,
            words,
            comment: comment.trim().to_owned(),
            line,
        });
    }
    found
}

fn read(reading: &mut Reading<'_>) {
    let all = directives(reading.text);
    let Some(module) = all.iter().find(|directive| directive.verb == "module") else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let draft = reading.drafts.project("go", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let place = Place::new(reading.path, module.line);
    let path = module.words.first().cloned().unwrap_or_default();
    draft.attr("module", &path, place.clone());
    draft.name(&path, &place);
    for directive in &all {
        one(reading, directive);
    }
    let tree = reading.tree;
    let file = |name: &str| join(reading.dir, name).filter(|path| tree.has(path));
    let draft = reading.drafts.project("go", reading.dir);
    let vendored = file("vendor/modules.txt");
    if let Some(path) = &vendored {
        draft.attr("vendor", super::tree::parent(path), Place::file(path));
    }
    if let Some(path) = file("go.sum") {
        draft.attr("lock", &path, Place::file(&path));
        draft.manifest(&path, reading.format);
    }
    let place = Place::file(reading.path);
    if vendored.is_none() && all.iter().any(|directive| directive.verb == "require") {
        draft.command("install", "go mod download", place.clone());
    }
    draft.command("build", "go build ./...", place.clone());
    draft.command("test", "go test ./...", place.clone());
    sources::read(reading);
}

fn one(reading: &mut Reading<'_>, directive: &Directive) {
    let place = Place::new(reading.path, directive.line);
    let draft = reading.drafts.project("go", reading.dir);
    let word = |at: usize| directive.words.get(at).map_or("", String::as_str);
    match directive.verb.as_str() {
        "go" => draft.tool("go", Some(format!(">={}", word(0))), Trust::Manifest, place),
        "toolchain" => {
            let version = word(0).trim_start_matches("go").to_owned();
            draft.tool("go", Some(version), Trust::Lock, place);
        }
        "require" if !directive.comment.starts_with("indirect") => {
            let spec = format!("{}@{}", word(0), word(1));
            draft.package("go", word(0), &spec, Scope::Runtime, place);
        }
        "tool" => draft.package("go", word(0), word(0), Scope::Build, place),
        "replace" => {
            let to = directive
                .words
                .iter()
                .skip_while(|word| *word != "=>")
                .nth(1);
            let local = to.filter(|to| to.starts_with("./") || to.starts_with("../"));
            if let Some(dir) = local.and_then(|to| join(reading.dir, to)) {
                draft.attr("replace", word(0), place);
                draft.need(&dir);
            }
        }
        _ => {}
    }
}

/// Modules of one `go.work` that require each other are built from the checkout; elsewhere `replace` says it.
pub fn finish(drafts: &mut Drafts) {
    drafts.link_by_name("go", "module");
}
