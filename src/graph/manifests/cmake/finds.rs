//! The `find_*` commands: what a build looks for on the machine.

use crate::evidence::{Place, Trust};
use crate::graph::Facts;
use crate::packages::Capability;

use super::super::autotools::libc;
use super::commands::word;
use super::machine::{Machine, Standing};
use super::modules;

type Words = Vec<(String, u32)>;

fn has(words: &Words, keyword: &str) -> bool {
    words.iter().any(|(word, _)| word == keyword)
}

/// Notes a need; returns the index of its fact.
fn need(
    machine: &mut Machine<'_, '_>,
    capability: Capability,
    required: bool,
    place: Place,
) -> usize {
    let Standing {
        value,
        scope,
        condition,
    } = machine.standing();
    if value.is_none() {
        let text = format!("{capability} if {condition}");
        machine.draft().attr("guarded", text, place.clone());
    }
    machine
        .draft()
        .system(capability, scope, required && value == Some(true), place)
}

fn plain(name: &str) -> bool {
    !name.is_empty() && !name.contains("${") && !name.contains("$<") && name.len() < 200
}

/// `find_package(NAME [version] [EXACT] [QUIET] [REQUIRED] [COMPONENTS …] [OPTIONAL_COMPONENTS …])`.
pub fn find_package(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = alias(machine, words);
    if !plain(&name) {
        let place = machine.place(line);
        machine
            .draft()
            .attr("computed", format!("find_package({name})"), place);
        return;
    }
    let place = machine.place(line);
    let required = has(words, "REQUIRED");
    let components = components(words);
    if let Some(module) = modules::named(&name) {
        return standard(machine, &name, module, required, &components, &place);
    }
    if let Some(path) = machine.module(&format!("Find{name}")) {
        return own_module(machine, &name, &path, required, &place);
    }
    let version = word(words, 1);
    if version.starts_with(|c: char| c.is_ascii_digit()) {
        machine.draft().attr(
            "package-version",
            format!("{name} {version}"),
            place.clone(),
        );
    }
    for component in &components {
        machine
            .draft()
            .attr("component", format!("{name} {component}"), place.clone());
    }
    for (component, capability) in components
        .iter()
        .filter_map(|word| Some((word, part(&name, word)?)))
    {
        let at = need(machine, capability, required, place.clone());
        machine
            .results
            .insert(format!("{name}{component}_FOUND"), at);
    }
    let at = need(machine, Capability::CMake(name.clone()), required, place);
    for result in [
        format!("{name}_FOUND"),
        format!("{}_FOUND", name.to_ascii_uppercase()),
    ] {
        machine.results.insert(result.clone(), at);
        machine.vars.insert(result, None);
    }
}

/// `find_package(QT NAMES Qt6 Qt5 …)` finds one under another's name, and says afterwards which.
fn alias(machine: &mut Machine<'_, '_>, words: &Words) -> String {
    let first = word(words, 0);
    let Some(at) = words.iter().position(|(word, _)| word == "NAMES") else {
        return first;
    };
    let names: Vec<&str> = words
        .iter()
        .skip(at + 1)
        .map(|(word, _)| word.as_str())
        .take_while(|word| {
            !matches!(
                *word,
                "REQUIRED"
                    | "COMPONENTS"
                    | "CONFIG"
                    | "QUIET"
                    | "OPTIONAL_COMPONENTS"
                    | "HINTS"
                    | "PATHS"
            )
        })
        .collect();
    // Releases that have both build nearly everything with the older one.
    let chosen = names.iter().find(|name| **name == "Qt5").or(names.first());
    let Some(chosen) = chosen else {
        return first;
    };
    if let Some(major) = chosen.strip_prefix("Qt") {
        machine
            .vars
            .insert("QT_VERSION_MAJOR".to_owned(), Some(major.to_owned()));
        machine
            .vars
            .insert("QT_MAJOR_VERSION".to_owned(), Some(major.to_owned()));
    }
    (*chosen).to_owned()
}

/// What a component of a package with many parts is by itself.
fn part(package: &str, component: &str) -> Option<Capability> {
    let name = component.trim_start_matches(package);
    match package {
        "Boost" => {
            let name = name.to_ascii_lowercase();
            (name != "headers").then(|| Capability::Library(format!("boost_{name}")))
        }
        "Qt5" | "Qt6" | "KF5" | "KF6" | "Qt4" => {
            Some(Capability::CMake(format!("{package}{name}")))
        }
        _ => None,
    }
}

