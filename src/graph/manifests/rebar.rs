//! `rebar.config` (Rebar3's manual), as Erlang terms, and `erlang.mk`.
//!
//! Attributes of an `erlang` project: those that all ecosystems share. Tool `erlang`: `minimum_otp_vsn`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::jvm::launcher;
use super::tokens::{ERLANG, Token, inside, literal_after, starts, tokens};
use super::tree::{base, parent, relative};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "rebar",
    matches: |path| matches!(base(path), "rebar.config" | "erlang.mk"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let above = reading.drafts.nearest("erlang", reading.dir);
    if let Some(above) = above.filter(|above| above != reading.dir) {
        let draft = reading.drafts.project("erlang", &above);
        draft.manifest(reading.path, reading.format);
        // `apps/*` and `lib/*` are built with the root (Rebar3's manual, "Project structure"); others are data.
        if matches!(base(parent(reading.dir)), "apps" | "lib") {
            draft.attr("member", reading.dir, Place::file(reading.path));
        }
        return;
    }
    let all = tokens(reading.text, &ERLANG);
    let tree = reading.tree;
    // The application itself, or the only one of `apps/`: of several, none names the whole.
    let mut applications = tree.below(reading.dir).filter(|entry| {
        let inside = relative(&entry.path, reading.dir).unwrap_or_default();
        let parts: Vec<&str> = inside.split('/').collect();
        let own = matches!(parts.as_slice(), ["src", _] | ["apps" | "lib", _, "src", _]);
        own && entry.path.ends_with(".app.src")
    });
    let application = applications.next().map(|entry| entry.path.clone());
    let application = application.filter(|_| applications.next().is_none());
    let draft = reading.drafts.project("erlang", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if let Some(path) = application {
        draft.name(
            base(&path).trim_end_matches(".app.src"),
            &Place::file(&path),
        );
    }
    for (at, token) in all.iter().enumerate() {
        match token.word() {
            Some("minimum_otp_vsn") => {
                if let Some(version) = literal_after(&all, at) {
                    let place = Place::new(reading.path, token.line);
                    let version = format!(">={}", version.text.trim_start_matches('R'));
                    draft.tool("erlang", Some(version), Trust::Manifest, place);
                }
            }
            Some("deps") if starts(&all, at + 1, &[",", "["]) => {
                let test = token.depth > 1;
                let scope = if test { Scope::Test } else { Scope::Runtime };
                for (name, spec, line) in terms(inside(&all, at + 2)) {
                    draft.package(
                        "hex",
                        &name,
                        &spec,
                        scope.clone(),
                        Place::new(reading.path, line),
                    );
                }
            }
            _ => {}
        }
    }
    commands(reading);
}

/// `name`, `{name, "1.0"}`, `{name, {git, …}}`.
fn terms(list: &[Token]) -> Vec<(String, String, u32)> {
    let depth = list.first().map_or(0, |token| token.depth);
    let mut found = Vec::new();
    for (at, token) in list.iter().enumerate() {
        let bare = token.depth == depth && token.word().is_some();
        let open = token.depth == depth && token.is("{");
        let name = if bare {
            Some(token)
        } else {
            list.get(at + 1).filter(|_| open)
        };
        let Some(name) = name.and_then(Token::word) else {
            continue;
        };
        let version = if open {
            list.get(at + 3).and_then(Token::literal)
        } else {
            None
        };
        // `.*` next to a git source says nothing.
        let version = version.filter(|text| text.contains(|c: char| c.is_ascii_digit()));
        let spec = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
        found.push((name.to_owned(), spec, token.line));
    }
    found
}

fn commands(reading: &mut Reading<'_>) {
    let (rebar, wrapper) = launcher(reading, reading.dir, "rebar3", "rebar3");
    let tree = reading.tree;
    let suite = |ending: &str| {
        let found = tree
            .below(reading.dir)
            .find(|entry| entry.path.ends_with(ending) && !entry.vendored);
        found.map(|entry| Place::file(&entry.path))
    };
    let (common, unit) = (
        suite("_SUITE.erl"),
        suite("_tests.erl").or_else(|| suite("_test.erl")),
    );
    let lock = super::tree::join(reading.dir, "rebar.lock").filter(|path| tree.has(path));
    let make = super::tree::join(reading.dir, "erlang.mk").filter(|path| tree.has(path));
    let place = wrapper.unwrap_or_else(|| Place::file(reading.path));
    let draft = reading.drafts.project("erlang", reading.dir);
    if let Some(lock) = lock {
        draft.attr("lock", &lock, Place::file(&lock));
    }
    if let Some(path) = make {
        // Its authors build with erlang.mk; `rebar.config` is there for those who depend on it.
        draft.command("install", "make deps", Place::file(&path));
        draft.command("build", "make", Place::file(&path));
        draft.command("test", "make tests", Place::file(path));
    }
    draft.command("install", format!("{rebar} get-deps"), place.clone());
    draft.command("build", format!("{rebar} compile"), place.clone());
    if let Some(place) = unit {
        draft.suite("eunit", place.clone());
        draft.command("test", format!("{rebar} eunit"), place);
    }
    if let Some(place) = common {
        draft.suite("common-test", place.clone());
        draft.command("test", format!("{rebar} ct"), place);
    }
    draft.command("test", format!("{rebar} eunit"), place);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn terms_of_a_project() {
        let graph = repo(&[
            (
                "rebar.config",
                "%% c\n{minimum_otp_vsn, \"24\"}.\n{deps, [\n  {cowlib, \"2.12.1\"},\n  {ranch, {git, \"https://x/r\", {tag, \"1\"}}},\n  jsx\n]}.\n{profiles, [{test, [{deps, [{meck, \"0.9\"}]}]}]}.\n",
            ),
            ("src/cow.app.src", ""),
            ("test/cow_SUITE.erl", ""),
            ("apps/x/rebar.config", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        erlang "" cow (src/cow.app.src)
          build-command = rebar3 compile (rebar.config)
          install-command = rebar3 get-deps (rebar.config)
          member = apps/x (apps/x/rebar.config)
          test-command = rebar3 ct (test/cow_SUITE.erl)
          tool erlang >=24 Manifest (rebar.config:2)
          hex cowlib 2.12.1 [runtime] (rebar.config:4)
          hex ranch [runtime] (rebar.config:5)
          hex jsx [runtime] (rebar.config:6)
          hex meck 0.9 [test] (rebar.config:8)
          suite common-test (test/cow_SUITE.erl)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\\[\\]\"', .\n]|deps|minimum_otp_vsn){0,60}") {
            repo(&[("rebar.config", &text)]);
        }
    }
}
