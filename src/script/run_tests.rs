//! Emitted scripts that are really run, on this machine, in a directory of their own. They install nothing.

use std::path::Path;
use std::process::{Command, Output};

use proptest::prelude::*;

use super::fixtures as f;
use super::*;
use crate::plan::{Action, EnvVar, Guard, Layer, Plan, Step};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// A repository with the marker `README` and an empty home.
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(dir.path().join("repo")).expect("repo");
        std::fs::create_dir_all(dir.path().join("home")).expect("home");
        std::fs::write(dir.path().join("repo/README"), "x").expect("marker");
        Self { dir }
    }

    fn repo(&self) -> std::path::PathBuf {
        self.dir.path().join("repo")
    }

    fn run(&self, plan: &Plan, cwd: &Path, args: &[&str]) -> Output {
        let script = self.dir.path().join("setup.sh");
        std::fs::write(&script, bash(&from_plan(plan)).expect("a text")).expect("written");
        Command::new("bash")
            .arg(&script)
            .args(args)
            .current_dir(cwd)
            .env("HOME", self.dir.path().join("home"))
            .env_remove("REPO")
            .env_remove("ENVC_HOME")
            .output()
            .expect("bash")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn steps(steps: Vec<Step>) -> Plan {
    f::plan("here", "README", vec![], steps, vec![])
}

fn step(id: &str, action: Action) -> Step {
    f::step(id, Layer::Project, action, f::at("README", 1, "says so"))
}

#[test]
fn it_runs_twice_and_the_second_run_changes_nothing() {
    let place = Place::new();
    let odd = "a 'b' \"$(touch pwned)\"\n-c";
    let mut inside = step(
        "in",
        Action::Shell {
            text: "test ! -e x\n[[ $PWD == */a* ]]\nprintf '%s' \"${V-none}\" >x".to_owned(),
        },
    );
    inside.dir = odd.to_owned();
    inside.unless = Some(Guard::Exists("x".to_owned()));
    let mut plan = steps(vec![
        step("mk", Action::run(["mkdir", "-p", odd])),
        inside,
        step("here", Action::run(["test", "-e", "README"])),
    ]);
    plan.env.push(EnvVar {
        name: "V".to_owned(),
        value: "$(id)".to_owned(),
        because: vec![],
    });
    for _ in 0..2 {
        let output = place.run(&plan, &place.repo(), &[]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(
            std::fs::read_to_string(place.repo().join(odd).join("x")).expect("written"),
            "$(id)"
        );
    }
    assert_eq!(
        std::fs::read_dir(place.repo())
            .expect("a directory")
            .count(),
        2
    );
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_it_would_do() {
    let place = Place::new();
    let mut plan = f::cmake();
    plan.repository.marker = Some("README".to_owned());
    plan.packages.clear();
    let output = place.run(&plan, &place.repo(), &["--dry-run"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("would run: cmake --build build --parallel"));
    assert_eq!(
        std::fs::read_dir(place.repo())
            .expect("a directory")
            .count(),
        1
    );
}

#[test]
fn a_wrong_place_and_wrong_arguments_are_refused() {
    let place = Place::new();
    let plan = steps(vec![step("t", Action::run(["touch", "made"]))]);
    let output = place.run(&plan, place.dir.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is not here: run in the repository or set REPO"));
    for args in [
        &["--from"][..],
        &["--only", "6"],
        &["-h"],
        &["x"],
        &["--from", "$(id)"],
    ] {
        let output = place.run(&plan, &place.repo(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            said(&output).starts_with("usage: setup.sh"),
            "{}",
            said(&output)
        );
    }
    assert!(!place.repo().join("made").exists());
    // Layer 3 needs no file of the repository.
    assert!(
        place
            .run(&plan, place.dir.path(), &["--only", "3"])
            .status
            .success()
    );
}

#[test]
fn layers_are_chosen() {
    let place = Place::new();
    let mut four = step("4", Action::run(["touch", "four"]));
    four.layer = Layer::Runtimes;
    let plan = steps(vec![four, step("5", Action::run(["touch", "five"]))]);
    assert!(
        place
            .run(&plan, &place.repo(), &["--only", "4"])
            .status
            .success()
    );
    assert!(place.repo().join("four").exists() && !place.repo().join("five").exists());
    assert!(
        place
            .run(&plan, &place.repo(), &["--from", "5"])
            .status
            .success()
    );
    assert!(place.repo().join("five").exists());
}

#[test]
fn a_failure_ends_it_and_names_line_and_command() {
    let place = Place::new();
    let text = "echo before\nfalse\ntouch after".to_owned();
    for action in [
        Action::Shell { text },
        Action::run(["false", "an argument"]),
        Action::run(["exit", "0"]),
    ] {
        let plan = steps(vec![
            step("fails", action),
            step("t", Action::run(["touch", "after"])),
        ]);
        let output = place.run(&plan, &place.repo(), &[]);
        assert!(!output.status.success());
        assert!(
            said(&output).contains("failed at line "),
            "{}",
            said(&output)
        );
        assert!(!place.repo().join("after").exists());
    }
}

#[test]
fn the_environment_printed_is_the_environment_as_data() {
    let place = Place::new();
    let mut plan = f::python();
    plan.env.push(EnvVar {
        name: "ODD".to_owned(),
        value: "a 'b'\n$(id)".to_owned(),
        because: vec![],
    });
    let output = place.run(&plan, place.dir.path(), &["--env"]);
    assert!(output.status.success(), "{}", said(&output));
    let home = place.dir.path().join("home").display().to_string();
    let path = std::env::var("PATH").expect("PATH");
    let location = Location {
        home: &home,
        envc_home: None,
        path: &path,
    };
    for (name, value) in activation_at(&from_plan(&plan), &location) {
        let text = format!(
            "{}\nprintf '%s' \"${name}\"",
            String::from_utf8_lossy(&output.stdout)
        );
        let got = Command::new("bash")
            .args(["-c", &text])
            .env("HOME", &home)
            .output()
            .expect("bash");
        assert_eq!(String::from_utf8_lossy(&got.stdout), value, "{name}");
    }
}

#[test]
fn variables_that_would_break_the_script_are_left_out_and_said() {
    let place = Place::new();
    let mut plan = steps(vec![step("t", Action::run(["test", "-e", "README"]))]);
    for name in [
        "PATH",
        "run",
        "EUID",
        "BASH_ENV",
        "IFS",
        "not a name",
        "SHELLOPTS",
        "only",
    ] {
        plan.env.push(EnvVar {
            name: name.to_owned(),
            value: "broken".to_owned(),
            because: vec![],
        });
    }
    let output = place.run(&plan, &place.repo(), &[]);
    assert!(output.status.success(), "{}", said(&output));
    let text = bash(&from_plan(&plan)).expect("a text");
    assert_eq!(text.matches("# left out: ").count(), 8);
    assert!(!text.contains("export PATH=broken"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn arguments_and_variables_arrive_byte_by_byte(value in "[^\0]{0,30}") {
        let place = Place::new();
        let keep = |what: &str, file: &str| {
            vec!["sh".to_owned(), "-c".to_owned(), format!("printf %s \"{what}\" >{file}"), "sh".to_owned(), value.clone()]
        };
        let env = vec![("W".to_owned(), value.clone())];
        let mut plan = steps(vec![
            step("a", Action::Run { argv: keep("$1", "a"), env: vec![] }),
            step("w", Action::Run { argv: keep("$W", "w"), env }),
            step("v", Action::Run { argv: keep("$V", "v"), env: vec![] }),
        ]);
        plan.env.push(EnvVar { name: "V".to_owned(), value: value.clone(), because: vec![] });
        let output = place.run(&plan, &place.repo(), &[]);
        prop_assert!(output.status.success(), "{}", said(&output));
        for file in ["a", "w", "v"] {
            prop_assert_eq!(std::fs::read(place.repo().join(file)).expect("written"), value.as_bytes());
        }
    }
}
