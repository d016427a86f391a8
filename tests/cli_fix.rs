//! `envc run --fix` and `envc deps --install` as a user runs them.

mod cli_support;

use std::os::unix::fs::PermissionsExt;

use cli_support::*;

/// A bare root file system, or a loud word that there is none.
fn rootfs() -> Option<String> {
    let rootfs = std::env::var("ENVC_TEST_ROOTFS")
        .ok()
        .filter(|path| !path.is_empty());
    if rootfs.is_none() {
        eprintln!("SKIPPED: ENVC_TEST_ROOTFS names no root file system of bookworm");
    }
    rootfs.map(|path| format!("rootfs:{path}"))
}

/// Needs make, a C compiler and zlib, and has a configure that remembers what it did not find.
fn needy() -> Scene {
    let scene = Scene::empty();
    scene.write(
        "configure",
        "#!/bin/sh\n# Not made by Autoconf.\nif ! test -e config.cache; then\n\tprintf '#include <zlib.h>\\n' | cc -E - >/dev/null 2>errors && echo yes >config.cache || echo no >config.cache\n\tcat errors\nfi\ngrep -q yes config.cache || { echo 'configure: error: zlib.h is required'; exit 1; }\n",
    );
    scene.write(
        "Makefile",
        "demo: demo.c\n\t$(CC) -o demo demo.c -lz -lpng\n\t./demo\n",
    );
    scene.write(
        "demo.c",
        "#include <stdio.h>\n#include <zlib.h>\n#include <png.h>\nint main(void) { puts(zlibVersion()); return png_access_version_number() == 0; }\n",
    );
    scene
}

#[test]
fn what_a_build_misses_is_installed_and_named() {
    let Some(base) = rootfs() else { return };
    let scene = needy();
    let ended = scene.run(&[
        "run",
        "--fix",
        "--base",
        &base,
        "-C",
        "repo",
        "--",
        "sh ./configure && make -j2",
    ]);
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.out, ended.err);
    let line = "apt-get install -y --no-install-recommends ";
    let install = ended.out.lines().find_map(|l| l.trim().strip_prefix(line));
    let mut packages: Vec<&str> = install.unwrap().split(' ').collect();
    packages.sort_unstable();
    assert_eq!(
        packages,
        ["gcc", "libc6-dev", "libpng-dev", "make", "zlib1g-dev"]
    );
    assert!(
        ended.out.contains("header png.h is missing (demo.c:3:10"),
        "{}",
        ended.out
    );
    assert!(ended.err.contains("from the clean state"), "{}", ended.err);
    // The repository on disk is as it was.
    assert!(!scene.repo.join("demo").exists() && !scene.repo.join("config.cache").exists());
    assert!(!scene.repo.join(".envc").exists());
    scene.assert_nothing_left();
}

#[test]
fn what_nothing_provides_is_said_and_fails() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::empty();
    let message = "a.c:1:10: fatal error: no_such_thing_anywhere.h: No such file or directory";
    let command = format!("echo '{message}'; exit 1");
    let ended = scene.run(&[
        "run", "--fix", "--base", &base, "-C", "repo", "--json", "--", &command,
    ]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let fixed: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(fixed["runs"], 1);
    assert_eq!(
        fixed["failure"]["missing"],
        "header:no_such_thing_anywhere.h"
    );
    assert!(
        fixed["gave_up"]
            .as_str()
            .unwrap()
            .contains("no_such_thing_anywhere.h")
    );
    // The repository's own failure is not repaired either.
    let ended = scene.run(&["run", "--fix", "--base", &base, "-C", "repo", "--", "false"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(!ended.out.contains("Add to"), "{}", ended.out);
}

#[test]
fn a_base_without_fix_is_refused() {
    let scene = Scene::of("make-words");
    let ended = scene.run(&["run", "--base", "host", "-C", "repo", "--", "make"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("--fix"), "{}", ended.err);
}

#[test]
fn install_hands_the_packages_to_the_package_manager() {
    let scene = Scene::empty();
    scene.write("Makefile", "demo: demo.c\n\t$(CC) -o demo demo.c -lfoo\n");
    // A header whose package no test machine has.
    scene.write(
        "demo.c",
        "#include <libotf/otf.h>\n#include <otf.h>\nint main(void) { return 0; }\n",
    );
    let bin = scene.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["apt-get", "sudo"] {
        let file = bin.join(program);
        std::fs::write(&file, "#!/bin/sh\necho \"$0 $*\" >>\"$LOG\"\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let log = scene.path().join("log");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = scene.envc(&[
        "deps",
        "--install",
        "--base",
        "image:debian:bookworm",
        "repo",
    ]);
    let ended = ended(command.env("PATH", path).env("LOG", &log));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(
        said.contains("install -y --no-install-recommends"),
        "{said:?}"
    );
    assert!(said.contains("libotf-dev"), "{said:?}");
}
