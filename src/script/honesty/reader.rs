//! Bash text → [`Facts`], over its syntax tree.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

use super::facts::{Call, Facts, Nested, Statement, Swallow, Write};
use super::knowledge::knowledge;
use super::words::{Variables, base_name, resolve, unwrap, word};

const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh"];
/// More commands than this on one side of `||` are not looked at one by one.
const SIDE: usize = 256;

/// Deeper trees than this are refused: nobody nests that deep, and looking at a node's parents costs its depth.
const DEPTH: usize = 256;
/// More commands and redirections than this are refused: each is compared with the repository's files.
const COMMANDS: usize = 4096;
/// Longest time for parsing; a text that takes longer was made to.
const PARSING: Duration = Duration::from_secs(2);

/// Reads a text. `None` where it nests too deep, holds too much, or cannot be parsed in a reasonable time.
pub fn read(text: &str, cwd: &str) -> Option<Facts> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let start = Instant::now();
    let mut progress = |_: &ParseState| {
        if start.elapsed() > PARSING {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let plain = crate::graph::ascii(text);
    let mut bytes = |at: usize, _| plain.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut bytes, None, Some(options))?;
    let mut reader = Reader {
        source: text,
        variables: Variables::new(),
        cwd: vec![cwd.to_owned()],
        functions: Vec::new(),
        conditions: 0,
        statements: HashMap::new(),
        facts: Facts::default(),
    };
    let mut cursor = tree.walk();
    loop {
        reader.enter(cursor.node());
        if reader.facts.calls.len() + reader.facts.writes.len() > COMMANDS {
            return None;
        }
        if cursor.goto_first_child() {
            if cursor.depth() as usize > DEPTH {
                return None;
            }
            continue;
        }
        loop {
            reader.leave(cursor.node());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Some(reader.facts);
            }
        }
    }
}

