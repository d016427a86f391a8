//! Arguments (clap). The texts here are what `--help` prints.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::emit::Verbosity;
use crate::plan::Constraints;
use crate::pyramid::Level;
use crate::sandbox::{Backend, Base, NetworkPolicy};

/// Turns a source repository into a verified environment.
#[derive(Debug, Parser)]
#[command(name = "envc", version, max_term_width = 100, after_help = EXITS)]
pub struct Arguments {
    /// Show every line that commands print.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Show nothing but the verdict.
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    pub command: Command,
}

const EXITS: &str = "Exit codes: 0 verified (or done), 1 level not reached, 2 usage, 3 unsupported repository, \
75 transient (network, disk), 130 interrupted.";

impl Arguments {
    pub fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build and verify an environment: setup.sh, Dockerfile, pyramid.json, certificate.json, report.html.
    Build(Build),
    /// Print what the environment will consist of, and why. Runs nothing.
    Plan(Show),
    /// Print the knowledge graph, ask it questions, or make a page of it.
    Graph(super::graph::GraphArguments),
    /// Print setup.sh, or check a script with --check.
    Script(ScriptArguments),
    /// Print the Test Pyramid: commands by level, and what was left out.
    Pyramid(Show),
    /// Say why something (a package, header, toolchain, step, command, variable) is in the plan.
    Explain(Explain),
    /// Open a shell in the environment that `envc build` made.
    Shell(Enter),
    /// Run a level of the pyramid, or a command, in the environment that `envc build` made.
    Run(RunArguments),
    /// Check a certificate against its setup.sh, without running anything.
    Verify(Verify),
    /// List what the repository needs of the distribution, why, and how to install it.
    Deps(super::deps::Deps),
    /// Say which package provides a header, library, command, pkg-config module or CMake package.
    Which(super::which::Which),
    /// Write compile_commands.json (for clangd, clang-tidy), compiling nothing where the build system tells its commands.
    Compdb(super::compdb::Compdb),
    /// Make, renew or describe the index of a distribution's files.
    Index(super::index::IndexArguments),
    /// Write the environment that `envc build` made to a file: an OCI image or a tar archive.
    Export(super::export::Export),
    /// List, make or remove root file systems to build on.
    Base(super::base::BaseArguments),
    /// Say what the store of caches holds, or make it smaller.
    Cache(super::cache::CacheArguments),
    /// Say what works on this machine, and what to do about what does not.
    Doctor(Doctor),
}

/// The repository, and what is fixed about its environment.
#[derive(Debug, Args)]
pub struct Source {
    /// Directory or git URL of the repository.
    #[arg(default_value = ".")]
    pub path: String,
    /// What the environment stands on: host, rootfs:DIR, tar:FILE, image:REF (of an engine), oci:DIR-OR-TAR,
    /// registry:REF or made:NAME (see `envc base`).
    #[arg(long, value_parser = base, value_name = "BASE")]
    pub base: Option<Base>,
    /// Resolve versions as of this date (default: the commit's).
    #[arg(long, value_parser = date, value_name = "YYYY-MM-DD")]
    pub as_of: Option<String>,
}

impl Source {
    pub fn constraints(&self) -> Constraints {
        Constraints {
            as_of: self.as_of.clone(),
            ..Constraints::default()
        }
    }
}

#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    pub source: Source,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ScriptArguments {
    #[command(flatten)]
    pub source: Source,
    /// Print the script as data instead of Bash.
    #[arg(long)]
    pub json: bool,
    /// Check this script for dishonest lines (altered tracked files, fake tools, swallowed failures) instead.
    #[arg(long, value_name = "FILE")]
    pub check: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// A package, capability (header:zlib.h), toolchain, step, command or variable.
    pub what: String,
    #[command(flatten)]
    pub source: Source,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    Graph,
    Plan,
    Script,
    Pyramid,
    Dockerfile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    Installability,
    Testability,
    Runnability,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Installability => Self::Installability,
            LevelName::Testability => Self::Testability,
            LevelName::Runnability => Self::Runnability,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    Overlay,
    Docker,
    Host,
}

