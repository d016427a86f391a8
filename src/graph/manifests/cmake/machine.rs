//! Walks the commands: variables, conditions, functions, includes and subdirectories.

mod blocks;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::evidence::Place;
use crate::graph::Scope;

use super::super::Reading;
use super::super::drafts::Draft;
use super::super::tree::{base, join, parent};
use super::commands;
use super::condition::{self, Names, Verdict};
use super::lexer::{self, Arg, ArgKind, Command};

/// Where the repository's root stands in paths that CMake variables hold.
pub const ROOT: &str = "/src";

pub struct Machine<'r, 'a> {
    pub reading: &'r mut Reading<'a>,
    /// Directory of the top project.
    pub top: String,
    /// The file being read and the directory of its list file.
    pub file: String,
    pub dir: String,
    /// `None`: set to something that is not known.
    pub vars: BTreeMap<String, Option<String>>,
    /// What variables hold if the conditions that are not known are met: for lists of what is looked for, not for `if()`.
    pub maybe: BTreeMap<String, String>,
    pub options: BTreeSet<String>,
    pub test_options: BTreeSet<String>,
    /// Defaults of the options and where they are declared.
    pub declared: BTreeMap<String, (Option<String>, Place)>,
    pub targets: BTreeMap<String, Target>,
    /// Result variable → the fact it belongs to, for `message(FATAL_ERROR)` that follows.
    pub results: BTreeMap<String, usize>,
    guards: Vec<Guard>,
    functions: BTreeMap<String, Rc<Function>>,
    /// Commands still to be run, and nesting of files and calls.
    budget: u32,
    depth: u8,
}

pub struct Target {
    pub place: Place,
    pub output: Option<String>,
    pub installed: bool,
    /// Tests, or under a condition that is false by default.
    pub hidden: bool,
    pub library: bool,
}

struct Guard {
    verdict: Verdict,
    text: String,
    /// An earlier branch of the same `if` is taken.
    earlier: Option<bool>,
}

struct Function {
    params: Vec<String>,
    body: Vec<Command>,
}

/// How sure it is that a command runs.
pub struct Standing {
    pub value: Option<bool>,
    pub scope: Scope,
    /// The condition that is false or not known.
    pub condition: String,
}

const BUDGET: u32 = 100_000;
const MAX_DEPTH: u8 = 24;
const MAX_ITERATIONS: usize = 64;
const MAX_VALUE: usize = 64 << 10;

