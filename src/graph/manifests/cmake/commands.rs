//! Commands that set the stage: projects, options, variables, targets, tests, downloads.

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};

use super::super::drafts::Draft;
use super::finds;
use super::lexer::Command;
use super::machine::{Machine, Target, absolute};

type Words = Vec<(String, u32)>;
type Handler = fn(&mut Machine<'_, '_>, &Words, u32);

/// Every command that says something, by its lower-case name.
static HANDLERS: &[(&str, Handler)] = &[
    ("project", project),
    ("enable_language", languages),
    ("cmake_minimum_required", minimum),
    ("option", option),
    ("cmake_dependent_option", dependent_option),
    ("set", set),
    ("unset", |machine, words, _| {
        machine.set(&word(words, 0), Some(String::new()))
    }),
    ("list", list),
    ("include", include),
    ("add_subdirectory", |machine, words, _| {
        machine.subdirectory(&word(words, 0))
    }),
    ("subdirs", |machine, words, _| {
        words.iter().for_each(|(dir, _)| machine.subdirectory(dir))
    }),
    ("add_executable", |machine, words, line| {
        target(machine, words, line, false)
    }),
    ("add_library", |machine, words, line| {
        target(machine, words, line, true)
    }),
    ("set_target_properties", properties),
    ("install", install),
    ("enable_testing", test),
    ("add_test", test),
    ("gtest_discover_tests", test),
    ("gtest_add_tests", test),
    ("catch_discover_tests", test),
    ("doctest_discover_tests", test),
    ("message", finds::message),
    ("find_package", finds::find_package),
    ("find_dependency", finds::find_package),
    ("pkg_check_modules", finds::pkg_config),
    ("pkg_search_module", finds::pkg_config),
    ("find_library", finds::find_library),
    ("find_path", finds::find_path),
    ("find_program", finds::find_program),
    ("check_language", |_, _, _| {}),
    ("check_library_exists", finds::check_library),
    ("check_include_file", finds::check_headers),
    ("check_include_file_cxx", finds::check_headers),
    ("check_include_files", finds::check_headers),
    ("cpmfindpackage", cpm_find),
    ("fetchcontent_declare", download),
    ("externalproject_add", download),
    ("cpmaddpackage", download),
    ("hunter_add_package", download),
];

/// Starts of commands that look for something on the machine.
const LOOKS: [&str; 4] = ["find_", "pkg_", "check_", "cpmfind"];

pub fn run(machine: &mut Machine<'_, '_>, command: &Command) {
    let Some((_, handler)) = HANDLERS.iter().find(|(name, _)| *name == command.name) else {
        // Projects wrap `add_test` in functions of modules that come from elsewhere.
        return;
    };
    let looks = LOOKS.iter().any(|start| command.name.starts_with(start));
    let words = if looks {
        machine.words_maybe(&command.args)
    } else {
        machine.words(&command.args)
    };
    handler(machine, &words, command.line);
}

pub fn word(words: &Words, at: usize) -> String {
    words
        .get(at)
        .map(|(word, _)| word.clone())
        .unwrap_or_default()
}

fn project(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = word(words, 0);
    let place = machine.place(line);
    let dir = machine.dir.clone();
    if dir == machine.top && !name.contains("${") {
        machine.draft().name(&name, &place);
        machine
            .vars
            .insert("CMAKE_PROJECT_NAME".to_owned(), Some(name.clone()));
    } else if dir != machine.top {
        machine.draft().attr("subproject", &dir, place);
        machine
            .vars
            .insert("PROJECT_IS_TOP_LEVEL".to_owned(), Some("0".to_owned()));
    }
    machine
        .vars
        .insert("PROJECT_NAME".to_owned(), Some(name.clone()));
    let here = absolute(&dir);
    machine
        .vars
        .insert("PROJECT_SOURCE_DIR".to_owned(), Some(here.clone()));
    machine
        .vars
        .insert(format!("{name}_SOURCE_DIR"), Some(here));
    let keywords = [
        "VERSION",
        "DESCRIPTION",
        "HOMEPAGE_URL",
        "COMPAT_VERSION",
        "SPDX_LICENSE",
    ];
    let rest = words.get(1..).unwrap_or_default();
    let listed: Words = match rest.iter().position(|(word, _)| word == "LANGUAGES") {
        Some(at) => rest.get(at + 1..).unwrap_or_default().to_vec(),
        None if rest
            .iter()
            .any(|(word, _)| keywords.contains(&word.as_str())) =>
        {
            Words::new()
        }
        None => rest.to_vec(),
    };
    let listed: Words = listed
        .into_iter()
        .take_while(|(word, _)| !keywords.contains(&word.as_str()))
        .collect();
    if listed.is_empty() {
        let both = [("C".to_owned(), line), ("CXX".to_owned(), line)];
        languages(machine, &both.to_vec(), line);
    } else {
        languages(machine, &listed, line);
    }
}

