//! `envc base`: root file systems to build on, kept in the store.

use clap::{Args, Subcommand};

use crate::emit::sanitize;
use crate::sandbox::{Options, made};

use super::exit::{Exit, Failure};
use super::{show, signals};

#[derive(Debug, Args)]
pub struct BaseArguments {
    #[command(subcommand)]
    command: BaseCommand,
}

#[derive(Debug, Subcommand)]
enum BaseCommand {
    /// Print the bases that were made.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a base, e.g. debian:bookworm: by mmdebstrap where it is installed, else from the engine's image, else from
    /// the registry's.
    Make { name: String },
    /// Remove a base that was made.
    Remove { name: String },
}

pub fn run(arguments: &BaseArguments) -> Result<Exit, Failure> {
    let options = Options {
        interrupted: signals::flag()?,
        ..Options::new()?
    };
    match &arguments.command {
        BaseCommand::List { json } => list(&options, *json),
        BaseCommand::Make { name } => {
            let made = made::make(name, &options, &mut |text| {
                anstream::eprintln!("{}", sanitize(text))
            })?;
            show::print(&sanitize(&format!(
                "{name} ({}) is made: use it with --base made:{name}",
                made.digest
            )))?;
            Ok(Exit::Verified)
        }
        BaseCommand::Remove { name } if made::remove(name, &options)? => Ok(Exit::Verified),
        BaseCommand::Remove { name } => Err(Failure::usage(format!(
            "no base {name} was made; envc base list shows those that were"
        ))),
    }
}

fn list(options: &Options, json: bool) -> Result<Exit, Failure> {
    let found = made::list(options);
    if json {
        show::print_json(&found)?;
        return Ok(Exit::Verified);
    }
    if found.is_empty() {
        show::print("none; envc base make debian:bookworm makes one")?;
    }
    for made in &found {
        let when = jiff::Timestamp::from_second(made.made).unwrap_or_default();
        let date = when.strftime("%Y-%m-%d");
        let digest = made.digest.get(..19).unwrap_or(&made.digest);
        show::print(&sanitize(&format!(
            "{}  {digest}  {}, {date}",
            made.name, made.by
        )))?;
    }
    Ok(Exit::Verified)
}
