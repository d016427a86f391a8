//! `mix.exs` (Mix manual): the values of its `project` and `deps` that are literals.
//!
//! Attributes of an `elixir` project: those that all ecosystems share, and `phoenix` where that framework is used.
//! Tool `elixir`: the requirement of the project (`Manifest`); `erlang` comes with it.

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};

use super::tokens::{HASH, Token, inside, literal_after, near, starts, tokens};
use super::tree::{base, join, parent, relative};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "mix",
    matches: |path| base(path) == "mix.exs",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let all = tokens(reading.text, &HASH);
    let root = reading.drafts.workspace_of("elixir", reading.dir);
    let draft = reading.drafts.project("elixir", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(reading.path, token.line);
        let draft = reading.drafts.project("elixir", reading.dir);
        let key = all.get(at + 1).is_some_and(|next| next.is(":"));
        match token.word() {
            Some("app") if key && starts(&all, at + 1, &[":", ":"]) => {
                if let Some(name) = all.get(at + 3).and_then(Token::word) {
                    draft.name(name, &place);
                }
            }
            Some("elixir") if key && !draft.items().iter().any(|item| item.name == "elixir") => {
                if let Some(version) = literal_after(&all, at).or_else(|| attribute(&all, at)) {
                    draft.tool("elixir", Some(version.text.clone()), Trust::Manifest, place);
                }
            }
            Some("escript") if key => {
                let name = draft.name.clone().unwrap_or_default();
                if !name.is_empty() {
                    draft.entry(&name, EntryKind::Command, place);
                }
            }
            Some("apps_path") if key => {
                if let Some(dir) =
                    literal_after(&all, at).and_then(|dir| join(reading.dir, &dir.text))
                {
                    umbrella(reading, &dir, &place);
                }
            }
            _ => dependency(reading, &all, at, root.as_deref()),
        }
    }
    commands(reading, root);
}

/// `elixir: @requirement`, defined above as `@requirement "~> 1.15"`.
fn attribute(all: &[Token], at: usize) -> Option<&Token> {
    let name = starts(all, at + 2, &["@"]).then(|| all.get(at + 3)?.word())??;
    let defined = (0..at).find(|at| starts(all, *at, &["@", name]))?;
    all.get(defined + 2)
        .filter(|token| token.literal().is_some())
}

fn umbrella(reading: &mut Reading<'_>, apps: &str, place: &Place) {
    let members: Vec<String> = reading
        .tree
        .below(apps)
        .filter(|entry| base(&entry.path) == "mix.exs")
        .map(|entry| parent(&entry.path).to_owned())
        .filter(|dir| {
            relative(dir, apps).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        })
        .collect();
    let draft = reading.drafts.project("elixir", reading.dir);
    for member in members {
        draft.attr("member", member, place.clone());
    }
}

/// `{:name, "~> 1.0", only: :test}`, `{:name, path: "../x"}`, `{:name, in_umbrella: true}`.
fn dependency(reading: &mut Reading<'_>, all: &[Token], at: usize, root: Option<&str>) {
    if !starts(all, at, &["{", ":"]) {
        return;
    }
    let (Some(name), true) = (
        all.get(at + 2).and_then(Token::word),
        all.get(at + 3).is_some_and(|token| token.is(",")),
    ) else {
        return;
    };
    let body = inside(all, at);
    let version = all.get(at + 4).and_then(Token::literal);
    let option = |key: &str| {
        let found = (0..body.len()).find(|at| starts(body, *at, &[key, ":"]))?;
        body.get(found + 2..)
    };
    let known = [
        "path",
        "git",
        "github",
        "in_umbrella",
        "only",
        "hex",
        "optional",
        "runtime",
        "override",
    ];
    let looks = version.is_some_and(|text| {
        text.contains(|c: char| c.is_ascii_digit()) && !text.contains(['/', '_'])
    });
    if !looks && !known.iter().any(|key| option(key).is_some()) {
        return;
    }
    let place = Place::new(reading.path, all.get(at).map_or(0, |token| token.line));
    let draft = reading.drafts.project("elixir", reading.dir);
    let only = option("only").map(|rest| near(rest, 0, 8));
    let scope = match only {
        Some(words) if words.iter().any(|token| token.is("test")) => Scope::Test,
        Some(words) if words.iter().any(|token| token.is("prod")) => Scope::Runtime,
        Some(_) => Scope::Dev,
        None => Scope::Runtime,
    };
    let local = option("path").and_then(|rest| rest.first()?.literal());
    let beside = option("in_umbrella").filter(|_| root.is_some());
    let local = local
        .and_then(|path| join(reading.dir, path))
        .or_else(|| beside.and_then(|_| join(parent(reading.dir), name)));
    if let Some(dir) = local {
        return draft.need(&dir);
    }
    if option("git").is_some() || option("github").is_some() {
        draft.attr("network", name, place.clone());
    }
    if matches!(name, "phoenix") {
        draft.attr("phoenix", name, place.clone());
    }
    let spec = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    draft.package("hex", name, &spec, scope, place);
}

