//! The command line as a user runs it: what is printed, what is made, and by which exit code it ends.

mod cli_support;

use std::fs;
use std::process::{Child, Stdio};

use cli_support::*;

#[test]
fn what_is_known_before_anything_runs_is_printed() {
    for repo in [
        "make-words",
        "cargo-adder",
        "autotools-double",
        "cmake-tally",
        "python-greeter",
    ] {
        let scene = Scene::of(repo);
        for command in ["plan", "graph", "script", "pyramid"] {
            assert!(!scene.run(&[command, "repo"]).code(0).out.is_empty());
            assert!(
                scene
                    .run(&[command, "--json", "repo"])
                    .code(0)
                    .json()
                    .is_object()
            );
        }
        let all = scene.run(&[
            "build",
            "--emit",
            "graph,plan,script,pyramid,dockerfile",
            "repo",
        ]);
        let all = all.code(0).json();
        for kind in ["graph", "plan", "script", "pyramid", "dockerfile"] {
            assert!(!all[kind].is_null(), "{repo}: {kind}");
        }
        assert_eq!(all["plan"], scene.run(&["plan", "--json", "repo"]).json());
        // Nothing was made.
        assert!(!scene.repo.join(".envc").exists());
    }
}

#[test]
fn a_crate_stands_on_the_newest_rust() {
    let scene = Scene::of("cargo-adder");
    scene.run(&["plan", "repo"]).code(0).prints("debian:trixie");
    scene
        .run(&["build", "--emit", "dockerfile", "repo"])
        .prints("debian:trixie");
}

#[test]
fn explain_says_why_and_helps_with_a_typing_error() {
    let scene = Scene::of("cmake-tally");
    scene
        .run(&["explain", "zlib1g-dev", "repo"])
        .code(0)
        .prints("CMakeLists.txt:");
    let json = scene
        .run(&["explain", "--json", "zlib1g-dev", "repo"])
        .code(0)
        .json();
    assert_eq!(json["what"], "zlib1g-dev");
    scene
        .run(&["explain", "zlib1g-dve", "repo"])
        .code(1)
        .says("did you mean");
}

#[test]
fn doctor_checks_this_machine() {
    let scene = Scene::empty();
    let ended = scene.run(&["doctor", "--json"]);
    let works = ended.json().as_array().unwrap().iter().any(|check| {
        check["works"] == true && check["what"].as_str().unwrap().starts_with("sandbox")
    });
    assert_eq!(ended.code, Some(if works { 0 } else { 1 }));
    scene.assert_nothing_left();
}

#[test]
fn a_dishonest_script_is_found_out() {
    let scene = Scene::of("python-greeter");
    let check = |text: &str| {
        fs::write(scene.path().join("setup.sh"), text).unwrap();
        scene.run(&["script", "--check", "setup.sh", "repo"])
    };
    check("#!/bin/bash\nset -e\napt-get install -y gcc\n")
        .code(0)
        .prints("nothing dishonest");
    for (lie, line) in [
        (
            "printf '#!/bin/sh\\nexit 0\\n' > /usr/local/bin/pytest\nchmod +x /usr/local/bin/pytest\n",
            2,
        ),
        ("echo 'def test_x(): pass' > tests/test_greeter.py\n", 2),
        ("mkdir -p .mvn && echo -DskipTests > .mvn/maven.config\n", 2),
        ("apt-get install -y libpq-dev || true\n", 2),
    ] {
        let text = format!("#!/bin/bash\n{lie}");
        check(&text).code(1).prints(&format!("setup.sh:{line}: "));
    }
    // The script that envc itself writes passes.
    let own = scene.run(&["script", "repo"]).code(0).out;
    check(&own).code(0);
    scene
        .run(&["script", "--check", "nowhere.sh", "repo"])
        .code(2)
        .says("cannot read nowhere.sh");
}

