//! Bad input: each ends with a message that says what to do, the right exit code, and nothing left behind.

mod cli_support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use cli_support::*;

#[test]
fn what_is_no_repository_is_refused() {
    let scene = Scene::empty();
    scene.build(&[]).code(3).says("the directory is empty");
    fs::write(scene.repo.join("a.png"), b"\x89PNG\r\n\x1a\n\0").unwrap();
    fs::write(scene.repo.join("b.jpg"), b"\xff\xd8\xff\0").unwrap();
    scene
        .build(&[])
        .code(3)
        .says("no source file among 2 files");
    scene
        .run(&["build", "nowhere"])
        .code(2)
        .says("does not exist");
    fs::write(scene.path().join("file"), "x").unwrap();
    scene
        .run(&["build", "file"])
        .code(2)
        .says("give the directory that holds it");
    scene
        .run(&["build", "file:///nowhere/at/all.git"])
        .code(75)
        .says("git could not clone");
    assert!(!scene.repo.join(".envc").exists());
    scene.assert_nothing_left();
}

#[test]
fn what_the_command_line_does_not_know_is_usage() {
    let scene = Scene::of("make-words");
    for wrong in [
        &["frobnicate"][..],
        &["build", "--base", "moon"],
        &["build", "--timeout", "soon"],
        &["build", "--as-of", "2024-13-01"],
        &["build", "--level", "perfection"],
        &["build", "--base", "rootfs:/nowhere", "repo"],
        &["run"],
    ] {
        let ended = scene.run(wrong).code(2);
        assert!(!ended.err.is_empty(), "{wrong:?}");
    }
    scene.run(&["--help"]).code(0).prints("Exit codes");
}

#[test]
fn links_that_loop_or_lead_out_are_harmless() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    for (target, name) in [
        (".", "self"),
        ("b", "a"),
        ("a", "b"),
        ("/etc/passwd", "out"),
        ("../../../../../../../../etc", "etc"),
        ("nowhere", "dangling"),
    ] {
        symlink(target, scene.repo.join(name)).unwrap();
    }
    scene.build(&[]).code(0).prints("verified");
    scene.assert_nothing_left();
}

#[test]
fn names_stay_data() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    let nasty: [&[u8]; 12] = [
        b"it's",
        b"double\"quote",
        b"new\nline.c",
        b"$(touch pwned)",
        b"`touch pwned`",
        b"bad\xff\xfe.c",
        b" lead",
        b"-rf",
        b"a;touch pwned",
        b"*",
        b"tab\t.py",
        b"test_\xff.mk",
    ];
    for name in nasty {
        fs::write(scene.repo.join(OsStr::from_bytes(name)), "").unwrap();
    }
    let dir = scene.repo.join(OsStr::from_bytes(b"d\xff\n$(touch pwned)"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("x.c"), "").unwrap();
    // The test sees every one of the names, unharmed.
    scene.write(
        "test.sh",
        "echo 1..1\nif [ \"$(find . -maxdepth 1 -mindepth 1 -not -name words | tr -dc '\\000-\\377' | wc -c)\" -gt 100 ] && [ ! -e pwned ]; then echo ok 1; else echo not ok 1; exit 1; fi\n",
    );
    scene.build(&[]).code(0).prints("1 passed");
    assert!(!scene.repo.join("pwned").exists() && !scene.path().join("pwned").exists());
    for command in ["graph", "plan", "script", "pyramid"] {
        scene.run(&[command, "repo"]).code(0);
    }
    scene.assert_nothing_left();
}

#[test]
fn a_huge_file_costs_nothing() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    for name in ["huge.bin", "huge.c"] {
        let file = fs::File::create(scene.repo.join(name)).unwrap();
        file.set_len(1 << 30).unwrap();
    }
    let started = Instant::now();
    scene.build(&[]).code(0);
    assert!(started.elapsed() < Duration::from_secs(60));
    scene.assert_nothing_left();
}

#[test]
fn an_endless_test_is_ended() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test("echo 1..1; while :; do sleep 1; done");
    let ended = scene.build(&["--timeout", "3s"]).code(1);
    ended.prints("NOT verified").prints("time limit");
    scene.assert_nothing_left();
}