fn languages(machine: &mut Machine<'_, '_>, words: &Words, _line: u32) {
    if machine.standing().value == Some(false) {
        return;
    }
    for (language, line) in words {
        let place = machine.place(*line);
        let plain = language
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain && !matches!(language.as_str(), "NONE" | "OPTIONAL") {
            machine.draft().attr("language", language, place);
        }
    }
}

fn minimum(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let Some(version) = words
        .iter()
        .position(|(word, _)| word == "VERSION")
        .map(|at| word(words, at + 1))
    else {
        return;
    };
    let lowest = version.split("...").next().unwrap_or_default().to_owned();
    if !lowest.starts_with(|c: char| c.is_ascii_digit())
        || machine.draft().has_attr("cmake-minimum")
    {
        return;
    }
    let place = machine.place(line);
    machine
        .draft()
        .attr("cmake-minimum", &lowest, place.clone());
    machine
        .draft()
        .tool("cmake", Some(format!(">={lowest}")), Trust::Manifest, place);
}

fn option(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let value = words
        .get(2)
        .map_or("OFF", |(word, _)| word.as_str())
        .to_owned();
    declare_option(machine, &word(words, 0), value, line);
}

/// `cmake_dependent_option(NAME doc VALUE DEPENDS FORCE)`.
fn dependent_option(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    declare_option(machine, &word(words, 0), word(words, 2), line);
}

fn declare_option(machine: &mut Machine<'_, '_>, name: &str, value: String, line: u32) {
    if name.is_empty() || name.contains("${") || machine.standing().value == Some(false) {
        return;
    }
    // A value set before stays: that is what `option()` does with a variable of its name.
    let earlier = machine.vars.get(name).cloned().flatten();
    let known = !value.contains("${");
    let value = earlier.or(known.then_some(value));
    machine.options.insert(name.to_owned());
    machine.vars.insert(name.to_owned(), value.clone());
    let place = machine.place(line);
    if switches_tests(name) {
        machine.test_options.insert(name.to_owned());
    }
    let known = machine
        .declared
        .get(name)
        .is_some_and(|(known, _)| known.is_some());
    if !known && machine.declared.len() < 5000 {
        machine.declared.insert(name.to_owned(), (value, place));
    }
}

/// Whether an option's name says that it switches tests on: `BUILD_TESTING`, `JSON_BuildTests`, `ENABLE_TEST`.
fn switches_tests(name: &str) -> bool {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in name.chars() {
        if (c == '_' || (lower && c.is_ascii_uppercase())) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        lower = c.is_ascii_lowercase();
        if c != '_' {
            word.push(c.to_ascii_uppercase());
        }
    }
    words.push(word);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    is(&[
        "TEST",
        "TESTS",
        "TESTING",
        "UNITTEST",
        "UNITTESTS",
        "BUILDTESTS",
        "BUILDTESTING",
    ]) && !is(&[
        "INSTALL",
        "COVERAGE",
        "VALGRIND",
        "FUZZ",
        "FUZZING",
        "BENCH",
        "BENCHMARK",
        "NO",
        "DISABLE",
        "SKIP",
        "EXTERNAL",
        "SYSTEM",
        "WITHOUT",
        "CUDA",
        "GPU",
        "PERF",
        "PERFORMANCE",
        "ONLINE",
        "NETWORK",
        "STRESS",
    ])
}

fn set(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = word(words, 0);
    let end = words
        .iter()
        .position(|(word, _)| word == "CACHE" || word == "PARENT_SCOPE")
        .unwrap_or(words.len());
    let values: Vec<&str> = words
        .get(1..end)
        .unwrap_or_default()
        .iter()
        .map(|(word, _)| word.as_str())
        .collect();
    let cached = words.get(end).is_some_and(|(word, _)| word == "CACHE");
    let forced = words.last().is_some_and(|(word, _)| word == "FORCE");
    let mut value = values.join(";");
    // `set(X ${X} more)` before X is set: nothing stands in its place.
    if !machine.vars.contains_key(&name) {
        value = value
            .replace(&format!("${{{name}}};"), "")
            .replace(&format!("${{{name}}}"), "");
    }
    if cached && word(words, end + 1) == "BOOL" && !forced {
        declare_option(machine, &name, value, line);
    } else if !cached || !machine.vars.contains_key(&name) {
        let known = !value.contains("${") && !value.contains("$ENV{");
        machine.may_hold(&name, &value, value.contains(&format!("${{{name}}}")));
        machine.set(&name, known.then_some(value));
    }
}

fn list(machine: &mut Machine<'_, '_>, words: &Words, _line: u32) {
    let name = word(words, 1);
    let values: Vec<&str> = words
        .get(2..)
        .unwrap_or_default()
        .iter()
        .map(|(word, _)| word.as_str())
        .collect();
    let values = values.join(";");
    let old = machine.vars.get(&name).cloned();
    let joined = |first: String, second: String| {
        if first.is_empty() {
            second
        } else {
            format!("{first};{second}")
        }
    };
    if matches!(word(words, 0).as_str(), "APPEND" | "PREPEND") {
        machine.may_hold(&name, &values, true);
    }
    let new = match (word(words, 0).as_str(), old) {
        _ if values.contains("${") => None,
        ("APPEND", None | Some(None)) | ("PREPEND", None | Some(None)) => Some(values),
        ("APPEND", Some(Some(old))) => Some(joined(old, values)),
        ("PREPEND", Some(Some(old))) => Some(joined(values, old)),
        ("REMOVE_DUPLICATES" | "SORT" | "LENGTH" | "FIND" | "GET" | "JOIN", _) => return,
        _ => None,
    };
    machine.set(&name, new);
}