fn commands(reading: &mut Reading<'_>, root: Option<String>) {
    let tree = reading.tree;
    let lock = join(reading.dir, "mix.lock").filter(|path| tree.has(path));
    let test = join(reading.dir, "test/test_helper.exs").filter(|path| tree.has(path));
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("elixir", reading.dir);
    if let Some(lock) = &lock {
        draft.attr("lock", lock, Place::file(lock));
    }
    if let Some(path) = test {
        draft.suite("exunit", Place::file(path));
    }
    if let Some(root) = root {
        draft.attr(
            "workspace-root",
            if root.is_empty() { "." } else { &root },
            place,
        );
        return draft.need(&root);
    }
    draft.command(
        "install",
        "mix deps.get",
        lock.map_or(place.clone(), Place::file),
    );
    draft.command("build", "mix compile", place.clone());
    draft.command("test", "mix test", place);
    let phoenix = draft.facts.attr("phoenix").map(|attr| attr.place.clone());
    if let Some(place) = phoenix {
        draft.command("run", "mix phx.server", place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn an_umbrella() {
        let graph = repo(&[
            (
                "mix.exs",
                "defmodule U.MixProject do\n  @need \"~> 1.14\"\n  def project do\n    [apps_path: \"apps\", elixir: @need]\n  end\nend\n",
            ),
            (
                "apps/a/mix.exs",
                "def project do\n [app: :a, elixir: \"~> 1.14\"]\nend\ndefp deps do\n  [\n    {:phoenix, \"~> 1.7\"},\n    {:b, in_umbrella: true},\n    {:ex_doc, \">= 0.0.0\", only: :dev},\n    {:mox, \"~> 1.0\", only: [:test]},\n    {:error, \"not found\"}\n  ]\nend\n",
            ),
            ("apps/a/test/test_helper.exs", ""),
            ("apps/b/mix.exs", "[app: :b]\n"),
            ("mix.lock", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        elixir "" test (mix.exs)
          build-command = mix compile (mix.exs)
          install-command = mix deps.get (mix.lock)
          lock = mix.lock (mix.lock)
          member = apps/a (mix.exs:4)
          member = apps/b (mix.exs:4)
          test-command = mix test (mix.exs)
          tool elixir ~> 1.14 Manifest (mix.exs:4)
        elixir "apps/a" a (apps/a/mix.exs:2)
          phoenix = phoenix (apps/a/mix.exs:6)
          workspace-root = . (apps/a/mix.exs)
          project elixir "" (mix.exs)
          tool elixir ~> 1.14 Manifest (apps/a/mix.exs:2)
          hex phoenix ~> 1.7 [runtime] (apps/a/mix.exs:6)
          hex ex_doc >= 0.0.0 [dev] (apps/a/mix.exs:8)
          hex mox ~> 1.0 [test] (apps/a/mix.exs:9)
          project elixir "apps/b" (apps/b/mix.exs:1)
          suite exunit (apps/a/test/test_helper.exs)
        elixir "apps/b" b (apps/b/mix.exs:1)
          workspace-root = . (apps/b/mix.exs)
          project elixir "" (mix.exs)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\"', :\n]|app|elixir|apps_path|only|path){0,60}") {
            repo(&[("mix.exs", &text), ("a/mix.exs", &text)]);
        }
    }
}
