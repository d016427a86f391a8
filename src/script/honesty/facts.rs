//! What a Bash text does, as far as its syntax tells: calls, writes, definitions, settings, swallowed failures.

use std::rc::Rc;

/// A whole statement (pipeline, here-document), shared by its commands.
#[derive(Debug)]
pub struct Statement {
    /// It holds a switch that skips tests.
    pub skips_tests: bool,
    /// Words of it, where it holds an inline program that seems to write.
    pub inline: Vec<String>,
}

/// A command of the text.
#[derive(Debug, Clone)]
pub struct Call {
    pub line: u32,
    /// Without wrappers such as `sudo`; never empty.
    pub argv: Vec<String>,
    /// Where it runs: relative to the repository's root, or absolute.
    pub cwd: String,
    /// Function it stands in, empty at the top.
    pub function: String,
    /// No `if`, loop or `case` around it, and not the right side of `&&` or `||`.
    pub unconditional: bool,
    pub statement: Rc<Statement>,
    /// `! command`: its failure never ends the script.
    pub negated: bool,
}

/// A redirection into a file.
#[derive(Debug, Clone)]
pub struct Write {
    pub line: u32,
    /// As [`super::words::resolve`] gives it.
    pub target: String,
    pub statement: Rc<Statement>,
}

/// `left || right`, or a pipeline that is not the last to speak.
#[derive(Debug, Clone)]
pub struct Swallow {
    pub line: u32,
    pub left: Vec<Vec<String>>,
    /// `None`: a pipeline, whose end hides the failure of the commands before it.
    pub right: Option<Vec<Vec<String>>>,
}

/// A text that another shell runs.
#[derive(Debug, Clone)]
pub struct Nested {
    pub line: u32,
    pub text: String,
    pub errexit: bool,
    pub pipefail: bool,
    pub cwd: String,
}

#[derive(Debug, Default)]
pub struct Facts {
    pub calls: Vec<Call>,
    pub writes: Vec<Write>,
    pub definitions: Vec<(u32, String)>,
    pub settings: Vec<(u32, String, String)>,
    pub swallows: Vec<Swallow>,
    pub nested: Vec<Nested>,
    /// Lines that the grammar could not read.
    pub unread: Vec<u32>,
}