fn include(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = word(words, 0);
    if name == "CTest" {
        if !machine.vars.contains_key("BUILD_TESTING") {
            declare_option(machine, "BUILD_TESTING", "ON".to_owned(), line);
        }
        return test(machine, words, line);
    }
    if machine.standing().value == Some(false) {
        return;
    }
    // A variable that nobody sets stands for nothing.
    let name = super::lexer::without_unknown(&name);
    let as_path = machine
        .resolve(&name)
        .filter(|path| machine.reading.tree.has(path));
    if let Some(path) = as_path.or_else(|| machine.module(&name)) {
        machine.include(&path);
    }
}

fn target(machine: &mut Machine<'_, '_>, words: &Words, line: u32, library: bool) {
    let name = word(words, 0);
    let special =
        words.iter().skip(1).take(2).any(|(word, _)| {
            matches!(word.as_str(), "IMPORTED" | "ALIAS" | "INTERFACE" | "OBJECT")
        });
    if name.is_empty() || name.contains("${") || (special && !library) {
        return;
    }
    let standing = machine.standing();
    let foreign =
        machine.file != machine.reading.path && super::super::tree::is_auxiliary(&machine.dir);
    let target = Target {
        place: machine.place(line),
        output: None,
        installed: false,
        hidden: special
            || foreign
            || standing.value == Some(false)
            || standing.scope == Scope::Test,
        library,
    };
    machine.targets.entry(name).or_insert(target);
}

fn properties(machine: &mut Machine<'_, '_>, words: &Words, _line: u32) {
    let Some(at) = words.iter().position(|(word, _)| word == "OUTPUT_NAME") else {
        return;
    };
    let output = word(words, at + 1);
    for (name, _) in words.iter().take_while(|(word, _)| word != "PROPERTIES") {
        if let Some(target) = machine
            .targets
            .get_mut(name)
            .filter(|_| !output.contains("${"))
        {
            target.output = Some(output.clone());
        }
    }
}

fn install(machine: &mut Machine<'_, '_>, words: &Words, _line: u32) {
    if word(words, 0) != "TARGETS" {
        return;
    }
    for (name, _) in words.iter().skip(1) {
        if let Some(target) = machine.targets.get_mut(name) {
            target.installed = true;
        }
    }
}

/// Writes a target down: commands always, libraries where they are installed.
pub fn entry(draft: &mut Draft, name: String, target: Target) {
    if target.hidden || (target.library && !target.installed) {
        return;
    }
    let shown = target.output.unwrap_or(name);
    let kind = if target.library {
        EntryKind::Library
    } else {
        EntryKind::Command
    };
    if !target.installed {
        draft.attr("uninstalled", &shown, target.place.clone());
    }
    draft.entry(&shown, kind, target.place);
}

fn test(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    // Tests of code kept in the tree for convenience are not this project's.
    if machine.dir.split('/').any(|part| part.contains("party")) {
        return;
    }
    let place = machine.place(line);
    // An option that has to be on for any test at all, whatever it is called.
    if words.is_empty() {
        let options = machine.guarding_options();
        machine.test_options.extend(options);
    }
    if machine.standing().value != Some(false) {
        machine.draft().suite("ctest", place);
    }
}

/// `CPMFindPackage(NAME name …)` takes the machine's package where there is one, and else downloads.
fn cpm_find(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let at = words.iter().position(|(word, _)| word == "NAME");
    let name = at.map(|at| word(words, at + 1)).unwrap_or_default();
    if !name.is_empty() {
        finds::find_package(machine, &vec![(name, line)], line);
    }
    download(machine, words, line);
}

fn download(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let standing = machine.standing();
    let place: Place = machine.place(line);
    // `CPMAddPackage(NAME fmt …)`; the others put the name first.
    let name = match words.iter().position(|(word, _)| word == "NAME") {
        Some(0) => word(words, 1),
        _ => word(words, 0),
    };
    match standing.value {
        Some(true) => machine.draft().attr("network", name, place),
        _ => machine.draft().attr(
            "network-optional",
            format!("{name} if {}", standing.condition),
            place,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_that_switch_tests_on() {
        for name in [
            "BUILD_TESTING",
            "JSON_BuildTests",
            "ENABLE_TESTS",
            "FOO_TEST",
            "FMT_TEST",
        ] {
            assert!(switches_tests(name), "{name}");
        }
        for name in [
            "INSTALL_TESTS",
            "CONTEST",
            "ATTESTATION",
            "BUILD_BENCHMARK_TESTS",
            "LATEST",
        ] {
            assert!(!switches_tests(name), "{name}");
        }
    }
}
