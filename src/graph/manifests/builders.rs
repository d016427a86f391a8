//! Build systems that are known by their file: Bazel, GN, SCons, waf, qmake, xmake, premake. Their files are programs;
//! what is read here is that they stand there, and the commands that their own manuals give.
//!
//! Attributes of these projects: those that all ecosystems share (see `mod.rs`). Tool: the program, with a version
//! where a file pins it (`.bazelversion`).

use crate::evidence::{Place, Trust};

use super::tree::{MAX_SHARED, Tree, base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "builders",
    matches: |path| system(path).is_some(),
    read,
};

struct System {
    ecosystem: &'static str,
    tool: &'static str,
    build: &'static str,
    /// Where the system itself has a way to run tests.
    test: Option<&'static str>,
}

const SYSTEMS: &[System] = &[
    System {
        ecosystem: "bazel",
        tool: "bazel",
        build: "bazel build //...",
        test: Some("bazel test //..."),
    },
    System {
        ecosystem: "gn",
        tool: "gn",
        build: "gn gen out && ninja -C out",
        test: None,
    },
    System {
        ecosystem: "scons",
        tool: "scons",
        build: "scons",
        test: None,
    },
    System {
        ecosystem: "waf",
        tool: "waf",
        build: "waf configure build",
        test: None,
    },
    System {
        ecosystem: "qmake",
        tool: "qmake",
        build: "qmake && make",
        test: Some("make check"),
    },
    System {
        ecosystem: "xmake",
        tool: "xmake",
        build: "xmake",
        test: Some("xmake test"),
    },
    System {
        ecosystem: "premake",
        tool: "premake5",
        build: "premake5 gmake2 && make",
        test: None,
    },
];

fn system(path: &str) -> Option<&'static System> {
    let name = match base(path) {
        "MODULE.bazel" | "WORKSPACE" | "WORKSPACE.bazel" => "bazel",
        ".gn" => "gn",
        "SConstruct" => "scons",
        "wscript" => "waf",
        "xmake.lua" => "xmake",
        "premake5.lua" | "premake4.lua" => "premake",
        name if name.ends_with(".pro") => "qmake",
        _ => return None,
    };
    SYSTEMS.iter().find(|system| system.ecosystem == name)
}

fn read(reading: &mut Reading<'_>) {
    let Some(system) = system(reading.path) else {
        return;
    };
    let below_another = reading.drafts.covers(system.ecosystem, reading.dir);
    if below_another || !means_it(reading, system.ecosystem) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let tree = reading.tree;
    let place = Place::file(reading.path);
    let waf = join(reading.dir, "waf").filter(|path| tree.has(path));
    let draft = reading.drafts.project(system.ecosystem, reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let version =
        join(reading.dir, ".bazelversion").filter(|path| system.tool == "bazel" && tree.has(path));
    match version {
        Some(path) => {
            let text = tree.read(&path).unwrap_or_default();
            let text = text.lines().next().unwrap_or_default().trim().to_owned();
            draft.manifest(&path, reading.format);
            draft.tool("bazel", Some(text), Trust::Lock, Place::new(path, 1));
        }
        None => draft.tool(system.tool, None, Trust::Manifest, place.clone()),
    }
    match waf {
        Some(path) if system.ecosystem == "waf" => {
            draft.command("build", "python3 ./waf configure build", Place::file(path));
        }
        _ => draft.command("build", system.build, place.clone()),
    }
    if let Some(test) = system
        .test
        .filter(|_| has_tests(tree, reading.dir, system.ecosystem))
    {
        draft.suite(system.ecosystem, place.clone());
        draft.command("test", test, place);
    }
}

/// Names that other programs use as well need a look inside.
fn means_it(reading: &Reading<'_>, ecosystem: &str) -> bool {
    match ecosystem {
        // A qmake project; `.pro` is also Prolog, IDL and ProGuard.
        "qmake" => reading.text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("TEMPLATE")
                || line.starts_with("QT ")
                || line.starts_with("QT+")
                || line.starts_with("SOURCES")
        }),
        "waf" => reading.text.contains("def build") || reading.text.contains("def configure"),
        "bazel" => {
            let rules = reading
                .tree
                .below(reading.dir)
                .any(|entry| matches!(base(&entry.path), "BUILD" | "BUILD.bazel" | "BUILD.bzl"));
            rules || base(reading.path) != "WORKSPACE"
        }
        _ => true,
    }
}

fn has_tests(tree: &Tree<'_>, dir: &str, ecosystem: &str) -> bool {
    let (name, words): (&[&str], &[&str]) = match ecosystem {
        "bazel" => (&["BUILD", "BUILD.bazel"], &["_test("]),
        "xmake" => (&["xmake.lua"], &["add_tests("]),
        _ => (&[], &["testcase"]),
    };
    let files = tree.below(dir).filter(|entry| {
        !entry.vendored
            && (name.contains(&base(&entry.path))
                || (name.is_empty() && entry.path.ends_with(".pro")))
    });
    files
        .take(500)
        .filter_map(|entry| tree.read_head(&entry.path, MAX_SHARED))
        .any(|text| words.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn systems_by_their_files() {
        let graph = repo(&[
            ("b/MODULE.bazel", "module(name = 'b')\n"),
            ("b/.bazelversion", "7.1.0\n"),
            ("b/x/BUILD", "cc_test(\n name = 't')\n"),
            ("q/app.pro", "QT += core\nTEMPLATE = app\n"),
            ("p/rules.pro", "parent(a, b).\n"),
            ("s/SConstruct", ""),
            ("w/wscript", "def build(bld): pass\n"),
            ("w/waf", "#!/usr/bin/env python3\n"),
            ("x/xmake.lua", "target('t') add_tests('default')\n"),
            ("m/premake5.lua", ""),
            ("g/.gn", ""),
            ("plain/WORKSPACE", "my notes\n"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        bazel "b" b (b/MODULE.bazel)
          build-command = bazel build //... (b/MODULE.bazel)
          test-command = bazel test //... (b/MODULE.bazel)
          tool bazel 7.1.0 Lock (b/.bazelversion:1)
          suite bazel (b/MODULE.bazel)
        gn "g" g (g/.gn)
          build-command = gn gen out && ninja -C out (g/.gn)
          tool gn any Manifest (g/.gn)
        premake "m" m (m/premake5.lua)
          build-command = premake5 gmake2 && make (m/premake5.lua)
          tool premake5 any Manifest (m/premake5.lua)
        qmake "q" q (q/app.pro)
          build-command = qmake && make (q/app.pro)
          tool qmake any Manifest (q/app.pro)
        scons "s" s (s/SConstruct)
          build-command = scons (s/SConstruct)
          tool scons any Manifest (s/SConstruct)
        waf "w" w (w/wscript)
          build-command = python3 ./waf configure build (w/waf)
          tool waf any Manifest (w/wscript)
        xmake "x" x (x/xmake.lua)
          build-command = xmake (x/xmake.lua)
          test-command = xmake test (x/xmake.lua)
          tool xmake any Manifest (x/xmake.lua)
          suite xmake (x/xmake.lua)
        "#);
    }
}
