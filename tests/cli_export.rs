//! The finished environment as a file, and who may say what it is.

mod cli_support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use cli_support::*;

/// A root file system with a compiler would be a big base; the tests' packages come from the network.
fn rootfs() -> Option<PathBuf> {
    let path = std::env::var_os("ENVC_TEST_ROOTFS").map(PathBuf::from);
    if path.is_none() {
        eprintln!("SKIPPED: set ENVC_TEST_ROOTFS to a root file system to build on");
    }
    path
}

#[test]
fn an_environment_is_exported_and_is_a_base_again() {
    let Some(rootfs) = rootfs() else { return };
    let scene = Scene::of("make-words");
    let base = format!("rootfs:{}", rootfs.display());
    scene
        .run(&["build", "--base", &base, "--certify", "none", "repo"])
        .code(0);
    scene
        .run(&["export", "--oci", "image.tar", "--name", "words:1", "repo"])
        .code(0)
        .prints("words:1  sha256:");
    scene.run(&["export", "--tar", "root.tar", "repo"]).code(0);
    let left: Vec<String> = names(scene.path())
        .into_iter()
        .filter(|name| name.starts_with(".envc"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let names = |file: &str| {
        let output = Command::new("tar")
            .arg("-tf")
            .arg(scene.path().join(file))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let root = names("root.tar");
    assert!(root.contains("./repo/words\n"), "{root}");
    for hidden in ["./run/envc", "./proc/self", ".deb\n"] {
        assert!(!root.contains(hidden), "{hidden}");
    }
    // The image is one that envc itself reads, digests and all; what was built works in it.
    let again = Scene::of("make-words");
    let base = format!("oci:{}", scene.path().join("image.tar").display());
    again
        .run(&["build", "--base", &base, "--certify", "none", "repo"])
        .code(0);
    scene.assert_nothing_left();
    load(&scene);
}

/// An engine takes the file and runs what is in it.
fn load(scene: &Scene) {
    let docker = |arguments: &[&str]| {
        Command::new("docker")
            .args(arguments)
            .current_dir(scene.path())
            .output()
    };
    if !docker(&["info"]).is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no Docker to load the image into");
        return;
    }
    let loaded = docker(&["load", "-i", "image.tar"]).unwrap();
    assert!(loaded.status.success(), "{loaded:?}");
    let ran = docker(&[
        "run",
        "--rm",
        "words:1",
        "sh",
        "-c",
        "printf 'a b\\nc' | ./words",
    ])
    .unwrap();
    let _ = docker(&["rmi", "words:1"]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "3\n", "{ran:?}");
}

#[test]
fn this_machine_is_not_exported() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    scene
        .run(&["export", "--tar", "x.tar", "repo"])
        .code(2)
        .says("no environment");
    scene.build(&[]).code(0);
    scene
        .run(&["export", "--tar", "x.tar", "repo"])
        .code(2)
        .says("not for export");
    assert!(!scene.path().join("x.tar").exists());
    scene.run(&["export", "repo"]).code(2);
}

#[test]
fn a_repository_cannot_bring_an_environment() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    scene.build(&[]).code(0);
    scene.run(&["run", "-C", "repo", "--", "true"]).code(0);
    // Another backend would run commands on this machine as it is.
    let file = scene.repo.join(".envc/environment.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"overlay\"", "\"host\"")).unwrap();
    scene
        .run(&["run", "-C", "repo", "--", "touch", "escaped"])
        .code(2)
        .says("was not written by `envc build` here");
    fs::write(&file, text).unwrap();
    scene.run(&["run", "-C", "repo", "--", "true"]).code(0);
}
