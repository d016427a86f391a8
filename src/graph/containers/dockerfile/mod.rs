//! Dockerfiles (Dockerfile reference): each RUN is a command, with the FROM, ARG, ENV, WORKDIR, COPY and SHELL before
//! it; the image of FROM carries toolchains.

mod instructions;
#[cfg(test)]
pub(super) mod testing;

use std::collections::{BTreeMap, HashMap};

use crate::evidence::{Place, Trust};
use crate::graph::shell::is_directory;
use crate::graph::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, Os};
use crate::scan::Repository;

use super::images;
use instructions::{Instruction, Run};

/// What a build has set up at one point of a stage.
#[derive(Debug, Clone, Default)]
struct Stage {
    image: String,
    env: BTreeMap<String, String>,
    args: BTreeMap<String, String>,
    /// Absolute path within the image; empty where it is not known.
    workdir: String,
    /// Absolute destination → path in the repository.
    copies: Vec<(String, String)>,
    shell: Option<String>,
    os: Option<Os>,
}

struct Machine<'a> {
    repository: &'a Repository,
    graph: &'a mut KnowledgeGraph,
    path: &'a str,
    file: NodeId,
    /// Directory that the build's context most likely is.
    context: String,
    /// Arguments before the first FROM.
    args: BTreeMap<String, String>,
    stages: HashMap<String, Stage>,
    name: Option<String>,
    stage: Stage,
}

pub(super) fn read(repository: &Repository, graph: &mut KnowledgeGraph, path: &str, text: &str) {
    let Some(file) = graph.file(path) else { return };
    let instructions = instructions::read(text);
    let mut machine = Machine {
        repository,
        graph,
        path,
        file,
        context: context(repository, path, &instructions),
        args: BTreeMap::new(),
        stages: HashMap::new(),
        name: None,
        stage: Stage::default(),
    };
    for instruction in &instructions {
        machine.step(instruction);
    }
    machine.start(&instructions);
}

/// The context is the root, but for a Dockerfile in a directory that has what it copies while the root has not.
fn context(repository: &Repository, path: &str, instructions: &[Instruction]) -> String {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    if dir.is_empty() {
        return String::new();
    }
    let exists = |path: &str| repository.has(path) || is_directory(repository, path);
    let copied = instructions
        .iter()
        .filter(|found| matches!(found.keyword.as_str(), "COPY" | "ADD"));
    for source in copied.flat_map(|found| sources(&found.rest)) {
        let source = plain(&source);
        if source.is_empty() || source.contains(['*', '?', '$', '[']) {
            continue;
        }
        if !exists(source) && exists(&format!("{dir}/{source}")) {
            return dir.to_owned();
        }
        if exists(source) {
            return String::new();
        }
    }
    let alone = crate::graph::documents::is_project(repository, dir);
    if alone { dir.to_owned() } else { String::new() }
}

/// The sources of a COPY or ADD from the context.
fn sources(rest: &str) -> Vec<String> {
    let mut words = copy_words(rest);
    words.pop();
    words
}

/// Sources and destination; empty for a copy from another stage.
fn copy_words(rest: &str) -> Vec<String> {
    let rest = rest.replace("\\\n", " ");
    if rest.contains("--from=") || rest.contains("<<") {
        return Vec::new();
    }
    let rest: Vec<&str> = rest
        .split_whitespace()
        .skip_while(|word| word.starts_with("--"))
        .collect();
    let rest = rest.join(" ");
    instructions::exec_form(&rest).unwrap_or_else(|| rest.split(' ').map(str::to_owned).collect())
}

/// A path without `./` before and `/` behind it.
fn plain(path: &str) -> &str {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path == "." { "" } else { path }
}

/// `dir/path`, either of which may be empty.
fn join(dir: &str, path: &str) -> String {
    match (dir, path) {
        ("", path) => path.to_owned(),
        (dir, "") => dir.to_owned(),
        (dir, path) => format!("{dir}/{path}"),
    }
}

