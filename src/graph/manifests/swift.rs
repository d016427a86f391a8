//! `Package.swift` (Swift Package Manager's PackageDescription).
//!
//! Attributes of a `swift` project: those that all ecosystems share (see `mod.rs`), and
//! - `target`: name of a target; `platform`: a platform it names. Tool `swift`: `swift-tools-version` (`>=`).

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};
use crate::packages::Capability;

use super::drafts::Draft;
use super::tokens::{CURLY, Token, inside, starts, tokens};
use super::tree::{base, is_auxiliary, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "swift",
    matches: |path| base(path) == "Package.swift",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let all = tokens(reading.text, &CURLY);
    let tree = reading.tree;
    let tests = join(reading.dir, "Tests").filter(|dir| tree.has_dir(dir));
    let lock = join(reading.dir, "Package.resolved").filter(|path| tree.has(path));
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("swift", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for (line, text) in (1..).zip(reading.text.lines().take(5)) {
        if let Some((_, version)) = text.split_once("swift-tools-version:") {
            let version = version.split(';').next().unwrap_or_default().trim();
            draft.tool(
                "swift",
                Some(format!(">={version}")),
                Trust::Manifest,
                Place::new(reading.path, line),
            );
        }
    }
    let mut runnable: Option<(String, Place)> = None;
    for (at, token) in all.iter().enumerate() {
        let Some(word) = token.word().filter(|_| starts(&all, at + 1, &["("])) else {
            continue;
        };
        let body = inside(&all, at + 1);
        let place = Place::new(reading.path, token.line);
        let name = labelled(body, "name").unwrap_or_default();
        match word {
            "Package" => draft.name(&name, &place),
            "package" => package(draft, body, reading.dir, place),
            // Examples are built with the rest, and are not what the package is for.
            "executableTarget" | "executable"
                if labelled(body, "path").is_some_and(|path| is_auxiliary(&path)) =>
            {
                draft.attr("target", &name, place);
            }
            "executableTarget" | "executable" if !name.is_empty() => {
                draft.entry(&name, EntryKind::Command, place.clone());
                runnable.get_or_insert((name, place));
            }
            "library" if !name.is_empty() => draft.entry(&name, EntryKind::Library, place),
            "testTarget" => {
                draft.attr("target", &name, place.clone());
                draft.suite("swift", place);
            }
            "target" => draft.attr("target", &name, place),
            "systemLibrary" => system(draft, body, &place),
            _ => {}
        }
    }
    if let Some(lock) = lock {
        draft.attr("lock", &lock, Place::file(&lock));
    }
    draft.command("install", "swift package resolve", place.clone());
    draft.command("build", "swift build", place.clone());
    if let Some(dir) = tests {
        draft.suite("swift", Place::file(dir));
    }
    if draft.has_suite("swift") {
        draft.command("test", "swift test", place);
    }
    if let Some((name, place)) = runnable
        && let Ok(word) = shlex::try_quote(&name)
    {
        draft.command("run", format!("swift run {word}"), place);
    }
}

/// `.package(url:, from:)`, `.package(path:)`.
fn package(draft: &mut Draft, body: &[Token], dir: &str, place: Place) {
    if let Some(path) = labelled(body, "path") {
        if let Some(dir) = join(dir, &path) {
            draft.need(&dir);
        }
    } else if let Some(url) = labelled(body, "url") {
        let short = base(&url).trim_end_matches(".git").to_owned();
        let from = labelled(body, "from").or_else(|| labelled(body, "exact"));
        let spec = from.map_or_else(|| url.clone(), |from| format!("{url} {from}"));
        draft.package("swift", &short, &spec, Scope::Runtime, place);
    }
}

/// The literal after `label:` straight within a call.
fn labelled(body: &[Token], label: &str) -> Option<String> {
    let depth = body.first()?.depth;
    let at = (0..body.len()).find(|at| {
        starts(body, *at, &[label, ":"]) && body.get(*at).is_some_and(|token| token.depth == depth)
    })?;
    body.get(at + 2)?.literal().map(str::to_owned)
}

/// `.systemLibrary(name:, pkgConfig: "x", providers: [.apt(["libx-dev"])])`.
fn system(draft: &mut Draft, body: &[Token], place: &Place) {
    if let Some(module) = labelled(body, "pkgConfig") {
        draft.system(
            Capability::PkgConfig(module),
            Scope::Build,
            true,
            place.clone(),
        );
        draft.system(
            Capability::Command("pkg-config".to_owned()),
            Scope::Build,
            true,
            place.clone(),
        );
    }
    for at in (0..body.len()).filter(|at| starts(body, *at, &["apt", "("])) {
        for name in inside(body, at + 1).iter().filter_map(Token::literal) {
            draft.system(
                Capability::Package(name.to_owned()),
                Scope::Build,
                true,
                place.clone(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn targets_and_system_libraries() {
        let graph = repo(&[(
            "Package.swift",
            "// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(\n  name: \"Thing\",\n  products: [.library(name: \"Thing\", targets: [\"Thing\"])],\n  dependencies: [.package(url: \"https://h/a/nio.git\", from: \"2.0.0\"), .package(path: \"../x\")],\n  targets: [\n    .systemLibrary(name: \"CZ\", pkgConfig: \"zlib\", providers: [.apt([\"zlib1g-dev\"]), .brew([\"zlib\"])]),\n    .executableTarget(name: \"tool\", dependencies: [.product(name: \"NIO\", package: \"nio\")]),\n    .testTarget(name: \"ThingTests\"),\n  ]\n)\n",
        )]);
        insta::assert_snapshot!(summary(&graph), @r#"
        swift "" Thing (Package.swift:3)
          build-command = swift build (Package.swift)
          install-command = swift package resolve (Package.swift)
          run-command = swift run tool (Package.swift:9)
          target = ThingTests (Package.swift:10)
          test-command = swift test (Package.swift)
          tool swift >=5.9 Manifest (Package.swift:1)
          swift https://h/a/nio.git 2.0.0 [runtime] (Package.swift:6)
          system pc:zlib [build] (Package.swift:8)
          system cmd:pkg-config [build] (Package.swift:8)
          system pkg:zlib1g-dev [build] (Package.swift:8)
          entry Library Thing (Package.swift:5)
          entry Command tool (Package.swift:9)
          suite swift (Package.swift:10)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\\[\\]\": .\n]|package|name|executable|systemLibrary|apt){0,60}") {
            repo(&[("Package.swift", &text)]);
        }
    }
}
