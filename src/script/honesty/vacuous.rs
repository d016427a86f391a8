//! Commands that succeed without testing anything.

use super::knowledge::{is_in, knowledge};
use super::reader::read;
use super::words::base_name;

/// Whether a command, taken as a test, proves nothing: `pip show x`, `tool --version`, `pytest --collect-only`, `true`, or
/// a test whose failure is swallowed. (`tool --help` may still prove that a tool *starts*: the rule is for test levels.)
pub fn is_vacuous_test(command: &str) -> bool {
    let Some(facts) = read(command, "") else {
        return true;
    };
    let names = &knowledge().names;
    let is_quiet = |argv: &[String]| {
        argv.first()
            .is_none_or(|p| is_in(&names.no_ops, base_name(p)) || argv.join(" ") == "exit 0")
    };
    let swallowed = facts.swallows.iter().any(|s| {
        s.right
            .as_ref()
            .is_some_and(|right| right.iter().all(|argv| is_quiet(argv)))
    });
    if swallowed {
        return true;
    }
    let nested = facts
        .nested
        .iter()
        .any(|inner| inner.text != command && !is_vacuous_test(&inner.text));
    !nested && facts.calls.iter().all(|call| is_vacuous(&call.argv))
}

fn is_vacuous(argv: &[String]) -> bool {
    let names = &knowledge().names.vacuous;
    let (argv, python) = match argv {
        // `python -m pip show` is `pip show`.
        [program, flag, rest @ ..] if flag == "-m" && base_name(program).starts_with("python") => {
            (rest, true)
        }
        argv => (argv, false),
    };
    let Some((program, arguments)) = argv.split_first() else {
        return true;
    };
    let name = base_name(program);
    let pair = arguments.first().is_some_and(|first| {
        names
            .subcommands
            .iter()
            .any(|(p, a)| p == name && a == first)
    });
    let shell = ["bash", "sh", "eval"].contains(&name)
        && arguments
            .iter()
            .any(|a| a == "-c" || a.ends_with('c') || name == "eval");
    is_in(&names.neutral, name)
        || (!python && is_in(&names.always, name))
        || shell
        || pair
        || arguments.iter().any(|a| is_in(&names.arguments, a))
}

#[cfg(test)]
mod tests {
    use super::is_vacuous_test;

    #[test]
    fn what_proves_nothing() {
        for command in [
            "pip show greeter",
            "python -m pip show greeter",
            "python3 -m pip list",
            "meson --version",
            "true",
            "echo ok",
            "ls build",
            ":",
            "pytest --collect-only",
            "cargo test --no-run",
            "ctest -N",
            "mvn -DskipTests verify",
            "pytest || true",
            "make test || echo failed",
            "cd x && echo done",
            "",
            "command -v tool",
            "test -f build/tool",
            "[[ -e x ]]",
            "exit 0",
            "bash -c 'echo ok'",
        ] {
            assert!(is_vacuous_test(command), "{command}");
        }
    }

    #[test]
    fn what_proves_something() {
        for command in [
            "pytest",
            "python -m pytest -q",
            "cd build && ctest",
            "make check",
            "cargo test --locked",
            "python -c 'import greeter'",
            "python -m test",
            "bash -c 'make check'",
            "./run-tests.sh",
            "meson test -C build",
            "pip --version && tox",
            "ctest --test-dir build -V0",
        ] {
            assert!(!is_vacuous_test(command), "{command}");
        }
    }
}
