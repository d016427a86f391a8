//! `envc compdb` as a user runs it, in a real sandbox.

mod cli_support;

use std::collections::BTreeSet;

use cli_support::*;

fn rootfs() -> Option<String> {
    let rootfs = std::env::var("ENVC_TEST_ROOTFS")
        .ok()
        .filter(|path| !path.is_empty());
    if rootfs.is_none() {
        eprintln!("SKIPPED: ENVC_TEST_ROOTFS names no root file system of bookworm");
    }
    rootfs.map(|path| format!("rootfs:{path}"))
}

/// Sources of the database, as they stand in the repository on disk.
fn sources(scene: &Scene) -> BTreeSet<String> {
    let text = std::fs::read_to_string(scene.repo.join("compile_commands.json")).unwrap();
    let entries: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let root = std::fs::canonicalize(&scene.repo).unwrap();
    let source = |entry: &serde_json::Value| {
        let directory = std::path::Path::new(entry["directory"].as_str().unwrap());
        let file = std::fs::canonicalize(directory.join(entry["file"].as_str().unwrap())).unwrap();
        assert!(entry["arguments"].as_array().unwrap().len() > 2);
        file.strip_prefix(&root).unwrap().display().to_string()
    };
    entries.iter().map(source).collect()
}

#[test]
fn each_build_system_tells_its_commands() {
    let Some(base) = rootfs() else { return };
    for (name, how) in [
        ("make-words", "from a dry run"),
        ("cmake-tally", "written by the build system"),
        ("autotools-double", "from a dry run"),
    ] {
        let scene = Scene::of(name);
        let ended = scene.run(&["compdb", "--base", &base, "repo"]).code(0);
        assert!(ended.err.contains(how), "{name}: {}", ended.err);
        let told = sources(&scene);
        assert!(!told.is_empty(), "{name}");
        // What a whole build compiles is the same.
        let ended = scene
            .run(&["compdb", "--record", "--base", &base, "repo"])
            .code(0);
        assert!(
            ended.err.contains("recorded from a whole build"),
            "{name}: {}",
            ended.err
        );
        let recorded = sources(&scene);
        assert!(
            told.is_superset(&recorded) && !recorded.is_empty(),
            "{name}: {told:?} {recorded:?}"
        );
        scene.assert_nothing_left();
    }
}

#[test]
fn a_project_that_cannot_be_configured_is_said_to_be_one() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::empty();
    scene.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nmessage(FATAL_ERROR \"not today\")\n",
    );
    let ended = scene.run(&["compdb", "--base", &base, "repo"]).code(1);
    assert!(
        ended.err.contains("could not be configured"),
        "{}",
        ended.err
    );
    assert!(!scene.repo.join("compile_commands.json").exists());
}
