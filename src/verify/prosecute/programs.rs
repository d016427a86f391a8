//! The programs that the pyramid runs are real: not a wrapper that exits 0 in place of one.

use super::{Accusation, Case, bash, capture, in_repository};
use crate::sandbox::{REPOSITORY_DIR, Result, Sandbox};

/// Bytes above which a file is no stub.
const SMALL: u64 = 4096;
/// Files that are read at most.
const MOST: usize = 300;

/// Prints the real path of each program that is a small file; builtins have no path.
const RESOLVE: &str = r#"max=$1
shift
for name; do
	path=$(type -P -- "$name") || continue
	real=$(readlink -f -- "$path") || continue
	if [ -f "$real" ] && [ "$(wc -c <"$real")" -le "$max" ]; then printf '%s\n' "$real"; fi
done"#;

/// Small files in the directories of programs that are newer than the base.
const RECENT: &str = r#"find /usr/local/bin /usr/local/sbin /usr/bin /usr/sbin /bin /sbin "${HOME:-/root}/.local/bin" \
	-maxdepth 1 -type f -size -9 -newer /etc/os-release -print 2>/dev/null
exit 0"#;

/// Succeeds when a package of the distribution owns the file; merged-/usr systems register either path.
const OWNED: &str = r#"if command -v dpkg >/dev/null; then
	dpkg -S "$1" >/dev/null 2>&1 || dpkg -S "${1#/usr}" >/dev/null 2>&1
elif command -v rpm >/dev/null; then
	rpm -qf "$1" >/dev/null 2>&1
elif command -v apk >/dev/null; then
	apk info --who-owns "$1" >/dev/null 2>&1
else
	exit 1
fi"#;

