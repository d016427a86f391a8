//! Haskell: `*.cabal`, `cabal.project`, `stack.yaml` and hpack's `package.yaml`.
//!
//! Attributes of a `haskell` project, besides those that all ecosystems share (see `mod.rs`):
//! - `ghc`: a compiler it was tested with; `resolver`: Stack's snapshot
//! - `manager`: `cabal` or `stack`
//!
//! Tool `ghc`: `with-compiler` of `cabal.project` (`Lock`), `tested-with` (`Manifest`, a list).

mod project;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};
use crate::packages::Capability;

use super::drafts::Draft;
use super::tree::{base, join};
use super::{Reader, Reading};

pub use project::HPACK;
pub use project::READER as PROJECT;

pub const READER: Reader = Reader {
    format: "cabal",
    matches: |path| path.ends_with(".cabal") && !base(path).starts_with('.'),
    read,
};

/// A field of a section, its continuation lines joined by spaces.
#[derive(Debug, Default)]
struct Field {
    /// `library`, `executable x`, `test-suite y`; empty at the top.
    section: String,
    name: String,
    value: String,
    line: u32,
}

/// Fields by indentation: what stands deeper than a field's name continues it. `if` blocks within a section belong to it.
fn fields(text: &str) -> Vec<Field> {
    let mut found: Vec<Field> = Vec::new();
    let mut section = String::new();
    let mut open: Option<usize> = None;
    for (line, raw) in (1..).zip(text.lines()) {
        let content = raw.trim();
        if content.is_empty() || content.starts_with("--") {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        if let (Some(of_field), Some(last)) = (open, found.last_mut())
            && indent > of_field
        {
            if last.value.len() < 20_000 {
                last.value.push(' ');
                last.value.push_str(content);
            }
            continue;
        }
        open = None;
        let key = content.split_once(':').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        });
        if let Some((name, value)) = key {
            if indent == 0 {
                section.clear();
            }
            open = Some(indent);
            found.push(Field {
                section: section.clone(),
                name: name.to_ascii_lowercase(),
                value: value.trim().to_owned(),
                line,
            });
        } else if indent == 0 {
            section = content.to_owned();
            found.push(Field {
                section: section.clone(),
                line,
                ..Field::default()
            });
        }
    }
    found
}

