//! Whole scans, of hostile trees above all.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

fn put(root: &Path, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn scanned(root: &Path) -> Repository {
    scan(root, &ScanOptions::default()).unwrap()
}

fn paths(repository: &Repository) -> Vec<&str> {
    repository
        .files
        .iter()
        .map(|entry| entry.path.as_str())
        .collect()
}

fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
        ])
        .arg("-C")
        .arg(root)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_path_that_is_no_directory_is_a_typed_error() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "file", "x");
    let error = |path: &str| scan(&dir.path().join(path), &ScanOptions::default()).unwrap_err();
    assert!(matches!(error("missing"), ScanError::NotFound(_)));
    assert!(matches!(error("file"), ScanError::NotADirectory(_)));
    assert!(matches!(error("file/below"), ScanError::NotADirectory(_)));
    assert!(error("missing").is_usage());
}

#[test]
fn a_closed_directory_is_a_typed_error() {
    let dir = tempfile::tempdir().unwrap();
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    match scan(&closed, &ScanOptions::default()) {
        // Root may read everything; the mapping of the error is then tested alone.
        Ok(_) => assert!(rustix::process::geteuid().is_root()),
        Err(error) => assert!(matches!(error, ScanError::NoPermission(_))),
    }
    let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    assert!(matches!(
        ScanError::from_io(&closed, denied),
        ScanError::NoPermission(_)
    ));
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn nothing_to_build_is_a_fact() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        scanned(dir.path())
            .is_unsupported()
            .unwrap()
            .contains("empty")
    );
    put(dir.path(), "a.png", b"\x89PNG\0\0");
    put(dir.path(), "README.md", "pictures");
    assert!(
        scanned(dir.path())
            .is_unsupported()
            .unwrap()
            .contains("no source file among 2")
    );
    put(dir.path(), "a.py", "print(1)\n");
    assert_eq!(scanned(dir.path()).is_unsupported(), None);
}

#[test]
fn an_archive_lists_what_it_ships_and_no_build_trees() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(
        root,
        ".gitignore",
        "*.log\n/build/\nCargo.lock\nconfigure\n/gen/\n",
    );
    for path in ["Cargo.lock", "configure", "gen/tables.c"] {
        put(root, path, "x");
    }
    for path in [
        "a.c",
        "x.log",
        "build/a.o",
        ".github/workflows/ci.yml",
        "node_modules/m/i.js",
        "sub/.git/config",
    ] {
        put(root, path, "x");
    }
    put(root, "src/target/arch.c", "x");
    put(root, "crate/Cargo.toml", "[package]");
    put(root, "crate/target/debug/x.c", "x");
    put(root, "env/pyvenv.cfg", "home=/");
    assert_eq!(
        paths(&scanned(root)),
        [
            ".github/workflows/ci.yml",
            ".gitignore",
            "Cargo.lock",
            "a.c",
            "configure",
            "crate/Cargo.toml",
            "gen/tables.c",
            "src/target/arch.c",
            "x.log"
        ]
    );
    // Objects beside the sources: somebody built here, and what is ignored is what that left.
    put(root, ".gitignore", "*.o\nconfigure\n/gen/\n");
    put(root, "a.o", b"\x7fELF\0");
    let repository = scanned(root);
    assert!(
        !repository.has("a.o") && !repository.has("configure") && !repository.has("gen/tables.c")
    );
    assert!(repository.has("Cargo.lock") && repository.has("x.log"));
}

#[test]
fn build_trees_are_known_by_their_marks() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "CMakeLists.txt", "project(x)");
    put(root, "out/CMakeCache.txt", "x");
    put(root, "out/a.c", "x");
    put(
        root,
        "any/CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55",
    );
    put(root, "any/a.c", "x");
    put(root, "m/meson-info/intro-targets.json", "[]");
    put(root, "m/build.ninja", "x");
    put(root, "java/pom.xml", "<project/>");
    put(root, "java/target/classes/x.properties", "x");
    assert_eq!(paths(&scanned(root)), ["CMakeLists.txt", "java/pom.xml"]);
}