impl<'r, 'a> Machine<'r, 'a> {
    pub fn new(reading: &'r mut Reading<'a>) -> Self {
        let dir = reading.dir.to_owned();
        let root = absolute(&dir);
        let mut vars: BTreeMap<String, Option<String>> = names::PLATFORM
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned())))
            .collect();
        for name in ["CMAKE_SYSTEM_PROCESSOR", "CMAKE_HOST_SYSTEM_PROCESSOR"] {
            vars.insert(name.to_owned(), Some(std::env::consts::ARCH.to_owned()));
        }
        for name in [
            "CMAKE_SOURCE_DIR",
            "PROJECT_SOURCE_DIR",
            "CMAKE_CURRENT_SOURCE_DIR",
            "CMAKE_CURRENT_LIST_DIR",
        ] {
            vars.insert(name.to_owned(), Some(root.clone()));
        }
        Self {
            file: reading.path.to_owned(),
            top: dir.clone(),
            dir,
            reading,
            vars,
            maybe: BTreeMap::new(),
            options: BTreeSet::new(),
            test_options: BTreeSet::new(),
            declared: BTreeMap::new(),
            targets: BTreeMap::new(),
            results: BTreeMap::new(),
            guards: Vec::new(),
            functions: BTreeMap::new(),
            budget: BUDGET,
            depth: 0,
        }
    }

    pub fn draft(&mut self) -> &mut Draft {
        self.reading.drafts.project("cmake", &self.top)
    }

    pub fn place(&self, line: u32) -> Place {
        Place::new(&self.file, line)
    }

    pub fn run(&mut self, commands: &[Command]) {
        let floor = self.guards.len();
        let mut at = 0;
        while let Some(command) = commands.get(at) {
            at += 1;
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            match command.name.as_str() {
                "if" => {
                    self.enter(&command.args, Some(false));
                }
                "elseif" | "else" if self.guards.len() > floor => self.branch(command),
                "endif" if self.guards.len() > floor => {
                    self.guards.pop();
                }
                "foreach" | "while" | "function" | "macro" => at = self.block(commands, at - 1),
                "return" if self.standing().value == Some(true) => break,
                _ => self.simple(command),
            }
        }
        self.guards.truncate(floor);
    }

    /// Opens a branch; says whether its own condition is false.
    fn enter(&mut self, args: &[Arg], earlier: Option<bool>) -> bool {
        let mut verdict = condition::evaluate(args, self);
        let false_itself = verdict.value == Some(false);
        verdict.value = match (earlier, verdict.value) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), value) => value,
            (None, _) => None,
        };
        let text: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        let mut text = text.join(" ");
        text.truncate(
            text.char_indices()
                .nth(120)
                .map_or(text.len(), |(at, _)| at),
        );
        self.guards.push(Guard {
            verdict,
            text,
            earlier,
        });
        false_itself
    }

    fn branch(&mut self, command: &Command) {
        let Some(last) = self.guards.pop() else {
            return;
        };
        let earlier = match (last.earlier, last.verdict.value) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        if command.name == "elseif" {
            let false_itself = self.enter(&command.args, earlier);
            if !false_itself && let Some(top) = self.guards.last_mut() {
                top.verdict.options.extend(last.verdict.options);
            }
            return;
        }
        let verdict = Verdict {
            value: earlier.map(|taken| !taken),
            options: last.verdict.options,
        };
        self.guards.push(Guard {
            verdict,
            text: format!("NOT ({})", last.text),
            earlier,
        });
    }

    fn nested(&mut self, action: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            action(self);
            self.depth -= 1;
        }
    }

    fn simple(&mut self, command: &Command) {
        if let Some(function) = self.functions.get(&command.name).cloned() {
            self.call(&function, command);
        } else {
            commands::run(self, command);
        }
    }

    /// Notes what a variable may come to hold; `extend`: added to what it holds.
    pub fn may_hold(&mut self, name: &str, value: &str, extend: bool) {
        if self.standing().value == Some(false) || self.maybe.len() > 5000 {
            return;
        }
        let before = match self.vars.get(name) {
            Some(Some(known)) => known.clone(),
            _ => self.maybe.get(name).cloned().unwrap_or_default(),
        };
        let value = lexer::without_unknown(value);
        let mut all: Vec<&str> = if extend {
            before.split(';').collect()
        } else {
            Vec::new()
        };
        all.extend(value.split(';'));
        all.retain(|part| !part.is_empty());
        let joined = all.join(";");
        if joined.len() < MAX_VALUE {
            self.maybe.insert(name.to_owned(), joined);
        }
    }

    /// Words in which a reference that is not known stands for what it may hold.
    pub fn words_maybe(&self, args: &[Arg]) -> Vec<(String, u32)> {
        let mut words = Vec::new();
        for (word, line) in self.words(args) {
            let name = word
                .strip_prefix("${")
                .and_then(|rest| rest.strip_suffix('}'));
            match name.and_then(|name| self.maybe.get(name)) {
                Some(value) => words.extend(value.split(';').map(|part| (part.to_owned(), line))),
                None => words.push((word, line)),
            }
        }
        words
    }

    /// Sets a variable; under a condition that is not known its value is not known either.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        let value = match self.standing().value {
            Some(true) => value.filter(|value| value.len() < MAX_VALUE),
            Some(false) => return,
            None => None,
        };
        if self.vars.len() < 50_000 {
            self.vars.insert(name.to_owned(), value);
        }
    }

    /// Arguments after expansion, with their lines. A reference that is not known stays as written.
    pub fn words(&self, args: &[Arg]) -> Vec<(String, u32)> {
        let mut words = Vec::new();
        for arg in args {
            match arg.kind {
                ArgKind::Bracket | ArgKind::Paren => words.push((arg.text.clone(), arg.line)),
                ArgKind::Quoted => {
                    words.push((self.expand(&arg.text).unwrap_or(arg.text.clone()), arg.line))
                }
                ArgKind::Unquoted => {
                    let text = self.expand(&arg.text).unwrap_or(arg.text.clone());
                    let parts = text.split(';').filter(|part| !part.is_empty());
                    words.extend(parts.map(|part| (part.to_owned(), arg.line)));
                }
            }
        }
        words
    }

    /// How sure it is that the current command runs, and what for.
    pub fn standing(&self) -> Standing {
        let is_test = |guard: &Guard| {
            guard
                .verdict
                .options
                .iter()
                .any(|name| self.test_options.contains(name))
        };
        let mut standing = Standing {
            value: Some(true),
            scope: Scope::Build,
            condition: String::new(),
        };
        if is_test_dir(&self.dir) || self.guards.iter().any(is_test) {
            standing.scope = Scope::Test;
        }
        for guard in &self.guards {
            // Tests are wanted, whatever the default of their option.
            if guard.verdict.value == Some(true) || is_test(guard) {
                continue;
            }
            if standing.value == Some(true) || guard.verdict.value == Some(false) {
                standing.condition = guard.verdict.options.first().unwrap_or(&guard.text).clone();
            }
            if guard.verdict.value == Some(false) {
                standing.value = Some(false);
                standing.scope = Scope::Optional(standing.condition.clone());
                return standing;
            }
            standing.value = None;
        }
        standing
    }

    /// Conditions around the current command, outermost first.
    pub fn conditions(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.guards.iter().map(|guard| guard.text.as_str())
    }

    /// Options that are off and whose being on the current command waits for.
    pub fn guarding_options(&self) -> Vec<String> {
        self.guards
            .iter()
            .filter(|guard| guard.verdict.value == Some(false) && !guard.text.contains("NOT "))
            .flat_map(|guard| guard.verdict.options.iter().cloned())
            .collect()
    }

    /// Runs a file of the repository in the current scope.
    pub fn include(&mut self, path: &str) {
        let Some(text) = self.reading.tree.read(path) else {
            return;
        };
        self.reading.drafts.claim(path);
        let format = self.reading.format;
        self.draft().manifest(path, format);
        let commands = lexer::parse(&text);
        let file = std::mem::replace(&mut self.file, path.to_owned());
        let list = self.vars.insert(
            "CMAKE_CURRENT_LIST_DIR".to_owned(),
            Some(absolute(parent(path))),
        );
        self.nested(|machine| machine.run(&commands));
        self.file = file;
        self.vars
            .insert("CMAKE_CURRENT_LIST_DIR".to_owned(), list.flatten());
    }

    /// Runs a subdirectory's list file in a scope of its own.
    pub fn subdirectory(&mut self, word: &str) {
        let Some(dir) = self.resolve(word) else {
            return;
        };
        let path = join(&dir, "CMakeLists.txt").unwrap_or_default();
        if self.reading.drafts.is_claimed(&path) {
            return;
        }
        let vars = self.vars.clone();
        let outer = std::mem::replace(&mut self.dir, dir.clone());
        self.vars
            .insert("CMAKE_CURRENT_SOURCE_DIR".to_owned(), Some(absolute(&dir)));
        self.include(&path);
        self.dir = outer;
        self.vars = vars;
    }

    /// A path of the repository from a path as a list file writes it.
    pub fn resolve(&self, word: &str) -> Option<String> {
        let word = self.expand(word)?;
        match word.strip_prefix(ROOT) {
            Some(rest) => join("", rest.trim_start_matches('/')),
            None => join(&self.dir, &word),
        }
    }

    /// The file of a module: on the module path, else the only one of its name.
    pub fn module(&self, name: &str) -> Option<String> {
        let file = format!("{name}.cmake");
        let path = self
            .vars
            .get("CMAKE_MODULE_PATH")
            .cloned()
            .flatten()
            .unwrap_or_default();
        let on_path = path
            .split(';')
            .filter(|dir| !dir.is_empty())
            .filter_map(|dir| join(&self.resolve(dir)?, &file));
        let mut on_path = on_path.filter(|path| self.reading.tree.has(path));
        on_path.next().or_else(|| {
            let mut all = self
                .reading
                .tree
                .below(&self.top)
                .filter(|entry| base(&entry.path) == file);
            all.next().map(|entry| entry.path.clone())
        })
    }

    pub fn finish(mut self) {
        let tests = std::mem::take(&mut self.test_options);
        for (name, (value, place)) in std::mem::take(&mut self.declared) {
            let text = format!("{name}={}", value.unwrap_or_else(|| "?".to_owned()));
            if tests.contains(&name) {
                self.draft().attr("test-option", &text, place.clone());
            }
            self.draft().attr("option", text, place);
        }
        for (name, target) in std::mem::take(&mut self.targets) {
            commands::entry(self.draft(), name, target);
        }
    }
}

pub fn absolute(dir: &str) -> String {
    if dir.is_empty() {
        ROOT.to_owned()
    } else {
        format!("{ROOT}/{dir}")
    }
}

fn is_test_dir(dir: &str) -> bool {
    dir.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        matches!(
            part.as_str(),
            "test" | "tests" | "testing" | "unittest" | "unittests" | "unit_tests" | "testsuite"
        )
    })
}
