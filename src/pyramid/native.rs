//! Commands of C and C++ builds, against the build system that the plan chose. A directory may have several; what
//! belongs to one that the plan decided against lacks its tools and its configuration here.

use super::classify::Candidate;
use super::normal::normal;
use super::retrieve::{Known, join};
use crate::evidence::Trust;

/// Why a command is left out: it belongs to a build that the plan does not do. `None`: it does not.
pub fn other_build(candidate: &Candidate, known: &Known) -> Option<String> {
    let Some(system) = known.systems.get(&candidate.dir) else {
        // A makefile of a bundled library or of an example: nothing that the plan builds goes through it.
        let apart = !candidate.dir.is_empty()
            && candidate.trust < Trust::Ci
            && makes_here(&normal(&candidate.command));
        return apart.then(|| format!("the plan does not build {}", candidate.dir));
    };
    if normal(&candidate.command).starts_with("pip install ")
        && !known.uv_without_pip
        && !known.provided.contains("pip")
    {
        return Some("pip is not in the environment".to_owned());
    }
    let earlier = candidate.before.iter().map(|(_, text)| text.as_str());
    let all = earlier.chain([candidate.command.as_str()]);
    let other = all
        .flat_map(programs)
        .filter_map(|program| belongs_to(&program).map(|(system, name)| (system, name.to_owned())))
        .find(|(other, program)| {
            *other != system && !(is_tool(program) && known.provided.contains(program))
        });
    let makefile = ["Makefile", "makefile", "GNUmakefile"]
        .iter()
        .any(|name| known.files.contains(&join(&candidate.dir, name)));
    // A makefile may be the front of the chosen build: CI that uses it says so, the makefile alone does not.
    let own_make = makefile
        && matches!(system.as_str(), "cmake" | "meson")
        && candidate.trust < Trust::Ci
        && makes_here(&normal(&candidate.command));
    let other = match other {
        Some((other, _)) => other,
        None if own_make => "make",
        None => return None,
    };
    Some(format!(
        "belongs to the {other} build; the plan builds with {system}"
    ))
}

/// `cmake .`, `cmake -DX=y .`, and `ctest` in no build directory, of the project that the plan configures in a directory
/// of its own.
pub fn configures_in_source(candidate: &Candidate, known: &Known) -> bool {
    let normal = normal(&candidate.command);
    let words: Vec<&str> = normal.split(' ').collect();
    if words.first() == Some(&"ctest") {
        let system = known.systems.get(&candidate.dir);
        let names = ["--test-dir", "-S", "--build-and-test", "--preset"];
        return system.is_some_and(|system| system == "cmake")
            && !words.iter().any(|word| names.contains(word));
    }
    known
        .systems
        .get(&candidate.dir)
        .is_some_and(|system| system == "cmake")
        && words.first() == Some(&"cmake")
        && words
            .iter()
            .any(|word| matches!(*word, "." | "./" | ".." | "../"))
        && !words.iter().any(|word| {
            word.starts_with("-B") || matches!(*word, "-S" | "-P" | "--build" | "--install" | "-E")
        })
}

/// The programs that a command line starts, assignments and wrappers left aside. Wherever `if` or `&&` puts them.
fn programs(text: &str) -> Vec<String> {
    text.split(['\n', ';', '&', '|'])
        .map(|part| {
            let keyword =
                |word: &&str| matches!(*word, "if" | "then" | "!" | "while" | "else" | "do");
            let words: Vec<&str> = part.split_whitespace().skip_while(keyword).collect();
            let normal = normal(&words.join(" "));
            normal.split(' ').next().unwrap_or_default().to_owned()
        })
        .filter(|program| !program.is_empty())
        .collect()
}

/// The build system of a program, and the program's own name.
fn belongs_to(program: &str) -> Option<(&'static str, &str)> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let system = match name {
        "cmake" | "ctest" => "cmake",
        "meson" => "meson",
        "configure" | "autogen.sh" | "bootstrap" | "buildconf" | "autoreconf" | "autoconf"
        | "automake" => "autotools",
        _ => return None,
    };
    Some((system, name))
}

/// A program that packages provide, as opposed to a script of the repository.
fn is_tool(name: &str) -> bool {
    !matches!(name, "configure" | "autogen.sh" | "bootstrap" | "buildconf")
}

fn makes_here(normal: &str) -> bool {
    let mut words = normal.split(' ');
    matches!(words.next(), Some("make" | "gmake"))
        && !words.any(|word| word.starts_with("-C") || word.starts_with("-f"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_behind_assignments_and_conditions() {
        assert_eq!(
            programs("if CC=gcc cmake -S x; then\n echo y; fi"),
            ["cmake", "echo", "fi"]
        );
        assert_eq!(
            programs("./bootstrap && ./configure"),
            ["./bootstrap", "./configure"]
        );
        assert_eq!(belongs_to("../configure"), Some(("autotools", "configure")));
        assert_eq!(belongs_to("configurator"), None);
        assert!(makes_here("make check"));
        assert!(!makes_here("make -C tests check"));
    }
}