#[test]
fn tracked_files_are_listed_although_ignored_and_git_facts_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "kept.log", "x");
    put(root, "node_modules/kept.js", "x");
    put(root, "gone.c", "int x;");
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "x"]);
    git(
        root,
        &[
            "remote",
            "add",
            "origin",
            "https://u:secret@host.example/team/thing.git",
        ],
    );
    let facts = scanned(root).git.unwrap();
    assert!(!facts.dirty && facts.commit_time.unwrap() > 1_000_000_000);
    assert_eq!(
        (facts.commit.unwrap().len(), facts.branch.as_deref()),
        (40, Some("main"))
    );
    put(root, ".gitignore", "*.log\n");
    put(root, "new.log", "x");
    put(root, "new.c", "x");
    fs::remove_file(root.join("gone.c")).unwrap();
    let repository = scanned(root);
    assert_eq!(
        paths(&repository),
        [".gitignore", "kept.log", "new.c", "node_modules/kept.js"]
    );
    assert!(repository.git.as_ref().unwrap().dirty);
    assert_eq!(repository.name, "thing");
    assert_eq!(
        repository.git.unwrap().remote.unwrap(),
        "https://host.example/team/thing.git"
    );
}

#[test]
fn a_hostile_git_configuration_runs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "a.txt", "one");
    put(root, ".gitattributes", "* filter=a=b\n");
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "x"]);
    let mark = root.join("mark");
    let touch = format!("touch {}", mark.display());
    for key in [
        "core.fsmonitor",
        "filter.a=b.clean",
        "filter.a=b.process",
        "core.sshCommand",
        "gpg.program",
        "core.pager",
        "diff.external",
    ] {
        git(root, &["config", key, &touch]);
    }
    git(root, &["config", "log.showSignature", "true"]);
    put(
        root,
        ".git/hooks/post-index-change",
        format!("#!/bin/sh\n{touch}\n"),
    );
    // A new time stamp makes git compare contents, which is when it would run the filter.
    put(root, "a.txt", "two");
    let repository = scanned(root);
    files_to_copy(&repository);
    assert!(repository.git.unwrap().dirty);
    assert!(
        !mark.exists(),
        "a program of the repository's configuration was run"
    );
}

#[test]
fn links_are_listed_and_never_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "src/a.c", "x");
    symlink("..", root.join("src/loop")).unwrap();
    symlink("self", root.join("self")).unwrap();
    symlink("/etc", root.join("abs")).unwrap();
    symlink("../../outside", root.join("src/out")).unwrap();
    symlink("abs/hostname", root.join("through")).unwrap();
    symlink("src/a.c", root.join("inside.c")).unwrap();
    let repository = scanned(root);
    let outside = |path: &str| match &repository.file(path).unwrap().kind {
        FileKind::Symlink { outside, .. } => *outside,
        other => panic!("{path}: {other:?}"),
    };
    assert!(outside("abs") && outside("src/out") && outside("through"));
    assert!(!outside("src/loop") && !outside("self") && !outside("inside.c"));
    assert_eq!(repository.files.len(), 7);
    assert_eq!(repository.warnings.len(), 3);
    assert!(files_to_copy(&repository).contains(&PathBuf::from("src/loop")));
}

#[test]
fn pipes_and_huge_files_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fifo(&root.join("pipe.c"));
    let huge = fs::File::create(root.join("huge.c")).unwrap();
    huge.set_len(1 << 30).unwrap();
    put(root, "a.py", "x");
    let repository = scanned(root);
    assert_eq!(repository.file("pipe.c").unwrap().kind, FileKind::Special);
    assert_eq!(repository.file("huge.c").unwrap().kind, FileKind::Huge);
    assert_eq!(read_text(&repository, "pipe.c"), None);
    assert_eq!(
        files_to_copy(&repository),
        [PathBuf::from("a.py"), PathBuf::from("huge.c")]
    );
}

#[test]
fn a_pipe_in_place_of_an_ignore_or_git_file_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "sub/deep/a.c", "x");
    put(root, "sub/deep/.gitignore", "a.c\n");
    put(root, "b.c", "x");
    fifo(&root.join(".gitignore"));
    fifo(&root.join("sub/.gitignore"));
    fs::create_dir_all(root.join(".git/info")).unwrap();
    for name in ["HEAD", "config", "info/exclude"] {
        fifo(&root.join(".git").join(name));
    }
    fifo(&root.join(".gitmodules"));
    let repository = scanned(root);
    assert!(repository.has("b.c") && repository.has("sub/deep/a.c"));
    assert!(
        repository
            .warnings
            .iter()
            .any(|text| text.contains(".git is damaged"))
    );
}

