//! `envc compdb`: a `compile_commands.json` for editors and analysers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::compdb::{self, Database, Entry, NoDatabase};
use crate::emit::Verbosity;
use crate::packages::{Capability, Index};
use crate::run::{Budget, EndReason, Given, Session, Work};
use crate::sandbox::{Backend, Options};
use crate::{decide, scan, understand};

use super::arguments::{BackendName, Source, duration};
use super::exit::{Exit, Failure};
use super::{bases, show, signals, source};

#[derive(Debug, Args)]
pub struct Compdb {
    #[command(flatten)]
    pub source: Source,
    /// Where to write it; `-` for standard output [default: compile_commands.json in the repository].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Run the whole build and record its compilers, even where the build system tells its commands itself.
    #[arg(long)]
    pub record: bool,
    /// Where the project is configured.
    #[arg(long, value_enum, default_value = "overlay")]
    pub sandbox: BackendName,
    /// Wall time for everything.
    #[arg(long, value_parser = duration, default_value = "60m", value_name = "TIME")]
    pub budget: Duration,
}

pub fn run(options: &Compdb, verbosity: Verbosity) -> Result<Exit, Failure> {
    let root = source::resolve(&options.source.path)?;
    let database = collect(options, &root, verbosity)?;
    let root = std::fs::canonicalize(&root)?;
    let mut entries: Vec<Entry> = Vec::new();
    for entry in database.parts.iter().flat_map(|part| &part.entries) {
        let entry = compdb::relocate(entry.clone(), &root);
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return Err(Failure::new(
            Exit::NotReached,
            format!(
                "no compilation was found in {}",
                database.without.join(", ")
            ),
        ));
    }
    let output = options
        .output
        .clone()
        .unwrap_or_else(|| root.join("compile_commands.json"));
    if output.as_os_str() == "-" {
        show::print_json(&entries)?;
    } else {
        write(&output, &entries)?;
    }
    tell(verbosity, &database, entries.len());
    Ok(Exit::Verified)
}

fn collect(
    options: &Compdb,
    root: &std::path::Path,
    verbosity: Verbosity,
) -> Result<Database, Failure> {
    let interrupted = signals::flag()?;
    crate::prepare();
    let (repository, graph) = understand(root)?;
    let constraints = options.source.constraints();
    let named = match &options.source.base {
        Some(base) => bases::facts_of(base)?,
        None => None,
    };
    let (plan, ..) = decide(&repository, &graph, &constraints, named.as_ref())?;
    let backend = Backend::from(options.sandbox);
    let base = options
        .source
        .base
        .clone()
        .unwrap_or_else(|| bases::default_base(backend, &plan));
    let sandbox_options = Options {
        interrupted,
        cache_scope: Some(super::build::cache_scope(&repository.root)),
        ..Options::new()?
    };
    let mut sandbox = crate::sandbox::create(backend, &base, &sandbox_options)?;
    let facts = bases::facts_of_sandbox(sandbox.facts()).ok_or_else(|| {
        Failure::usage("the base's distribution is not known to envc: give another with --base")
    })?;
    let (plan, script, pyramid) = decide(&repository, &graph, &constraints, Some(&facts))?;
    let index = Index::for_base(&facts);
    let providers = |capability: &Capability| index.named_providers(capability);
    let files = scan::files_to_copy(&repository);
    let work = Work {
        plan,
        script,
        pyramid,
        constraints,
    };
    let mut observer = crate::emit::for_user(
        verbosity,
        false,
        std::io::IsTerminal::is_terminal(&std::io::stderr()),
    );
    let budget = Budget::start(options.budget, 10, options.budget, None);
    let mut session = Session::new(
        sandbox.as_mut(),
        &repository,
        files,
        work,
        budget,
        observer.as_mut(),
        &providers,
        &|_| None,
    );
    compdb::collect(&mut session, options.record).map_err(|error| match error {
        NoDatabase::Run(error) => error.into(),
        NoDatabase::NotConfigured(given) => {
            let mut message = format!("the project could not be configured: {}", reason(&given));
            for line in given.failure.iter().flat_map(|failure| &failure.lines) {
                message.push_str(&format!("\n    {line}"));
            }
            Failure::new(Exit::NotReached, message)
        }
    })
}

fn reason(given: &Given) -> String {
    match (&given.end, &given.failure) {
        (EndReason::Interrupted, _) => "interrupted".to_owned(),
        (EndReason::Budget(why) | EndReason::Transient(why), _) => why.clone(),
        (_, Some(failure)) => failure.title.clone(),
        (EndReason::NoRepair(why), None) => why.clone(),
        (EndReason::Complete, None) => "a layer of its script failed".to_owned(),
    }
}

/// A whole file or none: editors read it while it is written.
fn write(output: &std::path::Path, entries: &[Entry]) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(
            Exit::Transient,
            format!("cannot write {}: {error}", output.display()),
        )
    };
    let dir = output.parent().filter(|dir| !dir.as_os_str().is_empty());
    let dir = dir.unwrap_or_else(|| std::path::Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(cannot)?;
    serde_json::to_writer_pretty(&mut file, entries).map_err(|error| cannot(error.into()))?;
    file.persist(output).map_err(|error| cannot(error.error))?;
    Ok(())
}

fn tell(verbosity: Verbosity, database: &Database, total: usize) {
    if verbosity == Verbosity::Quiet {
        return;
    }
    for part in &database.parts {
        let dir = if part.dir.is_empty() { "." } else { &part.dir };
        let (count, how) = (part.entries.len(), part.source.words());
        let line = format!("envc: {dir} ({}): {count} commands, {how}", part.ecosystem);
        eprintln!("{}", crate::emit::sanitize(&line));
    }
    for name in &database.without {
        eprintln!(
            "envc: {}: no compile commands found",
            crate::emit::sanitize(name)
        );
    }
    eprintln!("envc: {total} entries");
}
