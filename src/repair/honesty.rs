//! Edits that would make a failure disappear without removing its cause.

use crate::plan::{Action, Step};
use crate::pyramid::Pyramid;
use crate::script::Script;

use super::Operation;
use super::candidates::{base_name, words_of_text};

/// Why `operation` may not be done, in words; `None` where nothing speaks against it. Rules of the design: a script may
/// not create, change or shadow a tracked file, a test's configuration or a program that the pyramid runs, may not put a
/// fake in place of a missing tool, and may not swallow failures.
pub fn objection(
    operation: &Operation,
    script: &Script,
    pyramid: &Pyramid,
    files: &[String],
) -> Option<String> {
    match operation {
        Operation::AddStep { step, .. } | Operation::ReplaceStep { step, .. } => {
            step_objection(step, files)
        }
        Operation::AddArguments { id, arguments } => {
            let skips = arguments.iter().find(|a| skips_tests(a));
            skips.map(|a| format!("{a} leaves out tests in step {id}"))
        }
        Operation::SetEnv { name, value } | Operation::SetCommandEnv { name, value, .. } => {
            env_objection(name, value)
        }
        Operation::RemoveStep { id } => script
            .step(id)
            .filter(|_| script.steps.len() == 1)
            .map(|_| format!("{id} is the script's only step")),
        Operation::DropCommand { id, .. } => {
            let command = pyramid.commands.iter().find(|c| c.id == *id)?;
            let alone = pyramid.level(command.level).count() == 1;
            alone.then(|| {
                format!("{id} is the only command of its level: its failure is the result")
            })
        }
        Operation::AddPackage { .. }
        | Operation::AddPythonRequirement { .. }
        | Operation::MoveCommand { .. }
        | Operation::Replan { .. } => None,
    }
}

fn step_objection(step: &Step, files: &[String]) -> Option<String> {
    match &step.action {
        Action::Run { argv, env } => env
            .iter()
            .find_map(|(name, value)| env_objection(name, value))
            .or_else(|| command_objection(argv, &step.dir, files)),
        Action::Shell { text } => shell_objection(text, &step.dir, files),
        Action::Template { .. } => None,
    }
}

/// A variable that takes over what programs are found, or what they are told to run.
fn env_objection(name: &str, value: &str) -> Option<String> {
    let fake =
        matches!(base_name(value), "true" | ":" | "echo") && !matches!(value, "true" | "echo");
    let masks = matches!(name, "LD_PRELOAD" | "PYTEST_ADDOPTS" | "BASH_ENV")
        || (matches!(name, "CC" | "CXX" | "MAKE" | "PYTHON" | "CTEST" | "SHELL")
            && matches!(base_name(value), "true" | "echo" | ":"));
    (fake || masks).then(|| format!("{name}={value} changes what a command means"))
}

fn skips_tests(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    [
        "skiptests",
        "maven.test.skip",
        "--no-run",
        "--deselect",
        "--ignore=",
        "--collect-only",
        "build_testing=off",
    ]
    .iter()
    .any(|skip| lower.contains(skip))
}

/// Directories whose programs every command finds: nothing is put there by hand.
fn is_program_dir(path: &str) -> bool {
    [
        "/usr/bin/",
        "/usr/local/bin/",
        "/bin/",
        "/sbin/",
        "/usr/sbin/",
        "/usr/local/sbin/",
    ]
    .iter()
    .any(|dir| path.starts_with(dir))
        || path.contains("/.venv/bin/")
}

/// Programs that write what their arguments name.
const WRITERS: [&str; 12] = [
    "cp", "mv", "ln", "tee", "touch", "install", "rm", "sed", "truncate", "dd", "patch", "chmod",
];

fn command_objection(argv: &[String], dir: &str, files: &[String]) -> Option<String> {
    if let Some(word) = argv.iter().find(|word| skips_tests(word)) {
        return Some(format!("{word} leaves out tests"));
    }
    let nth = argv
        .iter()
        .position(|word| !word.contains('=') && word != "env" && word != "sudo")?;
    let program = base_name(argv.get(nth)?);
    if matches!(program, "bash" | "sh" | "dash" | "eval") {
        let at = argv.iter().position(|word| word == "-c" || word == "-ec")?;
        return shell_objection(argv.get(at + 1)?, dir, files);
    }
    if matches!(program, "true" | ":" | "false") {
        return Some(format!("{program} does nothing"));
    }
    if !WRITERS.contains(&program) {
        return None;
    }
    if program == "sed"
        && !argv
            .iter()
            .any(|word| word.starts_with("-i") || word.starts_with("--in-place"))
    {
        return None;
    }
    argv.iter()
        .skip(nth + 1)
        .find_map(|word| path_objection(word, dir, files))
}

