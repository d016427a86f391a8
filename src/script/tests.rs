//! Emitted texts: their looks, the linters' word on them, and hostile input.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::fixtures as f;
use super::*;
use crate::packages::Capability;
use crate::plan::{Action, EnvVar, Guard, Layer, Plan};
use crate::pyramid::Level;

/// Runs a linter over `text`. `None` where it is not installed, which is a failure where `CI=true`.
fn lint(program: &str, args: &[&str], text: &str) -> Option<String> {
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        assert_ne!(
            std::env::var("CI").as_deref(),
            Ok("true"),
            "{program} is missing"
        );
        eprintln!("SKIPPED: {program} is not installed");
        return None;
    };
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}\n{text}");
    Some(said)
}

fn assert_clean(text: &str) {
    lint("bash", &["-n"], text);
    lint("shellcheck", &["-s", "bash", "-"], text);
    lint("shfmt", &["-d"], text);
}

fn emitted(plan: &Plan) -> String {
    let text = bash(&from_plan(plan)).expect("a text");
    assert_clean(&text);
    text
}

/// A small mapping, for the shape of a script with several adapters.
fn native(capability: &Capability, manager: &str, package: &str) -> Option<String> {
    match (manager, capability) {
        ("dnf" | "apk", Capability::Command(_)) => Some(package.to_owned()),
        ("dnf", Capability::Header(name)) => Some(format!("/usr/include/{name}")),
        ("apk", Capability::Header(name)) => Some(format!("{}-dev", name.trim_end_matches(".h"))),
        _ => None,
    }
}

#[test]
fn cmake() {
    let text = emitted(&f::cmake());
    assert!(text.lines().count() <= 100);
    insta::assert_snapshot!(text);
}

#[test]
fn cmake_with_several_managers() {
    let text = bash_with(&from_plan(&f::cmake()), &native).expect("a text");
    assert_clean(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn python() {
    insta::assert_snapshot!(emitted(&f::python()));
}

#[test]
fn rust() {
    insta::assert_snapshot!(emitted(&f::rust()));
}

#[test]
fn autotools() {
    insta::assert_snapshot!(emitted(&f::autotools()));
}

#[test]
fn nothing_to_do() {
    emitted(&f::plan("empty", "README", vec![], vec![], vec![]));
}

/// A plan with `value` in every field that a repository controls.
fn hostile(value: &str) -> Plan {
    let because = || f::at(value, 3, value);
    let mut run = f::step(
        value,
        Layer::Project,
        Action::Run {
            argv: vec!["printf".to_owned(), "%s".to_owned(), value.to_owned()],
            env: vec![("X".to_owned(), value.to_owned())],
        },
        because(),
    );
    run.dir = value.to_owned();
    run.unless = Some(Guard::Exists(value.to_owned()));
    let mut program = f::step("p", Layer::Runtimes, Action::run([value, value]), because());
    program.unless = Some(Guard::Command(value.to_owned()));
    if value.is_empty() {
        program.action = Action::run(["true"]);
    }
    let shell = f::step(
        "s",
        Layer::Project,
        Action::Shell {
            text: value.to_owned(),
        },
        because(),
    );
    let mut toolchain = f::template(
        "python-uv",
        &[("python", value), ("exclude-newer", value)],
        because(),
    );
    toolchain.unless = Some(Guard::Exists(value.to_owned()));
    let mut plan = f::plan(
        value,
        value,
        vec![
            f::package("cmd:x", value, because()),
            f::package("cmd:y", "gcc", because()),
        ],
        vec![
            run,
            program,
            shell,
            toolchain,
            f::template(
                "rust",
                &[("minimum", value), ("toolchain", value)],
                because(),
            ),
        ],
        vec![f::ready(Level::Testability, value)],
    );
    plan.repository.commit = Some(value.to_owned());
    plan.env = vec![
        EnvVar {
            name: "GOOD".to_owned(),
            value: value.to_owned(),
            because: because(),
        },
        EnvVar {
            name: value.to_owned(),
            value: "x".to_owned(),
            because: because(),
        },
    ];
    plan
}

const HOSTILE: &[&str] = &[
    "a'b\"c",
    "$(touch /tmp/envc-pwned)",
    "`id`",
    "a\nrm -rf x\n",
    "\r\n# ---- 3 base ----",
    "-rf",
    "--help",
    "~/x",
    "~",
    "!",
    "{{name}}",
    "ENVC",
    "ENVC\nENVC_1",
    "é’\u{202e}\u{a0}–",
    "\u{1b}[31m",
    "a\\",
    "*",
    "{a,b}",
    "shellcheck disable=all",
    "# shellcheck disable=SC2086",
    "exit",
    "if",
    "A=b",
    "\u{feff}x",
    "  ",
    "\t",
    "",
    "){",
    "<<'ENVC'",
    "a;b",
    "a&b|c",
    "%s%n",
    "PATH",
    "BASH_ENV",
    "EUID",
    "run",
    "x`y",
    "'",
    "\"",
    "-o=x",
    "\u{85}",
];

#[test]
fn hostile_values_stay_data_and_pass_the_linters() {
    for value in HOSTILE {
        let text = bash(&from_plan(&hostile(value))).expect("a text");
        assert_clean(&text);
    }
}

#[test]
fn a_nul_is_an_error_that_names_the_step() {
    let mut plan = f::cmake();
    plan.projects[0].steps.push(f::step(
        "./nul",
        Layer::Project,
        Action::run(["a\0b"]),
        vec![],
    ));
    let error = bash(&from_plan(&plan)).expect_err("NUL").to_string();
    assert_eq!(
        error,
        "step ./nul holds a NUL byte, which no shell word can hold: take the byte out of it"
    );
}

#[test]
fn an_empty_command_and_an_unknown_template_are_errors() {
    let with = |action| {
        let mut plan = f::cmake();
        plan.projects[0]
            .steps
            .push(f::step("./x", Layer::Project, action, vec![]));
        bash(&from_plan(&plan)).expect_err("no text").to_string()
    };
    assert!(with(Action::run::<_, String>([])).contains("./x"));
    assert!(
        with(Action::Template {
            template: "cobol".to_owned(),
            values: Default::default()
        })
        .contains("cobol")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_value_gives_a_script_that_parses(value in "[^\0]{0,40}") {
        let text = bash(&from_plan(&hostile(&value))).expect("a text");
        lint("bash", &["-n"], &text);
    }
}

/// Writes the emitted scripts of the small repositories under `tests/repos/` to `$ENVC_EMIT_DIR`, for a try by hand.
#[test]
#[ignore = "a tool, not a test: needs ENVC_EMIT_DIR"]
fn write_scripts() {
    let dir = std::env::var("ENVC_EMIT_DIR").expect("ENVC_EMIT_DIR");
    for (name, plan) in [
        ("cmake", f::cmake()),
        ("python", f::python()),
        ("rust", f::rust()),
        ("autotools", f::autotools()),
    ] {
        std::fs::write(format!("{dir}/{name}.sh"), emitted(&plan)).expect("written");
        let options = DockerOptions {
            builder: Builder::Classic,
            ..Default::default()
        };
        let text = dockerfile(&from_plan(&plan), &options).expect("a text");
        std::fs::write(format!("{dir}/{name}.Dockerfile"), text).expect("written");
        let text = dockerfile(&from_plan(&plan), &DockerOptions::default()).expect("a text");
        std::fs::write(format!("{dir}/{name}.buildkit.Dockerfile"), text).expect("written");
    }
}