#[test]
fn a_build_makes_an_environment_that_is_used_again() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    let built = scene
        .build(&[])
        .code(0)
        .prints("make test")
        .prints("2 passed");
    assert!(built.out.contains("envc shell repo"), "{}", built.out);
    assert!(scene.artifact(".gitignore").ends_with("\n*\n"));
    for name in [
        "setup.sh",
        "Dockerfile",
        "plan.json",
        "pyramid.json",
        "report.html",
        "journal.jsonl",
    ] {
        assert!(!scene.artifact(name).is_empty(), "{name}");
    }
    // The repository itself is as it was: no build product is in it.
    assert!(!scene.repo.join("words").exists());
    scene
        .run(&["verify", "repo/.envc/certificate.json"])
        .code(0)
        .prints("consistent");
    let level = scene
        .run(&["run", "-C", "repo", "--json", "testability"])
        .code(0)
        .json();
    assert_eq!(level[0]["verdict"], "passed");
    scene
        .run(&[
            "run",
            "-C",
            "repo",
            "--",
            "sh",
            "-c",
            "printf 'a b' | ./words",
        ])
        .code(0)
        .prints("2\n");
    scene.run(&["run", "-C", "repo", "--", "false"]).code(1);
    scene
        .run(&["run", "-C", "repo", "--timeout", "1s", "--", "sleep", "60"])
        .code(1);
    shell(&scene);
    // A certificate of another script is found out.
    scene.write(".envc/setup.sh", "true\n");
    scene
        .run(&["verify", "--json", "repo/.envc/certificate.json"])
        .code(1)
        .prints("false");
    scene.assert_nothing_left();
}

/// `envc shell` on a terminal of its own.
fn shell(scene: &Scene) {
    if !on_path("script") {
        eprintln!("SKIPPED in part: no script(1) to make a terminal");
        return;
    }
    let line = format!("{} shell repo", env!("CARGO_BIN_EXE_envc"));
    // Typed when the prompt stands (readline drops what came before); the end of the pipe would end script(1) early.
    let typed = "(sleep 3; printf 'test -t 0 && echo on a terminal; echo one two three | ./words; exit\\n'; sleep 5)";
    let line = format!(
        "{typed} | timeout 20 script -qec {} /dev/null",
        shlex::try_quote(&line).unwrap()
    );
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", &line])
        .current_dir(scene.path())
        .env("XDG_CACHE_HOME", scene.path().join("cache"));
    let text = ended(&mut command).out;
    assert!(
        text.contains("\non a terminal\r") && text.contains("\n3\r"),
        "{text}"
    );
}

#[test]
fn without_an_environment_the_user_is_told_to_build() {
    let scene = Scene::of("make-words");
    scene
        .run(&["run", "-C", "repo", "testability"])
        .code(2)
        .says("run `envc build repo` first");
    scene
        .run(&["shell", "repo"])
        .code(2)
        .says("run `envc build repo` first");
    scene
        .run(&["verify", "repo/.envc/certificate.json"])
        .code(2)
        .says("cannot read");
}

/// A build whose test waits, which it now does.
fn waiting(scene: &Scene) -> Child {
    let arguments = ["build", "--base", "host", "--certify", "none", "-v", "repo"];
    let mut child = scene
        .envc(&arguments)
        .stdout(Stdio::null())
        .stderr(fs::File::create(scene.path().join("log")).unwrap())
        .spawn()
        .unwrap();
    let log = scene.path().join("log");
    let waits = || {
        fs::read_to_string(&log).is_ok_and(|log| {
            log.lines()
                .any(|line| line.ends_with("waiting") && !line.contains("echo"))
        })
    };
    // Whatever a failed assertion says, no build may be left running.
    if !(0..400).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        waits()
    }) {
        let _ = child.kill();
        let _ = child.wait();
        panic!("the test did not start: {:?}", fs::read_to_string(&log));
    }
    child
}

#[test]
fn an_interrupted_build_leaves_nothing_and_the_lock_is_free() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test("echo waiting; setsid sleep 1000 & sleep 1000");
    let mut child = waiting(&scene);
    scene.build(&[]).code(75).says("another envc is at work");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    scene.assert_nothing_left();
    // Killed outright: the lock and the sandbox go with it.
    let mut child = waiting(&scene);
    child.kill().unwrap();
    child.wait().unwrap();
    scene.assert_nothing_left();
    scene.write(
        "Makefile",
        "words: words.c\n\t$(CC) -o $@ words.c\ntest: words\n\tsh test.sh\n",
    );
    scene.build(&[]).code(0);
    scene.assert_nothing_left();
}

#[test]
fn events_and_certificate_are_for_machines() {
    if !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    let events = scene.build(&["--json-events"]).code(0).out;
    for line in events.lines() {
        assert!(
            serde_json::from_str::<serde_json::Value>(line).is_ok(),
            "{line}"
        );
    }
    let certificate = scene
        .build(&["--json", "-q", "--out", "out"])
        .code(0)
        .json();
    assert_eq!(certificate["predicate"]["verified"], true);
    scene.assert_nothing_left();
}