/// `path` as a command in `dir` names it.
fn path_objection(path: &str, dir: &str, files: &[String]) -> Option<String> {
    let path = path.strip_prefix("of=").unwrap_or(path);
    if is_program_dir(path) {
        return Some(format!("{path} would stand for a real program"));
    }
    let inside = path
        .strip_prefix("/repo/")
        .map_or_else(|| normal(&format!("{dir}/{path}")), normal);
    let tracked = |file: &&String| **file == inside;
    let test_config = [
        "pytest.ini",
        "conftest.py",
        "tox.ini",
        "setup.cfg",
        "CTestTestfile.cmake",
    ];
    if files.iter().any(|f| tracked(&f)) {
        return Some(format!("{inside} belongs to the repository"));
    }
    test_config
        .contains(&base_name(&inside))
        .then(|| format!("{inside} configures tests"))
}

/// Resolves `.` and `..` without looking at files.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Looks at a shell text command by command. It is coarse on purpose: what it cannot tell apart it refuses.
fn shell_objection(text: &str, dir: &str, files: &[String]) -> Option<String> {
    let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for swallow in [
        "|| true",
        "||true",
        "|| :",
        "||:",
        "|| exit 0",
        "|| echo",
        "; true",
        "set +e",
        "exit 0",
        "|| /bin/true",
    ] {
        if squeezed.contains(swallow) {
            return Some(format!("`{swallow}` swallows a failure"));
        }
    }
    if squeezed.contains("alias ") || squeezed.contains("() {") || squeezed.contains("(){") {
        return Some("an alias or a function can stand for a real program".to_owned());
    }
    for part in text.split(['\n', ';', '|', '&', '(', ')', '{', '}']) {
        if let Some((_, target)) = part.split_once('>') {
            let target = target.trim_start_matches(['>', '|', ' ']);
            let word = words_of_text(target).into_iter().next().unwrap_or_default();
            if let Some(why) = path_objection(&word, dir, files) {
                return Some(why);
            }
        }
        let words = words_of_text(part);
        // Without the -c of a nested shell, whose text was already split above.
        if let Some(why) = command_objection(&words, dir, files) {
            return Some(why);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Option<String> {
        shell_objection(
            text,
            "",
            &["src/main.c".to_owned(), "tests/run.sh".to_owned()],
        )
    }

    #[test]
    fn masks_are_refused() {
        for text in [
            "make check || true",
            "make check ||  :",
            "set +e\nmake",
            "ln -s /bin/true /usr/local/bin/clang",
            "printf '#!/bin/sh\\nexit 0' > /usr/bin/protoc",
            "echo 'int main;' > src/main.c",
            "sed -i s/fail/pass/ ./tests/../tests/run.sh",
            "cat > conftest.py <<X\nX",
            "pytest() { echo 1 passed; }",
            "bash -c 'cp x src/main.c'",
            "mvn package -DskipTests",
            "cp ok /repo/tests/run.sh",
            "true",
        ] {
            assert!(shell(text).is_some(), "{text}");
        }
    }

    #[test]
    fn honest_commands_pass() {
        for text in [
            "git submodule update --init --recursive",
            "autoreconf -fi",
            "cp config.example build/config",
            "sed s/a/b/ src/main.c > build/main.c",
            "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build",
        ] {
            assert_eq!(shell(text), None, "{text}");
        }
    }

    #[test]
    fn fake_compilers_are_refused() {
        assert!(env_objection("CC", "/bin/true").is_some());
        assert!(env_objection("LD_PRELOAD", "x.so").is_some());
        assert_eq!(env_objection("CC", "clang"), None);
        assert_eq!(env_objection("CI", "true"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_safe(text in ".*") {
            let _ = shell(&text);
        }
    }
}
