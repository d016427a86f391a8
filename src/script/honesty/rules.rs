//! The rules, over [`Facts`].

use std::collections::{BTreeSet, HashSet};
use std::ops::Bound;
use std::rc::Rc;

use globset::Glob;

use super::facts::{Call, Facts, Nested, Statement};
use super::knowledge::{is_in, knowledge};
use super::targets::{in_program_dir, is_cluster, targets};
use super::words::{base_name, resolve};
use super::{Finding, Rule};

/// What the script must leave alone.
pub struct Repository<'t> {
    pub tracked: BTreeSet<&'t str>,
    files: &'t [String],
    programs: HashSet<&'t str>,
}

impl<'t> Repository<'t> {
    pub fn new(tracked: &'t [String], programs: &'t [String]) -> Self {
        Self {
            tracked: tracked.iter().map(String::as_str).collect(),
            files: tracked,
            programs: programs.iter().map(|p| base_name(p)).collect(),
        }
    }

    /// The tracked file that a path, a directory or a glob names, if any.
    pub fn tracked(&self, path: &str) -> Option<&str> {
        if let Some(known) = self.tracked.get(path) {
            return Some(known);
        }
        if path.contains(['*', '?', '[']) {
            let glob = Glob::new(path).ok()?.compile_matcher();
            return self
                .files
                .iter()
                .map(String::as_str)
                .find(|file| glob.is_match(file));
        }
        if path.is_empty() {
            return self.tracked.first().copied();
        }
        let dir = format!("{path}/");
        let next = self
            .tracked
            .range::<str, _>((Bound::Included(dir.as_str()), Bound::Unbounded))
            .next();
        next.copied().filter(|file| file.starts_with(&dir))
    }

    pub fn is_program(&self, name: &str) -> bool {
        self.programs.contains(name) || is_in(&knowledge().names.tools, name)
    }

    /// Whether the failure of a command matters.
    fn matters(&self, argv: &[String], functions: &HashSet<&str>) -> bool {
        let Some(program) = argv.first() else {
            return false;
        };
        let name = base_name(program);
        let asks = argv
            .iter()
            .skip(1)
            .any(|a| is_in(&["--version".to_owned(), "-V".to_owned()], a));
        !asks
            && (program.starts_with("./")
                || functions.contains(name)
                || self.is_program(name)
                || is_in(&knowledge().names.steps, name))
    }
}

/// Everything that one text does wrong; lines are the text's own.
pub fn findings(facts: &Facts, text: &Nested, repository: &Repository<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = HashSet::new();
    for line in &facts.unread {
        add(
            &mut findings,
            *line,
            Rule::Unreadable,
            "Bash that cannot be read".to_owned(),
        );
    }
    for write in &facts.writes {
        writes(
            write.line,
            &write.target,
            "writes",
            &write.statement,
            true,
            repository,
            &mut findings,
        );
    }
    for call in &facts.calls {
        for (path, how, content) in targets(call, repository) {
            writes(
                call.line,
                &path,
                how,
                &call.statement,
                content,
                repository,
                &mut findings,
            );
        }
        // The words of a statement are looked at once, however many commands share it.
        let first = seen.insert(Rc::as_ptr(&call.statement));
        altering(call, first, repository, &mut findings);
        stand_in(call, repository, &mut findings);
        switches(call, &mut findings);
    }
    for (line, name) in &facts.definitions {
        if repository.is_program(name) {
            add(
                &mut findings,
                *line,
                Rule::FakeTool,
                format!("defines a function in place of {name}"),
            );
        }
    }
    settings(facts, &mut findings);
    swallows(facts, text, repository, &mut findings);
    findings
}

fn add(findings: &mut Vec<Finding>, line: u32, rule: Rule, text: String) {
    findings.push(Finding {
        line,
        rule,
        text: crate::script::comment(&text, 160),
    });
}

