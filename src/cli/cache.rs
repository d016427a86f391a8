//! `envc cache`: what the store holds, and making it smaller.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};

use crate::sandbox::{Options, bytes, caches};

use super::exit::{Exit, Failure};
use super::resume::RUNS;
use super::show;

#[derive(Debug, Args)]
pub struct CacheArguments {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Print where the store is and what each part of it takes.
    Info {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make the store smaller. What a run is using stays.
    Prune {
        /// Let the caches take at most so much, e.g. 5GB.
        #[arg(long, value_parser = size_of, value_name = "SIZE")]
        max: Option<u64>,
        /// Remove what was not used for so many days.
        #[arg(long, value_name = "DAYS")]
        older: Option<u64>,
        /// Remove everything that can be had again: caches, exported images, states for --resume.
        #[arg(long)]
        all: bool,
    },
}

pub fn run(arguments: &CacheArguments) -> Result<Exit, Failure> {
    let options = Options::new()?;
    match &arguments.command {
        CacheCommand::Info { json } => info(&options, *json),
        CacheCommand::Prune { max, older, all } => prune(&options, *max, *older, *all),
    }
}

fn size_of(text: &str) -> Result<u64, String> {
    bytes(text).ok_or_else(|| "expected a size such as 500MB or 20GB".to_owned())
}

fn info(options: &Options, json: bool) -> Result<Exit, Failure> {
    let root = options.store_root();
    let parts = caches::overview(&root);
    if json {
        let limit = options.cache_limit;
        show::print_json(&serde_json::json!({ "store": root, "limit": limit, "parts": parts }))?;
        return Ok(Exit::Verified);
    }
    let mut text = format!("{}\n", root.display());
    for part in &parts {
        text.push_str(&format!(
            "  {:<16} {:>10}  {} files\n",
            part.name,
            size(part.bytes),
            part.files
        ));
    }
    text.push_str(&format!(
        "caches are kept below {}",
        size(options.cache_limit)
    ));
    show::print(&text)?;
    Ok(Exit::Verified)
}

fn prune(
    options: &Options,
    max: Option<u64>,
    older: Option<u64>,
    all: bool,
) -> Result<Exit, Failure> {
    let root = options.store_root();
    let most = match (all, max, older) {
        (true, _, _) => 0,
        (_, Some(max), _) => max,
        (_, None, Some(_)) => u64::MAX,
        (_, None, None) => options.cache_limit,
    };
    let before = older.and_then(|days| {
        let age = Duration::from_secs(days.checked_mul(24 * 3600)?);
        SystemTime::now().checked_sub(age)
    });
    let mut freed = caches::prune(&root, most, before)?;
    if all && crate::sandbox::in_use(&root) {
        show::print("a run is at work: images and states stay")?;
    } else if all {
        freed += clear(options, &["images", RUNS]);
    }
    show::print(&format!("{} freed", size(freed)))?;
    Ok(Exit::Verified)
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while value >= 1000.0
        && let Some(next) = units.next()
    {
        value /= 1000.0;
        unit = Some(next);
    }
    let unit = unit.copied().unwrap_or_default();
    if bytes < 1000 {
        return format!("{bytes} {unit}");
    }
    format!("{value:.1} {unit}")
}

/// Removes whole directories of the store.
fn clear(options: &Options, names: &[&str]) -> u64 {
    let root = options.store_root();
    let parts = caches::overview(&root);
    let mut freed = 0;
    for name in names {
        let dir = root.join(name);
        if dir.is_dir() && crate::sandbox::remove_dir(&dir, options).is_ok() {
            let part = parts.iter().find(|part| part.name == *name);
            freed += part.map_or(0, |part| part.bytes);
        }
    }
    freed
}
