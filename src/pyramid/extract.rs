//! Step 2: commands out of texts. Nothing is invented: each command is a statement of a text, with the directory and
//! the variables that the statements before it set.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::LeftOut;
use super::normal::normal;
use super::retrieve::{Evidence, Known, build_dirs, join};
use super::shell::{self, Statement};
use crate::evidence::{Because, Trust};
use crate::graph::{CommandSource, Os};

/// A command as found.
#[derive(Debug, Clone)]
pub struct Found {
    pub command: String,
    pub compound: bool,
    pub dir: String,
    pub env: BTreeMap<String, String>,
    pub because: Because,
    pub trust: Trust,
    pub rank: u8,
    pub unresolved: Vec<String>,
    /// It builds or tests in a directory that earlier statements made, and that the plan does not have:
    /// those statements, each with its directory.
    pub before: Vec<(String, String)>,
    /// It concerns a build directory, of the plan or its own.
    pub in_build_dir: bool,
    pub note: Option<String>,
}

/// A line that a prompt marks as typed.
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\([\w.-]+\)\s*)?(?:\w[\w@.:~-]*)?\$\s+(.*)$").expect("a literal")
});

/// What a group of texts has done so far.
#[derive(Debug, Default)]
struct Walk {
    group: String,
    dir: String,
    env: BTreeMap<String, String>,
    /// Directories that the group made and the repository has not.
    made: Vec<String>,
    /// Statements so far, with their directories.
    done: Vec<(String, String)>,
    /// Name of the directory that a `git clone` of the repository makes.
    cloned: Option<String>,
    /// Why nothing after this statement can be run.
    lost: Option<String>,
    stack: Vec<String>,
}

/// Takes the texts apart, in order. What cannot be a command here is left out with its reason.
pub fn extract(evidence: &[Evidence], known: &Known) -> (Vec<Found>, Vec<LeftOut>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let mut walk = Walk::default();
    for item in evidence {
        if walk.group != item.group {
            walk = Walk {
                group: item.group.clone(),
                ..Walk::default()
            };
        }
        // A step of a job, like a block of a document, begins in its own directory.
        walk.dir.clone_from(&item.dir);
        walk.env.clone_from(&item.env);
        walk.lost = walk.elsewhere(known);
        let mut leave = |command: &str, reason: &str| {
            left_out.push(LeftOut {
                command: command.to_owned(),
                place: item.place.clone(),
                reason: reason.to_owned(),
            });
        };
        if let Some(os) = item.os.filter(|os| *os != Os::Linux) {
            leave(&item.text, &format!("is for {os:?}"));
            continue;
        }
        if let Some(shell) = &item.shell {
            leave(
                &item.text,
                &format!("is written for {shell}, not for a POSIX shell"),
            );
            continue;
        }
        if let Some(reason) = needs_container(item) {
            leave(&item.text, reason);
            continue;
        }
        let text = typed(&item.text);
        let Some(statements) = shell::statements(&text) else {
            leave(&item.text, "is not plain shell");
            continue;
        };
        for statement in statements {
            match walk.step(item, &statement, known) {
                Step::Command(command) => found.push(*command),
                Step::Silent => {}
                Step::LeftOut(reason) => leave(&statement.text, &reason),
            }
        }
    }
    (found, left_out)
}

/// A target whose recipe starts a container asks for an engine, which a sandbox has none of.
fn needs_container(item: &Evidence) -> Option<&'static str> {
    if item.source != CommandSource::TaskRunner {
        return None;
    }
    let (_, recipe) = item.context.split_once(": ")?;
    let engine = |part: &str| {
        let normal = normal(part);
        matches!(
            normal.split(' ').next(),
            Some("docker" | "podman" | "docker-compose" | "buildah" | "$(DOCKER)" | "vagrant")
        )
    };
    recipe
        .split([';', '&', '|'])
        .any(engine)
        .then_some("its recipe needs a container engine")
}

/// The typed lines of a transcript, or the whole text where no line has a prompt.
fn typed(text: &str) -> String {
    if !text.lines().any(|line| PROMPT.is_match(line)) {
        return text.to_owned();
    }
    let mut lines = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        let typed = PROMPT.captures(line).and_then(|found| found.get(1));
        match typed {
            Some(command) => lines.push(command.as_str()),
            None if continued => lines.push(line),
            None => continue,
        }
        continued = line.trim_end().ends_with('\\');
    }
    lines.join("\n")
}

