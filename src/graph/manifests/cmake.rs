//! `CMakeLists.txt` and the `*.cmake` files of the repository that it includes (cmake-language(7)).
//!
//! The commands are interpreted as far as that needs no machine: options have their defaults, the platform is
//! Linux, `if()` has three values. A dependency under a condition that is false by default is optional and named
//! after the option (or the condition); under one that is not known it is wanted only if present.
//! A directory reached by `add_subdirectory` belongs to the project that adds it.
//!
//! Attributes of a `cmake` project:
//! - `language`: `C`, `CXX`, `Fortran`, …
//! - `cmake-minimum`: version of `cmake_minimum_required`
//! - `option`: `NAME=DEFAULT`; `test-option`: one that switches tests on
//! - `network`: a download during the default build; `network-optional`: one under a condition
//! - `package-version`: `NAME VERSION`; `component`: `NAME COMPONENT` of a `find_package`
//! - `guarded`: `CAPABILITY if CONDITION`, where the condition is not known before CMake runs
//! - `computed`: a `find_package` whose name is made up at run time
//! - `uninstalled`: an executable that no `install()` names
//! - `subproject`: directory of a `project()` added by this one
//!
//! Tools: `cmake` with its minimum, `python` where an interpreter is looked for.

mod commands;
mod condition;
mod finds;
mod lexer;
mod machine;
mod modules;

use crate::evidence::Place;

use super::tree::base;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "cmake",
    matches: |path| base(path) == "CMakeLists.txt",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let commands = lexer::parse(reading.text);
    let starts = commands.iter().any(|command| command.name == "project");
    if !starts {
        // A fragment that some other build includes, or a directory nobody adds.
        reading.drafts.manifest_only(reading.path, reading.format);
        return;
    }
    let (path, dir) = (reading.path.to_owned(), reading.dir.to_owned());
    reading.drafts.claim(&path);
    reading
        .drafts
        .project("cmake", &dir)
        .manifest(&path, reading.format);
    let mut machine = machine::Machine::new(reading);
    machine.run(&commands);
    machine.finish();
    let draft = reading.drafts.project("cmake", &dir);
    if !draft.has_attr("language") {
        for language in ["C", "CXX"] {
            draft.attr("language", language, Place::file(&path));
        }
    }
}

#[cfg(test)]
mod tests;
