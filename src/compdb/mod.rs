//! `envc compdb`: the commands that compile a repository's sources, in the form of the JSON Compilation Database
//! (clang's format specification, as clangd and clang-tidy read it).
//!
//! What a build system knows it says itself: CMake and Meson write the file when they configure, make prints what it
//! would run. Only where neither can, the build is run and its compilers are recorded.

mod compiler;
mod dry_run;
mod place;
mod record;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::plan::{Action, Layer, Plan, ProjectPlan};
use crate::run::{Given, RunError, Session};
use crate::sandbox::{CommandSpec, Finished, Limits, Network, REPOSITORY_DIR, SandboxError};
use crate::script::{self, Script};

pub use place::relocate;

/// One compilation of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where the compiler runs; relative paths of the rest start there.
    pub directory: String,
    pub file: String,
    /// The compiler and its arguments, one word each.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The other spelling of `arguments`, which CMake and Meson write: one shell command.
    #[serde(skip_serializing, default)]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
}

/// Where the commands of a project came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The build system wrote its own database.
    Configured,
    /// make said what it would run.
    DryRun,
    /// The build ran, and its compilers were recorded.
    Recorded,
}

impl Source {
    pub fn words(self) -> &'static str {
        match self {
            Self::Configured => "written by the build system, nothing compiled",
            Self::DryRun => "from a dry run of make, nothing compiled",
            Self::Recorded => "recorded from a whole build",
        }
    }
}

/// What one project gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub ecosystem: String,
    pub dir: String,
    pub source: Source,
    pub entries: Vec<Entry>,
}

/// Everything that was found, in the sandbox's paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Database {
    pub parts: Vec<Part>,
    /// Projects that gave nothing, with the reason.
    pub without: Vec<String>,
}

/// Why there is no database.
#[derive(Debug)]
pub enum NoDatabase {
    /// The environment could not be made or the project not be configured.
    NotConfigured(Box<Given>),
    Run(RunError),
}

impl<E: Into<RunError>> From<E> for NoDatabase {
    fn from(error: E) -> Self {
        Self::Run(error.into())
    }
}

/// Bytes of output that a dry run or a record may have.
const MOST: u64 = 256 << 20;

/// Makes the environment, configures the projects, and asks each for its compile commands. `record`: run the build in any
/// case.
pub fn collect(session: &mut Session<'_>, record: bool) -> Result<Database, NoDatabase> {
    let plan = session.work.plan.clone();
    let full = session.work.script.clone();
    session.work.script = configuring(&full, &plan);
    session.enter()?;
    if let Err(given) = session.execute(Layer::Base, Vec::new())? {
        return Err(NoDatabase::NotConfigured(Box::new(given)));
    }
    let mut database = Database::default();
    for project in plan.projects.iter().filter(|project| builds(project)) {
        let found = if record {
            None
        } else {
            told(session, project)?
        };
        match found {
            Some(part) => database.parts.push(part),
            None => database.without.push(name(project)),
        }
    }
    if !database.without.is_empty() {
        recorded(session, &full, &plan, &mut database)?;
    }
    Ok(database)
}

fn name(project: &ProjectPlan) -> String {
    let dir = if project.dir.is_empty() {
        "."
    } else {
        &project.dir
    };
    format!("{dir} ({})", project.ecosystem)
}

/// Ecosystems whose builds compile C or C++ as far as is known; of the others, only a record could tell.
fn builds(project: &ProjectPlan) -> bool {
    project.steps.iter().any(|step| is_build(&step.id))
}

fn is_build(id: &str) -> bool {
    id.rsplit('/').next().is_some_and(|what| what == "build")
}

/// The script without the steps that compile.
fn configuring(script: &Script, plan: &Plan) -> Script {
    let mut script = script.clone();
    let known = ["cmake", "meson", "autotools", "make"];
    let keeps = |id: &str| {
        plan.projects.iter().any(|project| {
            known.contains(&project.ecosystem.as_str())
                && project.steps.iter().any(|step| step.id == id)
        })
    };
    script
        .steps
        .retain(|step| step.layer != Layer::Project || keeps(&step.id) && !is_build(&step.id));
    script
}

/// The whole script with the packages and variables that repairs added to the one that configures.
fn with_repairs(full: &Script, repaired: &Script) -> Script {
    let mut script = full.clone();
    script.packages.clone_from(&repaired.packages);
    script.env.clone_from(&repaired.env);
    script
}