enum Step {
    Command(Box<Found>),
    /// Changed where and how the next statements run.
    Silent,
    LeftOut(String),
}

impl Walk {
    fn step(&mut self, item: &Evidence, statement: &Statement, known: &Known) -> Step {
        let words = shlex::split(&statement.text).unwrap_or_default();
        let first = words.first().map_or("", String::as_str);
        if let Some(reason) = &self.lost {
            return Step::LeftOut(reason.clone());
        }
        if !statement.compound {
            match first {
                "cd" | "pushd" => return self.change(&words, known),
                "popd" => {
                    self.dir = self.stack.pop().unwrap_or_default();
                    return Step::Silent;
                }
                "mkdir" => {
                    let names = words.iter().skip(1).filter(|word| !word.starts_with('-'));
                    self.restart(&words);
                    self.made
                        .extend(names.map(|name| join(&self.dir, name)).collect::<Vec<_>>());
                    self.done.push((self.dir.clone(), statement.text.clone()));
                    return Step::Silent;
                }
                "git" if words.get(1).is_some_and(|word| word == "clone") => {
                    self.cloned = clone_dir(&words);
                    return Step::LeftOut("fetches a repository: this one is here already".into());
                }
                _ => {}
            }
            if self.assign(&words) {
                return Step::Silent;
            }
        }
        Step::Command(Box::new(self.command(item, statement, &words, known)))
    }

    /// A CI step may stand in a directory that another step fetched.
    fn elsewhere(&self, known: &Known) -> Option<String> {
        let here = self.dir.as_str();
        let is_known = here.is_empty()
            || here.contains('$')
            || known.dirs.contains(here)
            || known.build_dirs.contains(here)
            || self.made.iter().any(|made| made == here);
        (!is_known).then(|| format!("runs in {here}, which the repository does not have"))
    }

    /// Making a directory again begins another try: what the first one did is no part of it.
    fn restart(&mut self, words: &[String]) {
        let mut names = words.iter().skip(1).filter(|word| !word.starts_with('-'));
        if names.any(|name| self.made.contains(&join(&self.dir, name))) {
            self.done.clear();
        }
    }

    fn change(&mut self, words: &[String], known: &Known) -> Step {
        let target = words.get(1).map_or("", String::as_str);
        let bare = target.trim_start_matches("./").trim_end_matches('/');
        let own_root = matches!(
            target,
            "$GITHUB_WORKSPACE" | "${GITHUB_WORKSPACE}" | "$CI_PROJECT_DIR"
        ) || target.contains("github.workspace");
        let next = if own_root {
            String::new()
        } else {
            join(&self.dir, bare)
        };
        let is_clone = (self.cloned.as_deref() == Some(bare) && same_name(bare, &known.repository))
            || (!known.dirs.contains(&next) && self.dir.is_empty() && bare == known.repository);
        if words.first().is_some_and(|word| word == "pushd") {
            self.stack.push(self.dir.clone());
        }
        if is_clone {
            self.dir = String::new();
        } else if target.is_empty() || target.starts_with(['/', '~', '-']) || next.starts_with("..")
        {
            self.lost = Some(format!("runs outside of the repository (cd {target})"));
        } else if !own_root && target.contains(['$', '`', '*', '<']) {
            self.lost = Some(format!(
                "runs in a directory that is not known (cd {target})"
            ));
        } else if known.dirs.contains(&next)
            || known.build_dirs.contains(&next)
            || self.made.contains(&next)
        {
            self.dir = next;
        } else {
            self.lost = Some(format!(
                "runs in {next}, which the repository does not have"
            ));
        }
        Step::Silent
    }

    /// `export A=b` and `A=b`: variables of what follows. A value that must be computed is not one.
    fn assign(&mut self, words: &[String]) -> bool {
        let rest = match words.first().map(String::as_str) {
            Some("export") => words.get(1..).unwrap_or_default(),
            _ => words,
        };
        let pairs: Vec<(&str, &str)> = rest
            .iter()
            .filter_map(|word| word.split_once('='))
            .collect();
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if rest.is_empty() || pairs.len() != rest.len() || !pairs.iter().all(|(n, _)| is_name(n)) {
            return words.first().is_some_and(|word| word == "export");
        }
        for (name, value) in pairs {
            if !value.contains(['$', '`']) {
                self.env.insert(name.to_owned(), value.to_owned());
            }
        }
        true
    }

