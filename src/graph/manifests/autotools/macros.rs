//! What Autoconf's, Automake's, Libtool's, gettext's and pkg-config's macros ask for.

mod handlers;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::evidence::Place;
use crate::graph::{Facts, Scope};
use crate::packages::Capability;

use super::super::drafts::Draft;
use super::super::m4::{Arg, Call, Piece, scan};
use super::known;
use table::{HANDLERS, OPAQUE};

use super::shell::{Nesting, Vars, assignment};

/// A macro of the repository: the file that defines it and its body.
pub struct Definition {
    pub path: String,
    pub body: Arg,
}

/// The repository's own macros by name.
pub type Own = BTreeMap<String, Definition>;

pub struct Run<'d> {
    draft: &'d mut Draft,
    /// The file whose text runs: `configure.ac`, or that of the macro being expanded.
    path: String,
    /// `configure` has to be made first.
    bootstrap: bool,
    /// Macros the repository defines.
    own: Rc<Own>,
    /// Macros that are expanded at most once (`AC_REQUIRE`), and how many expansions are left.
    once: BTreeSet<String>,
    expansions: u32,
    vars: Vars,
    nesting: Nesting,
    /// Shell variables that tell whether something was found → its fact.
    results: BTreeMap<String, usize>,
    depth: u8,
    budget: u32,
}

type Handler = fn(&mut Run<'_>, &Call);

const MAX_DEPTH: u8 = 12;
const BUDGET: u32 = 200_000;
const MAX_EXPANSIONS: u32 = 4000;
const MAX_BODY: usize = 256 << 10;

/// `$1` … `$9` of a macro's body by its arguments; `$@` and `$*` by all of them.
fn substitute(body: &str, args: &[Arg]) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some(digit @ '1'..='9') => {
                let at = (digit as usize) - ('1' as usize);
                out.push_str(args.get(at).map_or("", |arg| arg.text.as_str()));
                rest = chars.as_str();
            }
            Some('@' | '*') => {
                let all: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
                out.push_str(&all.join(","));
                rest = chars.as_str();
            }
            _ => {
                out.push('$');
                rest = after;
            }
        }
        if out.len() > MAX_BODY {
            return out;
        }
    }
    out.push_str(rest);
    out
}

fn text(call: &Call, at: usize) -> &str {
    call.args.get(at).map_or("", |arg| arg.text.as_str())
}

fn fails(arg: Option<&Arg>) -> bool {
    arg.is_some_and(|arg| {
        [
            "AC_MSG_ERROR",
            "AC_MSG_FAILURE",
            "AC_ERROR",
            "exit 1",
            "as_fn_error",
        ]
        .iter()
        .any(|word| arg.text.contains(word))
    })
}

impl<'d> Run<'d> {
    pub fn new(draft: &'d mut Draft, path: &str, bootstrap: bool, own: Own) -> Self {
        // What Autoconf itself sets on the machines that envc builds on.
        let known = [
            ("GCC", "yes"),
            ("GXX", "yes"),
            ("cross_compiling", "no"),
            ("host_os", "linux-gnu"),
            ("build_os", "linux-gnu"),
            ("ac_cv_c_compiler_gnu", "yes"),
        ];
        let vars = known.map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
        Self {
            draft,
            path: path.to_owned(),
            bootstrap,
            own: Rc::new(own),
            once: BTreeSet::new(),
            expansions: MAX_EXPANSIONS,
            vars: vars.into(),
            nesting: Nesting::default(),
            results: BTreeMap::new(),
            depth: 0,
            budget: BUDGET,
        }
    }

    fn place(&self, line: u32) -> Place {
        Place::new(&self.path, line)
    }

    fn attr(&mut self, name: &str, value: &str, line: u32) {
        if !value.is_empty() && !value.contains("m4_") && self.nesting.value() != Some(false) {
            let place = self.place(line);
            self.draft.attr(name, value, place);
        }
    }