struct Reader<'t> {
    source: &'t str,
    variables: Variables,
    cwd: Vec<String>,
    functions: Vec<String>,
    conditions: usize,
    statements: HashMap<usize, Rc<Statement>>,
    facts: Facts,
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn statement(&mut self, node: Node<'_>) -> Rc<Statement> {
        if let Some(known) = self.statements.get(&node.id()) {
            return Rc::clone(known);
        }
        let text = self.text(node);
        let new = Rc::new(Statement {
            skips_tests: knowledge().passing_switches.is_match(text),
            inline: inline(text),
        });
        self.statements.insert(node.id(), Rc::clone(&new));
        new
    }

    fn here(&self) -> String {
        self.cwd.last().cloned().unwrap_or_default()
    }

    fn enter(&mut self, node: Node<'_>) {
        match node.kind() {
            "subshell" | "command_substitution" => self.cwd.push(self.here()),
            "if_statement"
            | "case_statement"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement" => {
                self.conditions += 1;
                if node.kind() == "if_statement" {
                    self.condition(node);
                }
            }
            "function_definition" => {
                let name = node
                    .child_by_field_name("name")
                    .map(|n| self.text(n).to_owned())
                    .unwrap_or_default();
                self.facts.definitions.push((line(node), name.clone()));
                self.functions.push(name);
                self.cwd.push(self.here());
            }
            "variable_assignment" => self.setting(node),
            "list" => self.list(node),
            "pipeline" => self.pipeline(node),
            "command" => self.command(node),
            "file_redirect" => self.redirect(node),
            "ERROR" => self.facts.unread.push(line(node)),
            _ if node.is_missing() => self.facts.unread.push(line(node)),
            _ => {}
        }
    }

    fn leave(&mut self, node: Node<'_>) {
        match node.kind() {
            "subshell" | "command_substitution" => {
                self.cwd.pop();
            }
            "function_definition" => {
                self.functions.pop();
                self.cwd.pop();
            }
            "if_statement"
            | "case_statement"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement" => {
                self.conditions = self.conditions.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn setting(&mut self, node: Node<'_>) {
        let name = node
            .child_by_field_name("name")
            .map(|n| self.text(n).to_owned())
            .unwrap_or_default();
        let value = node
            .child_by_field_name("value")
            .map(|n| word(n, self.source, &self.variables))
            .unwrap_or_default();
        // What a branch or a function sets is not known afterwards.
        if self.conditions > 0 || !self.functions.is_empty() || value.contains('$') {
            self.variables.remove(&name);
        } else if name != "repo" && name != "REPO" {
            self.variables.insert(name.clone(), value.clone());
        }
        self.facts.settings.push((line(node), name, value));
    }

    fn argv(&self, node: Node<'_>) -> Vec<String> {
        let mut argv = Vec::new();
        for index in 0..node.child_count() {
            let Some(child) = node.child(index) else {
                continue;
            };
            let is_part = child.is_named()
                && !child.kind().ends_with("_redirect")
                && child.kind() != "variable_assignment";
            if is_part || child.kind() == "==" || child.kind() == "=~" {
                argv.push(word(child, self.source, &self.variables));
            }
        }
        argv
    }

    fn command(&mut self, node: Node<'_>) {
        let whole = self.argv(node);
        for argument in &whole {
            // `env NAME=value command`, `export` in odd places.
            if let Some((name, value)) = argument.split_once('=') {
                self.facts
                    .settings
                    .push((line(node), name.to_owned(), value.to_owned()));
            }
        }
        let argv = unwrap(&whole).to_vec();
        let Some(program) = argv.first().cloned() else {
            return;
        };
        if program == "cd" {
            let to = argv
                .iter()
                .skip(1)
                .find(|a| !a.starts_with('-'))
                .cloned()
                .unwrap_or_default();
            let to = resolve(&self.here(), &to);
            if let Some(here) = self.cwd.last_mut() {
                *here = to;
            }
        }
        self.shell(node, &argv);
        let statement = self.statement(statement(node));
        let in_list = node.parent().is_some_and(|p| {
            p.kind() == "list" && p.child(0).is_some_and(|first| first.id() != node.id())
        });
        self.facts.calls.push(Call {
            line: line(node),
            cwd: self.here(),
            function: self.functions.last().cloned().unwrap_or_default(),
            unconditional: self.conditions == 0 && !in_list,
            statement,
            negated: node.parent().is_some_and(|p| p.kind() == "negated_command")
                && self.conditions == 0,
            argv,
        });
    }

    /// Texts that this command gives to a shell.
    fn shell(&mut self, node: Node<'_>, argv: &[String]) {
        let program = argv.first().map_or("", |p| base_name(p));
        let nested = |text: String, errexit: bool, pipefail: bool, cwd: String| Nested {
            line: line(node),
            text,
            errexit,
            pipefail,
            cwd,
        };
        if program == "eval" {
            let text = argv.get(1..).unwrap_or_default().join(" ");
            return self
                .facts
                .nested
                .push(nested(text, true, true, self.here()));
        }
        if !SHELLS.contains(&program) {
            return;
        }
        let is_flag = |a: &&String, flag: char| {
            a.starts_with('-') && !a.starts_with("--") && a.contains(flag)
        };
        let errexit = argv
            .iter()
            .skip(1)
            .any(|a| is_flag(&a, 'e') || a == "errexit");
        let pipefail = argv.iter().any(|a| a == "pipefail");
        let command = argv.iter().skip(1).position(|a| is_flag(&a, 'c'));
        if let Some(text) = command
            .and_then(|at| argv.get(at + 2))
            .filter(|text| !text.starts_with("$("))
        {
            // One command alone ends with its own exit code.
            let single = !text.contains(['\n', ';']);
            let inner = nested(text.clone(), errexit || single, pipefail, self.here());
            self.facts.nested.push(inner);
        }
        for (line, text) in self.given_texts(node) {
            let cwd = self.here();
            self.facts.nested.push(Nested {
                line,
                text,
                errexit,
                pipefail,
                cwd,
            });
        }
    }

    /// Texts that a shell gets otherwise than by `-c 'text'`: here-documents in its arguments (`"$(cat <<…)"`) or on its
    /// standard input, here-strings, and what `echo` or `printf` pipe into it.
    fn given_texts(&self, node: Node<'_>) -> Vec<(u32, String)> {
        let top = statement(node);
        let mut texts: Vec<(u32, String)> = descendants(top, "heredoc_body")
            .into_iter()
            .map(|body| (line(body), self.text(body).to_owned()))
            .collect();
        for string in descendants(top, "herestring_redirect") {
            let last = string.named_child_count().saturating_sub(1);
            if let Some(text) = string.named_child(last as u32) {
                texts.push((line(string), word(text, self.source, &self.variables)));
            }
        }
        if node.parent().is_some_and(|p| p.kind() == "pipeline") {
            for argv in self.commands(top) {
                if let Some((program, words)) = argv.split_first()
                    && ["echo", "printf"].contains(&program.as_str())
                {
                    texts.push((line(node), words.join(" ").replace("\\n", "\n")));
                }
            }
        }
        texts
    }

    /// `if step; then only talk; fi`: the failure of the step is no failure of the script.
    fn condition(&mut self, node: Node<'_>) {
        let (mut left, mut right, mut in_body) = (Vec::new(), Vec::new(), false);
        for index in 0..node.child_count() {
            let Some(child) = node.child(index) else {
                continue;
            };
            in_body |= child.kind() == "then";
            let side = if in_body { &mut right } else { &mut left };
            if side.len() < SIDE {
                side.extend(self.commands(child));
            }
        }
        self.facts.swallows.push(Swallow {
            line: line(node),
            left,
            right: Some(right),
        });
    }

    fn redirect(&mut self, node: Node<'_>) {
        let writes = (0..node.child_count())
            .filter_map(|index| node.child(index))
            .any(|child| matches!(child.kind(), ">" | ">>" | ">|" | "&>" | "&>>" | "<>"));
        let Some(target) = node.child_by_field_name("destination").filter(|_| writes) else {
            return;
        };
        let target = word(target, self.source, &self.variables);
        let target = resolve(&self.here(), &target);
        let statement = self.statement(statement(node));
        self.facts.writes.push(Write {
            line: line(node),
            target,
            statement,
        });
    }

    fn list(&mut self, node: Node<'_>) {
        let (Some(left), Some(operator), Some(right)) =
            (node.child(0), node.child(1), node.child(2))
        else {
            return;
        };
        if operator.kind() == "||" {
            let swallow = Swallow {
                line: line(node),
                left: self.commands(left),
                right: Some(self.commands(right)),
            };
            self.facts.swallows.push(swallow);
        }
    }

    fn pipeline(&mut self, node: Node<'_>) {
        let Some(last) = node.named_child_count().checked_sub(1) else {
            return;
        };
        let left = (0..last)
            .filter_map(|i| node.named_child(i as u32))
            .flat_map(|n| self.commands(n))
            .collect();
        self.facts.swallows.push(Swallow {
            line: line(node),
            left,
            right: None,
        });
    }

    fn commands(&self, node: Node<'_>) -> Vec<Vec<String>> {
        descendants(node, "command")
            .into_iter()
            .map(|n| unwrap(&self.argv(n)).to_vec())
            .filter(|argv| !argv.is_empty())
            .collect()
    }
}

/// Line of a node, from 1.
fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row)
        .unwrap_or(u32::MAX)
        .saturating_add(1)
}