fn components(words: &Words) -> Vec<String> {
    const KEYWORDS: &[&str] = &[
        "REQUIRED",
        "QUIET",
        "EXACT",
        "MODULE",
        "CONFIG",
        "NO_MODULE",
        "OPTIONAL_COMPONENTS",
        "NAMES",
        "CONFIGS",
        "HINTS",
        "PATHS",
        "PATH_SUFFIXES",
        "GLOBAL",
        "NO_POLICY_SCOPE",
        "NO_DEFAULT_PATH",
        "BYPASS_PROVIDER",
    ];
    // `REQUIRED a b` without COMPONENTS names components as well.
    let Some(at) = words
        .iter()
        .position(|(word, _)| word == "COMPONENTS" || word == "REQUIRED")
    else {
        return Vec::new();
    };
    let rest = words
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .map(|(word, _)| word);
    let rest = rest.filter(|word| *word != "COMPONENTS");
    rest.take_while(|word| !KEYWORDS.contains(&word.as_str()))
        .filter(|word| plain(word))
        .cloned()
        .collect()
}

fn standard(
    machine: &mut Machine<'_, '_>,
    name: &str,
    module: &modules::Module,
    required: bool,
    components: &[String],
    place: &Place,
) {
    let wants_interpreter =
        components.is_empty() || components.iter().any(|word| word == "Interpreter");
    if module.python && wants_interpreter && machine.standing().value == Some(true) && required {
        machine
            .draft()
            .tool("python", None, Trust::Manifest, place.clone());
    } else if module.python && wants_interpreter {
        need(
            machine,
            Capability::Command("python3".to_owned()),
            false,
            place.clone(),
        );
    }
    let mut at = None;
    for capability in &module.needs {
        at = Some(need(machine, capability.clone(), required, place.clone()));
    }
    for capability in components
        .iter()
        .filter_map(|word| module.component.get(word))
        .flatten()
    {
        at = Some(need(machine, capability.clone(), required, place.clone()));
    }
    for result in [
        format!("{name}_FOUND"),
        format!("{}_FOUND", name.to_ascii_uppercase()),
    ] {
        if let Some(at) = at {
            machine.results.insert(result.clone(), at);
        }
        machine.vars.insert(result, None);
    }
}

/// A find module of the repository's own: what it looks for is what is needed, and the header (else the library)
/// is what cannot be missing.
fn own_module(
    machine: &mut Machine<'_, '_>,
    name: &str,
    path: &str,
    required: bool,
    _place: &Place,
) {
    let before = machine.draft().items().len();
    machine.include(path);
    let draft = machine.draft();
    let found: Vec<(usize, Capability)> = draft
        .items()
        .iter()
        .enumerate()
        .skip(before)
        .filter_map(|(at, item)| match &item.facts {
            Facts::Dependency(facts) => Some((at, facts.capability.clone()?)),
            _ => None,
        })
        .collect();
    let first = |wanted: fn(&Capability) -> bool| {
        found
            .iter()
            .find(|(_, capability)| wanted(capability))
            .map(|(at, _)| *at)
    };
    let main = first(|c| matches!(c, Capability::Header(_)))
        .or_else(|| first(|c| matches!(c, Capability::Library(_))))
        .or_else(|| first(|c| matches!(c, Capability::Command(_))))
        .or_else(|| first(|c| matches!(c, Capability::PkgConfig(_))));
    let sure = machine.standing().value == Some(true);
    // Where it looks for nothing else, the repository answers by itself.
    if let Some(at) = main {
        if required && sure {
            require(machine, at);
        }
        machine.results.insert(format!("{name}_FOUND"), at);
    }
    machine.vars.insert(format!("{name}_FOUND"), None);
}

fn require(machine: &mut Machine<'_, '_>, at: usize) {
    if let Some(item) = machine.draft().item_mut(at)
        && let Facts::Dependency(facts) = &mut item.facts
    {
        facts.required = true;
    }
}

/// `pkg_check_modules(PREFIX [REQUIRED] [QUIET] … module…)`; `pkg_search_module` takes the first it finds.
pub fn pkg_config(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let prefix = word(words, 0);
    let required = has(words, "REQUIRED");
    let skip = [
        "REQUIRED",
        "QUIET",
        "NO_CMAKE_PATH",
        "NO_CMAKE_ENVIRONMENT_PATH",
        "IMPORTED_TARGET",
        "GLOBAL",
    ];
    if required {
        let place = machine.place(line);
        need(
            machine,
            Capability::Command("pkg-config".to_owned()),
            true,
            place,
        );
    }
    let mut after_operator = false;
    for (word, _) in words.iter().skip(1) {
        let bare = matches!(word.as_str(), ">=" | "<=" | "=" | ">" | "<");
        if skip.contains(&word.as_str()) || std::mem::replace(&mut after_operator, bare) || bare {
            continue;
        }
        let module = word.split(['>', '<', '=', ' ']).next().unwrap_or_default();
        if !plain(module) {
            continue;
        }
        let place = machine.place(line);
        let at = need(
            machine,
            Capability::PkgConfig(module.to_owned()),
            required,
            place,
        );
        machine.results.insert(format!("{prefix}_FOUND"), at);
        machine.vars.insert(format!("{prefix}_FOUND"), None);
    }
}

