//! The command line: one file a command, arguments in `arguments`, exit codes in `exit`.

mod arguments;
mod base;
mod bases;
mod build;
mod cache;
mod certify;
mod compdb;
mod deps;
mod doctor;
mod enter;
mod exit;
mod export;
mod fix;
mod graph;
mod index;
mod place;
mod recorder;
mod resume;
mod show;
mod signals;
mod source;
mod start;
mod which;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
pub use exit::{Exit, Failure};

/// Parses the arguments, runs the command, prints what went wrong, gives the exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let help = !error.use_stderr();
            // A closed pipe behind `envc --help | head` is nobody's fault.
            let _ = error.print();
            return if help { Exit::Verified } else { Exit::Usage }.into();
        }
    };
    match run(&arguments) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            anstream::eprintln!("{}", exit::message(&failure));
            failure.exit.into()
        }
    }
}

fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Build(options) => build::run(options, arguments.verbosity()),
        Command::Plan(options) => show::plan(options),
        Command::Graph(options) => graph::run(options),
        Command::Script(options) => show::script(options),
        Command::Pyramid(options) => show::pyramid(options),
        Command::Explain(options) => show::explain(options),
        Command::Shell(options) => enter::shell(options),
        Command::Run(options) => enter::run(options, arguments.verbosity()),
        Command::Verify(options) => certify::recheck(options),
        Command::Deps(options) => deps::run(options),
        Command::Compdb(options) => compdb::run(options, arguments.verbosity()),
        Command::Index(options) => index::run(options),
        Command::Which(options) => which::run(options),
        Command::Base(options) => base::run(options),
        Command::Export(options) => export::run(options),
        Command::Cache(options) => cache::run(options),
        Command::Doctor(options) => doctor::run(options),
    }
}