/// The statement that a node belongs to: its pipeline and redirections included.
fn statement(node: Node<'_>) -> Node<'_> {
    let mut top = node;
    while let Some(parent) = top.parent() {
        match parent.kind() {
            "redirected_statement"
            | "pipeline"
            | "heredoc_redirect"
            | "command"
            | "command_name" => top = parent,
            _ => break,
        }
    }
    top
}

/// Nodes of one kind in a subtree, itself included; at most [`SIDE`].
fn descendants<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if node.kind() == kind {
            found.push(node);
        }
        if found.len() >= SIDE {
            break;
        }
        for index in (0..node.child_count()).rev() {
            stack.extend(node.child(index));
        }
    }
    found
}

/// Words of an inline program that seems to write: `python3 -c "open('a', 'w')…"`, `node - <<EOF … EOF`.
fn inline(statement: &str) -> Vec<String> {
    const RUNS: &[&str] = &[" -c", " -e", " -", "<<"];
    const WRITES: &[&str] = &[
        "write", "'w'", "\"w\"", "'a'", "\"a\"", "unlink", "remove", "rename", "replace(",
        "symlink", "copy",
    ];
    let holds = |any: &[&str]| any.iter().any(|part| statement.contains(part));
    if !holds(RUNS) || !holds(WRITES) {
        return Vec::new();
    }
    statement
        .split(|c: char| c.is_whitespace() || "'\"(),;=<>".contains(c))
        .filter(|word| word.len() > 2)
        .map(str::to_owned)
        .collect()
}
