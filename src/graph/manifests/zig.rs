//! `build.zig` and `build.zig.zon` (Zig's build system).
//!
//! Attributes of a `zig` project: those that all ecosystems share (see `mod.rs`), and `step`: a step of the build.
//! Tool `zig`: `minimum_zig_version` (`>=`).

use crate::evidence::{Place, Trust};
use crate::graph::Scope;
use crate::packages::Capability;

use super::tokens::{CURLY, Token, inside, literal_after, near, starts, tokens};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "zig",
    matches: |path| base(path) == "build.zig",
    read,
};

fn read(reading: &mut Reading<'_>) {
    // A C project that can be built with Zig too keeps its own build.
    let native = ["cmake", "meson", "autotools", "make", "cargo"];
    let sources = reading.tree.below(reading.dir).any(|entry| {
        entry.path.ends_with(".zig") && !entry.vendored && base(&entry.path) != "build.zig"
    });
    let guest = native
        .iter()
        .any(|name| reading.drafts.get(name, reading.dir).is_some());
    if guest && !sources {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let all = tokens(reading.text, &CURLY);
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("zig", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    draft.command("build", "zig build", place);
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(reading.path, token.line);
        match token.word() {
            Some("step") if starts(&all, at + 1, &["("]) => {
                let Some(name) = near(&all, at + 2, 1).first().and_then(Token::literal) else {
                    continue;
                };
                draft.attr("step", name, place.clone());
                match name {
                    "test" => {
                        draft.suite("zig", place.clone());
                        draft.command("test", "zig build test", place);
                    }
                    "run" => draft.command("run", "zig build run", place),
                    _ => {}
                }
            }
            Some("linkSystemLibrary" | "linkSystemLibrary2") => {
                if let Some(name) =
                    literal_after(&all, at).filter(|name| name.text != "c" && name.text != "m")
                {
                    let before = all.get(at.saturating_sub(40)..at).unwrap_or_default();
                    let foreign = before
                        .iter()
                        .find(|token| token.is("windows") || token.is("macos"));
                    let scope =
                        foreign.map_or(Scope::Build, |token| Scope::Optional(token.text.clone()));
                    let required = foreign.is_none();
                    let needed = Capability::Library(name.text.clone());
                    draft.system(needed, scope, required, place);
                }
            }
            _ => {}
        }
    }
    zon(reading);
}

fn zon(reading: &mut Reading<'_>) {
    let Some(path) = join(reading.dir, "build.zig.zon").filter(|path| reading.tree.has(path))
    else {
        return;
    };
    let text = reading.tree.read(&path).unwrap_or_default();
    let all = tokens(&text, &CURLY);
    let draft = reading.drafts.project("zig", reading.dir);
    draft.manifest(&path, reading.format);
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(&path, token.line);
        match token.word().filter(|_| token.depth == 1) {
            Some("name") => {
                // `.name = .thing` since 0.14, `.name = "thing"` before.
                let word = near(&all, at + 1, 3).last();
                draft.name(word.map_or("", |token| token.text.as_str()), &place);
                if let Some(name) = literal_after(&all, at) {
                    draft.name(&name.text, &place);
                }
            }
            Some("minimum_zig_version") => {
                if let Some(version) = literal_after(&all, at) {
                    draft.tool(
                        "zig",
                        Some(format!(">={}", version.text)),
                        Trust::Manifest,
                        place,
                    );
                }
            }
            Some("dependencies") => {
                let Some(open) = (at..at + 5).find(|at| starts(&all, *at, &["{"])) else {
                    continue;
                };
                let body = inside(&all, open);
                let depth = body.first().map_or(0, |token| token.depth);
                for (at, token) in body
                    .iter()
                    .enumerate()
                    .filter(|(_, token)| token.depth == depth)
                {
                    let name = token.word().or_else(|| token.literal());
                    let Some(name) = name.filter(|_| starts(body, at + 1, &["="])) else {
                        continue;
                    };
                    let fields = inside(body, at + 3);
                    let at = fields.iter().position(|field| field.is("path"));
                    let local = at.and_then(|at| literal_after(fields, at));
                    if let Some(dir) = local.and_then(|to| join(reading.dir, &to.text)) {
                        draft.need(&dir);
                    } else {
                        draft.package(
                            "zig",
                            name,
                            name,
                            Scope::Runtime,
                            Place::new(&path, token.line),
                        );
                    }
                }
                draft.command("install", "zig build --fetch", place);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn steps_and_dependencies() {
        let graph = repo(&[
            (
                "build.zig",
                "pub fn build(b: *std.Build) void {\n    exe.linkSystemLibrary(\"z\");\n    const t = b.step(\"test\", \"Run\");\n    const r = b.step(\"run\", \"Run\");\n}\n",
            ),
            (
                "build.zig.zon",
                ".{\n    .name = .thing,\n    .minimum_zig_version = \"0.13.0\",\n    .dependencies = .{\n        .clap = .{\n            .url = \"https://x\",\n        },\n        .@\"a-b\" = .{ .path = \"libs/ab\" },\n    },\n}\n",
            ),
            ("src/main.zig", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        zig "" thing (build.zig.zon:2)
          build-command = zig build (build.zig)
          install-command = zig build --fetch (build.zig.zon:4)
          run-command = zig build run (build.zig:4)
          step = test (build.zig:3)
          step = run (build.zig:4)
          test-command = zig build test (build.zig:3)
          system lib:z [build] (build.zig:2)
          tool zig >=0.13.0 Manifest (build.zig.zon:3)
          zig clap [runtime] (build.zig.zon:5)
          suite zig (build.zig:3)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\"= .,\n]|dependencies|name|step){0,60}") {
            repo(&[("build.zig", &text), ("build.zig.zon", &text)]);
        }
    }
}