pub fn check(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Accusation>> {
    let mut paths = Vec::new();
    let mut dirs: Vec<&str> = case
        .pyramid
        .commands
        .iter()
        .map(|c| c.dir.as_str())
        .collect();
    dirs.sort_unstable();
    dirs.dedup();
    for dir in dirs {
        let commands = case.pyramid.commands.iter().filter(|c| c.dir == dir);
        let mut names: Vec<String> = vec![SMALL.to_string()];
        names.extend(commands.flat_map(|command| programs(&command.command)));
        let spec = bash(case, &in_repository(dir), RESOLVE, &names);
        paths.extend(lines(sandbox, &spec)?);
    }
    paths.extend(lines(sandbox, &bash(case, "/", RECENT, &[]))?);
    paths.sort_unstable();
    paths.dedup();
    let mut accusations = Vec::new();
    for path in paths.into_iter().take(MOST) {
        let Ok(contents) = sandbox.read_file(&path) else {
            continue;
        };
        if is_stub(&contents) {
            accusations.push(accuse(path, &contents));
        }
    }
    Ok(accusations)
}

fn accuse(path: String, contents: &[u8]) -> Accusation {
    let text = String::from_utf8_lossy(contents);
    let evidence = text.lines().take(10).map(crate::emit::terminal::one_line);
    Accusation {
        charge: format!("{path} does nothing and says that it succeeded"),
        evidence: evidence.collect(),
        judge: Box::new(move |sandbox, case| judge(sandbox, case, &path)),
    }
}

fn lines(sandbox: &mut dyn Sandbox, spec: &crate::sandbox::CommandSpec) -> Result<Vec<String>> {
    let (finished, output) = capture(sandbox, spec)?;
    let lines = output.lines().filter(|line| line.starts_with('/'));
    Ok(match finished.outcome.ok() {
        true => lines.map(str::to_owned).collect(),
        false => Vec::new(),
    })
}

/// The programs that a shell text runs, as far as its words show: the first word of each simple command.
fn programs(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in command.lines() {
        let mut first = true;
        for word in shlex::split(line).unwrap_or_default() {
            let ends =
                matches!(word.as_str(), "&&" | "||" | "|" | ";" | "!") || word.ends_with(';');
            let assigns = word.split_once('=').is_some_and(|(name, _)| is_name(name));
            if first && !assigns && !matches!(word.as_str(), "&&" | "||" | "|" | ";" | "!") {
                let name = word.trim_end_matches(';');
                // `env X=1 prog` and the like run what follows.
                first = matches!(name, "env" | "exec" | "time" | "nice" | "command");
                if !name.is_empty() && name.chars().all(plain) {
                    found.push(name.to_owned());
                }
            }
            first |= ends;
        }
    }
    found
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-' | '/')
}

/// Text whose every statement does nothing, prints, or exits 0.
fn is_stub(contents: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(contents) else {
        return false;
    };
    if text.contains('\0') || text.len() as u64 > SMALL {
        return false;
    }
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .flat_map(|line| line.split(';').flat_map(|part| part.split("&&")))
        .map(str::trim)
        .all(idle)
}

fn idle(statement: &str) -> bool {
    const WORDS: [&str; 12] = [
        "",
        "exit",
        "exit 0",
        "true",
        "exec true",
        ":",
        "return 0",
        "pass",
        "import sys",
        "sys.exit()",
        "sys.exit(0)",
        "raise SystemExit(0)",
    ];
    // What is printed must be printed to nobody but the reader.
    let prints = ["echo ", "printf ", "print(", "set -"]
        .iter()
        .any(|start| statement.starts_with(start));
    WORDS.contains(&statement)
        || statement == "echo"
        || (prints && !statement.contains(['>', '|', '`']) && !statement.contains("$("))
}

/// A real program refuses an option that it cannot know; a stub does not look.
fn judge(sandbox: &mut dyn Sandbox, case: &Case<'_>, path: &str) -> Result<(bool, String)> {
    let own = path
        .strip_prefix(REPOSITORY_DIR)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|rest| case.tracked.iter().any(|(tracked, _)| tracked == rest));
    if own {
        return Ok((
            false,
            "the repository tracks it: it is the project's own".to_owned(),
        ));
    }
    let (owned, _) = capture(sandbox, &bash(case, "/", OWNED, &[path.to_owned()]))?;
    if owned.outcome.ok() {
        return Ok((false, "a package of the distribution owns it".to_owned()));
    }
    let arguments = [path.to_owned(), "--envc-no-such-option".to_owned()];
    let (finished, _) = capture(sandbox, &bash(case, "/", "exec \"$@\"", &arguments))?;
    Ok(match finished.outcome.ok() {
        true => (
            true,
            "no package owns it, and it exits 0 on an option that no program has".to_owned(),
        ),
        false => (
            false,
            "it refuses an option that it does not know".to_owned(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Fake, case, nothing};
    use super::super::prosecute;
    use super::*;
    use crate::verify::{Charge, sample};

    #[test]
    fn stubs_and_programs() {
        for stub in [
            "",
            "#!/bin/sh\nexit 0\n",
            "#!/bin/sh\n# fake cmake\necho \"cmake version 3.30\"; exit 0",
            "#!/usr/bin/env python3\nimport sys\nsys.exit(0)\n",
            "#!/bin/bash\nset -e\ntrue\n",
        ] {
            assert!(is_stub(stub.as_bytes()), "{stub:?}");
        }
        for program in [
            "\u{7f}ELF\0\0",
            "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n",
            "#!/bin/sh\nexit 1\n",
            "#!/bin/sh\necho x > /tmp/y\n",
            "#!/bin/sh\necho $(rm x)\n",
            "#!/usr/bin/python3\nimport sys\nfrom pytest import main\nsys.exit(main())\n",
        ] {
            assert!(!is_stub(program.as_bytes()), "{program:?}");
        }
    }

    #[test]
    fn first_words() {
        let found = programs(
            "A=1 make -C x && env B=2 ctest; cd build | ./run 'a b'\npytest tests\n\"$X\" y",
        );
        assert_eq!(found, ["make", "env", "ctest", "cd", "./run", "pytest"]);
        assert_eq!(programs("echo 'unbalanced"), Vec::<String>::new());
    }

    fn charges(fake: &mut Fake, tracked: &[(String, String)]) -> Vec<Charge> {
        let (plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        let mut case = case(&plan, &pyramid, &run.results, &nothing);
        case.tracked = tracked;
        prosecute(fake, &case).unwrap()
    }

    fn stubbed(path: &str) -> Fake {
        let mut fake = Fake::honest();
        fake.files
            .insert(path.into(), b"#!/bin/sh\nexit 0\n".to_vec());
        // The probe's own text holds this.
        fake.answer("wc -c", 0, &format!("{path}\n"));
        fake
    }

    #[test]
    fn a_stub_is_upheld_when_nobody_owns_it() {
        let mut fake = stubbed("/usr/local/bin/ctest");
        fake.answer("dpkg -S", 1, "");
        let found = charges(&mut fake, &[]);
        assert!(found[0].upheld, "{found:?}");
        assert!(
            found[0]
                .charge
                .starts_with("/usr/local/bin/ctest does nothing")
        );
    }

    #[test]
    fn a_packages_or_the_repositorys_file_is_dismissed() {
        let found = charges(&mut stubbed("/usr/bin/odd"), &[]);
        assert!(!found[0].upheld && found[0].verdict.contains("package"));
        let tracked = [("run.sh".to_owned(), crate::verify::attest::sha256(b""))];
        let found = charges(&mut stubbed("/repo/run.sh"), &tracked);
        assert!(!found[0].upheld && found[0].verdict.contains("tracks"));
    }
}
