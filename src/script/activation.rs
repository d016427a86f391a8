//! What a command needs in its environment to use what `setup.sh` made: `PATH`, `VIRTUAL_ENV`, the plan's variables.
//!
//! Two forms, from the same data, of which each user takes the one at hand:
//! - as data, [`activation`], for whoever starts commands (the pyramid's runner, the Dockerfile's `ENV`);
//! - as text, `eval "$(setup.sh --env)"`, for a person's shell: the script prints `export` lines and does nothing else.
//!
//! The script itself exports the same variables at its top, so its own steps run in the same environment.

use crate::plan::Action;

use super::quote::{is_name, slug};
use super::{NulError, Script, ScriptError, quote, toolchain};

/// `PATH` of a Debian image.
pub const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that a repository's value would break the script, `sudo` or the user's session with.
const RESERVED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "IFS",
    "ENV",
    "BASH_ENV",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "LD_PRELOAD",
    "LC_ALL",
    "TZ",
    "REPO",
    "ENVC_HOME",
    "EUID",
    "UID",
    "PPID",
    "BASHOPTS",
    "SHELLOPTS",
    "FUNCNAME",
    "GROUPS",
    "DIRSTACK",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "_",
    "repo",
    "from",
    "only",
    "run",
    "name",
    "envc",
    "installed",
    "exported",
    "manager",
    "packages",
    "layer",
    "VIRTUAL_ENV",
];

/// Where an environment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location<'a> {
    /// `HOME` of the user whose commands run.
    pub home: &'a str,
    /// `ENVC_HOME`; `None`: `.local/share/envc` under `home`, as in the script.
    pub envc_home: Option<&'a str>,
    /// `PATH` that the environment's own directories are put before.
    pub path: &'a str,
}

impl Default for Location<'_> {
    /// Root in a container or a sandbox.
    fn default() -> Self {
        Self {
            home: "/root",
            envc_home: None,
            path: DEFAULT_PATH,
        }
    }
}

/// The variables a pyramid command needs, for root in a sandbox ([`Location::default`]). `PATH` is whole.
pub fn activation(script: &Script) -> Vec<(String, String)> {
    activation_at(script, &Location::default())
}

/// The variables a command needs where the environment stands at `location`.
pub fn activation_at(script: &Script, location: &Location<'_>) -> Vec<(String, String)> {
    let envc = match location.envc_home {
        Some(dir) => format!("{dir}/{}", slug(&script.repository.name)),
        None => format!(
            "{}/.local/share/envc/{}",
            location.home,
            slug(&script.repository.name)
        ),
    };
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Home => location.home.to_owned(),
        Piece::Envc => envc.clone(),
    };
    let variables = variables(script);
    let mut path: Vec<String> = variables
        .path
        .iter()
        .map(|dir| dir.iter().map(text).collect())
        .collect();
    path.push(location.path.to_owned());
    let mut all = vec![("PATH".to_owned(), path.join(":"))];
    for (name, value) in &variables.env {
        all.push((name.clone(), value.iter().map(text).collect()));
    }
    for variable in &script.env {
        if usable(&variable.name) {
            all.push((variable.name.clone(), variable.value.clone()));
        }
    }
    all
}

/// Whether a variable of the plan can be exported by the script.
pub(super) fn usable(name: &str) -> bool {
    is_name(name)
        && !RESERVED.contains(&name)
        && !name.starts_with("BASH")
        && !name.starts_with("SUDO_")
}

/// Part of a value of a toolchain's head.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Home,
    Envc,
}

#[derive(Debug, Default)]
struct Variables {
    path: Vec<Vec<Piece>>,
    env: Vec<(String, Vec<Piece>)>,
}

/// What the toolchains of a script give, in the order of their steps, each once.
fn variables(script: &Script) -> Variables {
    let mut variables = Variables::default();
    for step in &script.steps {
        let Action::Template { template, values } = &step.action else {
            continue;
        };
        let Ok(toolchain) = toolchain(template) else {
            continue;
        };
        let value = |name: &str| {
            values
                .get(name)
                .or_else(|| toolchain.head.defaults.get(name))
                .cloned()
        };
        for dir in &toolchain.head.path {
            match pieces(dir, &value) {
                Some(dir) if !variables.path.contains(&dir) => variables.path.push(dir),
                _ => {}
            }
        }
        for (name, text) in &toolchain.head.env {
            if let Some(text) = pieces(text, &value) {
                variables.env.retain(|(known, _)| known != name);
                variables.env.push((name.clone(), text));
            }
        }
    }
    variables
}

/// `{envc}/venv` → pieces; `None` where a value is missing.
fn pieces(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(match name {
            "home" => Piece::Home,
            "envc" => Piece::Envc,
            name => Piece::Text(value(name)?),
        });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Some(pieces)
}

/// The script's lines that export the toolchains' variables, and the names of all that it exports.
pub(super) fn export_lines(script: &Script) -> Result<(Vec<String>, Vec<String>), ScriptError> {
    let variables = variables(script);
    let word = |pieces: &[Piece]| -> Result<String, ScriptError> {
        let mut word = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => word.push_str(&quote(text).map_err(|e| nul("a value", e))?),
                Piece::Home => word.push_str("$HOME"),
                Piece::Envc => word.push_str("$envc"),
            }
        }
        Ok(word)
    };
    let mut lines = Vec::new();
    let mut names = vec!["PATH".to_owned()];
    if !variables.path.is_empty() || !variables.env.is_empty() {
        for (name, value) in &variables.env {
            lines.push(format!("export {name}={}", word(value)?));
            names.push(name.clone());
        }
        let mut path = String::new();
        for dir in &variables.path {
            path.push_str(&word(dir)?);
            path.push(':');
        }
        if !path.is_empty() {
            lines.push(format!("export PATH={path}$PATH"));
        }
        if lines.iter().any(|line| line.contains("$envc")) {
            let slug = slug(&script.repository.name);
            let home = format!("envc=${{ENVC_HOME:-$HOME/.local/share/envc}}/{slug}");
            lines.insert(0, home);
        }
    }
    for variable in script.env.iter().filter(|v| usable(&v.name)) {
        if !names.contains(&variable.name) {
            names.push(variable.name.clone());
        }
    }
    Ok((lines, names))
}

pub(super) fn nul(what: impl Into<String>, source: NulError) -> ScriptError {
    ScriptError::Nul {
        what: what.into(),
        source,
    }
}
