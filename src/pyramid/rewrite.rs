//! The few changes a command of the repository needs to run, and be judged, in the environment. Each is said.

use std::sync::LazyLock;

use regex::Regex;

use super::retrieve::Known;

static SUDO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^sudo\s+(?:-[EHn]+\s+)*").expect("a literal"));
static RUNNER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        concat!(
            r"^((?:[A-Za-z_]\w*=\S*\s+)*)(?:(?:uv|poetry|pdm|pipenv|hatch|rye|pixi)\s+run)\s+",
            // Options that choose among what the environment holds; one that adds to it (`--with`) stays.
            r"(?:--(?:group|only-group|no-group|extra|python|package|env|environment)[= ]\S+\s+",
            r"|--(?:locked|frozen|no-sync|active|no-default-groups|all-extras|all-groups|dev|no-dev|exact|quiet|verbose)\s+",
            r"|-[qv]+\s+|--\s+)*([^-\s])",
        ),
    )
    .expect("a literal")
});
/// The checkout, as CI systems name it to their jobs.
static ROOT: LazyLock<Regex> = LazyLock::new(|| {
    const NAMES: &str = "GITHUB_WORKSPACE|CI_PROJECT_DIR|TRAVIS_BUILD_DIR|BUILD_SOURCESDIRECTORY|CIRCLE_WORKING_DIRECTORY|CIRRUS_WORKING_DIR|APPVEYOR_BUILD_FOLDER|WORKSPACE|CI_WORKSPACE";
    Regex::new(&format!(r"\$(?:\{{(?:{NAMES})\}}|(?:{NAMES})\b)")).expect("a literal")
});
static TEE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\s*(?:2>&1\s*)?\|&?\s*tee\s+[^|;&]+$").expect("a literal"));
static IGNORED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*\|\|\s*(?:true|:|exit 0|echo\b[^|;&]*)\s*$").expect("a literal")
});
static PIP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^((?:[A-Za-z_]\w*=\S*\s+)*)(?:(?:\S*/)?python[0-9.]*\s+-m\s+)?pip[0-9.]*\s+install\b",
    )
    .expect("a literal")
});

/// The command as it is to run in `dir`, and what was changed.
pub fn rewrite(command: &str, dir: &str, known: &Known) -> (String, Option<String>) {
    let mut text = command.trim().to_owned();
    let mut notes = Vec::new();
    let mut change = |text: &mut String, rule: &Regex, by: &str, note: &str| {
        let next = rule.replace(text, by).into_owned();
        // A change that leaves nothing was not one of the cases meant here.
        if next != *text && !next.trim().is_empty() {
            *text = next;
            notes.push(note.to_owned());
        }
    };
    let up = match dir.split('/').filter(|part| !part.is_empty()).count() {
        0 => ".".to_owned(),
        depth => vec![".."; depth].join("/"),
    };
    while ROOT.is_match(&text) {
        change(&mut text, &ROOT, &up, "in this checkout");
    }
    change(&mut text, &SUDO, "", "without sudo");
    change(
        &mut text,
        &RUNNER,
        "$1$2",
        "in the environment that is active already",
    );
    change(
        &mut text,
        &TEE,
        "",
        "without tee, which hides the exit code",
    );
    change(
        &mut text,
        &IGNORED,
        "",
        "without the part that hides a failure",
    );
    if known.uv_without_pip {
        change(
            &mut text,
            &PIP,
            "${1}uv pip install",
            "with uv, as the environment has no pip",
        );
    }
    let note = (!notes.is_empty()).then(|| notes.join(", "));
    (text, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_is_named_by_its_way_from_here() {
        let to = |text, dir| rewrite(text, dir, &Known::default()).0;
        assert_eq!(to("$GITHUB_WORKSPACE/test.sh", ""), "./test.sh");
        let twice = "ls ${CI_PROJECT_DIR}/a ${CI_PROJECT_DIR}/b";
        assert_eq!(to(twice, "x/y"), "ls ../../a ../../b");
        assert_eq!(to("echo $WORKSPACES", ""), "echo $WORKSPACES");
    }

    #[test]
    fn only_what_must_change_changes() {
        let known = Known {
            uv_without_pip: true,
            ..Known::default()
        };
        for (given, expected) in [
            ("sudo make install", "make install"),
            ("sudo -E make install", "make install"),
            ("uv run pytest -x", "pytest -x"),
            ("A=1 poetry run pytest", "A=1 pytest"),
            ("pytest 2>&1 | tee log.txt", "pytest"),
            ("make check || true", "make check"),
            (
                "python -m pip install -e .[test]",
                "uv pip install -e .[test]",
            ),
            ("uv run --with x pytest", "uv run --with x pytest"),
            ("uv run --locked --group dev tox run", "tox run"),
            ("pytest tests", "pytest tests"),
            ("sudo ", "sudo"),
            ("make check || cat log", "make check || cat log"),
        ] {
            assert_eq!(rewrite(given, "", &known).0, expected, "{given}");
        }
        assert_eq!(rewrite("pip install .", "", &Known::default()).1, None);
    }
}
