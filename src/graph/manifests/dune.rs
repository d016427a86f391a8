//! OCaml: `dune-project` (s-expressions) and `*.opam` files.
//!
//! Attributes of an `ocaml` project: those that all ecosystems share (see `mod.rs`), and
//! - `package`: an opam package; `depext`: a system package by its name, with the condition it is for
//!
//! Tools: `ocaml` from the constraint on the package `ocaml`, `dune` from `(lang dune …)`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;
use crate::packages::Capability;

use super::drafts::Draft;
use super::tokens::{HASH, Kind, Syntax, Token, inside, tokens};
use super::tree::{base, join, parent};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "dune",
    matches: |path| base(path) == "dune-project",
    read,
};

pub const OPAM: Reader = Reader {
    format: "opam",
    matches: |path| path.ends_with(".opam") || base(path) == "opam",
    read: opam,
};

const SEXP: Syntax = Syntax {
    line_comments: &[";"],
    block_comments: &[("#|", "|#")],
    quotes: &['"'],
    word: &['-', '.', ':', '=', '<', '>', '&', '/', '%'],
};

fn read(reading: &mut Reading<'_>) {
    if let Some(above) = reading.drafts.nearest("ocaml", reading.dir) {
        let draft = reading.drafts.project("ocaml", &above);
        draft.manifest(reading.path, reading.format);
        return draft.attr("member", reading.dir, Place::file(reading.path));
    }
    let all = tokens(reading.text, &SEXP);
    let draft = reading.drafts.project("ocaml", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for (at, token) in all.iter().enumerate().filter(|(_, token)| token.is("(")) {
        let body = inside(&all, at);
        let place = Place::new(reading.path, token.line);
        let word = |at: usize| body.get(at).map_or("", |token| token.text.as_str());
        match word(0) {
            "lang" if word(1) == "dune" => {
                draft.tool(
                    "dune",
                    Some(format!(">={}", word(2))),
                    Trust::Manifest,
                    place,
                );
            }
            "name" if token.depth == 0 => draft.name(word(1), &place),
            "name" if token.depth == 1 => draft.attr("package", word(1), place),
            "depends" => sexp_dependencies(draft, body, reading.path),
            _ => {}
        }
    }
    commands(reading, true);
}

/// `(depends (ocaml (>= 4.08)) dune (alcotest :with-test))`.
fn sexp_dependencies(draft: &mut Draft, body: &[Token], path: &str) {
    let depth = body.first().map_or(0, |token| token.depth);
    for (at, token) in body
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, token)| token.depth == depth)
    {
        let (name, rest) = if token.is("(") {
            let inner = inside(body, at);
            (inner.first(), inner.get(1..).unwrap_or_default())
        } else {
            (Some(token), Default::default())
        };
        let Some(name) = name.and_then(Token::word) else {
            continue;
        };
        let constraint: Vec<&str> = rest.iter().map(|token| token.text.as_str()).collect();
        let constraint = spaced(&constraint.join(" "));
        let version = constraint
            .trim_start_matches('(')
            .trim_end_matches(')')
            .to_owned();
        depend(draft, name, &version, Place::new(path, token.line));
    }
}

