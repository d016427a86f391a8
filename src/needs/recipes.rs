//! Programs that the build runs: commands in the recipes of makefiles and of CMake's and Meson's custom targets, and
//! languages of the sources that need a compiler of their own.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::aside::{is_aside, is_for_apple, is_test};
use super::collect::{Ask, Collection};
use super::compiled::Compiled;
use super::model::Group;
use super::programs::PROGRAMS;

const MAX_BUILD_FILE: u64 = 1 << 20;

/// Adds the programs that build files below `dir` run.
///
/// `flags`: makefiles are all there is, so that libraries stand in their `-l` flags.
pub fn add(
    repository: &Repository,
    dir: &str,
    compiled: &Compiled,
    flags: bool,
    out: &mut Collection<'_>,
) {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    let mut found: BTreeMap<&str, Place> = BTreeMap::new();
    for entry in &repository.files {
        if !entry.path.starts_with(&prefix) || !is_build_file(entry) {
            continue;
        }
        let Some(text) = read_text(repository, &entry.path) else {
            continue;
        };
        for (line, number) in text.lines().zip(1_u32..) {
            if flags {
                libraries(line, &Place::new(&entry.path, number), out);
            }
            for program in programs(line, &entry.path) {
                found
                    .entry(program)
                    .or_insert_with(|| Place::new(&entry.path, number));
            }
        }
    }
    for (program, place) in found {
        out.ask(Ask {
            capability: Capability::Command(program.to_owned()),
            group: Group::Tools,
            option: None,
            because: Because::at(place, Trust::Manifest, format!("runs {program}")),
        });
    }
    resources(repository, &prefix, out);
    languages(repository, &prefix, compiled, out);
}

/// GLib's resource compiler runs xmllint for files that are to lose their blanks (glib-compile-resources(1)).
fn resources(repository: &Repository, prefix: &str, out: &mut Collection<'_>) {
    let mut files = repository.files.iter().filter(|entry| {
        entry.path.starts_with(prefix)
            && entry.path.ends_with(".gresource.xml")
            && !is_aside(&entry.path)
            && !is_test(&entry.path)
            && entry.size < MAX_BUILD_FILE
    });
    let found = files.find(|entry| {
        read_text(repository, &entry.path).is_some_and(|text| text.contains("xml-stripblanks"))
    });
    if let Some(entry) = found {
        out.ask(Ask {
            capability: Capability::Command("xmllint".to_owned()),
            group: Group::Tools,
            option: None,
            because: Because::at(
                Place::file(&entry.path),
                Trust::Source,
                "xml-stripblanks".to_owned(),
            ),
        });
    }
}

/// Objective-C and Fortran are compiled by GCC's other front ends.
fn languages(repository: &Repository, prefix: &str, compiled: &Compiled, out: &mut Collection<'_>) {
    for (extensions, compiler) in [
        (&["m"][..], "gobjc"),
        (&["f", "f90", "F90", "f77", "F", "f95"], "gfortran"),
    ] {
        let is_one = |entry: &&FileEntry| {
            let extension = entry
                .path
                .rsplit_once('.')
                .map_or("", |(_, extension)| extension);
            entry.path.starts_with(prefix)
                && extensions.contains(&extension)
                && !entry.vendored
                && !is_aside(&entry.path)
                && entry.kind == FileKind::Text
                && (extension != "m"
                    || entry
                        .language
                        .as_deref()
                        .is_some_and(|language| language.contains("obj")))
                && compiled.holds(&entry.path)
                && (extension != "m"
                    || read_text(repository, &entry.path).is_none_or(|text| !is_for_apple(&text)))
        };
        if let Some(entry) = repository.files.iter().find(is_one) {
            let package = compiler.to_owned();
            let ask = Ask {
                capability: Capability::Package(package.clone()),
                group: Group::Tools,
                option: None,
                because: Because::at(
                    Place::file(&entry.path),
                    Trust::Source,
                    format!("compiled by {compiler}"),
                ),
            };
            out.take(&package, ask, Vec::new());
        }
    }
}

fn is_build_file(entry: &FileEntry) -> bool {
    if entry.kind != FileKind::Text || entry.size > MAX_BUILD_FILE || entry.vendored {
        return false;
    }
    let path = entry.path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let kind = name == "CMakeLists.txt"
        || name == "meson.build"
        || lower.starts_with("makefile")
            && !lower.ends_with(".w32")
            && !lower.contains("msc")
            && !lower.contains("vc")
        || lower == "gnumakefile"
        || lower.ends_with(".mk")
        || lower == "auto.def"
        || lower == "configure" && entry.size < 64 * 1024;
    kind && !is_aside(path) && !is_test(path)
}

