//! Where the readers of CI files put what they find.

use std::collections::{BTreeMap, HashSet};

use crate::evidence::{Place, Trust};
use crate::graph::containers::images;
use crate::graph::shell::{ShellCommand, Start, split};
use crate::graph::yaml::{Mark, Yaml};
use crate::graph::{
    CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, packages,
};
use crate::scan::{Repository, read_text};

use super::Script;

/// Bytes of a workflow that is read.
const MAX_WORKFLOW: u64 = 512 * 1024;

const TOO_LARGE: &str = "not read: larger than 512 KiB";

/// Files that one repository's workflows lead to.
const MAX_FILES: usize = 500;

/// Tools, services and packages of one file that are kept.
const MAX_DECLARED: usize = 500;

/// Scripts of a repository that are split; templates within templates multiply them.
const MAX_SCRIPTS: usize = 5000;

/// Texts of other rows that a command keeps.
const MAX_ALTERNATIVES: usize = 8;

pub(super) struct Emit<'a> {
    pub(super) repository: &'a Repository,
    graph: &'a mut KnowledgeGraph,
    /// Files read, by the number in their values' marks.
    files: Vec<(String, NodeId)>,
    /// What was put down already: a template that two jobs use says the same twice.
    seen: HashSet<(u16, u32, String, String)>,
    scripts: usize,
}

impl<'a> Emit<'a> {
    pub(super) fn new(repository: &'a Repository, graph: &'a mut KnowledgeGraph) -> Self {
        Self {
            repository,
            graph,
            files: Vec::new(),
            seen: HashSet::new(),
            scripts: 0,
        }
    }

    /// Whether some reader has asked for a file.
    pub(super) fn was_used(&self, path: &str) -> bool {
        self.files.iter().any(|(known, _)| known == path)
    }

    /// The path of a value's file.
    pub(super) fn path(&self, mark: Mark) -> &str {
        self.files
            .get(usize::from(mark.file))
            .map_or("", |(path, _)| path.as_str())
    }

    /// The first document of a file.
    pub(super) fn load(&mut self, path: &str) -> Option<Yaml> {
        self.documents(path).into_iter().next()
    }

    /// The same, without taking the file as used.
    pub(super) fn peek(&self, path: &str) -> Option<Yaml> {
        Yaml::parse(&self.content(path)?)
    }

    pub(super) fn documents(&mut self, path: &str) -> Vec<Yaml> {
        let Some((text, file)) = self.text(path) else {
            return Vec::new();
        };
        let (found, broken) = Yaml::documents_or_break(&text, file);
        if let Some(why) = broken {
            self.graph.warn(path, why);
        }
        found
    }

    /// The text of a file with its number.
    pub(super) fn text(&mut self, path: &str) -> Option<(String, u16)> {
        if self
            .repository
            .file(path)
            .is_some_and(|entry| entry.size > MAX_WORKFLOW)
        {
            self.graph.warn(path, TOO_LARGE);
        }
        let text = self.content(path)?;
        if let Some(at) = self.files.iter().position(|(known, _)| known == path) {
            return Some((text, u16::try_from(at).ok()?));
        }
        let node = self.graph.file(path)?;
        let file = u16::try_from(self.files.len()).ok()?;
        if self.files.len() >= MAX_FILES {
            return None;
        }
        self.files.push((path.to_owned(), node));
        Some((text, file))
    }

    fn content(&self, path: &str) -> Option<String> {
        let entry = self.repository.file(path)?;
        (entry.size <= MAX_WORKFLOW).then(|| read_text(self.repository, path))?
    }

