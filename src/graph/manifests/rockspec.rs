//! Lua: `*.rockspec` (LuaRocks' rockspec format).
//!
//! Attributes of a `lua` project: those that all ecosystems share (see `mod.rs`), and `native`, where C is compiled.
//! Tool `lua`: the requirement among the dependencies.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;
use crate::packages::Capability;

use super::tokens::{LUA, Token, inside, literal_after, starts, tokens};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "rockspec",
    matches: |path| path.ends_with(".rockspec"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let dir = match base(reading.dir) {
        // Releases are kept in a directory of their own; the sources stand above it.
        "rockspec" | "rockspecs" | "rocks" => super::tree::parent(reading.dir),
        _ => reading.dir,
    };
    let known = reading.drafts.get("lua", dir).is_some();
    // One of many versions: the development one, or the first, speaks for all.
    if known {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let all = tokens(reading.text, &LUA);
    let tree = reading.tree;
    let busted = join(dir, ".busted").filter(|path| tree.has(path));
    let specs = join(dir, "spec").and_then(|sub| {
        let mut below = tree.below(&sub);
        below
            .find(|entry| entry.path.ends_with("_spec.lua"))
            .map(|entry| entry.path.clone())
    });
    let draft = reading.drafts.project("lua", dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let place = Place::file(reading.path);
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(reading.path, token.line);
        let list = starts(&all, at + 1, &["=", "{"]);
        match token.word() {
            Some("package") if token.depth == 0 => {
                if let Some(name) = literal_after(&all, at) {
                    draft.name(&name.text, &place);
                }
            }
            Some("dependencies" | "build_dependencies" | "test_dependencies") if list => {
                let scope = match token.text.as_str() {
                    "test_dependencies" => Scope::Test,
                    "build_dependencies" => Scope::Build,
                    _ => Scope::Runtime,
                };
                for item in inside(&all, at + 2) {
                    dependency(draft, item, &scope, reading.path);
                }
            }
            Some("external_dependencies") if list => {
                external(draft, inside(&all, at + 2), reading.path)
            }
            Some("sources") => draft.attr("native", "sources", place),
            _ => {}
        }
    }
    let file = base(reading.path).to_owned();
    let path = super::tree::relative(reading.path, dir)
        .unwrap_or(&file)
        .to_owned();
    if let Ok(word) = shlex::try_quote(&path) {
        draft.command(
            "install",
            format!("luarocks install --only-deps {word}"),
            place.clone(),
        );
        draft.command("build", format!("luarocks make {word}"), place);
    }
    if let Some(path) = busted.or(specs) {
        draft.suite("busted", Place::file(&path));
        draft.command("test", "busted", Place::file(path));
    }
}

fn dependency(draft: &mut super::drafts::Draft, item: &Token, scope: &Scope, path: &str) {
    let Some(text) = item.literal() else { return };
    let place = Place::new(path, item.line);
    let (name, version) = text
        .trim()
        .split_once([' ', '>', '=', '<', '~'])
        .unwrap_or((text.trim(), ""));
    let version = text.trim().get(name.len()..).unwrap_or(version).trim();
    if name == "lua" {
        let requirement = (!version.is_empty()).then(|| version.to_owned());
        draft.tool("lua", requirement, Trust::Manifest, place);
    } else if !name.is_empty() {
        draft.package("luarocks", name, text.trim(), scope.clone(), place);
    }
}

/// `FOO = { header = "foo.h", library = "foo" }`.
fn external(draft: &mut super::drafts::Draft, body: &[Token], path: &str) {
    for (at, token) in body.iter().enumerate() {
        let needed = |text: &str| match token.word() {
            Some("header") => Some(Capability::Header(text.to_owned())),
            Some("library") => Some(Capability::Library(
                text.trim_start_matches("lib")
                    .trim_end_matches(".so")
                    .to_owned(),
            )),
            _ => None,
        };
        let literal = literal_after(body, at).map_or("", |literal| literal.text.as_str());
        if let Some(needed) = needed(literal).filter(|_| !literal.is_empty()) {
            draft.system(needed, Scope::Build, true, Place::new(path, token.line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_rock() {
        let graph = repo(&[
            (
                "lpq-scm-1.rockspec",
                "package = \"lpq\"\nversion = \"scm-1\"\ndependencies = {\n  \"lua >= 5.1, < 5.5\", -- c\n  \"penlight\"\n}\nexternal_dependencies = {\n  PQ = { header = \"libpq-fe.h\", library = \"pq\" }\n}\nbuild = { type = \"builtin\", modules = { lpq = { sources = {\"l.c\"} } } }\n",
            ),
            ("spec/a_spec.lua", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        lua "" lpq (lpq-scm-1.rockspec:1)
          build-command = luarocks make lpq-scm-1.rockspec (lpq-scm-1.rockspec)
          install-command = luarocks install --only-deps lpq-scm-1.rockspec (lpq-scm-1.rockspec)
          native = sources (lpq-scm-1.rockspec:10)
          test-command = busted (spec/a_spec.lua)
          tool lua >= 5.1, < 5.5 Manifest (lpq-scm-1.rockspec:4)
          luarocks penlight [runtime] (lpq-scm-1.rockspec:5)
          system header:libpq-fe.h [build] (lpq-scm-1.rockspec:8)
          system lib:pq [build] (lpq-scm-1.rockspec:8)
          suite busted (spec/a_spec.lua)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\"= ,\n>]|dependencies|external_dependencies|header|lua|package|é){0,60}") {
            repo(&[("a.rockspec", &text)]);
        }
    }
}
