//! Hostile text in a file of every format: fewer facts, in bounded time, never a crash.

use std::time::{Duration, Instant};

use super::testing::{repo_bytes, summary};

/// One name for each format that is read here.
const NAMES: &[&str] = &[
    "package.json",
    "package-lock.json",
    "pnpm-workspace.yaml",
    "lerna.json",
    "deno.json",
    "go.mod",
    "go.work",
    "Gopkg.toml",
    "pom.xml",
    "settings.gradle",
    "build.gradle.kts",
    "gradle/libs.versions.toml",
    "gradle/wrapper/gradle-wrapper.properties",
    "build.sbt",
    "project/plugins.sbt",
    "build.mill",
    "build.xml",
    "composer.json",
    "Gemfile",
    "Gemfile.lock",
    "a.gemspec",
    "mix.exs",
    "rebar.config",
    "a.csproj",
    "a.sln",
    "a.slnx",
    "global.json",
    "Directory.Build.props",
    "a.cabal",
    "cabal.project",
    "stack.yaml",
    "package.yaml",
    "dune-project",
    "a.opam",
    "Package.swift",
    "build.zig",
    "build.zig.zon",
    "a.rockspec",
    "conanfile.txt",
    "conanfile.py",
    "vcpkg.json",
    "cpanfile",
    "Makefile.PL",
    "dist.ini",
    "DESCRIPTION",
    "Project.toml",
    "pubspec.yaml",
    "MODULE.bazel",
    "a.pro",
    "wscript",
    "pyproject.toml",
    "Cargo.toml",
];

fn read(text: &[u8]) -> Duration {
    let files: Vec<(&str, &[u8])> = NAMES.iter().map(|name| (*name, text)).collect();
    let start = Instant::now();
    summary(&repo_bytes(&files));
    start.elapsed()
}

#[test]
fn nesting_does_not_overflow() {
    for unit in [
        "{", "[", "(", "{\"a\":", "<a>", "- ", "a(", "{:a, ", "a.", "do\n", "[[", "/*", "\"\"\"",
        "if ",
    ] {
        read(unit.repeat(50_000).as_bytes());
    }
}

#[test]
fn bytes_that_are_no_text_are_survived() {
    for text in [
        &b""[..],
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}\r\n",
        b"\xef\xbb\xbfname: a\r\nname = \"a\"\r\n",
        b"\r\r\r\n\t\t",
        b"<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><project>&c;&c;</project>",
        b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        b"\\\\\\\"'`${}#{}%{}@@::..//",
    ] {
        read(text);
    }
}

#[test]
fn giant_lines_cost_bounded_time() {
    let word = "requires 'aaaa' {:a, \"1\"} (depends x) ".repeat(150_000);
    assert!(word.len() > 5 << 20);
    // Half a minute for fifty files of that size, unoptimised, on a slow machine: quadratic work takes hours.
    assert!(read(word.as_bytes()) < Duration::from_secs(60));
}
