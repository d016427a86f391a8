//! Walks the statements: variables, conditions, loops, subdirectories.

mod values;

use std::collections::BTreeMap;

use crate::evidence::Place;
use crate::graph::{Facts, Scope};
use crate::packages::Capability;

use super::super::Reading;
use super::super::drafts::Draft;
use super::super::meson_syntax::{Call, Expr, Statement, parse};
use super::super::tree::{base, join};
use super::calls;
use values::{contains, same, show};

/// What an expression is known to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Bool(bool),
    List(Vec<Value>),
    /// A feature option: `enabled`, `disabled` or `auto`, with the option's name.
    Feature(String, String),
    /// What a compiler, a machine or a dependency answers.
    Object(&'static str),
    /// What was looked for: the index of its fact.
    Found(usize),
    Unknown,
}

pub struct Machine<'r, 'a> {
    pub reading: &'r mut Reading<'a>,
    pub top: String,
    pub file: String,
    pub dir: String,
    pub vars: BTreeMap<String, Value>,
    /// Option → default.
    pub defaults: BTreeMap<String, Value>,
    /// Subprojects that the build needs.
    pub subprojects: Vec<String>,
    guards: Vec<Guard>,
    /// `subdir_done()` was reached.
    done: bool,
    depth: u8,
    budget: u32,
}

struct Guard {
    value: Option<bool>,
    /// An earlier branch is taken.
    earlier: Option<bool>,
    text: String,
    /// Facts that the condition asks for.
    asks: Vec<usize>,
}

const MAX_DEPTH: u8 = 24;
const BUDGET: u32 = 50_000;

impl<'r, 'a> Machine<'r, 'a> {
    pub fn new(reading: &'r mut Reading<'a>) -> Self {
        Self {
            top: reading.dir.to_owned(),
            file: reading.path.to_owned(),
            dir: reading.dir.to_owned(),
            reading,
            vars: BTreeMap::new(),
            defaults: BTreeMap::new(),
            subprojects: Vec::new(),
            guards: Vec::new(),
            done: false,
            depth: 0,
            budget: BUDGET,
        }
    }

    pub fn draft(&mut self) -> &mut Draft {
        self.reading.drafts.project("meson", &self.top)
    }

    pub fn place(&self, line: u32) -> Place {
        Place::new(&self.file, line)
    }

    /// Reads the option file.
    pub fn options(&mut self) {
        for name in ["meson.options", "meson_options.txt"] {
            let path = join(&self.top, name).unwrap_or_default();
            let Some(text) = self.reading.tree.read(&path) else {
                continue;
            };
            self.draft().manifest(&path, "meson");
            for (statement, _) in parse(&text) {
                if let Statement::Expr(Expr::Call(call)) = statement
                    && call.name == "option"
                {
                    calls::option(self, &call, &path);
                }
            }
            return;
        }
    }

    pub fn run(&mut self, statements: &[(Statement, u32)]) {
        let floor = self.guards.len();
        let mut at = 0;
        while let Some((statement, _)) = statements.get(at) {
            at += 1;
            if self.budget == 0 || self.done {
                break;
            }
            self.budget -= 1;
            match statement {
                Statement::If(condition) => self.enter(condition, Some(false)),
                Statement::Elif(condition) if self.guards.len() > floor => {
                    let earlier = self.leave();
                    self.enter(condition, earlier);
                }
                Statement::Else if self.guards.len() > floor => {
                    let text = self
                        .guards
                        .last()
                        .map_or(String::new(), |guard| format!("not ({})", guard.text));
                    let earlier = self.leave();
                    self.guards.push(Guard {
                        asks: Vec::new(),
                        value: earlier.map(|taken| !taken),
                        earlier,
                        text,
                    });
                }
                Statement::Endif if self.guards.len() > floor => {
                    self.guards.pop();
                }
                Statement::Foreach(names, list) => at = self.foreach(statements, at, names, list),
                Statement::Assign(name, value, append) => self.assign(name, value, *append),
                Statement::Expr(value) => {
                    self.eval(value);
                }
                _ => {}
            }
        }
        self.guards.truncate(floor);
    }