/// Signs of one operator stand as tokens of their own.
fn spaced(text: &str) -> String {
    [
        ("> =", ">="),
        ("< =", "<="),
        ("! =", "!="),
        (": ", ":"),
        ("( ", "("),
        (" )", ")"),
        (" - ", "-"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn depend(draft: &mut Draft, name: &str, constraint: &str, place: Place) {
    let scope = if constraint.contains("with-test") {
        Scope::Test
    } else if constraint.contains("with-doc") {
        Scope::Optional("doc".to_owned())
    } else if constraint.contains("with-dev-setup") {
        Scope::Dev
    } else if constraint.contains("build") {
        Scope::Build
    } else {
        Scope::Runtime
    };
    if name == "ocaml" {
        let text = (!constraint.is_empty()).then(|| constraint.to_owned());
        return draft.tool("ocaml", text, Trust::Manifest, place);
    }
    let spec = format!("{name} {constraint}");
    draft.package("opam", name, spec.trim(), scope, place);
}

/// `depends: [ "ocaml" {>= "4.08"} … ]`, `depexts: [ ["libpq-dev"] {os-family = "debian"} ]`.
fn opam(reading: &mut Reading<'_>) {
    let dir = match base(reading.dir) {
        "opam" => parent(reading.dir),
        _ => reading.dir,
    };
    let dir = reading
        .drafts
        .nearest("ocaml", dir)
        .unwrap_or_else(|| dir.to_owned());
    let all = tokens(reading.text, &HASH);
    let name = base(reading.path).strip_suffix(".opam").unwrap_or_default();
    let draft = reading.drafts.project("ocaml", &dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let place = Place::file(reading.path);
    if !name.is_empty() {
        draft.attr("package", name, place.clone());
        draft.name(name, &place);
    }
    for (at, token) in all.iter().enumerate() {
        let list = all.get(at + 1).is_some_and(|next| next.is(":"))
            && all.get(at + 2).is_some_and(|next| next.is("["));
        match token.word().filter(|_| list && token.depth == 0) {
            Some("depends") => opam_dependencies(draft, inside(&all, at + 2), reading.path),
            Some("depexts") => depexts(draft, inside(&all, at + 2), reading.path),
            _ => {}
        }
    }
    if dir == reading.dir {
        commands(reading, false);
    }
}

fn opam_dependencies(draft: &mut Draft, list: &[Token], path: &str) {
    let depth = list.first().map_or(0, |token| token.depth);
    for (at, token) in list.iter().enumerate() {
        if token.kind != Kind::Text || token.depth != depth {
            continue;
        }
        let condition = match list.get(at + 1) {
            Some(next) if next.is("{") => inside(list, at + 1),
            _ => &[],
        };
        let words: Vec<String> = condition.iter().map(|token| token.text.clone()).collect();
        let text = spaced(&words.join(" "));
        depend(draft, &token.text, &text, Place::new(path, token.line));
    }
}

/// Names for Debian are needed; those of other systems are kept as they are.
fn depexts(draft: &mut Draft, list: &[Token], path: &str) {
    let mut names: Vec<(String, u32)> = Vec::new();
    let depth = list.first().map_or(0, |token| token.depth);
    for (at, token) in list.iter().enumerate() {
        if token.depth == depth && token.is("[") {
            names = inside(list, at)
                .iter()
                .filter(|token| token.kind == Kind::Text)
                .map(|token| (token.text.clone(), token.line))
                .collect();
        } else if token.depth == depth && token.is("{") {
            let condition: Vec<&str> = inside(list, at)
                .iter()
                .map(|token| token.text.as_str())
                .collect();
            let condition = condition.join(" ");
            let debian = condition.contains("debian") || condition.contains("ubuntu");
            for (name, line) in names.drain(..) {
                let place = Place::new(path, line);
                if debian && !condition.contains('!') {
                    draft.system(Capability::Package(name), Scope::Build, true, place);
                } else {
                    draft.attr("depext", format!("{name} if {condition}"), place);
                }
            }
        }
    }
}

fn commands(reading: &mut Reading<'_>, dune: bool) {
    let tree = reading.tree;
    let test = tree.below(reading.dir).find(|entry| {
        base(&entry.path) == "dune"
            && tree
                .read(&entry.path)
                .is_some_and(|text| text.contains("(test") || text.contains("runtest"))
    });
    let test = test.map(|entry| Place::file(&entry.path));
    let lock = tree
        .below(reading.dir)
        .find(|entry| entry.path.ends_with(".opam.locked"))
        .map(|entry| entry.path.clone());
    let opam = tree
        .below(reading.dir)
        .any(|entry| parent(&entry.path) == reading.dir && entry.path.ends_with(".opam"));
    let opam = opam
        || join(reading.dir, "opam").is_some_and(|path| tree.has_dir(&path) || tree.has(&path));
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("ocaml", reading.dir);
    if let Some(lock) = lock {
        draft.attr("lock", &lock, Place::file(&lock));
    }
    if opam {
        draft.command(
            "install",
            "opam install . --deps-only --with-test",
            place.clone(),
        );
    }
    if dune {
        draft.command("build", "dune build", place.clone());
        if let Some(place) = test {
            draft.suite("dune", place.clone());
        }
        draft.command("test", "dune runtest", place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_project_with_packages() {
        let graph = repo(&[
            (
                "dune-project",
                "(lang dune 3.0)\n(name thing)\n(package\n (name thing-lib)\n (depends\n  (ocaml (>= 4.08))\n  dune\n  (alcotest :with-test)))\n",
            ),
            (
                "thing.opam",
                "opam-version: \"2.0\"\ndepends: [\n  \"ocaml\" {>= \"4.08\"}\n  \"zarith\"\n  \"odoc\" {with-doc}\n]\ndepexts: [\n  [\"libgmp-dev\"] {os-family = \"debian\"}\n  [\"gmp\"] {os = \"macos\"}\n]\n",
            ),
            ("test/dune", "(test (name t))"),
            ("sub/dune-project", "(lang dune 2.0)"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        ocaml "" thing (dune-project:2)
          build-command = dune build (dune-project)
          depext = gmp if os = macos (thing.opam:9)
          install-command = opam install . --deps-only --with-test (dune-project)
          member = sub (sub/dune-project)
          package = thing-lib (dune-project:4)
          package = thing (thing.opam)
          test-command = dune runtest (dune-project)
          tool dune >=3.0 Manifest (dune-project:1)
          tool ocaml >= 4.08 Manifest (dune-project:6)
          opam dune [runtime] (dune-project:7)
          opam alcotest :with-test [test] (dune-project:8)
          opam zarith [runtime] (thing.opam:4)
          opam odoc with-doc [optional:doc] if-present (thing.opam:5)
          system pkg:libgmp-dev [build] (thing.opam:8)
          suite dune (test/dune)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\\[\\]\": \n]|depends|depexts|lang dune|name){0,60}") {
            repo(&[("dune-project", &text), ("x.opam", &text)]);
        }
    }
}