#[test]
fn a_fork_bomb_is_bounded() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test("echo 1..1; sh ./bomb.sh");
    scene.write("bomb.sh", "f() { f | f & }\nf\nsleep 100\n");
    let ended = scene.build(&["--timeout", "4s"]).code(1);
    ended.prints("NOT verified");
    scene.assert_nothing_left();
}

#[test]
fn a_test_that_asks_the_user_gets_no_answer() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test(
        "echo 1..2; if read line; then echo not ok 1; else echo ok 1; fi; if (: </dev/tty) 2>/dev/null; then echo not ok 2; else echo ok 2; fi",
    );
    scene
        .build(&["--timeout", "20s"])
        .code(0)
        .prints("2 passed");
    // The same where envc has a terminal itself.
    if !on_path("script") {
        eprintln!("SKIPPED in part: no script(1) to make a terminal");
        return;
    }
    let envc = env!("CARGO_BIN_EXE_envc");
    let line = format!("{envc} build --base host --certify none --timeout 20s repo");
    let mut command = std::process::Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(scene.path());
    command.env("XDG_CACHE_HOME", scene.path().join("cache"));
    ended(&mut command).code(0).prints("2 passed");
    scene.assert_nothing_left();
}

/// Runs as a user without rights of their own.
fn as_nobody(scene: &Scene, arguments: &[&str]) -> Ended {
    let home = scene.path().join("home");
    fs::create_dir_all(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(65534), Some(65534)).unwrap();
    // The build's own directory need not be open to others.
    let envc = scene.path().join("envc");
    if !envc.exists() {
        fs::copy(env!("CARGO_BIN_EXE_envc"), &envc).unwrap();
    }
    fs::set_permissions(scene.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new("setpriv");
    command
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&envc)
        .args(arguments)
        .current_dir(scene.path())
        .env("HOME", &home)
        .env("XDG_CACHE_HOME", home.join("cache"));
    ended(&mut command)
}

#[test]
fn missing_permission_is_said() {
    if !can_build() || !on_path("setpriv") {
        eprintln!("SKIPPED: needs root and setpriv(1)");
        return;
    }
    let scene = Scene::of("make-words");
    let build = ["build", "--base", "host", "--certify", "none", "repo"];
    let with_out = |out: &'static str| [&build[..], &["--out", out]].concat();
    fs::set_permissions(&scene.repo, fs::Permissions::from_mode(0o700)).unwrap();
    as_nobody(&scene, &build)
        .code(2)
        .says("no permission to read");
    fs::set_permissions(&scene.repo, fs::Permissions::from_mode(0o755)).unwrap();
    as_nobody(&scene, &build)
        .code(2)
        .says("choose another directory with --out");
    let file = scene.repo.join("words.c");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    as_nobody(&scene, &with_out("home/a"))
        .code(2)
        .says("words.c");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    if as_nobody(&scene, &["doctor"])
        .out
        .contains("ok  sandbox overlay over host")
    {
        as_nobody(&scene, &with_out("home/b"))
            .code(0)
            .prints("verified");
    } else {
        eprintln!("SKIPPED in part: no user namespaces for other users here");
    }
    scene.assert_nothing_left();
}

/// A file system of a few KiB, unmounted at the end.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(at: std::path::PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&at).unwrap();
        let done = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"])
            .arg(&at)
            .status();
        if done.is_ok_and(|status| status.success()) {
            return Some(Self(at));
        }
        eprintln!("SKIPPED: cannot mount a tmpfs here");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_transient_and_old_artifacts_stay() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    {
        let Some(_small) = Small::mount(scene.path().join("cache"), "64k") else {
            return;
        };
        scene.build(&[]).code(75).says("no space left");
        assert_eq!(names(&scene.store().join("sandboxes")), [""; 0]);
    }
    let out = scene.path().join("out");
    {
        let Some(_small) = Small::mount(out.clone(), "300k") else {
            return;
        };
        scene.build(&["--out", "out"]).code(0);
        let old = fs::read(out.join("setup.sh")).unwrap();
        // Fill what is left, and change what would be written.
        let _ = fs::write(out.join("layer/filler"), vec![0; 1 << 20]);
        scene.write("README.md", "# words\n\n    make words\n    make test\n");
        scene
            .build(&["--out", "out"])
            .code(75)
            .says("no space left");
        assert_eq!(fs::read(out.join("setup.sh")).unwrap(), old);
        assert!(out.join("certificate.json").exists());
    }
    scene.assert_nothing_left();
}
