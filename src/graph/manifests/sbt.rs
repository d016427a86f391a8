//! sbt: `build.sbt` and `project/build.properties`; Mill: `build.sc`, `build.mill` and `.mill-version`.
//!
//! Attributes of `sbt` and `mill` projects: those that all ecosystems share (see `mod.rs`), and
//! - `plugin`: an sbt plugin of `project/plugins.sbt`
//!
//! Tools: `scala` (`scalaVersion`, `Manifest`; further ones of `crossScalaVersions` are not needed to build), `sbt` and
//! `mill` (`Lock`), `java` from `-release`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::drafts::Draft;
use super::jvm::{feature_release, launcher};
use super::tokens::{CURLY, Kind, Token, literal_after, near, starts, tokens};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "sbt",
    matches: |path| base(path) == "build.sbt",
    read,
};

pub const MILL: Reader = Reader {
    format: "mill",
    matches: |path| matches!(base(path), "build.sc" | "build.mill" | "build.mill.scala"),
    read: mill,
};

fn read(reading: &mut Reading<'_>) {
    // Below another build it is a subproject's.
    if let Some(above) = reading.drafts.nearest("sbt", reading.dir) {
        let draft = reading.drafts.project("sbt", &above);
        draft.manifest(reading.path, reading.format);
        let place = Place::file(reading.path);
        return draft.attr("member", reading.dir, place);
    }
    let all = tokens(reading.text, &CURLY);
    let draft = reading.drafts.project("sbt", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    scala(draft, &all, reading.path);
    let is_name = |at: usize| starts(&all, at, &["name", ":", "="]);
    // With several, the deeper ones are of subprojects.
    let lone = (0..all.len()).filter(|at| is_name(*at)).take(2).count() == 1;
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(reading.path, token.line);
        match token.word() {
            Some("name") if is_name(at) && (token.depth == 0 || lone) => {
                if let Some(name) = literal_after(&all, at) {
                    draft.name(&name.text, &place);
                }
            }
            Some("javacOptions" | "scalacOptions") => {
                let around = near(&all, at, 14);
                let release = around.iter().position(|token| {
                    matches!(
                        token.text.as_str(),
                        "--release" | "-release" | "-target" | "-source"
                    )
                });
                let version = release.and_then(|at| {
                    around
                        .get(at + 1..)?
                        .iter()
                        .find(|token| token.kind == Kind::Text)
                });
                if let Some(version) = version.and_then(|token| feature_release(&token.text)) {
                    draft.tool("java", Some(format!(">={version}")), Trust::Manifest, place);
                }
            }
            _ => {}
        }
    }
    dependencies(draft, &all, reading.path);
    properties(reading);
    let (sbt, wrapper) = launcher(reading, reading.dir, "sbt", "sbt");
    commands(
        reading,
        "sbt",
        [
            format!("{sbt} Test/compile"),
            format!("{sbt} test"),
            format!("{sbt} run"),
        ],
        wrapper,
    );
}

/// `scalaVersion := "2.13.12"`, also through a `val` above.
fn scala(draft: &mut Draft, all: &[Token], path: &str) {
    let Some(at) = all.iter().position(|token| token.is("scalaVersion")) else {
        return;
    };
    let literal = literal_after(all, at).or_else(|| {
        let name = all.get(at + 1..)?.iter().find_map(|token| token.word())?;
        let defined = all.windows(3).position(
            |three| matches!(three, [val, known, _] if val.is("val") && known.is(name)),
        )?;
        literal_after(all, defined + 1)
    });
    if let Some(version) = literal.filter(|literal| literal.text.starts_with(['2', '3'])) {
        let place = Place::new(path, version.line);
        draft.tool("scala", Some(version.text.clone()), Trust::Manifest, place);
    }
}

/// `"org" %% "name" % "1.0" % Test`; the signs `%` stand between literals.
fn dependencies(draft: &mut Draft, all: &[Token], path: &str) {
    let mut at = 0;
    while let Some(group) = all.get(at) {
        at += 1;
        let signs = all
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(|token| token.is("%"))
            .count();
        let (Some(group), true) = (group.literal(), signs > 0) else {
            continue;
        };
        let Some(name) = all.get(at + signs).and_then(Token::literal) else {
            continue;
        };
        let rest = all.get(at + signs + 1..).unwrap_or_default();
        let after = |at: usize| {
            rest.get(at)
                .filter(|_| rest.first().is_some_and(|token| token.is("%")))
        };
        let version = after(1).and_then(Token::literal);
        let test = rest.iter().take(5).any(|token| {
            token.is("Test") || token.literal().is_some_and(|text| text.starts_with("test"))
        });
        let scope = if test { Scope::Test } else { Scope::Runtime };
        let full = format!("{group}:{name}");
        let spec = version.map_or_else(|| full.clone(), |version| format!("{full}:{version}"));
        let line = all.get(at).map_or(0, |token| token.line);
        at += signs + 1;
        draft.package("maven", &full, &spec, scope, Place::new(path, line));
    }
}

