//! The script may not alter a file that the repository tracks.
//!
//! Builds do rewrite tracked files (a generated `configure`, the metadata of a Python source distribution). The judge
//! tells that from a forged test: it puts the originals back and runs the best command again.

use std::collections::BTreeMap;

use super::{Accusation, Case, bash, best_test, capture, in_repository};
use crate::run::Verdict;
use crate::sandbox::{REPOSITORY_DIR, Result, Sandbox};
use crate::verify::attest::sha256;

const LIST: &str = "/tmp/envc-tracked.sha256";

pub fn check(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<Accusation>> {
    let altered = altered(sandbox, case)?;
    if altered.is_empty() {
        return Ok(Vec::new());
    }
    let charge = format!("{} tracked files were altered or removed", altered.len());
    Ok(vec![Accusation {
        charge,
        evidence: altered.clone(),
        judge: Box::new(move |sandbox, case| judge(sandbox, case, &altered)),
    }])
}

/// Paths whose contents are not what was copied in.
fn altered(sandbox: &mut dyn Sandbox, case: &Case<'_>) -> Result<Vec<String>> {
    let mut list = String::new();
    let mut listed: BTreeMap<String, &str> = BTreeMap::new();
    let mut by_hand = Vec::new();
    for (path, digest) in case.tracked {
        // Versions of coreutils disagree about a carriage return in a name.
        if path.contains('\r') {
            by_hand.push((path.as_str(), digest.as_str()));
            continue;
        }
        let (mark, name) = escaped(path);
        list.push_str(&format!("{mark}{digest}  {name}\n"));
        listed.insert(format!("{mark}{name}"), path);
    }
    let mut found = Vec::new();
    if !listed.is_empty() {
        sandbox.write_file(LIST, list.as_bytes(), 0o644)?;
        let text = "sha256sum --check --quiet -- \"$1\"";
        let spec = bash(case, REPOSITORY_DIR, text, &[LIST.to_owned()]);
        let (finished, output) = capture(sandbox, &spec)?;
        found = failures(&output, &listed);
        if !finished.outcome.ok() && found.is_empty() {
            // No usable sha256sum: the slow way.
            by_hand = case
                .tracked
                .iter()
                .map(|(p, d)| (p.as_str(), d.as_str()))
                .collect();
        }
    }
    for (path, digest) in by_hand {
        let same = sandbox
            .read_file(&in_repository(path))
            .is_ok_and(|contents| sha256(&contents) == digest);
        if !same {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}

/// A name as `sha256sum` writes it: `\` before the line, and backslash and newline escaped, where one occurs.
/// `./` keeps a name such as `-` a name.
fn escaped(path: &str) -> (&'static str, String) {
    let name = format!("./{path}");
    if name.contains(['\\', '\n']) {
        ("\\", name.replace('\\', "\\\\").replace('\n', "\\n"))
    } else {
        ("", name)
    }
}

fn failures(output: &str, listed: &BTreeMap<String, &str>) -> Vec<String> {
    output
        .lines()
        .filter_map(|line| {
            let name = line
                .strip_suffix(": FAILED open or read")
                .or_else(|| line.strip_suffix(": FAILED"))?;
            listed.get(name).map(|path| (*path).to_owned())
        })
        .collect()
}

fn judge(sandbox: &mut dyn Sandbox, case: &Case<'_>, altered: &[String]) -> Result<(bool, String)> {
    for path in altered {
        let Some((contents, mode)) = (case.original)(path) else {
            return Ok((
                true,
                format!("the original of {path} could not be put back"),
            ));
        };
        sandbox.write_file(&in_repository(path), &contents, mode)?;
    }
    if let Some((command, before)) = best_test(case) {
        let (_, output) = capture(sandbox, &(case.command)(command))?;
        let now = (case.report)(command, &output);
        let passed = before.report.as_ref().map_or(0, |report| report.passed);
        return Ok(match now {
            Some(report) if report.errors == 0 && report.passed >= passed => (
                false,
                format!(
                    "with the originals in place {} tests pass, as before",
                    report.passed
                ),
            ),
            Some(report) => (
                true,
                format!(
                    "with the originals in place {} tests pass instead of {passed}",
                    report.passed
                ),
            ),
            None => (
                true,
                "with the originals in place the tests do not run".to_owned(),
            ),
        });
    }
    let best = case
        .results
        .iter()
        .filter(|result| result.verdict == Verdict::Passed)
        .max_by_key(|result| result.level);
    let command = best.and_then(|best| case.pyramid.commands.iter().find(|c| c.id == best.id));
    let Some(command) = command else {
        return Ok((
            true,
            "no command passed that could show that it does not matter".to_owned(),
        ));
    };
    let (finished, _) = capture(sandbox, &(case.command)(command))?;
    Ok(match finished.outcome.ok() {
        true => (
            false,
            format!("{} passes with the originals in place", command.id),
        ),
        false => (
            true,
            format!("{} fails with the originals in place", command.id),
        ),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fake::{Fake, case, nothing};
    use super::super::prosecute;
    use super::*;
    use crate::verify::sample;

    fn charges(
        fake: &mut Fake,
        original: &dyn Fn(&str) -> Option<(Vec<u8>, u32)>,
    ) -> Vec<crate::verify::Charge> {
        let (plan, pyramid, run) = (sample::plan(), sample::pyramid(), sample::run());
        let tracked = [
            ("a\\b\nc".to_owned(), sha256(b"a")),
            ("-".to_owned(), sha256(b"b")),
        ];
        let mut case = case(&plan, &pyramid, &run.results, original);
        case.tracked = &tracked;
        prosecute(fake, &case).unwrap()
    }

    #[test]
    fn a_forged_test_is_upheld() {
        let mut fake = Fake::honest();
        fake.answer(
            "sha256sum",
            1,
            "\\./a\\\\b\\nc: FAILED\nsha256sum: WARNING: 1 computed checksum did NOT match\n",
        );
        fake.forget("-ec ctest");
        fake.answer("-ec ctest", 8, "3 22 0");
        fake.answer("-ec ctest", 8, "24 1 0");
        let found = charges(&mut fake, &|_| Some((b"a".to_vec(), 0o644)));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].upheld);
        assert_eq!(found[0].evidence, ["a\\b\nc"]);
        assert_eq!(
            found[0].verdict,
            "with the originals in place 3 tests pass instead of 24"
        );
        assert_eq!(fake.files["/repo/a\\b\nc"], b"a");
        let list = String::from_utf8(fake.files[LIST].clone()).unwrap();
        assert!(
            list.starts_with('\\') && list.lines().count() == 2,
            "{list}"
        );
    }

    #[test]
    fn regenerated_files_are_dismissed_when_the_tests_do_not_need_them() {
        let mut fake = Fake::honest();
        fake.answer("sha256sum", 1, "./-: FAILED open or read\n");
        let found = charges(&mut fake, &|_| Some((b"b".to_vec(), 0o644)));
        assert!(!found[0].upheld, "{found:?}");
        let found = charges(&mut fake, &nothing);
        assert!(found[0].upheld, "{found:?}");
    }

    #[test]
    fn without_sha256sum_files_are_read() {
        let mut fake = Fake::honest();
        fake.answer("sha256sum", 127, "bash: sha256sum: command not found\n");
        fake.files.insert("/repo/-".into(), b"b".to_vec());
        let found = charges(&mut fake, &nothing);
        assert_eq!(found[0].evidence, ["a\\b\nc"]);
    }

    proptest! {
        /// The real tool reads the list back, whatever the name.
        #[test]
        fn names_survive_the_list(name in "[^/\0\r]{1,20}") {
            prop_assume!(name != "." && name != "..");
            let dir = tempfile::tempdir().unwrap();
            prop_assume!(std::fs::write(dir.path().join(&name), "x").is_ok());
            let (mark, escaped) = escaped(&name);
            let list = dir.path().join("..").join(format!("{}.list", std::process::id()));
            std::fs::write(&list, format!("{mark}{}  {escaped}\n", sha256(b"x"))).unwrap();
            let status = std::process::Command::new("sha256sum")
                .args(["--check", "--status", "--"]).arg(&list).current_dir(dir.path()).status();
            std::fs::remove_file(&list).unwrap();
            prop_assert!(status.unwrap().success(), "{:?}", name);
        }
    }
}
