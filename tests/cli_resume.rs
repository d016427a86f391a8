//! Runs that are killed go on where they stopped, and two runs never share a directory.

mod cli_support;

use std::fs;
use std::process::{Child, Command, Stdio};

use cli_support::*;

/// A repository whose test waits until a file outside of the sandbox's view would be there: here, long enough.
fn scene(seconds: u32) -> Scene {
    let scene = Scene::of("make-words");
    let makefile = format!(
        "words: words.c\n\t@echo compiling; sleep 1.2\n\t$(CC) -o $@ words.c\n\n.PHONY: test\ntest: words\n\tsleep {seconds}\n\tsh ./test.sh\n"
    );
    scene.write("Makefile", &makefile);
    scene
}

fn begin(scene: &Scene, more: &[&str]) -> Child {
    let mut all = vec!["build", "--base", "host", "--certify", "none", "repo"];
    all.extend(more);
    let mut command = scene.envc(&all);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn kill(mut child: Child, signal: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
    child.wait().unwrap();
}

fn journal(scene: &Scene) -> String {
    fs::read_to_string(scene.repo.join(".envc/journal.jsonl")).unwrap_or_default()
}

fn runs(scene: &Scene) -> Vec<String> {
    names(&scene.store().join("runs"))
}

/// Begins, waits until the test of the pyramid runs, and ends it.
fn stopped_in_the_test(scene: &Scene, signal: &str) {
    let child = begin(scene, &[]);
    wait_for("the test starts", || {
        journal(scene).contains("\"event\":\"command-started\",\"id\":\"t1\"")
    });
    kill(child, signal);
}

#[test]
fn a_killed_run_goes_on_after_its_last_layer() {
    if !can_build() {
        return;
    }
    let scene = scene(3);
    stopped_in_the_test(&scene, "-KILL");
    scene.assert_nothing_left();
    assert_eq!(runs(&scene).len(), 1);
    // As a kill in the middle of a write leaves it.
    let file = scene.repo.join(".envc/journal.jsonl");
    let mut text = journal(&scene);
    let lines = text.lines().count();
    text.push_str("{\"at\":1.0,\"event\":\"outp");
    fs::write(&file, text).unwrap();

    scene.build(&["--resume"]).code(0).says("goes on");
    let text = journal(&scene);
    assert!(text.lines().count() > lines);
    for line in text.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    let layers = text.matches("\"event\":\"layer-started\"").count();
    assert_eq!(layers, 3, "no layer ran again:\n{text}");
    assert_eq!(text.matches("\"event\":\"resumed\"").count(), 1);
    let times: Vec<f64> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["at"].as_f64())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    scene.assert_nothing_left();
    assert_eq!(
        runs(&scene),
        [] as [String; 0],
        "a verified run keeps no state"
    );
    scene
        .run(&["run", "-C", "repo", "--", "test", "-x", "words"])
        .code(0);
}

#[test]
fn an_interrupted_run_goes_on() {
    if !can_build() {
        return;
    }
    for signal in ["-INT", "-TERM"] {
        let scene = scene(4);
        stopped_in_the_test(&scene, signal);
        scene.build(&["--resume"]).code(0).says("goes on");
        assert_eq!(
            journal(&scene)
                .matches("\"event\":\"layer-started\"")
                .count(),
            3
        );
    }
}

#[test]
fn results_of_finished_commands_are_not_found_out_again() {
    if !can_build() {
        return;
    }
    let scene = scene(3);
    stopped_in_the_test(&scene, "-KILL");
    let before = journal(&scene);
    assert!(
        before.contains("\"event\":\"command-finished\",\"id\":\"i1\""),
        "{before}"
    );
    scene.build(&["--resume"]).code(0);
    let text = journal(&scene);
    assert_eq!(
        text.matches("\"event\":\"command-started\",\"id\":\"i1\"")
            .count(),
        1,
        "{text}"
    );
    let certificate = scene.artifact("certificate.json");
    assert!(certificate.contains("\"i1\""), "{certificate}");
}

#[test]
fn a_changed_repository_starts_anew_and_says_so() {
    if !can_build() {
        return;
    }
    let scene = scene(3);
    stopped_in_the_test(&scene, "-KILL");
    scene.write("README.md", "other words\n");
    scene
        .build(&["--resume"])
        .code(0)
        .says("starting anew: the repository's files are not those of the earlier run");
    assert!(!journal(&scene).contains("\"event\":\"resumed\""));
    let scene = Scene::of("make-words");
    scene
        .build(&["--resume"])
        .code(0)
        .says("starting anew: no earlier run of this directory left a state");
}

#[test]
fn a_spoilt_state_starts_anew() {
    if !can_build() {
        return;
    }
    let scene = scene(3);
    stopped_in_the_test(&scene, "-KILL");
    let dir = scene.store().join("runs").join(&runs(&scene)[0]);
    let state = dir.join("state.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, &text[..text.len() / 2]).unwrap();
    scene
        .build(&["--resume"])
        .code(0)
        .says("starting anew: the earlier run's state cannot be read");
}

#[test]
fn two_runs_on_one_directory_are_kept_apart() {
    if !can_build() {
        return;
    }
    let scene = scene(30);
    let child = begin(&scene, &[]);
    wait_for("the first run begins", || {
        journal(&scene).contains("layer-started")
    });
    let pid = child.id().to_string();
    scene
        .build(&[])
        .code(75)
        .says("another envc is at work on")
        .says(&pid);
    scene.build(&["--resume"]).code(75).says(&pid);
    // A dead holder's lock is free: nobody has to remove a file.
    kill(child, "-KILL");
    assert!(scene.repo.join(".envc/lock").exists());
    scene.write(
        "Makefile",
        &fs::read_to_string(scene.repo.join("Makefile"))
            .unwrap()
            .replace("30", "0"),
    );
    scene.build(&[]).code(0);
}
