//! Perl: `cpanfile`, `Makefile.PL`, `Build.PL`, `dist.ini`, `META.json` is left to who writes it.
//!
//! Attributes of a `perl` project: those that all ecosystems share (see `mod.rs`), and `native` (`*.xs`).
//! Tool `perl`: `requires 'perl'`, `MIN_PERL_VERSION`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::tokens::{HASH, Token, inside, literal_after, near, tokens};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "perl",
    matches: |path| {
        matches!(
            base(path),
            "cpanfile" | "Makefile.PL" | "Build.PL" | "dist.ini"
        )
    },
    read,
};

fn read(reading: &mut Reading<'_>) {
    let tree = reading.tree;
    let is_perl =
        |path: &str| path.ends_with(".pm") || path.ends_with(".pl") || path.ends_with(".t");
    let sources = tree.below(reading.dir).any(|entry| is_perl(&entry.path));
    if !sources || (base(reading.path) == "dist.ini" && !reading.text.contains("name")) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let xs = tree
        .below(reading.dir)
        .find(|entry| entry.path.ends_with(".xs"))
        .map(|entry| entry.path.clone());
    let tests = join(reading.dir, "t").and_then(|dir| {
        tree.below(&dir)
            .find(|entry| entry.path.ends_with(".t"))
            .map(|entry| entry.path.clone())
    });
    let draft = reading.drafts.project("perl", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    match base(reading.path) {
        "cpanfile" => cpanfile(draft, reading.text, reading.path),
        "dist.ini" => {
            for (number, line) in (1..).zip(reading.text.lines()) {
                if let Some((_, name)) =
                    line.split_once('=').filter(|(key, _)| key.trim() == "name")
                {
                    draft.name(name, &Place::new(reading.path, number));
                }
            }
        }
        _ => makefile(draft, reading.text, reading.path),
    }
    if let Some(path) = xs {
        draft.attr("native", &path, Place::file(&path));
        draft.attr("language", "C", Place::file(path));
    }
    commands(reading, tests);
}

/// `requires 'X', '>= 1';` within `on test => sub { … };`.
fn cpanfile(draft: &mut super::drafts::Draft, text: &str, path: &str) {
    let all = tokens(text, &HASH);
    let mut phase: Option<(u32, Scope)> = None;
    for (at, token) in all.iter().enumerate() {
        if phase
            .as_ref()
            .is_some_and(|(depth, _)| token.is("}") && token.depth <= *depth)
        {
            phase = None;
        }
        match token.word() {
            Some("on") => {
                let name = near(&all, at + 1, 1)
                    .first()
                    .map_or("", |token| token.text.as_str());
                let scope = match name {
                    "test" => Scope::Test,
                    "develop" => Scope::Dev,
                    "build" | "configure" => Scope::Build,
                    other => Scope::Optional(other.to_owned()),
                };
                phase = Some((token.depth, scope));
            }
            Some(
                word @ ("requires" | "recommends" | "test_requires" | "build_requires"
                | "configure_requires"),
            ) => {
                let (Some(name), version) = (literal_after(&all, at), near(&all, at + 3, 1)) else {
                    continue;
                };
                let scope = match word {
                    "recommends" => Scope::Optional("recommends".to_owned()),
                    "test_requires" => Scope::Test,
                    "build_requires" | "configure_requires" => Scope::Build,
                    _ => phase
                        .as_ref()
                        .map_or(Scope::Runtime, |(_, scope)| scope.clone()),
                };
                let version = version.first().and_then(Token::literal).unwrap_or_default();
                need(
                    draft,
                    &name.text,
                    version,
                    scope,
                    Place::new(path, token.line),
                );
            }
            _ => {}
        }
    }
}

fn need(draft: &mut super::drafts::Draft, name: &str, version: &str, scope: Scope, place: Place) {
    if name == "perl" {
        let version = version.trim_start_matches('v').to_owned();
        return draft.tool("perl", Some(format!(">={version}")), Trust::Manifest, place);
    }
    let spec = format!("{name} {version}");
    draft.package("cpan", name, spec.trim(), scope, place);
}

/// Hashes of `WriteMakefile` and `Module::Build->new`.
fn makefile(draft: &mut super::drafts::Draft, text: &str, path: &str) {
    let all = tokens(text, &HASH);
    for (at, token) in all.iter().enumerate() {
        let place = Place::new(path, token.line);
        let key = token.word().or_else(|| token.literal()).unwrap_or_default();
        let scope = match key {
            "PREREQ_PM" | "requires" => Scope::Runtime,
            "BUILD_REQUIRES" | "CONFIGURE_REQUIRES" | "build_requires" | "configure_requires" => {
                Scope::Build
            }
            "TEST_REQUIRES" | "test_requires" => Scope::Test,
            "MIN_PERL_VERSION" => {
                let version = near(&all, at + 1, 3)
                    .last()
                    .map_or("", |token| token.text.as_str());
                if version.contains(|c: char| c.is_ascii_digit()) {
                    need(draft, "perl", version, Scope::Runtime, place);
                }
                continue;
            }
            "NAME" | "module_name" => {
                if let Some(name) = literal_after(&all, at) {
                    draft.name(&name.text, &place);
                }
                continue;
            }
            _ => continue,
        };
        let Some(open) =
            (at + 1..at + 4).find(|at| all.get(*at).is_some_and(|token| token.is("{")))
        else {
            continue;
        };
        let body = inside(&all, open);
        for (at, name) in body.iter().enumerate() {
            let arrow = body.get(at + 1).is_some_and(|next| next.is("="))
                && body.get(at + 2).is_some_and(|next| next.is(">"));
            let version = body.get(at + 3).map_or("", |token| token.text.as_str());
            let name_is = name
                .literal()
                .or_else(|| name.word().filter(|word| *word == "perl"));
            if let Some(text) = name_is.filter(|_| arrow) {
                need(
                    draft,
                    text,
                    version,
                    scope.clone(),
                    Place::new(path, name.line),
                );
            }
        }
    }
}

/// `Makefile.PL` where it stands, else `Build.PL`, else the tests alone.
fn commands(reading: &mut Reading<'_>, tests: Option<String>) {
    let tree = reading.tree;
    let file = |name: &str| join(reading.dir, name).filter(|path| tree.has(path));
    let (makefile, build, cpanfile) = (file("Makefile.PL"), file("Build.PL"), file("cpanfile"));
    let draft = reading.drafts.project("perl", reading.dir);
    let first = makefile.as_ref().or(build.as_ref()).or(cpanfile.as_ref());
    let place = Place::file(first.map_or(reading.path, String::as_str));
    draft.command("install", "cpanm --installdeps --notest .", place.clone());
    match (makefile.is_some(), build.is_some()) {
        (true, _) => {
            draft.command("build", "perl Makefile.PL && make", place.clone());
            draft.command("test", "make test", place);
        }
        (false, true) => {
            draft.command("build", "perl Build.PL && ./Build", place.clone());
            draft.command("test", "./Build test", place);
        }
        _ if tests.is_some() => draft.command("test", "prove -lr t", place),
        _ => {}
    }
    if let Some(path) = tests {
        draft.suite("prove", Place::file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_distribution() {
        let graph = repo(&[
            (
                "Makefile.PL",
                "use ExtUtils::MakeMaker;\nWriteMakefile(\n  NAME => 'A::B',\n  MIN_PERL_VERSION => '5.010',\n  PREREQ_PM => { 'JSON::PP' => 4, \"Carp\" => '0' },\n  TEST_REQUIRES => {\n    'Test::More' => '0.88',\n  },\n);\n",
            ),
            (
                "cpanfile",
                "requires 'perl', 'v5.14';\nrequires 'Moo', '>= 2';\non test => sub {\n  requires 'Test2::V0';\n};\nrequires 'X';\n",
            ),
            ("lib/A/B.pm", ""),
            ("t/a.t", ""),
            ("B.xs", ""),
            ("other/Makefile.PL", "print 1"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        perl "" A::B (Makefile.PL:3)
          build-command = perl Makefile.PL && make (Makefile.PL)
          install-command = cpanm --installdeps --notest . (Makefile.PL)
          language = C (B.xs)
          native = B.xs (B.xs)
          test-command = make test (Makefile.PL)
          tool perl >=5.010 Manifest (Makefile.PL:4)
          cpan JSON::PP 4 [runtime] (Makefile.PL:5)
          cpan Carp 0 [runtime] (Makefile.PL:5)
          cpan Test::More 0.88 [test] (Makefile.PL:7)
          tool perl >=5.14 Manifest (cpanfile:1)
          cpan Moo >= 2 [runtime] (cpanfile:2)
          cpan Test2::V0 [test] (cpanfile:4)
          cpan X [runtime] (cpanfile:6)
          suite prove (t/a.t)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z(){}\"'=> ,\n]|requires|on test|PREREQ_PM|NAME){0,60}") {
            repo(&[("a.pm", ""), ("cpanfile", &text), ("Makefile.PL", &text), ("dist.ini", &text)]);
        }
    }
}