    fn enter(&mut self, condition: &Expr, earlier: Option<bool>) {
        let own = self.truth(condition);
        let value = match (earlier, own) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), own) => own,
            (None, _) => None,
        };
        let mut asks = Vec::new();
        self.asked(condition, 0, &mut asks);
        self.guards.push(Guard {
            asks,
            value,
            earlier,
            text: show(condition, 0),
        });
    }

    /// Facts whose `found()` a condition calls.
    fn asked(&self, expr: &Expr, depth: u8, asks: &mut Vec<usize>) {
        match expr {
            _ if depth > 20 => {}
            Expr::Not(inner) => self.asked(inner, depth + 1, asks),
            Expr::Binary(_, left, right) => {
                self.asked(left, depth + 1, asks);
                self.asked(right, depth + 1, asks);
            }
            Expr::Call(call) if call.name == "found" => {
                if let Some(Expr::Name(name)) = &call.object
                    && let Some(Value::Found(at)) = self.vars.get(name)
                {
                    asks.push(*at);
                }
            }
            _ => {}
        }
    }

    /// `error()` where something was not found makes it required.
    pub fn error(&mut self) {
        let Some((last, outer)) = self.guards.split_last() else {
            return;
        };
        if !outer.iter().all(|guard| guard.value == Some(true)) || !last.text.starts_with("not ") {
            return;
        }
        for at in last.asks.clone() {
            if let Some(item) = self.draft().item_mut(at)
                && let Facts::Dependency(facts) = &mut item.facts
                && !matches!(facts.scope, Scope::Optional(_))
            {
                facts.required = true;
            }
        }
    }

    /// Leaves the file, where that is sure.
    pub fn leave_directory(&mut self) {
        self.done = self.standing() == Some(true);
    }

    /// Closes a branch; says whether it or an earlier one is taken.
    fn leave(&mut self) -> Option<bool> {
        let guard = self.guards.pop()?;
        match (guard.earlier, guard.value) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }
    }

    fn foreach(
        &mut self,
        statements: &[(Statement, u32)],
        start: usize,
        names: &[String],
        list: &Expr,
    ) -> usize {
        let mut depth = 1_u32;
        let mut end = statements.len();
        for (at, (statement, _)) in statements.iter().enumerate().skip(start) {
            match statement {
                Statement::Foreach(..) => depth += 1,
                Statement::Endforeach => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = at;
                break;
            }
        }
        let body = statements.get(start..end).unwrap_or_default();
        let items = match self.eval(list) {
            Value::List(items) => items,
            _ => vec![Value::Unknown],
        };
        for item in items.into_iter().take(64) {
            if let [name] = names {
                self.vars.insert(name.clone(), item);
            }
            if self.depth < MAX_DEPTH {
                self.depth += 1;
                self.run(body);
                self.depth -= 1;
            }
        }
        end + 1
    }

    fn assign(&mut self, name: &str, value: &Expr, append: bool) {
        let value = self.eval(value);
        let value = match (append, self.vars.get(name), self.standing()) {
            (_, _, Some(false)) => return,
            (false, _, Some(true)) => value,
            (true, Some(Value::List(items)), _) if items.len() < 2000 => {
                let mut items = items.clone();
                match value {
                    Value::List(more) => items.extend(more),
                    other => items.push(other),
                }
                Value::List(items)
            }
            // An object stays what it is, whichever branch made it.
            _ => match value {
                Value::Object(_) | Value::Found(_) => value,
                _ => Value::Unknown,
            },
        };
        if self.vars.len() < 20_000 {
            self.vars.insert(name.to_owned(), value);
        }
    }

    /// Whether the current statement runs.
    pub fn standing(&self) -> Option<bool> {
        if self.guards.iter().any(|guard| guard.value == Some(false)) {
            return Some(false);
        }
        self.guards
            .iter()
            .all(|guard| guard.value == Some(true))
            .then_some(true)
    }

    /// The condition that is false or not known.
    pub fn condition(&self) -> String {
        let of = |wanted: Option<bool>| self.guards.iter().find(|guard| guard.value == wanted);
        of(Some(false))
            .or_else(|| of(None))
            .map_or(String::new(), |guard| guard.text.clone())
    }

    /// Notes a need of the current place. `feature`: the option that decides, with its value.
    pub fn need(
        &mut self,
        capability: Capability,
        required: Option<bool>,
        off: Option<String>,
        line: u32,
    ) -> usize {
        let place = self.place(line);
        let test = self
            .dir
            .split('/')
            .any(|part| matches!(part, "test" | "tests" | "testing" | "unittest"));
        let mut scope = if test { Scope::Test } else { Scope::Build };
        let standing = self.standing();
        let condition = self.condition();
        if standing.is_none() {
            self.draft().attr(
                "guarded",
                format!("{capability} if {condition}"),
                place.clone(),
            );
        }
        if standing == Some(false) {
            scope = Scope::Optional(condition);
        } else if let Some(option) = off {
            scope = Scope::Optional(option);
        }
        let sure = standing == Some(true) && !matches!(scope, Scope::Optional(_));
        self.draft()
            .system(capability, scope, required == Some(true) && sure, place)
    }

    pub fn subdirectory(&mut self, name: &str) {
        let Some(dir) = join(&self.dir, name) else {
            return;
        };
        let path = join(&dir, "meson.build").unwrap_or_default();
        let Some(text) = self
            .reading
            .tree
            .read(&path)
            .filter(|_| self.depth < MAX_DEPTH)
        else {
            return;
        };
        if !self.reading.drafts.claim(&path) {
            return;
        }
        self.draft().manifest(&path, "meson");
        let file = std::mem::replace(&mut self.file, path);
        let outer = std::mem::replace(&mut self.dir, dir);
        self.depth += 1;
        self.run(&parse(&text));
        self.done = false;
        self.depth -= 1;
        self.file = file;
        self.dir = outer;
    }

    pub fn eval(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Name(name) => match name.as_str() {
                "host_machine" | "build_machine" | "target_machine" => Value::Object("machine"),
                "meson" => Value::Object("meson"),
                _ => self.vars.get(name).cloned().unwrap_or(Value::Unknown),
            },
            Expr::List(items) => Value::List(
                items
                    .iter()
                    .take(2000)
                    .map(|item| self.eval(item))
                    .collect(),
            ),
            Expr::Call(call) => self.call(call),
            Expr::Not(_) => self.truth(expr).map_or(Value::Unknown, Value::Bool),
            Expr::Binary(operator, left, right) => {
                match (*operator, self.eval(left), self.eval(right)) {
                    ("+", Value::Text(a), Value::Text(b)) if a.len() + b.len() < 4000 => {
                        Value::Text(a + &b)
                    }
                    ("+", Value::List(mut a), Value::List(b)) if a.len() + b.len() < 2000 => {
                        a.extend(b);
                        Value::List(a)
                    }
                    ("==", a, b) => same(&a, &b).map_or(Value::Unknown, Value::Bool),
                    ("!=", a, b) => {
                        same(&a, &b).map_or(Value::Unknown, |value| Value::Bool(!value))
                    }
                    ("in", a, Value::List(items)) => {
                        contains(&a, &items).map_or(Value::Unknown, Value::Bool)
                    }
                    ("and" | "or", ..) => self.truth(expr).map_or(Value::Unknown, Value::Bool),
                    _ => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    fn call(&mut self, call: &Call) -> Value {
        let object = call.object.as_ref().map(|object| self.eval(object));
        calls::run(self, call, object)
    }

    pub fn truth(&mut self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Not(inner) => self.truth(inner).map(|value| !value),
            Expr::Binary("and", left, right) => match (self.truth(left), self.truth(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Expr::Binary("or", left, right) => match (self.truth(left), self.truth(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => match self.eval(expr) {
                Value::Bool(value) => Some(value),
                _ => None,
            },
        }
    }

    /// Wrap files: downloads, needed only where a subproject is named and its folder is not in the tree.
    pub fn wraps(&mut self) {
        let folder = join(&self.top, "subprojects").unwrap_or_default();
        let tree = self.reading.tree;
        for entry in tree
            .below(&folder)
            .filter(|entry| entry.path.ends_with(".wrap"))
        {
            let name = base(&entry.path).trim_end_matches(".wrap").to_owned();
            let present = tree.has_dir(&format!("{folder}/{name}"));
            let place = Place::file(&entry.path);
            let needed = self.subprojects.contains(&name) && !present;
            let attr = if needed {
                "network"
            } else {
                "network-optional"
            };
            self.draft().attr(attr, name, place);
        }
    }
}