/// What the build system itself tells.
fn told(session: &mut Session<'_>, project: &ProjectPlan) -> Result<Option<Part>, RunError> {
    let part = |source, entries: Vec<Entry>| {
        (!entries.is_empty()).then(|| Part {
            ecosystem: project.ecosystem.clone(),
            dir: project.dir.clone(),
            source,
            entries,
        })
    };
    Ok(match project.ecosystem.as_str() {
        "cmake" => {
            let Some(build) = build_dir(project, "-B") else {
                return Ok(None);
            };
            let argv = ["cmake", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", &build];
            run(session, &project.dir, &argv, &[])?;
            part(Source::Configured, written(session, &project.dir, &build))
        }
        "meson" => match build_dir(project, "setup") {
            Some(build) => part(Source::Configured, written(session, &project.dir, &build)),
            None => None,
        },
        "autotools" | "make" => part(Source::DryRun, dry_run(session, project)?),
        _ => None,
    })
}

/// The word behind `option` in the step that configures.
fn build_dir(project: &ProjectPlan, option: &str) -> Option<String> {
    let configure = project
        .steps
        .iter()
        .find(|step| step.id.ends_with("/configure"))?;
    let Action::Run { argv, .. } = &configure.action else {
        return None;
    };
    let at = argv.iter().position(|word| word == option)?;
    argv.get(at + 1).cloned()
}

/// Entries of the database in a build directory; none where there is no such file or it is not one.
fn written(session: &mut Session<'_>, dir: &str, build: &str) -> Vec<Entry> {
    let path = format!("{}/{build}/compile_commands.json", place::absolute(dir));
    let Ok(bytes) = session.sandbox.read_file(&path) else {
        return Vec::new();
    };
    let entries: Vec<Entry> = serde_json::from_slice(&bytes).unwrap_or_default();
    entries.into_iter().filter_map(words_of).collect()
}

/// The entry with its command as words.
fn words_of(mut entry: Entry) -> Option<Entry> {
    if entry.arguments.is_empty() {
        entry.arguments = shlex::split(entry.command.as_deref()?)?;
    }
    Some(entry)
}

/// What make would run for the default goal, from a state in which nothing is made.
fn dry_run(session: &mut Session<'_>, project: &ProjectPlan) -> Result<Vec<Entry>, RunError> {
    let argv = ["make", "-n", "-k", "-w", "V=1", "VERBOSE=1"];
    let (_, output) = run(session, &project.dir, &argv, &[("LC_ALL", "C")])?;
    Ok(dry_run::entries(&output, &place::absolute(&project.dir)))
}

/// Runs the whole build with recorders in the compilers' place, for the projects that told nothing.
fn recorded(
    session: &mut Session<'_>,
    full: &Script,
    plan: &Plan,
    database: &mut Database,
) -> Result<(), NoDatabase> {
    // Before anything is configured: a compiler that was found then is kept by its path.
    session.return_to(Layer::Runtimes)?;
    record::install(session)?;
    session.work.script = with_repairs(full, &session.work.script);
    session.write_script()?;
    let path = format!("{}:{}", record::DIR, record::PATH);
    let script = [
        "bash",
        crate::run::SCRIPT_PATH,
        "--only",
        &Layer::Project.number().to_string(),
    ]
    .map(str::to_owned);
    let argv: Vec<&str> = script.iter().map(String::as_str).collect();
    run(
        session,
        "",
        &argv,
        &[("PATH", &path), ("REPO", REPOSITORY_DIR)],
    )?;
    let entries = record::entries(&record::read(session)?);
    let told: Vec<Entry> = database
        .parts
        .iter()
        .flat_map(|part| part.entries.clone())
        .collect();
    let new: Vec<Entry> = entries
        .into_iter()
        .filter(|entry| {
            !told
                .iter()
                .any(|known| known.file == entry.file && known.directory == entry.directory)
        })
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let projects = plan.projects.iter().filter(|project| builds(project));
    let ecosystems: Vec<String> = projects
        .filter(|project| database.without.contains(&name(project)))
        .map(|project| project.ecosystem.clone())
        .collect();
    database.without.clear();
    database.parts.push(Part {
        ecosystem: ecosystems.join(", "),
        dir: String::new(),
        source: Source::Recorded,
        entries: new,
    });
    Ok(())
}

/// Runs a command in the environment; its output and how it ended.
fn run(
    session: &mut Session<'_>,
    dir: &str,
    argv: &[&str],
    env: &[(&str, &str)],
) -> Result<(Finished, String), RunError> {
    let mut all = script::activation(&session.work.script);
    all.extend(
        env.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    let spec = CommandSpec {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        dir: place::absolute(dir),
        env: all,
        limits: Limits {
            output: MOST,
            ..session.budget.limits()
        },
        network: Network::Full,
    };
    let mut output = Vec::new();
    let finished = session
        .sandbox
        .run(&spec, &mut |bytes| output.extend_from_slice(bytes))?;
    if finished.outcome == crate::sandbox::Outcome::Interrupted {
        return Err(SandboxError::Interrupted.into());
    }
    Ok((finished, String::from_utf8_lossy(&output).into_owned()))
}
