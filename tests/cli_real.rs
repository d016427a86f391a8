//! Whole builds with real package installs, from a clean Debian: apt, uv and Docker do what they do for a user.
//!
//! They need root, the package registries, `ENVC_TEST_ROOTFS` (a minimal Debian bookworm root file system) and, for
//! the last one, an engine with `debian:bookworm`; `.ci/run` provides all of it. What is missing is said, and is a
//! failure where `CI` is set.

mod cli_support;

use cli_support::{Ended, Scene, ended};

/// The root file system to build over; `None` after saying so.
fn rootfs() -> Option<String> {
    let rootfs = std::env::var("ENVC_TEST_ROOTFS")
        .ok()
        .filter(|path| !path.is_empty());
    if rootfs.is_none() {
        skip("ENVC_TEST_ROOTFS names no root file system");
    }
    rootfs.map(|path| format!("rootfs:{path}"))
}

fn skip(why: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "CI has to provide this: {why}"
    );
    eprintln!("SKIPPED: {why}");
}

fn build(scene: &Scene, base: &str, arguments: &[&str]) -> Ended {
    let mut all = vec!["build", "--base", base, "repo"];
    all.extend(arguments);
    ended(&mut scene.envc(&all))
}

fn certificate(scene: &Scene) -> serde_json::Value {
    serde_json::from_str(&scene.artifact("certificate.json")).unwrap()
}

#[test]
fn a_c_project_gets_its_compiler_from_apt() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::of("cmake-tally");
    build(&scene, &base, &["--certify", "none"])
        .code(0)
        .prints("verified, runnability reached");
    assert!(scene.artifact("setup.sh").contains("cmake"));
    let proof = &certificate(&scene)["predicate"]["proof"];
    assert_eq!(proof["sandbox"]["release"], "bookworm");
    let tests = proof["commands"].as_array().unwrap();
    assert!(
        tests.iter().any(|command| command["report"]["passed"] == 2),
        "{tests:?}"
    );
    scene
        .run(&["verify", "repo/.envc/certificate.json"])
        .code(0);
    scene
        .run(&["run", "-C", "repo", "testability"])
        .code(0)
        .prints("ok: ctest");
}

#[test]
fn a_python_project_gets_its_environment_from_uv() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::of("python-greeter");
    build(&scene, &base, &["--certify", "none"]).code(0);
    let commands = certificate(&scene)["predicate"]["proof"]["commands"].clone();
    let passed = commands.as_array().unwrap().iter().any(|command| {
        command["report"]["runner"] == "pytest" && command["report"]["passed"].as_u64() > Some(0)
    });
    assert!(passed, "{commands}");
}

/// What no file of the repository names shows only when it is built: the header is diagnosed, its package becomes part
/// of the script, and the script is proved from the clean base.
#[test]
fn a_missing_header_is_repaired_in_the_script() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::empty();
    scene.write("main.c", "int main(void) { return 0; }\n");
    scene.write(
        "generate.sh",
        "printf '#include <%s.h>\\nint version(void) { return ZLIB_VERNUM; }\\n' zlib\n",
    );
    scene.write(
        "Makefile",
        "prog: main.c\n\tsh generate.sh >made.c\n\t$(CC) -o $@ main.c made.c\n",
    );
    build(
        &scene,
        &base,
        &["--certify", "none", "--level", "installability"],
    )
    .code(0);
    assert!(scene.artifact("setup.sh").contains("zlib1g-dev"));
    let predicate = certificate(&scene)["predicate"].clone();
    let kept: Vec<&serde_json::Value> = predicate["repairs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|repair| repair["kept"] == true)
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["failure"]["kind"], "missing-header");
    let journal = scene.artifact("journal.jsonl");
    assert!(journal.contains("\"replay\""), "no replay in the journal");
}

/// The last message names a header; what is missing is a program before it, and the probe remembers its first answer.
#[test]
fn a_cause_behind_the_last_message_is_repaired_though_it_is_remembered() {
    let Some(base) = rootfs() else { return };
    let scene = Scene::empty();
    scene.write("main.c", "int main(void) { return 0; }\n");
    scene.write(
        "probe.sh",
        "t=xx; t=${t}d\ntest -e probe.cache || { echo x | $t >/dev/null && echo yes || echo no; } >probe.cache\ngrep -q yes probe.cache || { echo 'configure: error: zlib.h is required' >&2; exit 1; }\n",
    );
    scene.write(
        "Makefile",
        "prog: main.c\n\tsh probe.sh\n\t$(CC) -o $@ main.c\n",
    );
    build(
        &scene,
        &base,
        &["--certify", "none", "--level", "installability"],
    )
    .code(0);
    let script = scene.artifact("setup.sh");
    assert!(script.contains("xxd"), "{script}");
    assert!(!script.contains("zlib1g-dev"), "{script}");
}

#[test]
fn the_dockerfile_is_built_and_its_tests_run_in_it() {
    if !envc::sandbox::engine_has_image("debian:bookworm") {
        return skip("no container engine with debian:bookworm");
    }
    let scene = Scene::of("cmake-tally");
    build(&scene, "image:debian:bookworm", &["--certify", "docker"]).code(0);
    let docker = certificate(&scene)["predicate"]["docker"].clone();
    assert_eq!(docker["reached"], "runnability", "{docker}");
    assert_eq!(docker["sandbox"]["backend"], "docker");
}