impl From<BackendName> for Backend {
    fn from(name: BackendName) -> Self {
        match name {
            BackendName::Overlay => Self::Overlay,
            BackendName::Docker => Self::Docker,
            BackendName::Host => Self::Host,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NetworkName {
    /// Every command has the network, through this machine.
    Full,
    /// Set-up and installation have it; tests and programs have loopback only.
    InstallOnly,
    /// Loopback only.
    None,
}

impl From<NetworkName> for NetworkPolicy {
    fn from(name: NetworkName) -> Self {
        match name {
            NetworkName::Full => Self::Full,
            NetworkName::InstallOnly => Self::InstallOnly,
            NetworkName::None => Self::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Certify {
    /// Build the Dockerfile and run the pyramid in it.
    Docker,
    /// Only the sandbox's own proof.
    None,
}

#[derive(Debug, Args)]
pub struct Build {
    #[command(flatten)]
    pub source: Source,
    /// Print these instead of building, each as JSON or text: a comma-separated list.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub emit: Vec<Emit>,
    /// Where the artifacts go [default: .envc in the repository].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Level that has to be reached for exit code 0; commands above it are not run [default: the highest the repository
    /// has evidence for].
    #[arg(long, value_enum)]
    pub level: Option<LevelName>,
    /// Wall time for the whole run.
    #[arg(long, value_parser = duration, default_value = "60m", value_name = "TIME")]
    pub budget: Duration,
    /// Wall time for a single command.
    #[arg(long, value_parser = duration, default_value = "20m", value_name = "TIME")]
    pub timeout: Duration,
    /// End a command that prints nothing for so long.
    #[arg(long, value_parser = duration, value_name = "TIME")]
    pub silence: Option<Duration>,
    /// Memory that a command and all it starts may have together [default: 16G].
    #[arg(long, value_parser = size, value_name = "SIZE")]
    pub memory: Option<u64>,
    /// Disk space that a single command may fill [default: 64G].
    #[arg(long, value_parser = size, value_name = "SIZE")]
    pub disk: Option<u64>,
    /// Repairs that may be tried.
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub attempts: u32,
    /// Go on where an earlier run of this directory was stopped, from its last good snapshot.
    #[arg(long)]
    pub resume: bool,
    /// Where commands run [default: overlay; docker where overlay cannot work and an engine answers].
    #[arg(long, value_enum)]
    pub sandbox: Option<BackendName>,
    /// Who has the network.
    #[arg(long, value_enum, default_value = "full")]
    pub network: NetworkName,
    /// Also prove the Dockerfile [default: docker, where an engine answers].
    #[arg(long, value_enum)]
    pub certify: Option<Certify>,
    /// Print the certificate to standard output.
    #[arg(long)]
    pub json: bool,
    /// Print every event as a line of JSON to standard output.
    #[arg(long)]
    pub json_events: bool,
}

#[derive(Debug, Args)]
pub struct Enter {
    /// Directory of the repository.
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// Where the artifacts are [default: .envc in the repository].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// A level (installability, testability, runnability) or a command with its arguments after `--`.
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, value_name = "LEVEL|COMMAND")]
    pub what: Vec<String>,
    /// Directory of the repository.
    #[arg(long, short = 'C', default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    /// Where the artifacts are [default: .envc in the repository].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Wall time for a single command.
    #[arg(long, value_parser = duration, default_value = "20m", value_name = "TIME")]
    pub timeout: Duration,
    /// Print results as JSON (for a level, and with --fix).
    #[arg(long)]
    pub json: bool,
    /// Run the command in a sandbox of its own (no `envc build` needed), install what it turns out to miss, go on, and say
    /// at the end what to add to the instructions.
    #[arg(long)]
    pub fix: bool,
    /// With --fix: what the sandbox stands on: host, rootfs:PATH or image:REF [default: as `envc build`].
    #[arg(long, value_parser = base, value_name = "BASE")]
    pub base: Option<Base>,
    /// With --fix: where the command runs.
    #[arg(long, value_enum, default_value = "overlay")]
    pub sandbox: BackendName,
    /// With --fix: wall time for everything.
    #[arg(long, value_parser = duration, default_value = "60m", value_name = "TIME")]
    pub budget: Duration,
    /// With --fix: repairs that may be tried.
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub attempts: u32,
}

#[derive(Debug, Args)]
pub struct Verify {
    /// The certificate; its setup.sh is taken from the same directory.
    #[arg(default_value = ".envc/certificate.json")]
    pub certificate: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub fn base(text: &str) -> Result<Base, String> {
    match text.split_once(':') {
        None if text == "host" => Ok(Base::Host),
        Some(("rootfs", path)) if !path.is_empty() => Ok(Base::Rootfs(absolute(path))),
        Some(("image", reference)) if !reference.is_empty() => {
            Ok(Base::Image(reference.to_owned()))
        }
        Some(("tar", path)) if !path.is_empty() => Ok(Base::Tar(absolute(path))),
        Some(("oci", path)) if !path.is_empty() => Ok(Base::Oci(absolute(path))),
        Some(("registry", reference)) if !reference.is_empty() => {
            Ok(Base::Registry(reference.to_owned()))
        }
        Some(("made", name)) if !name.is_empty() => Ok(Base::Made(name.to_owned())),
        _ => Err(
            "expected host, rootfs:DIR, tar:FILE, image:REF (of an engine), oci:DIR-OR-TAR, \
             registry:REF or made:NAME"
                .to_owned(),
        ),
    }
}

/// A kept environment is opened from other directories too.
fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

fn date(text: &str) -> Result<String, String> {
    text.parse::<jiff::civil::Date>()
        .map(|date| date.to_string())
        .map_err(|_| "expected a date such as 2024-03-31".to_owned())
}

/// Bytes, with a suffix for powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 512M or 4G".to_owned();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text.get(digits.len()..).unwrap_or_default() {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// `90s`, `20m`, `1h30m`, or a bare number of seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 90s, 20m or 1h30m".to_owned();
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut total = 0u64;
    let mut number = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(wrong()),
        };
        let value: u64 = number.parse().map_err(|_| wrong())?;
        total = value
            .checked_mul(unit)
            .and_then(|seconds| total.checked_add(seconds))
            .ok_or_else(wrong)?;
        number.clear();
    }
    if number.is_empty() && total > 0 {
        Ok(Duration::from_secs(total))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn times() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("45"), Ok(Duration::from_secs(45)));
        for wrong in ["", "m", "10x", "5m3", "99999999999999999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("7"), Ok(7));
        for wrong in ["", "M", "4GB", "1.5G", "99999999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bases() {
        assert_eq!(base("host"), Ok(Base::Host));
        assert_eq!(
            base("image:debian:bookworm"),
            Ok(Base::Image("debian:bookworm".to_owned()))
        );
        assert!(base("rootfs:").is_err());
        assert!(base("debian").is_err());
    }
}
