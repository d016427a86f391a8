//! `envc shell` and `envc run`: using the environment that `envc build` made.

use std::path::Path;
use std::time::Duration;

use crate::emit::{self, Verbosity};
use crate::pyramid::{Level, Pyramid, PyramidCommand};
use crate::run::{Verdict, command_spec, tail};
use crate::sandbox::{CommandSpec, Limits, Network, Options, REPOSITORY_DIR, Sandbox};
use crate::script;
use crate::verify;

use super::arguments::{Enter, RunArguments};
use super::build::{ENVIRONMENT, Environment, out_dir, with_caches};
use super::exit::{Exit, Failure};
use super::{resume, show, signals};

/// What `envc build` kept beside its artifacts.
pub fn environment(path: &Path, out: Option<&Path>) -> Result<Environment, Failure> {
    let dir = out_dir(path, out);
    let file = dir.join(ENVIRONMENT);
    let text = std::fs::read_to_string(&file).map_err(|_| {
        Failure::usage(format!(
            "no environment in {}: run `envc build {}` first",
            dir.display(),
            path.display()
        ))
    })?;
    // It says where and how commands run: a repository that brings one of its own must not decide that.
    if !resume::is_known(&dir, text.as_bytes(), &Options::new()?) {
        return Err(Failure::usage(format!(
            "{} was not written by `envc build` here: run `envc build {}` first",
            file.display(),
            path.display()
        )));
    }
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!(
            "{}: {error}; run `envc build` again",
            file.display()
        ))
    })
}

fn open(
    path: &Path,
    out: Option<&Path>,
) -> Result<(Box<dyn Sandbox>, Environment, std::path::PathBuf), Failure> {
    let environment = environment(path, out)?;
    let options = Options {
        interrupted: signals::flag()?,
        ..Options::new()?
    };
    // Some tools look for what they downloaded at run time too.
    let root = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let options = with_caches(options, &root);
    let sandbox = crate::sandbox::reopen(&environment.kept, &options)?;
    Ok((sandbox, environment, out_dir(path, out)))
}

pub fn shell(options: &Enter) -> Result<Exit, Failure> {
    let (mut sandbox, environment, _) = open(&options.path, options.out.as_deref())?;
    let spec = CommandSpec {
        argv: vec!["bash".to_owned(), "-i".to_owned()],
        dir: REPOSITORY_DIR.to_owned(),
        env: script::activation(&environment.script),
        limits: Limits {
            wall: Duration::MAX,
            output: u64::MAX,
            ..Limits::default()
        },
        network: Network::Full,
    };
    let code = sandbox.interactive(&spec)?;
    Ok(if code == 0 {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

/// Whether one word is meant for a shell.
pub fn is_shell_text(word: &str) -> bool {
    word.contains([' ', '|', ';', '&', '$'])
}

pub fn run(options: &RunArguments, verbosity: Verbosity) -> Result<Exit, Failure> {
    if super::fix::asked(options)? {
        return super::fix::run(options, verbosity);
    }
    let (mut sandbox, environment, dir) = open(&options.path, options.out.as_deref())?;
    let limits = Limits {
        wall: options.timeout,
        ..Limits::default()
    };
    if let [one] = options.what.as_slice()
        && let Some(level) = Level::ALL.into_iter().find(|level| level.name() == one)
    {
        return run_level(
            level,
            &dir,
            sandbox.as_mut(),
            &environment,
            limits,
            options.json,
        );
    }
    let argv = match options.what.as_slice() {
        [one] if is_shell_text(one) => ["bash", "-ec", one].map(str::to_owned).to_vec(),
        words => words.to_vec(),
    };
    let spec = CommandSpec {
        argv,
        dir: REPOSITORY_DIR.to_owned(),
        env: script::activation(&environment.script),
        limits,
        network: Network::Full,
    };
    let finished = sandbox.run(&spec, &mut |bytes| {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        // A reader that went away does not end the command.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    })?;
    Ok(match finished.outcome {
        outcome if outcome.ok() => Exit::Verified,
        crate::sandbox::Outcome::Interrupted => Exit::Interrupted,
        _ => Exit::NotReached,
    })
}

fn run_level(
    level: Level,
    dir: &Path,
    sandbox: &mut dyn Sandbox,
    environment: &Environment,
    limits: Limits,
    json: bool,
) -> Result<Exit, Failure> {
    let file = dir.join("pyramid.json");
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Failure::usage(format!(
            "{}: {error}; run `envc build` again",
            file.display()
        ))
    })?;
    let pyramid: Pyramid = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!(
            "{}: {error}; run `envc build` again",
            file.display()
        ))
    })?;
    let commands: Vec<&PyramidCommand> = pyramid.level(level).collect();
    if commands.is_empty() {
        return Err(Failure::new(
            Exit::NotReached,
            format!("the pyramid has no command of level {}", level.name()),
        ));
    }
    let start = sandbox.snapshot()?;
    let mut good = true;
    let mut results = Vec::new();
    for command in commands {
        sandbox.rollback(&start)?;
        let mut output = Vec::new();
        let spec = command_spec(&environment.script, command, limits);
        let finished = sandbox.run(&spec, &mut |bytes| output.extend_from_slice(bytes))?;
        if finished.outcome == crate::sandbox::Outcome::Interrupted {
            return Ok(Exit::Interrupted);
        }
        let text = String::from_utf8_lossy(&output);
        let (report, verdict, reason) = verify::judge(command, finished.outcome, &text);
        good &= matches!(verdict, Verdict::Passed | Verdict::RepositoryFails);
        if json {
            results.push(serde_json::json!({
                "id": command.id, "command": command.command, "outcome": finished.outcome,
                "wall": finished.wall.as_secs_f64(), "report": report, "verdict": verdict, "reason": reason,
            }));
            continue;
        }
        let mark = if verdict == Verdict::Passed {
            "ok"
        } else {
            "not ok"
        };
        show::print(&emit::sanitize(&format!(
            "{mark}: {} ({reason})",
            command.command
        )))?;
        if verdict != Verdict::Passed {
            for line in tail(&text, 20) {
                show::print(&format!("    {line}"))?;
            }
        }
    }
    if json {
        show::print_json(&results)?;
    }
    Ok(if good {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}
