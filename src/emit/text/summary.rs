//! The last words of `envc build`.

use std::path::Path;

use super::columns;
use crate::emit::progress::words::duration;
use crate::emit::report::{counts, end_text};
use crate::emit::terminal::one_line;
use crate::pyramid::Level;
use crate::run::{CommandResult, Verdict};
use crate::sandbox::Outcome;
use crate::verify::Certificate;
use crate::verify::attest::level_name;

/// The verdict, each command's result, what was repaired and charged, and what to do next.
pub fn summary(certificate: &Certificate, out_dir: &Path) -> String {
    let predicate = &certificate.predicate;
    let mut text = headline(certificate);
    let rows: Vec<_> = predicate.proof.commands.iter().map(row).collect();
    text.push_str(&columns(&rows, "  "));
    let upheld: Vec<_> = predicate.charges.iter().filter(|c| c.upheld).collect();
    for charge in &upheld {
        let line = format!("charge upheld: {} ({})", charge.charge, charge.verdict);
        text.push_str(&format!("  {}\n", one_line(&line)));
    }
    let kept = predicate.repairs.iter().filter(|r| r.kept).count();
    let mut facts = vec![match predicate.proof.reached {
        Some(_) => format!(
            "proved on {} in {}",
            predicate.proof.sandbox.backend,
            duration(predicate.proof.wall)
        ),
        None => format!("nothing proved on {}", predicate.proof.sandbox.backend),
    }];
    if !predicate.repairs.is_empty() {
        facts.push(format!("{kept} of {} edits kept", predicate.repairs.len()));
    }
    facts.push(match (&predicate.docker, &predicate.docker_skipped) {
        (Some(docker), _) => format!("Dockerfile: {}", level_name(docker.reached)),
        (None, Some(why)) => format!("Dockerfile not proved: {why}"),
        (None, None) => "Dockerfile not proved".to_owned(),
    });
    text.push_str(&format!("{}\n", one_line(&facts.join("; "))));
    text.push_str(&next(predicate.verified, out_dir));
    text
}

/// One line: verified or not, asked and reached.
pub fn headline(certificate: &Certificate) -> String {
    let predicate = &certificate.predicate;
    let name = &predicate.repository.name;
    let reached = level_name(predicate.reached);
    let line = match (predicate.verified, predicate.asked) {
        (true, _) => format!("{name}: verified, {reached} reached."),
        (false, Some(asked)) => format!(
            "{name}: NOT verified. Asked for {}, reached {reached}. {}",
            asked.name(),
            end_text(&predicate.end)
        ),
        (false, None) => format!("{name}: NOT verified, reached {reached}."),
    };
    one_line(&line) + "\n"
}

fn row(result: &CommandResult) -> Vec<String> {
    let sign = match result.verdict {
        Verdict::Passed => "ok",
        Verdict::RepositoryFails => "runs",
        Verdict::Failed => "FAILED",
        Verdict::NotTried => "-",
    };
    let level = match result.level {
        Level::Installability => "install",
        Level::Testability => "test",
        Level::Runnability => "run",
    };
    let proof = match &result.report {
        // What a runner counted before it was ended is no result.
        Some(report) if matches!(result.outcome, Outcome::Exited(_)) => counts(report),
        _ => result.reason.clone(),
    };
    let time = match result.verdict {
        Verdict::NotTried => String::new(),
        _ => duration(result.wall),
    };
    vec![
        sign.to_owned(),
        level.to_owned(),
        result.command.clone(),
        proof,
        time,
    ]
}

fn next(verified: bool, out_dir: &Path) -> String {
    let out = one_line(&out_dir.display().to_string());
    let first = match verified {
        true => format!("envc shell{}", where_to(out_dir)),
        false => format!("see {out}/report.html and {out}/logs/"),
    };
    let files = format!("{out}/setup.sh, Dockerfile, certificate.json, report.html");
    columns(
        &[
            vec!["next".to_owned(), first],
            vec!["files".to_owned(), files],
        ],
        "",
    )
}

/// The arguments by which `envc shell` finds the environment from where the user stands.
fn where_to(out_dir: &Path) -> String {
    let quoted = |path: &Path| {
        let text = one_line(&path.display().to_string());
        shlex::try_quote(&text).map_or(text.clone(), |quoted| quoted.into_owned())
    };
    match (out_dir.file_name(), out_dir.parent()) {
        (Some(name), Some(root)) if name == ".envc" => match root.to_str() {
            Some("" | ".") => String::new(),
            _ => format!(" {}", quoted(root)),
        },
        _ => format!(" --out {}", quoted(out_dir)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::attest::{Testimony, certify};
    use crate::verify::sample;

    fn said(asked: Level) -> String {
        let run = sample::run();
        let certificate = certify(Testimony {
            run: &run,
            setup_sh: b"",
            asked: Some(asked),
            docker: None,
            docker_skipped: Some("no engine answers".into()),
            charges: vec![sample::charge(false)],
            finished: jiff::Timestamp::UNIX_EPOCH,
        });
        summary(&certificate, Path::new(".envc"))
    }

    #[test]
    fn the_next_command_works_from_where_the_user_stands() {
        assert_eq!(where_to(Path::new(".envc")), "");
        assert_eq!(where_to(Path::new("./.envc")), "");
        assert_eq!(where_to(Path::new("a b/.envc")), " 'a b'");
        assert_eq!(where_to(Path::new("/x/out")), " --out /x/out");
    }

    #[test]
    fn verified() {
        insta::assert_snapshot!(said(Level::Testability));
    }

    #[test]
    fn not_verified() {
        insta::assert_snapshot!(said(Level::Runnability));
    }
}