/// One file that is written, made or removed. `content`: its contents come from the script itself.
fn writes(
    line: u32,
    path: &str,
    how: &str,
    statement: &Statement,
    content: bool,
    repository: &Repository<'_>,
    findings: &mut Vec<Finding>,
) {
    if path.starts_with("/dev/") || path.starts_with('&') {
        return;
    }
    let name = base_name(path);
    if let Some(file) = repository.tracked(path) {
        add(
            findings,
            line,
            Rule::TrackedFile,
            format!("{how} {file}, which the repository tracks"),
        );
    }
    if how != "removes" && knowledge().test_configs.is_match(path) {
        add(
            findings,
            line,
            Rule::TestConfig,
            format!("{how} {path}, which decides what tests run"),
        );
    }
    if content && how != "removes" && (repository.is_program(name) || in_program_dir(path)) {
        add(
            findings,
            line,
            Rule::FakeTool,
            format!("{how} {path}, a program of its own making"),
        );
    }
    if content && statement.skips_tests {
        add(
            findings,
            line,
            Rule::SkippedTests,
            format!("{how} a switch that skips tests into {path}"),
        );
    }
}

/// Programs that alter tracked files by their nature.
fn altering(call: &Call, first: bool, repository: &Repository<'_>, findings: &mut Vec<Finding>) {
    let Some((program, arguments)) = call.argv.split_first() else {
        return;
    };
    let says = |word: &str| arguments.iter().any(|a| a == word);
    let outside = call.cwd.starts_with(['/', '~', '$']) || arguments.windows(2).any(|w| {
        matches!(w, [flag, dir] if flag == "-C" && resolve(&call.cwd, dir).starts_with(['/', '~', '$']))
    });
    if outside || repository.files.is_empty() {
        return;
    }
    let name = base_name(program);
    let found = match name {
        "patch" => !says("--dry-run"),
        "git" => {
            let command = arguments
                .iter()
                .find(|a| is_in(&knowledge().names.git_writes, a));
            command.is_some_and(|c| !(c == "apply" && says("--check")))
                && !says("submodule")
                && !says("clone")
        }
        // A tree of the build's own may be swept.
        "find"
            if arguments
                .first()
                .is_some_and(|dir| repository.tracked(&resolve(&call.cwd, dir)).is_none()) =>
        {
            false
        }
        "find" | "xargs" => {
            says("-delete") || (says("sed") && arguments.iter().any(|a| is_cluster(a, 'i')))
        }
        "python" | "python3" | "perl" | "ruby" | "node" => first && inline_write(call, repository),
        _ => false,
    };
    if found {
        add(
            findings,
            call.line,
            Rule::TrackedFile,
            format!("runs {name}, which alters files that are not the script's to alter"),
        );
    }
}

/// An inline program that writes, in a statement that names a file to leave alone.
fn inline_write(call: &Call, repository: &Repository<'_>) -> bool {
    call.statement.inline.iter().any(|word| {
        repository
            .tracked
            .contains(resolve(&call.cwd, word).as_str())
            || knowledge().test_configs.is_match(word)
            || (in_program_dir(word) && repository.is_program(base_name(word)))
    })
}

/// Aliases, `hash -p`, alternatives: other ways to another program.
fn stand_in(call: &Call, repository: &Repository<'_>, findings: &mut Vec<Finding>) {
    let Some((program, arguments)) = call.argv.split_first() else {
        return;
    };
    let no_op = |a: &String| is_in(&knowledge().names.no_ops, base_name(a));
    let fake = match base_name(program) {
        "alias" => arguments
            .iter()
            .filter_map(|a| a.split_once('='))
            .map(|(name, _)| name)
            .find(|n| repository.is_program(n)),
        "hash" => arguments
            .iter()
            .any(|a| a == "-p")
            .then(|| arguments.last().map_or("", String::as_str)),
        "update-alternatives" | "ln" | "cp" => arguments
            .iter()
            .any(no_op)
            .then(|| arguments.last().map_or("", String::as_str)),
        _ => None,
    };
    if let Some(name) = fake {
        add(
            findings,
            call.line,
            Rule::FakeTool,
            format!("puts another program in the place of {name}"),
        );
    }
}

/// Switches that leave tests out for good.
fn switches(call: &Call, findings: &mut Vec<Finding>) {
    let line = call.argv.join(" ");
    if knowledge().lasting_switches.is_match(&line) {
        add(
            findings,
            call.line,
            Rule::SkippedTests,
            "configures the build without its tests".to_owned(),
        );
    }
    let keeps = call.argv.iter().any(|a| a == "config")
        && call.argv.iter().any(|a| a == "set" || a == "--global");
    if keeps && knowledge().passing_switches.is_match(&line) {
        add(
            findings,
            call.line,
            Rule::SkippedTests,
            "keeps a switch that skips tests".to_owned(),
        );
    }
}