    pub fn pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match piece {
                Piece::Shell(line, _) => self.nesting.line(line, &mut self.vars),
                Piece::Call(call) => self.call(call),
            }
        }
    }

    fn call(&mut self, call: &Call) {
        if let Some((_, handler)) = HANDLERS.iter().find(|(name, _)| *name == call.name) {
            handler(self, call);
        } else {
            self.foreign_macro(call);
            if self.known_macro(call) {
                // What it looks for is known; its arguments still run.
            } else if let Some(definition) = Rc::clone(&self.own).get(&call.name)
                && !call.name.starts_with("PKG_")
            {
                return self.expand(definition, call);
            }
        }
        if OPAQUE.contains(&call.name.as_str()) || call.name == "AS_IF" {
            return;
        }
        if matches!(call.name.as_str(), "AC_ARG_ENABLE" | "AC_ARG_WITH") {
            // By default no option is given.
            let kind = if call.name == "AC_ARG_WITH" {
                "with"
            } else {
                "enable"
            };
            let name = format!("{kind}-{}", text(call, 0));
            for (arg, value) in call.args.iter().skip(2).zip([false, true]) {
                self.nested(arg, &name, Some(value));
            }
            return;
        }
        // Actions run or not by what the machine answers.
        for arg in &call.args {
            self.nested(arg, &call.name, None);
        }
    }

    /// A macro that some package brings has to be there when `configure` is made.
    fn foreign_macro(&mut self, call: &Call) {
        if needs_package(&call.name) && !self.own.contains_key(&call.name) {
            let capability = Capability::Macro(call.name.clone());
            self.need(capability, Scope::Build, self.bootstrap, call.line);
        }
    }

    fn known_macro(&mut self, call: &Call) -> bool {
        let Some(known) = known::known(&call.name) else {
            return false;
        };
        // With an action for the case that it is not found, configure goes on.
        let required = known.required && call.args.len() < 3;
        let scope = if known.test {
            Scope::Test
        } else {
            Scope::Build
        };
        for capability in known.needs {
            let at = self.need(capability, scope.clone(), required, call.line);
            for action in call.args.iter().skip(1) {
                self.results_of(Some(action), at);
            }
        }
        true
    }

    /// Runs the body of one of the repository's macros with the arguments in place.
    fn expand(&mut self, definition: &Definition, call: &Call) {
        if self.expansions == 0 || self.depth >= MAX_DEPTH {
            return;
        }
        self.expansions -= 1;
        let body = substitute(&definition.body.text, &call.args);
        let path = std::mem::replace(&mut self.path, definition.path.clone());
        self.depth += 1;
        let depth = self.nesting.depth();
        self.pieces(&scan(&body, definition.body.line));
        self.nesting.truncate(depth);
        self.depth -= 1;
        self.path = path;
    }

    /// `AC_REQUIRE([X])`: X runs before, once.
    fn require_macro(&mut self, call: &Call) {
        let name = text(call, 0).to_owned();
        if self.once.insert(name.clone()) {
            self.call(&Call {
                name,
                args: Vec::new(),
                line: call.line,
            });
        }
    }

    fn nested(&mut self, arg: &Arg, condition: &str, value: Option<bool>) {
        let has_code = arg.text.contains(['(', '=']) || arg.text.contains('_');
        if !has_code || self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let depth = self.nesting.depth();
        self.nesting.push(condition, value);
        self.pieces(&scan(&arg.text, arg.line));
        self.nesting.truncate(depth);
        self.depth -= 1;
    }

    /// Notes a need under the conditions that hold here; returns the index of its fact.
    fn need(&mut self, capability: Capability, scope: Scope, required: bool, line: u32) -> usize {
        let value = self.nesting.value();
        let place = self.place(line);
        let around = self.nesting.reason().to_owned();
        if value == Some(true) {
            return self.draft.system(capability, scope, required, place);
        }
        self.draft.attr(
            "guarded",
            format!("{capability} if {around}"),
            place.clone(),
        );
        let scope = if value == Some(false) {
            Scope::Optional(around)
        } else {
            scope
        };
        self.draft.system(capability, scope, false, place)
    }

    fn command(&mut self, name: &str, required: bool, line: u32) {
        self.need(
            Capability::Command(name.to_owned()),
            Scope::Build,
            required,
            line,
        );
    }

    fn bootstraps(&mut self, attr: &str, capability: &str, call: &Call) {
        self.attr(attr, &call.name, call.line);
        if let Ok(capability) = capability.parse() {
            let place = self.place(call.line);
            self.draft
                .system(capability, Scope::Build, self.bootstrap, place);
        }
    }

    /// Variables that an action sets tell later checks what was found.
    fn results_of(&mut self, action: Option<&Arg>, at: usize) {
        for part in action
            .map_or("", |arg| arg.text.as_str())
            .split([';', '\n'])
            .take(50)
        {
            if let Some((name, _)) = assignment(part.trim()) {
                self.results.insert(name.to_owned(), at);
            }
        }
    }

    /// An error under a condition on a result makes what was looked for required.
    fn error(&mut self) {
        let conditions: Vec<String> = self.nesting.conditions().map(str::to_owned).collect();
        let [condition] = conditions.as_slice() else {
            return;
        };
        // With another condition beside it, it is that one's error.
        if [" -a ", " -o ", "&&", "||"]
            .iter()
            .any(|word| condition.contains(word))
        {
            return;
        }
        for word in condition.split(['$', '"', '\'', ' ', '{', '}', '=', ']', '[']) {
            let word = word
                .strip_prefix('x')
                .filter(|rest| rest.is_empty())
                .unwrap_or(word);
            if let Some(&at) = self.results.get(word) {
                self.require(at);
            }
        }
    }

    fn require(&mut self, at: usize) {
        if let Some(item) = self.draft.item_mut(at)
            && let Facts::Dependency(facts) = &mut item.facts
            && !matches!(facts.scope, Scope::Optional(_))
        {
            facts.required = true;
        }
    }
}

/// Macros that packages other than Autoconf, Automake and Libtool provide.
fn needs_package(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "AX_",
        "AM_PATH_",
        "GOBJECT_INTROSPECTION_",
        "GLIB_",
        "GNOME_",
        "VALA_",
        "PKG_",
        "LIB_AC_",
        "XORG_",
        "GTK_",
        "APPSTREAM_",
    ];
    const AUTOMAKE: &[&str] = &["AM_PATH_PYTHON", "AM_PATH_LISPDIR"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !AUTOMAKE.contains(&name)
}
