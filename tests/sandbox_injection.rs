//! What a hostile repository puts into names and output stays data: in the user's terminal, in the script, in the
//! Dockerfile, in the report, in a CI system's log.

mod cli_support;

use std::fs;
use std::process::Command;

use cli_support::*;

/// Names of files, each an attempt at something else that will read them.
const NAMES: [&str; 9] = [
    "$(touch PWNED).c",
    "`touch PWNED`.md",
    "a'; touch PWNED; '.sh",
    "b\"; touch PWNED; \".py",
    "new\nRUN touch PWNED\n.txt",
    "<script>alert(1)<!script>.html",
    "::error::PWNED",
    "\u{1b}]0;PWNED\u{7}.txt",
    "-rf",
];

/// What the test prints: terminal sequences, commands of CI systems, mark-up.
const OUTPUT: &str = "1..2\n\
    ok 1 - \\033]0;PWNED\\007\\033[2J\\033[31mred\\n\
    ::error file=a::PWNED\\n\
    ::set-output name=x::PWNED\\n\
    ::add-mask::envc\\n\
    ##vso[task.setvariable variable=x]PWNED\\n\
    ##[error]PWNED\\n\
    section_start:1:x\\r\\033[0K\\n\
    </pre><script>alert(2)</script>\\n\
    {{PWNED}}\\n\
    \\302\\233 31m \\342\\200\\256desrever\\n\
    ok 2 - fine\\n";

fn hostile() -> Option<Scene> {
    if !can_build() || !on_path("git") {
        return None;
    }
    let output = OUTPUT.replace('\n', "\\n").replace("\\n\\n", "\\n");
    let scene = Scene::with_test(&format!("printf '{}'", output.replace('\'', "")));
    for name in NAMES {
        scene.write(name, "int main(void) { return 0; }\n");
    }
    scene.write(
        "README.md",
        "# <script>alert(3)</script> $(touch PWNED)\n\n    make words\n    make test\n",
    );
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .arg("-C")
            .arg(&scene.repo)
            .args([
                "-c",
                "user.name=$(touch PWNED)<script>",
                "-c",
                "user.email=e@x",
            ])
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&[
        "checkout",
        "-q",
        "-b",
        "x;$(touch${IFS}PWNED)`id`'\"<script>alert(4)</script>",
    ]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "::error::PWNED\n\nRUN touch PWNED"]);
    Some(scene)
}

#[test]
fn names_and_output_stay_data() {
    let Some(scene) = hostile() else {
        return;
    };
    for arguments in [&[][..], &["--json-events"][..], &["-v"][..]] {
        let ended = scene.build(arguments);
        assert!(
            ended.out.contains("verified"),
            "{}\n{}",
            ended.out,
            ended.err
        );
        terminal(&ended.out);
        terminal(&ended.err);
    }
    // The attack took place.
    let logs = names(&scene.repo.join(".envc/logs"));
    let printed = |name: &String| {
        let log = fs::read(scene.repo.join(".envc/logs").join(name)).unwrap_or_default();
        String::from_utf8_lossy(&log).contains("::error file=a::PWNED")
    };
    assert!(logs.iter().any(printed), "{logs:?}");
    script(&scene);
    dockerfile(&scene);
    report(&scene);
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(scene.path()).into_iter().flatten() {
        if entry.file_name() == "PWNED" {
            found.push(entry.path().to_path_buf());
        }
    }
    assert_eq!(found, [] as [std::path::PathBuf; 0]);
    for arguments in [
        &["plan", "repo"][..],
        &["graph", "repo"][..],
        &["build", "--emit", "script,dockerfile", "repo"][..],
    ] {
        let ended = scene.run(arguments);
        terminal(&ended.err);
        if !arguments.contains(&"--emit") {
            terminal(&ended.out);
        }
    }
    scene.assert_nothing_left();
}

/// Nothing moves the cursor, names a window, turns text around, or speaks to a CI system.
fn terminal(text: &str) {
    for c in text.chars() {
        let plain = c == '\n' || c == '\t' || !c.is_control();
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(plain && !turns, "{c:?} in {text:?}");
    }
    for line in text.lines() {
        let start = line.trim_start();
        for mark in ["::", "##[", "##vso["] {
            assert!(!start.starts_with(mark), "{line}");
        }
    }
}

fn script(scene: &Scene) {
    let path = scene.repo.join(".envc/setup.sh");
    let parsed = Command::new("bash").arg("-n").arg(&path).output().unwrap();
    assert!(parsed.status.success(), "{parsed:?}");
    // Words of the repository may stand in comments and quotes, each on the line that holds it.
    for line in scene.artifact("setup.sh").lines() {
        assert!(!line.trim_start().starts_with("touch PWNED"), "{line}");
        assert!(!line.trim_start().starts_with("RUN "), "{line}");
    }
}

fn dockerfile(scene: &Scene) {
    for name in ["Dockerfile", "Dockerfile.dockerignore"] {
        let text = scene.artifact(name);
        for line in text.lines() {
            assert!(
                !line.trim_start().starts_with("RUN touch"),
                "{name}: {line}"
            );
        }
        assert!(!text.contains('\u{1b}'), "{name}");
    }
}

fn report(scene: &Scene) {
    let page = scene.artifact("report.html");
    let lower = page.to_lowercase();
    assert!(!lower.contains("<script"), "the report holds a script");
    for attribute in ["onerror=", "onload=", "javascript:"] {
        assert!(!lower.contains(attribute), "{attribute}");
    }
    assert!(
        lower.contains("&lt;script&gt;"),
        "the attack did not reach the report"
    );
    assert!(!page.contains('\u{1b}'));
    for file in fs::read_dir(scene.repo.join(".envc")).unwrap().flatten() {
        let name = file.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".json") {
            let text = fs::read_to_string(file.path()).unwrap();
            assert!(
                serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                "{name}"
            );
        }
    }
}