impl Machine<'_> {
    fn step(&mut self, instruction: &Instruction) {
        match instruction.keyword.as_str() {
            "FROM" => self.from(instruction),
            "ARG" => self.arg(&instruction.rest),
            "ENV" => {
                for (name, value) in instructions::variables(&instruction.rest) {
                    let value = self.filled(&value);
                    if value.contains('$') {
                        self.stage.env.remove(&name);
                    } else {
                        self.stage.env.insert(name, value);
                    }
                }
            }
            "WORKDIR" => {
                let to = self.filled(instruction.rest.trim().trim_matches('"'));
                self.stage.workdir = absolute(&self.stage.workdir, &to);
            }
            "COPY" | "ADD" => self.copy(&instruction.rest),
            "SHELL" => {
                let words = instructions::exec_form(&instruction.rest).unwrap_or_default();
                self.stage.shell = words.first().and_then(|program| foreign(program));
            }
            "RUN" => {
                let run = instructions::command(&instruction.rest);
                self.run(instruction, run, format!("FROM {}", self.stage.image));
            }
            _ => {}
        }
    }

    /// `FROM [--platform=…] image [AS name]`.
    fn from(&mut self, instruction: &Instruction) {
        let ended = std::mem::take(&mut self.stage);
        if let Some(name) = self.name.take() {
            self.stages.insert(name, ended);
        }
        let words = instruction.rest.split_whitespace();
        let mut words = words.filter(|word| !word.starts_with("--"));
        let written = words.next().unwrap_or_default();
        let named = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("as"));
        self.name = words.next().filter(|_| named).map(str::to_ascii_lowercase);
        let image = filled(written, &|name| self.args.get(name).cloned());
        if let Some(before) = self.stages.get(&image.to_ascii_lowercase()) {
            // A stage on top of another goes on where that ended; arguments end with their stage.
            self.stage = before.clone();
            self.stage.args.clear();
            return;
        }
        let windows = ["windows", "nanoserver", "servercore"]
            .iter()
            .any(|name| image.contains(name));
        self.stage.os = Some(if windows { Os::Windows } else { Os::Linux });
        self.stage.shell = windows.then(|| "cmd".to_owned());
        if !image.contains('$') {
            for (tool, requirement) in images::tools(&image) {
                self.tool(&tool, requirement, instruction.line);
            }
        }
        self.stage.image = image;
    }

    /// A maintainer's image says less than a manifest: what is deployed may be older or newer than what is built.
    fn tool(&mut self, name: &str, requirement: Option<String>, line: u32) {
        let facts = Facts::Tool {
            requirement,
            trust: Trust::Document,
        };
        let known = self.graph.out(self.file, EdgeKind::Declares);
        if !known
            .iter()
            .any(|node| node.name == name && node.facts == facts)
        {
            let node = self
                .graph
                .add(name, Some(Place::new(self.path, line)), facts);
            self.graph.link(self.file, node, EdgeKind::Declares);
        }
    }

    fn arg(&mut self, rest: &str) {
        for word in shlex::split(&rest.replace("\\\n", " ")).unwrap_or_default() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(self.filled(value))),
                // Taken over from before the first FROM.
                None => (word.clone(), self.args.get(&word).cloned()),
            };
            let Some(value) = value else { continue };
            if self.stage.image.is_empty() {
                self.args.insert(name, value);
            } else {
                self.stage.args.insert(name, value);
            }
        }
    }

    fn filled(&self, text: &str) -> String {
        let stage = &self.stage;
        filled(text, &|name| {
            let of_stage = stage.env.get(name).or_else(|| stage.args.get(name));
            let global = self.args.get(name).filter(|_| stage.image.is_empty());
            of_stage.or(global).cloned()
        })
    }

    fn copy(&mut self, rest: &str) {
        let mut words = copy_words(rest);
        let Some(to) = words.pop() else { return };
        let to = absolute(&self.stage.workdir, &self.filled(&to));
        for source in words {
            let source = join(&self.context, plain(&source));
            if source.is_empty() || is_directory(self.repository, &source) {
                self.stage.copies.push((to.clone(), source));
            }
        }
    }

    /// The directory of the repository that the working directory is a copy of.
    fn dir(&self) -> String {
        let at = self.stage.workdir.as_str();
        let under = |to: &str| {
            let rest = at.strip_prefix(to)?;
            (rest.is_empty() || rest.starts_with('/') || to.ends_with('/'))
                .then(|| rest.trim_matches('/').to_owned())
        };
        let copies = self.stage.copies.iter();
        let best = copies
            .filter_map(|(to, source)| Some((to.len(), join(source, &under(to)?))))
            .filter(|(_, dir)| dir.is_empty() || is_directory(self.repository, dir))
            .max_by_key(|(length, _)| *length);
        match best {
            Some((_, dir)) => dir,
            // Nothing was copied yet, or all of it by mounts: a directory of the same name, else the context.
            None => {
                let name = at.trim_start_matches('/');
                if is_directory(self.repository, name) && !name.is_empty() {
                    name.to_owned()
                } else {
                    self.context.clone()
                }
            }
        }
    }

    fn run(&mut self, instruction: &Instruction, run: Run, context: String) {
        if run.text.trim().is_empty() {
            return;
        }
        let mut env = self.stage.env.clone();
        for (name, value) in &self.stage.args {
            // Arguments are variables of a RUN too; those that the text names are kept.
            if run.text.contains(name.as_str()) && !value.contains('$') {
                env.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let facts = CommandFacts {
            dir: self.dir(),
            env,
            os: self.stage.os.or(Some(Os::Linux)),
            context,
            shell: run.interpreter.or_else(|| self.stage.shell.clone()),
            ..CommandFacts::new(run.text.clone(), CommandSource::Dockerfile)
        };
        let place = Place::new(self.path, instruction.line + run.row);
        let node = self.graph.add(run.text, Some(place), Facts::Command(facts));
        self.graph.link(self.file, node, EdgeKind::Contains);
    }

    /// What a container of the last stage starts, where that is the program itself: ENTRYPOINT with CMD behind it.
    fn start(&mut self, instructions: &[Instruction]) {
        let last = instructions
            .iter()
            .rposition(|found| found.keyword == "FROM")
            .unwrap_or(0);
        let stage = instructions.get(last..).unwrap_or_default();
        let of = |keyword: &str| stage.iter().rev().find(|found| found.keyword == keyword);
        let (entry, cmd) = (of("ENTRYPOINT"), of("CMD"));
        let Some(first) = entry.or(cmd) else { return };
        let words = |found: &Instruction| instructions::exec_form(&found.rest);
        let run = match (entry.and_then(words), cmd.and_then(words)) {
            (Some(mut words_of_entry), Some(more)) => {
                words_of_entry.extend(more);
                let text = shlex::try_join(words_of_entry.iter().map(String::as_str));
                Run {
                    text: text.unwrap_or_default(),
                    row: 0,
                    interpreter: None,
                }
            }
            _ => instructions::command(&first.rest),
        };
        let program = run.text.split_whitespace().next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or(program);
        // A shell is where a person goes on.
        if run.text.split_whitespace().count() > 1
            || !matches!(name, "sh" | "bash" | "zsh" | "fish")
        {
            self.run(first, run, first.keyword.clone());
        }
    }
}

/// The interpreter of a SHELL instruction that is no POSIX shell.
fn foreign(program: &str) -> Option<String> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.trim_end_matches(".exe");
    (!matches!(name, "sh" | "bash" | "ash" | "dash" | "zsh")).then(|| name.to_owned())
}