/// The names a `find_*` command looks for, the first being the usual one.
fn names(words: &Words) -> Vec<String> {
    const STOP: &[&str] = &[
        "NAMES",
        "HINTS",
        "PATHS",
        "PATH_SUFFIXES",
        "DOC",
        "REQUIRED",
        "NO_DEFAULT_PATH",
        "NAMES_PER_DIR",
        "ENV",
        "VALIDATOR",
        "NO_PACKAGE_ROOT_PATH",
        "NO_CMAKE_PATH",
        "NO_CMAKE_ENVIRONMENT_PATH",
        "NO_SYSTEM_ENVIRONMENT_PATH",
        "NO_CMAKE_SYSTEM_PATH",
        "CMAKE_FIND_ROOT_PATH_BOTH",
        "ONLY_CMAKE_FIND_ROOT_PATH",
        "NO_CMAKE_FIND_ROOT_PATH",
    ];
    let start = if word(words, 1) == "NAMES" { 2 } else { 1 };
    let rest = words.iter().skip(start).map(|(word, _)| word.clone());
    let mut names: Vec<String> = rest
        .take_while(|word| !STOP.contains(&word.as_str()))
        .collect();
    if start == 1 {
        // The short form: one name, then paths.
        names.truncate(1);
    }
    for name in &mut names {
        if name.starts_with("${") || name.ends_with('}') {
            *name = super::lexer::without_unknown(name);
        }
    }
    names.retain(|name| plain(name) && !name.starts_with('/'));
    names
}

fn find(machine: &mut Machine<'_, '_>, words: &Words, line: u32, make: fn(String) -> Capability) {
    let variable = word(words, 0);
    let Some(name) = names(words).into_iter().next() else {
        return;
    };
    let place = machine.place(line);
    let at = need(machine, make(name), has(words, "REQUIRED"), place);
    machine.vars.insert(variable.clone(), None);
    machine.results.insert(variable, at);
}

pub fn find_library(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = names(words).into_iter().next().unwrap_or_default();
    // Part of the C library or the compiler.
    if libc::is_library(&name) || name == "stdc++fs" {
        machine.vars.insert(word(words, 0), None);
        return;
    }
    find(machine, words, line, |name| {
        let name = name
            .strip_prefix("lib")
            .filter(|rest| rest.contains('.'))
            .unwrap_or(&name);
        let name = name
            .strip_suffix(".a")
            .or_else(|| name.strip_suffix(".so"))
            .unwrap_or(name);
        Capability::Library(name.to_owned())
    });
}

pub fn find_path(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    if names(words)
        .first()
        .is_some_and(|name| libc::is_header(name))
    {
        machine.vars.insert(word(words, 0), None);
        return;
    }
    find(machine, words, line, Capability::Header);
}

/// `check_library_exists(LIBRARY function location variable)`.
pub fn check_library(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = word(words, 0);
    if plain(&name) && !name.contains('/') && !libc::is_library(&name) {
        let place = machine.place(line);
        let at = need(machine, Capability::Library(name), false, place);
        machine.results.insert(word(words, 3), at);
    }
    machine.vars.insert(word(words, 3), None);
}

/// `check_include_file(HEADER variable)`, `check_include_files("HEADER;HEADER" variable)`.
pub fn check_headers(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let variable = word(words, 1);
    for header in word(words, 0).split(';') {
        if plain(header) && !libc::is_header(header) {
            let place = machine.place(line);
            let at = need(machine, Capability::Header(header.to_owned()), false, place);
            machine.results.insert(variable.clone(), at);
        }
    }
    machine.vars.insert(variable, None);
}

pub fn find_program(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    find(machine, words, line, Capability::Command);
}

/// `if(NOT X_FOUND) message(FATAL_ERROR …)` makes X required.
pub fn message(machine: &mut Machine<'_, '_>, words: &Words, _line: u32) {
    if !matches!(word(words, 0).as_str(), "FATAL_ERROR" | "SEND_ERROR") {
        return;
    }
    let conditions: Vec<String> = machine.conditions().map(str::to_owned).collect();
    let [outer @ .., condition] = conditions.as_slice() else {
        return;
    };
    // A condition around the check is one around the need, and known when it was noted.
    let Some(name) = condition.strip_prefix("NOT ").filter(|_| outer.len() < 2) else {
        return;
    };
    let name = name.trim_matches(|c| matches!(c, '"' | '$' | '{' | '}' | '(' | ')' | ' '));
    let Some(&at) = machine.results.get(name) else {
        return;
    };
    if machine
        .draft()
        .item_mut(at)
        .is_some_and(|item| unconditional(&item.facts))
        && outer.is_empty()
    {
        require(machine, at);
    }
}

fn unconditional(facts: &Facts) -> bool {
    matches!(facts, Facts::Dependency(facts) if !matches!(facts.scope, crate::graph::Scope::Optional(_)))
}
