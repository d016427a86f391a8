//! The normal form of a command: for recognising it and for telling that two are the same. Never run.

use std::sync::LazyLock;

use regex::Regex;

/// Words before a command that do not change what it is: assignments, privileges, runners of a virtual environment.
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|\x22[^\x22]*\x22|[^\s'\x22]*)\s+",
        r"|sudo\s+(?:-[EHn]+\s+)*|env\s+|exec\s+|time\s+|command\s+|nice\s+|\\",
        r"|(?:uv|poetry|pdm|pipenv|hatch|rye|pixi)\s+run\s+",
        // Their options; those that take a value are named.
        r"(?:--(?:group|only-group|no-group|with|with-requirements|extra|python|package|project|env|environment|feature)[= ]\S+\s+|(?:-p|-e)\s+\S+\s+|--?[\w-]*\s+)*",
        r"|(?:\S*/)?python[0-9.]*\s+-m\s+(?:(?:coverage|cov)\s+run\s+(?:-\S+\s+)*-m\s+)?",
        r"|(?:coverage|cov)\s+run\s+(?:-\S+\s+)*-m\s+",
        r"|uvx\s+(?:--?\S+\s+)*|(?:pipx\s+run)\s+",
        r"|xvfb-run\s+(?:-\S+\s+)*)",
    ))
    .expect("a literal")
});

/// An interpreter whose version or place is part of the writer's machine.
static PYTHON: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:[\w./~-]*/)?python[0-9.]*(\s|$)").expect("a literal"));

/// Arguments that change what is printed, not what is done.
static QUIET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s+(?:-v+|-q+|-s|--verbose|--quiet|--color(?:=\S+)?|--locked|-j\s*(?:\d+|\$\(nproc\)|\x22\$\(nproc\)\x22)?|--parallel(?:\s+\d+)?)(\s|$)")
        .expect("a literal")
});

/// Whitespace is one blank, what only wraps the command is gone, `python3.11` is `python`.
pub fn normal(text: &str) -> String {
    let joined = text.replace("\\\n", " ");
    let mut rest = joined.split_whitespace().collect::<Vec<_>>().join(" ");
    // Each round removes at least one character, so this ends.
    while let Some(prefix) = PREFIX.find(&rest) {
        let after = rest.get(prefix.end()..).unwrap_or_default().to_owned();
        if after.is_empty() {
            break;
        }
        rest = after;
    }
    PYTHON.replace(&rest, "python$1").into_owned()
}

/// Two commands with one key do the same: the normal form without what is only for the eye.
pub fn key(text: &str) -> String {
    let mut key = text
        .lines()
        .map(normal)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    loop {
        let next = QUIET.replace(&key, "$1").into_owned();
        if next == key {
            break;
        }
        key = next;
    }
    key.trim_start_matches("./").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_vanish() {
        for text in [
            "pytest tests",
            "python -m pytest tests",
            "  python3.11   -m pytest  tests ",
            "uv run pytest tests",
            "uv run --locked --no-default-groups --group dev pytest tests",
            "pixi run -e test pytest tests",
            "poetry run python -m pytest tests",
            "FOO=1 BAR='a b' pytest tests",
            "sudo -E pytest tests",
            "coverage run --source=x -m pytest tests",
            "python -m coverage run -m pytest tests",
            "pytest \\\n  tests",
        ] {
            assert_eq!(normal(text), "pytest tests", "{text}");
        }
        assert_eq!(normal("python3 -c 'import x'"), "python -c 'import x'");
        assert_eq!(normal("FOO="), "FOO=");
        assert_eq!(normal(""), "");
    }

    #[test]
    fn verbosity_and_jobs_do_not_make_two_commands() {
        assert_eq!(key("pytest -v -q tests"), key("python -m pytest tests"));
        assert_eq!(key("make -j4 check"), key("make check"));
        assert_eq!(key("make -j$(nproc)"), key("make"));
        assert_ne!(key("pytest tests"), key("pytest tests/unit"));
        assert_ne!(key("cargo test"), key("cargo test --all-features"));
        assert_eq!(key("./configure"), "configure");
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_normal_form(text in ".{0,200}") {
            let once = normal(&text);
            let _ = key(&text);
            proptest::prop_assert!(once.len() <= text.len() + 16);
        }
    }
}