    /// Statements so far, but for those that concern only other directories that the group made.
    fn before(&self, own: &[&String]) -> Vec<(String, String)> {
        let others: Vec<&String> = self
            .made
            .iter()
            .filter(|made| !own.contains(made))
            .collect();
        let about = |made: &str, dir: &str, text: &str| {
            let words = shlex::split(text).unwrap_or_default();
            let words = without_assignments(&words);
            let named: Vec<String> = build_dirs(words).map(|name| join(dir, &name)).collect();
            concerns(made, dir, &named, words)
        };
        let done = self.done.iter().filter(|(dir, text)| {
            own.iter().any(|made| about(made, dir, text))
                || !others.iter().any(|made| about(made, dir, text))
        });
        done.cloned().collect()
    }

    fn command(
        &mut self,
        item: &Evidence,
        statement: &Statement,
        words: &[String],
        known: &Known,
    ) -> Found {
        let words = without_assignments(words);
        let named: Vec<String> = build_dirs(words).map(|dir| join(&self.dir, &dir)).collect();
        let creates = matches!(words.first().map(String::as_str), Some("cmake" | "meson"))
            && words
                .iter()
                .any(|word| word.starts_with("-B") || word == "setup");
        let own: Vec<&String> = self
            .made
            .iter()
            .filter(|made| !known.build_dirs.contains(*made))
            .filter(|made| concerns(made, &self.dir, &named, words))
            .collect();
        let in_build_dir = !own.is_empty()
            || named.iter().any(|dir| known.build_dirs.contains(dir))
            || known.build_dirs.contains(&self.dir);
        let before = if own.is_empty() {
            Vec::new()
        } else {
            self.before(&own)
        };
        if creates {
            self.made.extend(named);
        }
        self.done.push((self.dir.clone(), statement.text.clone()));
        let (trust, rank) = item.trust();
        let text = statement.text.clone();
        let shown: String = normal(&text).chars().take(80).collect();
        Found {
            because: Because {
                place: item.place.clone(),
                text: told(item, &shown),
                trust,
            },
            command: text,
            compound: statement.compound,
            dir: self.dir.clone(),
            env: self.env.clone(),
            trust,
            rank,
            unresolved: item.unresolved.clone(),
            before,
            in_build_dir: in_build_dir || creates,
            note: None,
        }
    }
}

/// Under which heading, job or target a command stands, in which row of a matrix, and the command itself.
fn told(item: &Evidence, shown: &str) -> String {
    let row: Vec<String> = item
        .row
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let context = match row.is_empty() {
        true => item.context.clone(),
        false => format!("{} [{}]", item.context, row.join(", ")),
    };
    match context.trim() {
        "" => shown.to_owned(),
        context => format!("{context} ({shown})"),
    }
}

/// `CC=gcc meson setup b` is `meson setup b`.
fn without_assignments(words: &[String]) -> &[String] {
    let first = words
        .iter()
        .position(|word| !word.contains('=') || word.starts_with('-'));
    words.get(first.unwrap_or(0)..).unwrap_or_default()
}

/// True where a statement runs in the directory `made`, or names it.
fn concerns(made: &str, dir: &str, named: &[String], words: &[String]) -> bool {
    let within =
        |path: &str| path == made || path.strip_prefix(made).is_some_and(|r| r.starts_with('/'));
    within(dir)
        || named.iter().any(|name| name == made)
        || words.iter().any(|word| within(&join(dir, word)))
}

/// `zap` and `zap-1.0` are one repository, and so are `Zap` and `zap`.
fn same_name(clone: &str, repository: &str) -> bool {
    let plain = |name: &str| {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>().to_lowercase()
    };
    let (clone, repository) = (plain(clone), plain(repository));
    !clone.is_empty() && (repository.starts_with(&clone) || clone.starts_with(&repository))
}

/// The directory that `git clone` makes.
fn clone_dir(words: &[String]) -> Option<String> {
    let mut plain = words
        .iter()
        .skip(2)
        .skip_while(|word| word.starts_with('-') || !word.contains(['/', ':']));
    let address = plain.next()?;
    let name = plain.next().cloned().or_else(|| {
        let last = address.trim_end_matches('/').rsplit(['/', ':']).next()?;
        Some(last.trim_end_matches(".git").to_owned())
    })?;
    Some(name)
}