#[test]
fn odd_names_survive() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let odd: &[&[u8]] = &[
        b"$(touch x).c",
        b"a\nb.c",
        b"q'u\"o.c",
        b"\xff\xfe.c",
        b"-rf",
        b" ",
        b"tab\t.c",
    ];
    for name in odd {
        put(root, OsStr::from_bytes(name), "int x;");
    }
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    let repository = scanned(root);
    assert_eq!(repository.files.len(), odd.len());
    assert_eq!(
        repository.file("a\nb.c").unwrap().language.as_deref(),
        Some("c")
    );
    assert_eq!(
        repository.file("\u{fffd}\u{fffd}.c").unwrap().kind,
        FileKind::OddName
    );
    let copied = files_to_copy(&repository);
    for name in odd {
        assert!(
            copied.contains(&PathBuf::from(OsStr::from_bytes(name))),
            "{name:?}"
        );
    }
    assert!(copied.contains(&PathBuf::from(".git/HEAD")));
    let json = serde_json::to_string(&repository).unwrap();
    let back: Repository = serde_json::from_str(&json).unwrap();
    let listed = |repository: &Repository| -> Vec<(String, FileKind)> {
        let files = repository.files.iter();
        files
            .map(|entry| (entry.path.clone(), entry.kind.clone()))
            .collect()
    };
    assert_eq!(listed(&back), listed(&repository));
}

#[test]
fn an_unreadable_file_is_a_remark() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "a.c", "x");
    fs::set_permissions(root.join("a.c"), fs::Permissions::from_mode(0o0)).unwrap();
    put(root, "closed/b.c", "x");
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
    let repository = scanned(root);
    if !rustix::process::geteuid().is_root() {
        assert_eq!(repository.warnings.len(), 2);
    }
    assert!(repository.has("a.c"));
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_forged_index_cannot_name_files_outside() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("r");
    put(&root, "d/a.c", "x");
    put(dir.path(), "e/a.c", "x");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    // The index lists d/a.c; d is now a link to a directory outside.
    fs::remove_dir_all(root.join("d")).unwrap();
    symlink("../e", root.join("d")).unwrap();
    assert_eq!(paths(&scanned(&root)), ["d"]);
}

#[test]
fn kinds_and_vendored_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(
        root,
        "big.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
    );
    put(root, "latin1.c", b"/* caf\xe9 */\n");
    put(root, "x.dat", b"a\0b");
    put(root, "vendor/z.c", "x");
    put(root, "gen.c", "/* Generated by Cython 3.0 */\n");
    put(
        root,
        "requirements.txt",
        "# This file is autogenerated by pip-compile\n",
    );
    put(root, "api.h", "int a;");
    put(root, "thing.h", "class A;");
    put(root, "wide.py", b"\xff\xfei\0m\0p\0o\0r\0t\0 \0o\0s\0\n\0");
    put(root, "api.cc", "x");
    let repository = scanned(root);
    let entry = |path: &str| repository.file(path).unwrap();
    assert_eq!(entry("big.bin").kind, FileKind::LfsPointer);
    assert_eq!(entry("latin1.c").kind, FileKind::Text);
    assert_eq!(entry("x.dat").kind, FileKind::Binary);
    assert!(
        entry("vendor/z.c").vendored
            && entry("gen.c").vendored
            && !entry("requirements.txt").vendored
    );
    assert_eq!(
        entry("api.h").language.as_deref(),
        Some("c"),
        "latin1.c is C, so the header may be"
    );
    assert_eq!(entry("thing.h").language.as_deref(), Some("cpp"));
    assert_eq!(entry("wide.py").kind, FileKind::Text);
    assert_eq!(
        read_text(&repository, "wide.py").as_deref(),
        Some("import os\n")
    );
    fs::remove_file(root.join("latin1.c")).unwrap();
    assert_eq!(
        scanned(root).file("api.h").unwrap().language.as_deref(),
        Some("cpp")
    );
}