fn read(reading: &mut Reading<'_>) {
    let all = fields(reading.text);
    let root = reading.drafts.workspace_of("haskell", reading.dir);
    let draft = reading.drafts.project("haskell", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for field in &all {
        one(draft, field, reading.path);
    }
    if let Some(root) = root {
        let draft = reading.drafts.project("haskell", reading.dir);
        draft.attr(
            "workspace-root",
            if root.is_empty() { "." } else { &root },
            Place::file(reading.path),
        );
        return draft.need(&root);
    }
    commands(reading);
}

fn one(draft: &mut Draft, field: &Field, path: &str) {
    let place = Place::new(path, field.line);
    let mut words = field.section.split_whitespace();
    let kind = words.next().unwrap_or_default().to_ascii_lowercase();
    let name = words.next().unwrap_or_default();
    let kind = kind.as_str();
    let scope = match kind {
        "test-suite" => Scope::Test,
        "benchmark" => Scope::Optional("benchmark".to_owned()),
        _ => Scope::Runtime,
    };
    match (field.name.as_str(), kind) {
        ("name", "") => {
            draft.attr("package", &field.value, place.clone());
            draft.name(&field.value, &place);
        }
        ("tested-with", "") if !draft.has_attr("ghc") => {
            for version in field.value.split([',', '|']).filter_map(ghc) {
                draft.attr("ghc", version, place.clone());
            }
            let tested: Vec<&str> = draft
                .facts
                .all("ghc")
                .iter()
                .map(|attr| attr.value.as_str())
                .collect();
            let tested = tested.join(" || ");
            draft.tool("ghc", Some(tested), Trust::Manifest, place);
        }
        ("build-depends", _) => {
            build_depends(draft, field, &scope, &place);
        }
        ("extra-libraries" | "pkgconfig-depends", _) => libraries(draft, field, &scope, &place),
        ("", "executable") => draft.entry(name, EntryKind::Command, place),
        ("", "test-suite") => draft.suite("cabal", place),
        ("c-sources" | "cxx-sources", _) => {
            let language = if field.name.starts_with("cxx") {
                "CXX"
            } else {
                "C"
            };
            draft.attr("language", language, place);
        }
        _ => {}
    }
}

/// `base >=4.9 && <5, bytestring`; a component's dependency on its own package's library is none.
fn build_depends(draft: &mut Draft, field: &Field, scope: &Scope, place: &Place) {
    for dependency in field.value.split(',').map(str::trim) {
        let name: String = dependency
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        let spec: Vec<&str> = dependency.split_whitespace().collect();
        if !name.is_empty() && draft.name.as_deref() != Some(&name) {
            draft.package(
                "hackage",
                &name,
                &spec.join(" "),
                scope.clone(),
                place.clone(),
            );
        }
    }
}

/// Libraries that are linked, and modules of pkg-config.
fn libraries(draft: &mut Draft, field: &Field, scope: &Scope, place: &Place) {
    if field.name == "extra-libraries" {
        let names = field
            .value
            .split([',', ' '])
            .filter(|name| !name.is_empty());
        for name in names.filter(|name| !STANDARD.contains(name)) {
            let needed = Capability::Library(name.to_owned());
            draft.system(needed, scope.clone(), true, place.clone());
        }
        return;
    }
    let tool = Capability::Command("pkg-config".to_owned());
    draft.system(tool, Scope::Build, true, place.clone());
    let modules = field.value.split(',');
    for name in modules.filter_map(|module| module.split_whitespace().next()) {
        let needed = Capability::PkgConfig(name.to_owned());
        draft.system(needed, scope.clone(), true, place.clone());
    }
}

/// Libraries of the C toolchain itself.
const STANDARD: &[&str] = &["m", "c", "pthread", "dl", "stdc++", "rt"];

/// `GHC == 9.4.7`
fn ghc(text: &str) -> Option<String> {
    let text = text
        .trim()
        .trim_start_matches("GHC")
        .trim_start_matches("ghc")
        .trim();
    let version = text.trim_start_matches(['=', '>', '<', '^', ' ']).trim();
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| version.to_owned())
}

/// Stack where only its file stands there, else cabal.
fn commands(reading: &mut Reading<'_>) {
    let tree = reading.tree;
    let file = |name: &str| join(reading.dir, name).filter(|path| tree.has(path));
    let (stack, cabal) = (file("stack.yaml"), file("cabal.project"));
    let freeze = file("cabal.project.freeze").or_else(|| file("stack.yaml.lock"));
    let draft = reading.drafts.project("haskell", reading.dir);
    if let Some(lock) = freeze {
        draft.attr("lock", &lock, Place::file(&lock));
    }
    let place = Place::file(
        stack
            .as_ref()
            .or(cabal.as_ref())
            .map_or(reading.path, String::as_str),
    );
    let words = match (&stack, &cabal) {
        (Some(_), None) => {
            draft.attr("manager", "stack", place.clone());
            [
                "stack build --only-dependencies --test",
                "stack build",
                "stack test",
                "stack run",
            ]
        }
        _ => {
            draft.attr("manager", "cabal", place.clone());
            [
                "cabal build all --enable-tests --only-dependencies",
                "cabal build all",
                "cabal test all",
                "cabal run",
            ]
        }
    };
    draft.command("install", words[0], place.clone());
    draft.command("build", words[1], place.clone());
    draft.command("test", words[2], place.clone());
    let entry = draft.items().iter().find(|item| {
        matches!(
            item.facts,
            crate::graph::Facts::EntryPoint {
                entry: EntryKind::Command
            }
        )
    });
    let name = entry.map(|item| item.name.clone());
    if let Some(word) = name.and_then(|name| Some(shlex::try_quote(&name).ok()?.into_owned())) {
        draft.command("run", format!("{} {word}", words[3]), place);
    }
}