fn settings(facts: &Facts, findings: &mut Vec<Finding>) {
    let known = knowledge();
    for (line, name, value) in &facts.settings {
        if is_in(&known.names.switch_variables, name)
            && (known.passing_switches.is_match(value) || known.lasting_switches.is_match(value))
        {
            add(
                findings,
                *line,
                Rule::SkippedTests,
                format!("sets {name}, with a switch that skips tests"),
            );
        }
        if !value.is_empty() && known.stand_in_variables.is_match(name) {
            add(
                findings,
                *line,
                Rule::FakeTool,
                format!("sets {name}, which puts another program in a tool's place"),
            );
        }
    }
}

fn swallows(
    facts: &Facts,
    text: &Nested,
    repository: &Repository<'_>,
    findings: &mut Vec<Finding>,
) {
    let functions: HashSet<&str> = facts
        .calls
        .iter()
        .filter(|call| !call.function.is_empty() && repository.matters(&call.argv, &HashSet::new()))
        .map(|call| call.function.as_str())
        .collect();
    let matters = |argv: &Vec<String>| repository.matters(argv, &functions);
    for swallow in &facts.swallows {
        // `have x || missing+=(x)` asks; `make || failed=1` swallows.
        let only_sets = swallow.right.as_ref().is_some_and(Vec::is_empty);
        let is_step = |argv: &&Vec<String>| match only_sets {
            true => repository.matters(argv, &HashSet::new()),
            false => matters(argv),
        };
        let Some(step) = swallow.left.iter().find(is_step) else {
            continue;
        };
        let step = step.join(" ");
        match &swallow.right {
            Some(right) if right.iter().all(|argv| is_no_op(argv)) => {
                add(
                    findings,
                    swallow.line,
                    Rule::SwallowedFailure,
                    format!("goes on when this fails: {step}"),
                );
            }
            None if !text.pipefail => {
                add(
                    findings,
                    swallow.line,
                    Rule::SwallowedFailure,
                    format!("a pipeline without pipefail hides the failure of: {step}"),
                );
            }
            _ => {}
        }
    }
    let mut steps = 0;
    for call in &facts.calls {
        let argv: Vec<&str> = call.argv.iter().map(String::as_str).collect();
        let swallowed = match argv.as_slice() {
            ["set" | "shopt", options @ ..] if switches_off_errexit(options) => {
                Some("switches off the end at the first failure")
            }
            ["trap", "" | "true" | ":" | "exit 0", signals @ ..]
                if signals.iter().any(|s| matches!(*s, "ERR" | "EXIT" | "0")) =>
            {
                Some("traps failures away")
            }
            ["exit" | "return", "0"] if call.unconditional && steps > 0 => {
                Some("ends with success whatever came before")
            }
            _ if call.negated && matters(&call.argv) => {
                Some("negates a step, so that its failure is success")
            }
            _ => None,
        };
        if let Some(what) = swallowed {
            add(findings, call.line, Rule::SwallowedFailure, what.to_owned());
        }
        steps += usize::from(matters(&call.argv));
    }
    if !text.errexit && steps > 0 {
        add(
            findings,
            1,
            Rule::SwallowedFailure,
            "goes on after a failure: there is no set -e".to_owned(),
        );
    }
}

/// `set +e`, `set +o errexit`, `shopt -uo errexit`.
fn switches_off_errexit(options: &[&str]) -> bool {
    options.iter().any(|o| o.starts_with('+') && o.contains('e'))
        || options.windows(2).any(|w| {
            matches!(w, [off, "errexit"] if *off == "+o" || (off.starts_with('-') && off.contains('u') && off.contains('o')))
        })
}

/// A right side of `||` that only talks, or ends with success.
fn is_no_op(argv: &[String]) -> bool {
    match argv {
        [exit, code] if exit == "exit" || exit == "return" => code == "0",
        [program, ..] => is_in(&knowledge().names.no_ops, base_name(program)),
        [] => true,
    }
}
