//! `envc deps`: what the repository needs of the distribution.

use std::process::Command;

use clap::Args;

use crate::graph;
use crate::needs::{self, Features, Format, Needs};
use crate::packages::{BaseFacts, Index, Manager, base_by_id};
use crate::plan;
use crate::sandbox::Base;
use crate::scan;

use super::bases;
use super::exit::{Exit, Failure};
use super::show::{print, print_json};
use super::source::resolve;

#[derive(Debug, Args)]
pub struct Deps {
    /// Directory or git URL of the repository.
    #[arg(default_value = ".")]
    pub path: String,
    /// In which form to print.
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// all, minimal, or the name of a build option [default: what the build takes by default, and its tests].
    #[arg(long, value_name = "all|minimal|NAME")]
    pub features: Option<String>,
    /// List only what this machine lacks.
    #[arg(long)]
    pub missing: bool,
    /// Install what this machine lacks.
    #[arg(long)]
    pub install: bool,
    /// Whose packages to name: host, rootfs:PATH or image:REF [default: this machine's, else Debian's].
    #[arg(long, value_parser = super::arguments::base, value_name = "BASE")]
    pub base: Option<Base>,
}

pub fn run(options: &Deps) -> Result<Exit, Failure> {
    let features = match options.features.as_deref() {
        None | Some("default") => Features::Default,
        Some("all") => Features::All,
        Some("minimal") => Features::Minimal,
        Some(name) => Features::Named(name.to_owned()),
    };
    let root = resolve(&options.path)?;
    let repository =
        scan::scan(&root, &scan::ScanOptions::default()).map_err(crate::AnalyseError::from)?;
    let facts = base_facts(options.base.as_ref())?;
    let index = Index::for_base(&facts);
    let graph = graph::declared(&repository);
    let selection = plan::select(&graph, &plan::Constraints::default());
    let mut found = needs::needs(&repository, &graph, &index, &selection.projects);
    found.notes.splice(..0, selection.notes);
    if let Features::Named(name) = &features
        && !found.has_option(name)
    {
        return Err(Failure::usage(unknown_option(&found, name)));
    }
    if options.missing || options.install {
        needs::keep_missing(&mut found);
    }
    if options.install {
        return install(&found, &features, facts.manager);
    }
    match options.format {
        Format::Json => print_json(&found)?,
        form => print(&crate::emit::sanitize(&needs::format(
            &found, &features, form,
        )))?,
    }
    Ok(Exit::Verified)
}

/// The base that was asked for, else this machine's, else the one that envc carries the index of.
pub fn base_facts(asked: Option<&Base>) -> Result<BaseFacts, Failure> {
    let found = match asked {
        Some(base) => bases::facts_of(base)?,
        None => bases::facts_of(&Base::Host).ok().flatten(),
    };
    found
        .or_else(|| base_by_id("debian-bookworm").cloned())
        .ok_or_else(|| Failure::usage("no base is known: reinstall envc"))
}

fn unknown_option(needs: &Needs, name: &str) -> String {
    let mut options: Vec<&str> = needs
        .needs
        .iter()
        .filter_map(|need| need.option.as_deref())
        .collect();
    options.sort_unstable();
    options.dedup();
    let known = if options.is_empty() {
        "none".to_owned()
    } else {
        options.join(", ")
    };
    format!("no option called {name} asks for a package; options that do: {known}")
}

/// Runs the package manager with an argument vector, through sudo where this is not root.
fn install(needs: &Needs, features: &Features, manager: Manager) -> Result<Exit, Failure> {
    let (words, _) = needs::words_for(needs.wanted(features), manager);
    if words.is_empty() {
        print("nothing to install: this machine has everything")?;
        return Ok(Exit::Verified);
    }
    let mut argv: Vec<String> = Vec::new();
    if !rustix::process::geteuid().is_root() {
        argv.push("sudo".to_owned());
    }
    argv.extend(
        needs::install_words(manager)
            .iter()
            .map(|word| (*word).to_owned()),
    );
    argv.extend(words);
    let Some((program, rest)) = argv.split_first() else {
        return Ok(Exit::Verified);
    };
    let status = Command::new(program)
        .args(rest)
        .status()
        .map_err(|error| Failure::usage(format!("cannot start {program}: {error}")))?;
    if status.success() {
        return Ok(Exit::Verified);
    }
    Err(Failure::new(
        Exit::Transient,
        format!(
            "{} failed ({status}): run `{} update` first, or see what it printed",
            manager.name(),
            manager.name()
        ),
    ))
}