/// `to` seen from `from`, `.` and `..` resolved.
fn absolute(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let base = if to.starts_with('/') { "" } else { from };
    for part in base.split('/').chain(to.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}` replaced where they are known.
fn filled(text: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        let (expression, next) = match after
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
        {
            Some(parts) => parts,
            None => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                after.split_at_checked(end).unwrap_or((after, ""))
            }
        };
        let (name, default) = match expression.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (expression, None),
        };
        let value = known(name).or_else(|| default.map(str::to_owned));
        match value.filter(|_| !name.is_empty()) {
            Some(value) => result.push_str(&value),
            None => {
                result.push('$');
                let written = after.len() - next.len();
                result.push_str(after.get(..written).unwrap_or_default());
            }
        }
        rest = next;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::testing::{repository, shown};
    use super::*;

    #[test]
    fn stages_arguments_and_directories() {
        let text = "ARG PY=3.11\nFROM python:${PY}-slim AS base\nARG EXTRA=dev\nENV HOME2=/x BIN=\"$HOME2/bin\" PATH=$PATH:/y\nWORKDIR /app\nCOPY sub/ /app/\nRUN pip install .[$EXTRA]\nFROM base\nCOPY . /src\nWORKDIR /src/sub\nRUN [\"make\", \"all\"]\nSHELL [\"powershell\", \"-c\"]\nRUN dir\nFROM golang:1.22 AS last\nCOPY --from=base /app /sub\nWORKDIR /go\nRUN go build ./...\nENTRYPOINT [\"/bin/thing\"]\nCMD [\"--help\"]\n";
        insta::assert_snapshot!(shown("Dockerfile", text), @"
        2: tool python 3.11
        7: [sub] pip install .[$EXTRA] (FROM python:3.11-slim) BIN=/x/bin EXTRA=dev HOME2=/x
        11: [sub] make all (FROM python:3.11-slim) BIN=/x/bin HOME2=/x
        13: [sub] dir (FROM python:3.11-slim) <powershell> BIN=/x/bin HOME2=/x
        14: tool go 1.22
        17: [] go build ./... (FROM golang:1.22)
        18: [] /bin/thing --help (ENTRYPOINT)
        ");
    }

    #[test]
    fn the_context_is_where_the_sources_are() {
        let read = |text: &str, path: &str| {
            let repository = repository(path, text);
            context(&repository.1, path, &instructions::read(text))
        };
        assert_eq!(read("FROM x\nCOPY a.c .\n", "sub/Dockerfile"), "sub");
        assert_eq!(read("FROM x\nCOPY sub/a.c .\n", "sub/Dockerfile"), "");
        assert_eq!(read("FROM x\nCOPY . .\n", "sub/Dockerfile"), "");
    }

    #[test]
    fn variables_are_filled_where_they_are_known() {
        let known = |name: &str| (name == "A").then(|| "b".to_owned());
        for (text, expected) in [
            ("x-$A-${A}", "x-b-b"),
            ("${B:-c}", "c"),
            ("$B/${B}", "$B/${B}"),
            ("a$", "a$"),
            ("${A", "${A"),
            ("$é", "$é"),
        ] {
            assert_eq!(filled(text, &known), expected, "{text}");
        }
    }
}
