//! Macros with more to them than one line: checks, options, branches.

use crate::evidence::Trust;
use crate::graph::Scope;
use crate::packages::Capability;

use super::super::super::m4::Call;
use super::super::libc;
use super::super::shell::{assignment, condition};
use super::{Run, fails, text};

/// The oldest version of a tool of Autotools' own that will do; what is no version says nothing.
pub(super) fn minimum(run: &mut Run<'_>, tool: &str, version: &str, line: u32) {
    let version = version.trim();
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.len() <= 20 {
        let place = run.place(line);
        run.draft
            .tool(tool, Some(format!(">={version}")), Trust::Manifest, place);
    }
}

/// `PKG_CHECK_MODULES(PREFIX, MODULES, [FOUND], [NOT-FOUND])`: without the last it is an error.
pub(super) fn pkg_check_modules(run: &mut Run<'_>, call: &Call) {
    let required =
        call.args.get(3).is_none_or(|arg| arg.text.is_empty()) || fails(call.args.get(3));
    run.command("pkg-config", required, call.line);
    let mut after_operator = false;
    let modules = expanded(run, text(call, 1));
    for word in modules
        .split([' ', '\t', '\n', ','])
        .filter(|word| !word.is_empty())
    {
        let operator = matches!(word, ">=" | "<=" | "=" | ">" | "<" | "!=");
        if std::mem::replace(&mut after_operator, operator) || operator {
            continue;
        }
        let module = word.split(['>', '<', '=']).next().unwrap_or_default();
        if !is_plain(module) {
            continue;
        }
        let at = run.need(
            Capability::PkgConfig(module.to_owned()),
            Scope::Build,
            required,
            call.line,
        );
        run.results_of(call.args.get(2), at);
        run.results_of(call.args.get(3), at);
    }
}

/// `PKG_CHECK_EXISTS(MODULES, …)`: asks without an error.
pub(super) fn pkg_check_exists(run: &mut Run<'_>, call: &Call) {
    let mut lenient = call.clone();
    let first = call.args.first().cloned().unwrap_or_default();
    lenient.args.insert(0, first);
    lenient.args.truncate(3);
    lenient.args.resize_with(4, Default::default);
    if let Some(last) = lenient.args.last_mut() {
        last.text = ":".to_owned();
    }
    pkg_check_modules(run, &lenient);
}

/// Headers of a program that `configure` tries to compile: found or not, it goes on.
pub(super) fn compiles(run: &mut Run<'_>, call: &Call) {
    for arg in call.args.iter().take(2) {
        for (line, number) in arg.text.lines().zip(arg.line..) {
            let line = line.trim().trim_start_matches('[');
            let directive = line.strip_prefix('#').or_else(|| line.strip_prefix("@%:@"));
            let Some(rest) = directive.map(str::trim) else {
                continue;
            };
            let Some(name) = rest.strip_prefix("include").and_then(|rest| {
                rest.trim()
                    .strip_prefix('<')
                    .and_then(|rest| rest.split_once('>'))
                    .map(|(name, _)| name)
            }) else {
                continue;
            };
            if is_plain(name) && !libc::is_header(name) {
                run.need(
                    Capability::Header(name.to_owned()),
                    Scope::Build,
                    false,
                    number,
                );
            }
        }
    }
}

/// Shell variables that are known, in place; what is not known goes.
fn expanded(run: &Run<'_>, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let inner = after.strip_prefix('{').unwrap_or(after);
        let end = inner
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(inner.len());
        let (name, tail) = inner.split_at(end);
        if let Some(value) = run.vars.get(name).cloned().flatten() {
            out.push_str(&value);
        }
        rest = if after.starts_with('{') {
            tail.strip_prefix('}').unwrap_or(tail)
        } else {
            tail
        };
        if out.len() > 10_000 {
            break;
        }
    }
    out.push_str(rest);
    out
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 100
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/'))
}