/// Sources of the distribution that build with a library, from which on a flag that some variable may hold counts.
const USUAL: u32 = 10;

/// `-lfoo` in a line that is no comment.
fn libraries(line: &str, place: &Place, out: &mut Collection<'_>) {
    let code = line.split_once('#').map_or(line, |(code, _)| code);
    let foreign = is_aside(&place.path);
    let included = code
        .split_once("-include ")
        .map(|(_, rest)| rest.trim_start());
    if let Some(header) = included
        .and_then(|rest| rest.split_whitespace().next())
        .filter(|name| name.ends_with(".h") && !foreign)
    {
        out.ask_if_known(Ask {
            capability: Capability::Header(header.to_owned()),
            group: Group::Required,
            option: None,
            because: Because::at(place.clone(), Trust::Manifest, format!("-include {header}")),
        });
    }
    for word in
        code.split(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | '(' | ')' | ','))
    {
        let Some(name) = word
            .strip_prefix("-l")
            .filter(|name| !foreign && name.len() > 1)
        else {
            continue;
        };
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'));
        let capability = Capability::Library(name.to_owned());
        let usual = plain
            && out
                .index
                .best(&capability)
                .is_some_and(|best| out.index.usage(&best.package) >= USUAL);
        if usual {
            out.ask(Ask {
                because: Because::at(place.clone(), Trust::Manifest, format!("-l{name}")),
                capability,
                group: Group::Optional,
                option: None,
            });
        }
    }
}

/// Programs of the table that a line of a build file runs.
fn programs(line: &str, path: &str) -> Vec<&'static str> {
    let code = line.split_once('#').map_or(line, |(code, _)| code);
    let recipe = line.starts_with('\t');
    let mut found = Vec::new();
    if !recipe
        && code.contains("pkg-config")
        && !path.ends_with("CMakeLists.txt")
        && !path.ends_with("meson.build")
        && !path.ends_with(".am")
    {
        found.push("pkg-config");
    }
    if code.contains("$(shell")
        || code.contains('`')
        || path.ends_with("configure")
        || path.ends_with("auto.def")
    {
        for word in ["pkg-config"] {
            if code.contains(word) && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    let words: Vec<&str> = if recipe {
        code.split([';', '|', '&']).filter_map(first_word).collect()
    } else {
        let rest = code.split_once("COMMAND").map(|(_, rest)| rest);
        rest.and_then(first_word).into_iter().collect()
    };
    for word in words {
        let bare = word.trim_matches(|c: char| {
            matches!(c, '$' | '(' | ')' | '{' | '}' | '@' | '"' | '\'' | '`')
        });
        let bare = bare
            .trim_end_matches("_EXECUTABLE")
            .trim_start_matches("Python3_")
            .to_ascii_lowercase();
        let bare = if word.contains("Python") && word.contains("EXECUTABLE") {
            "python".to_owned()
        } else {
            bare
        };
        if let Some(program) = PROGRAMS.recipes.get(&bare) {
            found.push(program.as_str());
        }
    }
    found
}

fn first_word(part: &str) -> Option<&str> {
    let mut part =
        part.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '@' | '-' | '+'));
    // `$(Q)gcc`: a variable that silences what follows it.
    for silencer in ["$(Q)", "$(V)", "${Q}", "$(AT)", "$(QUIET)"] {
        part = part.strip_prefix(silencer).unwrap_or(part).trim_start();
    }
    // Settings before a command, `FOO=bar command`.
    part.split_whitespace().find(|word| !word.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_recipes() {
        let of = |line: &str| programs(line, "Makefile").join(" ");
        assert_eq!(of("\t@$(PYTHON) gen.py > x.c"), "python3");
        assert_eq!(of("\tLC_ALL=C gperf -t x | sed s/a/b/"), "gperf");
        assert_eq!(of("CFLAGS += $(shell pkg-config --cflags x)"), "pkg-config");
        assert_eq!(of("  COMMAND ${PYTHON_EXECUTABLE} x.py"), "python3");
        assert_eq!(of("\techo python"), "");
    }
}
