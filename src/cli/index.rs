//! `envc index`: what is known of distributions' files, and how to make it for another release.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};

use crate::packages::{
    BaseFacts, CONTENTS_ALL_TARGETS, CONTENTS_TARGETS, Index, apt_sources, cache_path,
    from_apt_lists, sources_list,
};
use crate::sandbox::Base;

use super::deps::base_facts;
use super::exit::{Exit, Failure};
use super::show::print;

#[derive(Debug, Args)]
pub struct IndexArguments {
    #[command(subcommand)]
    pub action: Action,
}

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Make the index of a machine's or root file system's release from its own apt configuration.
    Build(Where),
    /// Make it anew where there is one.
    Update(Where),
    /// Say which indexes there are, and whether they are sound.
    Info,
}

#[derive(Debug, Args)]
pub struct Where {
    /// Whose apt configuration: host or rootfs:PATH [default: host].
    #[arg(long, value_parser = super::arguments::base, value_name = "BASE")]
    pub base: Option<Base>,
}

pub fn run(options: &IndexArguments) -> Result<Exit, Failure> {
    match &options.action {
        Action::Info => info(),
        Action::Build(place) => build(place),
        Action::Update(place) => {
            let facts = base_facts(place.base.as_ref())?;
            match own_path(&facts) {
                Some(path) if path.exists() => build(place),
                _ => Err(Failure::usage(format!(
                    "there is no index of {} yet: `envc index build` makes one",
                    facts.image
                ))),
            }
        }
    }
}

fn own_path(facts: &BaseFacts) -> Option<PathBuf> {
    cache_path(&facts.distro, &facts.release)
}

fn info() -> Result<Exit, Failure> {
    let index = Index::embedded();
    let counts: Vec<String> = index
        .counts()
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    print(&format!(
        "{} (part of envc): {}",
        index.release(),
        counts.join(", ")
    ))?;
    let Some(dir) = cache_path("debian", "x").and_then(|path| path.parent().map(Path::to_owned))
    else {
        return Ok(Exit::Verified);
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect()
        })
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "idx"));
    files.sort();
    let mut sound = true;
    for path in files {
        match Index::from_file(&path) {
            Ok(index) => {
                let all: usize = index.counts().values().sum();
                print(&format!(
                    "{} ({}): {all} entries",
                    index.release(),
                    path.display()
                ))?;
            }
            Err(error) => {
                sound = false;
                print(&format!("{}: {error}", path.display()))?;
            }
        }
    }
    Ok(if sound {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

fn build(place: &Where) -> Result<Exit, Failure> {
    let facts = base_facts(place.base.as_ref())?;
    let root = match &place.base {
        None | Some(Base::Host) => Path::new("/"),
        Some(Base::Rootfs(root)) => root.as_path(),
        Some(_) => {
            return Err(Failure::usage(
                "an image has to be unpacked first: give --base rootfs:PATH",
            ));
        }
    };
    let sources = apt_sources(&root.join("etc/apt"), &facts.release);
    if sources.is_empty() {
        return Err(Failure::usage(format!(
            "{} names no archive of {} with component main: nothing to make an index from",
            root.join("etc/apt").display(),
            facts.release
        )));
    }
    let path = own_path(&facts)
        .ok_or_else(|| Failure::usage("no cache directory: set HOME or XDG_CACHE_HOME"))?;
    let state = tempfile::tempdir()?;
    download(state.path(), &sources_list(&sources))?;
    let bytes = from_apt_lists(&[&state.path().join("lists")], &facts.release)
        .map_err(|error| Failure::new(Exit::Transient, error.to_string()))?;
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    // Another envc may be reading the old one: it is replaced in one step.
    let part = path.with_extension("part");
    std::fs::write(&part, &bytes)?;
    std::fs::rename(&part, &path)?;
    print(&format!("{}: {} kB", path.display(), bytes.len() / 1024))?;
    Ok(Exit::Verified)
}

/// Has apt fetch and verify the lists into a directory of its own; the machine's state is not touched.
fn download(state: &Path, sources: &str) -> Result<(), Failure> {
    for dir in ["lists/partial", "cache/archives/partial", "none"] {
        std::fs::create_dir_all(state.join(dir))?;
    }
    std::fs::write(state.join("sources.list"), sources)?;
    std::fs::write(state.join("status"), "")?;
    let mut apt = Command::new("apt-get");
    apt.args(["-q", "update"]);
    for (option, file) in [
        ("Dir::Etc::sourcelist", "sources.list"),
        ("Dir::Etc::sourceparts", "none"),
        ("Dir::State::lists", "lists"),
        ("Dir::State::status", "status"),
        ("Dir::Cache", "cache"),
    ] {
        apt.arg("-o")
            .arg(format!("{option}={}", state.join(file).display()));
    }
    for target in CONTENTS_TARGETS.iter().chain(&CONTENTS_ALL_TARGETS) {
        apt.arg("-o").arg(target);
    }
    apt.args([
        "-o",
        "Acquire::Languages=none",
        "-o",
        "APT::Sandbox::User=root",
    ]);
    let output = apt.output().map_err(|error| {
        Failure::usage(format!(
            "cannot start apt-get: {error}; an index is made where apt is"
        ))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(
        Exit::Transient,
        format!("apt-get update failed: {}", said.trim()),
    ))
}