pub(super) fn check_headers(run: &mut Run<'_>, call: &Call) {
    let names: Vec<&str> = text(call, 0)
        .split([' ', '\t', '\n', '\\'])
        .filter(|name| is_plain(name))
        .collect();
    let required = fails(call.args.get(2));
    for name in names
        .iter()
        .filter(|name| !libc::is_header(name) && name.contains('.'))
        .take(200)
    {
        let at = run.need(
            Capability::Header((*name).to_owned()),
            Scope::Build,
            required,
            call.line,
        );
        let cache: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        run.results.insert(format!("ac_cv_header_{cache}"), at);
        run.results_of(call.args.get(1), at);
        run.results_of(call.args.get(2), at);
    }
}

/// `AC_CHECK_LIB(LIB, FUNCTION, [FOUND], [NOT-FOUND])`, and `AC_SEARCH_LIBS` with the same last two.
pub(super) fn library(run: &mut Run<'_>, call: &Call, name: &str) {
    if !is_plain(name) || libc::is_library(name) {
        return;
    }
    let at = run.need(
        Capability::Library(name.to_owned()),
        Scope::Build,
        fails(call.args.get(3)),
        call.line,
    );
    run.results
        .insert(format!("ac_cv_lib_{name}_{}", text(call, 1)), at);
    run.results_of(call.args.get(2), at);
    run.results_of(call.args.get(3), at);
}

/// `AC_PATH_PROG(VARIABLE, PROGRAM, …)`: the first of several is the usual one.
pub(super) fn program(run: &mut Run<'_>, call: &Call, names: &str) {
    let Some(name) = names
        .split_whitespace()
        .map(|name| name.trim_matches(['\'', '"']))
        .next()
        .filter(|name| is_plain(name))
    else {
        return;
    };
    // Every base has these.
    if matches!(
        name,
        "sh" | "sed"
            | "grep"
            | "egrep"
            | "awk"
            | "cat"
            | "rm"
            | "ln"
            | "cp"
            | "mv"
            | "true"
            | "ar"
            | "ranlib"
            | "strip"
            | "ld"
            | "nm"
            | "cc"
            | "gcc"
            | "install"
            | "tar"
            | "date"
            | "sort"
            | "find"
            | "bash"
    ) {
        return;
    }
    let at = run.need(
        Capability::Command(name.to_owned()),
        Scope::Build,
        false,
        call.line,
    );
    run.results.insert(text(call, 0).to_owned(), at);
}

/// `AC_ARG_ENABLE(NAME, HELP, [GIVEN], [NOT-GIVEN])`: what the last assigns is the default.
pub(super) fn option(run: &mut Run<'_>, call: &Call, kind: &str) {
    let name = text(call, 0);
    if !is_plain(name) {
        return;
    }
    let variable: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let variable = format!("{kind}_{variable}");
    run.vars.insert(variable.clone(), Some(String::new()));
    let given = call.args.get(2).map_or("", |arg| arg.text.as_str());
    for part in given
        .split([';', '\n'])
        .filter_map(|part| assignment(part.trim()))
    {
        // What only the option sets stays as it was before.
        run.vars
            .entry(part.0.to_owned())
            .or_insert(Some(String::new()));
    }
    for part in text(call, 3).split([';', '\n']) {
        if let Some((name, value)) = assignment(part.trim()) {
            let value = value.trim_matches(['"', '\'']);
            let known = !value.contains(['$', '`']);
            run.vars
                .insert(name.to_owned(), known.then(|| value.to_owned()));
        }
    }
    let default = match run.vars.get(&variable) {
        Some(Some(value)) => value.clone(),
        _ => "?".to_owned(),
    };
    run.attr("option", &format!("{kind}-{name}={default}"), call.line);
}

/// `AS_IF(TEST-1, RUN-IF-TRUE-1, …, [RUN-IF-FALSE])`.
pub(super) fn as_if(run: &mut Run<'_>, call: &Call) {
    let mut earlier = Some(false);
    let mut args = call.args.iter();
    while let Some(first) = args.next() {
        let (test, body, own) = match args.next() {
            Some(body) => (first.text.as_str(), body, condition(&first.text, &run.vars)),
            None => ("otherwise", first, Some(true)),
        };
        let value = match (earlier, own) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), own) => own,
            (None, _) => None,
        };
        run.nested(body, test, value);
        earlier = match (earlier, own) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
    }
}
