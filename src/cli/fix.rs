//! `envc run --fix -- COMMAND`: the command in a sandbox, with what it misses installed as it goes.

use std::io::Write;
use std::path::Path;

use crate::emit::Verbosity;
use crate::packages::{Capability, Index, Manager, base_by_id};
use crate::run::{Addition, Budget, FixEvent, Fixed, Fixer};
use crate::sandbox::{
    Backend, Base, CommandSpec, Limits, Network, Options, REPOSITORY_DIR, Sandbox, SandboxError,
};
use crate::scan::{self, Repository};
use crate::{needs, plan};

use super::arguments::RunArguments;
use super::exit::{Exit, Failure};
use super::{bases, show, signals};

pub fn run(options: &RunArguments, verbosity: Verbosity) -> Result<Exit, Failure> {
    let interrupted = signals::flag()?;
    let repository = scan::scan(&options.path, &scan::ScanOptions::default())
        .map_err(crate::AnalyseError::from)?;
    let backend = Backend::from(options.sandbox);
    let base = match &options.base {
        Some(base) => base.clone(),
        None => default_base(backend, &repository),
    };
    let sandbox_options = Options {
        interrupted,
        cache_scope: Some(super::build::cache_scope(&repository.root)),
        ..Options::new()?
    };
    let mut sandbox = crate::sandbox::create(backend, &base, &sandbox_options)?;
    let facts = bases::facts_of_sandbox(sandbox.facts()).ok_or_else(|| {
        Failure::usage("the base's distribution is not known to envc: give another with --base")
    })?;
    tell(
        verbosity,
        &format!("runs on {} ({})", facts.image, base_name(&base)),
    );
    let index = Index::for_base(&facts);
    sandbox.copy_in(
        &repository.root,
        &scan::files_to_copy(&repository),
        REPOSITORY_DIR,
    )?;
    let fixed = fixed(
        options,
        verbosity,
        &repository,
        &index,
        facts.manager,
        sandbox.as_mut(),
    )?;
    report(options, verbosity, &fixed, facts.manager)?;
    Ok(if fixed.outcome.ok() {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

/// The base that a build of this repository would take, so that what is found out holds for it.
fn default_base(backend: Backend, repository: &Repository) -> Base {
    let graph = crate::graph::declared(repository);
    let image = match plan::plan(repository, &graph, &plan::Constraints::default(), None) {
        Ok(plan) => Some(plan.base.image),
        Err(_) => base_by_id("debian-bookworm").map(|base| base.image.clone()),
    };
    image.map_or(Base::Host, |image| bases::base_for_image(backend, &image))
}

fn base_name(base: &Base) -> String {
    match base {
        Base::Host => "this machine's root, read-only".to_owned(),
        Base::Rootfs(path) => path.display().to_string(),
        Base::Image(reference) => format!("image {reference}"),
        other => other.to_string(),
    }
}

fn fixed(
    options: &RunArguments,
    verbosity: Verbosity,
    repository: &Repository,
    index: &Index,
    manager: Manager,
    sandbox: &mut dyn Sandbox,
) -> Result<Fixed, Failure> {
    let providers = |capability: &Capability| index.named_providers(capability);
    let files: Vec<String> = repository
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let mut observer = |event: FixEvent<'_>| show_event(verbosity, options.json, &event);
    let mut fixer = Fixer {
        sandbox,
        manager,
        index: &providers,
        files: &files,
        own_modules: &[],
        budget: Budget::start(options.budget, options.attempts, options.timeout, None),
        observer: &mut observer,
    };
    match fixer.fix(&command(options)) {
        Err(crate::run::RunError::Sandbox(SandboxError::Interrupted)) => {
            Err(Failure::new(Exit::Interrupted, "interrupted"))
        }
        other => Ok(other?),
    }
}

/// The command as `envc run` takes it: one word with shell signs is a shell's text, else words. Bash says which
/// program it does not find.
fn command(options: &RunArguments) -> CommandSpec {
    let argv = match options.what.as_slice() {
        [one] if super::enter::is_shell_text(one) => {
            ["bash", "-ec", one].map(str::to_owned).to_vec()
        }
        words => ["bash", "-c", r#""$@""#, "bash"]
            .iter()
            .map(|word| (*word).to_owned())
            .chain(words.iter().cloned())
            .collect(),
    };
    CommandSpec {
        argv,
        dir: REPOSITORY_DIR.to_owned(),
        env: Vec::new(),
        limits: Limits::default(),
        network: Network::Full,
    }
}

fn show_event(verbosity: Verbosity, json: bool, event: &FixEvent<'_>) {
    match event {
        FixEvent::Output(bytes) => {
            if verbosity != Verbosity::Quiet {
                let text = crate::emit::sanitize_bytes(bytes);
                // A reader that went away does not end the command.
                let _ = if json {
                    std::io::stderr().lock().write_all(text.as_bytes())
                } else {
                    std::io::stdout().lock().write_all(text.as_bytes())
                };
            }
        }
        FixEvent::Failed(failure) => tell(verbosity, &failure.title),
        FixEvent::Installing(additions) => {
            let words: Vec<&str> = additions
                .iter()
                .flat_map(|addition| addition.words.iter().map(String::as_str))
                .collect();
            if !words.is_empty() {
                tell(verbosity, &format!("installs {}", words.join(" ")));
            }
        }
        FixEvent::Setting(name, value) => tell(verbosity, &format!("sets {name}={value}")),
        FixEvent::Again { clean: false } => {
            tell(verbosity, "runs the command again, where it stopped")
        }
        FixEvent::Again { clean: true } => tell(
            verbosity,
            "the command remembers what was missing: runs it again from the clean state",
        ),
        FixEvent::Useless { what, why } => tell(verbosity, &format!("{what} did not help: {why}")),
    }
}

fn tell(verbosity: Verbosity, text: &str) {
    if verbosity != Verbosity::Quiet {
        eprintln!("envc: {}", crate::emit::sanitize(text));
    }
}

fn report(
    options: &RunArguments,
    verbosity: Verbosity,
    fixed: &Fixed,
    manager: Manager,
) -> Result<(), Failure> {
    if options.json {
        return show::print_json(fixed);
    }
    let command = options.what.join(" ");
    if fixed.outcome.ok() {
        let times = if fixed.runs == 1 { "at once" } else { "now" };
        tell(verbosity, &format!("`{command}` passes {times}"));
    } else if let Some(failure) = &fixed.failure {
        tell(
            Verbosity::Normal,
            &format!(
                "`{command}` still fails: {}{}",
                failure.title,
                fixed
                    .gave_up
                    .as_ref()
                    .map_or_else(String::new, |why| format!(" ({why})"))
            ),
        );
        for line in &failure.lines {
            tell(Verbosity::Normal, &format!("    {line}"));
        }
    }
    for advice in &fixed.advice {
        tell(verbosity, &format!("may help: {advice}"));
    }
    if let Some(text) = instructions(fixed, manager) {
        show::print(&crate::emit::sanitize(&text))?;
    }
    Ok(())
}

/// What to add to the instructions: a reason each, then the lines themselves.
fn instructions(fixed: &Fixed, manager: Manager) -> Option<String> {
    if fixed.added.is_empty() && fixed.env.is_empty() {
        return None;
    }
    let mut lines = vec!["Add to the instructions:".to_owned()];
    for addition in &fixed.added {
        let seen = proof(addition).map_or_else(String::new, |place| format!(" ({place})"));
        let words = addition.words.join(" ");
        lines.push(format!("  # {words}: {}{seen}", addition.because));
    }
    let mut words: Vec<String> = Vec::new();
    for word in fixed.added.iter().flat_map(|addition| &addition.words) {
        let quoted =
            shlex::try_quote(word).map_or_else(|_| String::new(), |word| word.into_owned());
        if !words.contains(&quoted) {
            words.push(quoted);
        }
    }
    if !words.is_empty() {
        lines.push(format!(
            "  {} {}",
            needs::install_words(manager).join(" "),
            words.join(" ")
        ));
    }
    for (name, value) in &fixed.env {
        let value =
            shlex::try_quote(value).map_or_else(|_| String::new(), |value| value.into_owned());
        lines.push(format!("  export {name}={value}"));
    }
    Some(lines.join("\n"))
}

/// The line of output that names what was missing, where it has a place in a source.
fn proof(addition: &Addition) -> Option<String> {
    let subject = addition.capability.parts().1;
    let line = addition.lines.iter().find(|line| line.contains(subject))?;
    let place = line.split(": ").next()?;
    let plain = place.contains(':') && place.len() < 80 && !place.contains(char::is_whitespace);
    plain.then(|| place.to_owned())
}

/// Whether `options` ask for this at all; what they must not be combined with is said here.
pub fn asked(options: &RunArguments) -> Result<bool, Failure> {
    if !options.fix && options.base.is_some() {
        return Err(Failure::usage(
            "--base chooses where `envc run --fix` runs; without --fix, the environment of `envc build` is used",
        ));
    }
    if options.fix && !Path::new(&options.path).is_dir() {
        return Err(Failure::usage(format!(
            "{} is no directory",
            options.path.display()
        )));
    }
    Ok(options.fix)
}