fn properties(reading: &mut Reading<'_>) {
    let tree = reading.tree;
    if let Some(path) = join(reading.dir, "project/build.properties")
        && let Some(text) = tree.read(&path)
    {
        let draft = reading.drafts.project("sbt", reading.dir);
        draft.manifest(&path, "sbt");
        for (line, row) in (1..).zip(text.lines()) {
            if let Some((_, version)) = row
                .split_once('=')
                .filter(|(key, _)| key.trim() == "sbt.version")
            {
                let version = version.trim().to_owned();
                draft.tool("sbt", Some(version), Trust::Lock, Place::new(&path, line));
            }
        }
    }
    if let Some(path) = join(reading.dir, "project/plugins.sbt")
        && let Some(text) = tree.read(&path)
    {
        let draft = reading.drafts.project("sbt", reading.dir);
        draft.manifest(&path, "sbt");
        let all = tokens(&text, &CURLY);
        for (at, token) in all
            .iter()
            .enumerate()
            .filter(|(_, token)| token.is("addSbtPlugin"))
        {
            let literals = near(&all, at, 8).iter().filter_map(Token::literal);
            if let Some(name) = literals.take(2).last() {
                draft.attr("plugin", name, Place::new(&path, token.line));
            }
        }
    }
}

fn commands(
    reading: &mut Reading<'_>,
    ecosystem: &str,
    words: [String; 3],
    wrapper: Option<Place>,
) {
    let tree = reading.tree;
    let tests = tree.below(reading.dir).find(|entry| {
        let path = &entry.path;
        (path.contains("/test/") || path.starts_with("test/")) && path.ends_with(".scala")
    });
    let main = tree.below(reading.dir).find(|entry| {
        let name = base(&entry.path);
        matches!(name, "Main.scala" | "App.scala") && entry.path.contains("src/")
    });
    let (tests, main) = (
        tests.map(|entry| entry.path.clone()),
        main.map(|entry| entry.path.clone()),
    );
    let draft = reading.drafts.project(ecosystem, reading.dir);
    let place = wrapper.unwrap_or_else(|| Place::file(reading.path));
    let [build, test, run] = words;
    draft.command("build", build, place.clone());
    draft.command("test", test, place);
    if let Some(path) = tests {
        draft.suite(ecosystem, Place::file(path));
    }
    if let Some(path) = main {
        draft.command("run", run, Place::file(path));
    }
}

fn mill(reading: &mut Reading<'_>) {
    if reading.drafts.covers("mill", reading.dir) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let all = tokens(reading.text, &CURLY);
    let draft = reading.drafts.project("mill", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    scala(draft, &all, reading.path);
    let tree = reading.tree;
    for file in [".mill-version", ".config/mill-version"] {
        if let Some(path) = join(reading.dir, file)
            && let Some(text) = tree.read(&path)
        {
            let version = text.lines().next().unwrap_or_default().trim().to_owned();
            draft.manifest(&path, "mill");
            draft.tool("mill", Some(version), Trust::Lock, Place::new(&path, 1));
        }
    }
    let (mill, wrapper) = launcher(reading, reading.dir, "mill", "mill");
    commands(
        reading,
        "mill",
        [
            format!("{mill} __.compile"),
            format!("{mill} __.test"),
            format!("{mill} run"),
        ],
        wrapper,
    );
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn sbt_and_mill() {
        let graph = repo(&[
            (
                "build.sbt",
                "val scala213 = \"2.13.12\"\nThisBuild / scalaVersion := scala213\nlazy val core = project\n  .settings(\n    name := \"thing\",\n    libraryDependencies += \"org.a\" %% \"b\" % \"1.0\",\n    libraryDependencies ++= Seq(\"org.c\" % \"d\" % \"2\" % Test),\n    javacOptions ++= Seq(\"--release\", \"11\")\n  )\n",
            ),
            ("project/build.properties", "sbt.version = 1.9.7\n"),
            (
                "project/plugins.sbt",
                "addSbtPlugin(\"com.x\" % \"sbt-y\" % \"1\")\n",
            ),
            ("core/src/test/scala/T.scala", ""),
            ("m/build.mill", "def scalaVersion = \"3.3.1\"\n"),
            ("m/.mill-version", "0.11.6\n"),
            ("m/mill", "#!/bin/sh"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        mill "m" m (m/build.mill)
          build-command = ./mill __.compile (m/mill)
          test-command = ./mill __.test (m/mill)
          tool scala 3.3.1 Manifest (m/build.mill:1)
          tool mill 0.11.6 Lock (m/.mill-version:1)
        sbt "" thing (build.sbt:5)
          build-command = sbt Test/compile (build.sbt)
          plugin = sbt-y (project/plugins.sbt:1)
          test-command = sbt test (build.sbt)
          tool scala 2.13.12 Manifest (build.sbt:1)
          tool java >=11 Manifest (build.sbt:8)
          maven org.a:b:1.0 [runtime] (build.sbt:6)
          maven org.c:d:2 [test] (build.sbt:7)
          tool sbt 1.9.7 Lock (project/build.properties:1)
          suite sbt (core/src/test/scala/T.scala)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\"%:=, \n]|scalaVersion|val|javacOptions|name){0,60}") {
            repo(&[("build.sbt", &text), ("project/plugins.sbt", &text)]);
        }
    }
}