    pub(super) fn script(&mut self, script: &Script) {
        self.scripts += 1;
        if script.text.trim().is_empty() || self.scripts > MAX_SCRIPTS {
            return;
        }
        if let Some(shell) = &script.shell {
            return self.foreign(script, shell.clone());
        }
        let start = Start {
            repository: self.repository,
            dir: &script.dir,
        };
        let others: Vec<Vec<ShellCommand>> = script
            .others
            .iter()
            .map(|text| split(text, &start))
            .collect();
        let commands = split(&script.text, &start);
        let count = commands.len();
        for (at, command) in commands.into_iter().enumerate() {
            let mut alternatives: Vec<String> = Vec::new();
            let others = others.iter().filter(|other| other.len() == count);
            for other in others.filter_map(|other| other.get(at)) {
                if other.text != command.text
                    && !alternatives.contains(&other.text)
                    && alternatives.len() < MAX_ALTERNATIVES
                {
                    alternatives.push(other.text.clone());
                }
            }
            let mark = script.lines.get(command.row as usize).copied();
            let mut facts = of_script(script, &command.text);
            facts.dir = command.dir;
            facts.env.extend(command.env);
            facts.alternatives = alternatives;
            self.command(facts, mark.unwrap_or_default());
        }
    }

    /// A script for another interpreter is one piece.
    fn foreign(&mut self, script: &Script, shell: String) {
        let mark = script.lines.first().copied().unwrap_or_default();
        let mut facts = of_script(script, script.text.trim_end());
        facts.dir = script.dir.clone();
        facts.shell = Some(shell);
        self.command(facts, mark);
    }

    fn command(&mut self, facts: CommandFacts, mark: Mark) {
        let name = facts.text.clone();
        let key = (mark.file, mark.line, name.clone(), facts.dir.clone());
        if self.seen.insert(key) {
            self.node(name, mark, Facts::Command(facts), EdgeKind::Contains);
        }
    }

    fn node(&mut self, name: String, mark: Mark, facts: Facts, edge: EdgeKind) {
        let Some((path, file)) = self.files.get(usize::from(mark.file)) else {
            return;
        };
        let place = Place::new(path.clone(), mark.line);
        let node = self.graph.add(name, Some(place), facts);
        self.graph.link(*file, node, edge);
    }

    /// Puts a declaration down once a file.
    fn declare(&mut self, name: &str, mark: Mark, facts: Facts) {
        let Some((_, file)) = self.files.get(usize::from(mark.file)) else {
            return;
        };
        let known = self.graph.out(*file, EdgeKind::Declares);
        let repeated = known
            .iter()
            .any(|node| node.name == name && node.facts == facts);
        if !repeated && known.len() < MAX_DECLARED && !name.is_empty() {
            self.node(name.to_owned(), mark, facts, EdgeKind::Declares);
        }
    }

    /// A tool with the version that CI sets up; said once a file for each version.
    pub(super) fn tool(&mut self, name: &str, requirement: Option<&str>, mark: Mark) {
        let facts = Facts::Tool {
            requirement: requirement.map(str::to_owned),
            trust: Trust::Ci,
        };
        self.declare(name, mark, facts);
    }

    /// The toolchains that a job's image carries.
    pub(super) fn image(&mut self, image: &str, mark: Mark) {
        for (tool, version) in images::tools(image) {
            self.tool(&tool, version.as_deref(), mark);
        }
    }

    pub(super) fn service(
        &mut self,
        name: &str,
        image: &str,
        ports: Vec<String>,
        env: BTreeMap<String, String>,
        mark: Mark,
    ) {
        let facts = Facts::Service {
            image: image.to_owned(),
            ports,
            env,
        };
        self.declare(name, mark, facts);
    }

    pub(super) fn package(&mut self, name: &str, mark: Mark) {
        if let Some((path, file)) = self.files.get(usize::from(mark.file)) {
            let place = Place::new(path.clone(), mark.line);
            packages::add_one(self.graph, *file, place, name, Trust::Ci);
        }
    }
}

/// A command of a script, with what holds for all of it.
fn of_script(script: &Script, text: &str) -> CommandFacts {
    let unresolved = script
        .unresolved
        .iter()
        .filter(|unknown| text.contains(*unknown));
    // What a shell could not have as a variable is none.
    let is_variable = |name: &str| {
        let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let env = script.env.iter().filter(|(name, _)| is_variable(name));
    CommandFacts {
        env: env
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        os: script.os,
        context: script.context.clone(),
        unresolved: unresolved.cloned().collect(),
        row: script.row.clone(),
        ..CommandFacts::new(text, CommandSource::Ci)
    }
}
