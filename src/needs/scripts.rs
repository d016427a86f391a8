//! Interpreters of the scripts by which a C or C++ project tests itself.
//!
//! The modules that such scripts load are left out: measured on Debian's sources, ten that a package builds without
//! come with each one that it is built with.

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::scan::Repository;

use super::aside::is_test;
use super::collect::{Ask, Collection};
use super::model::Group;

/// Scripts in directories of tests, from which on they are how the project tests itself.
const TEST_SCRIPTS: usize = 3;

/// Interpreters by the scan's name of the language.
const INTERPRETERS: [(&str, &str); 2] = [("python", "python3"), ("tcl", "tclsh")];

/// Adds the interpreters of the test scripts below `dir`.
pub fn add(repository: &Repository, dir: &str, out: &mut Collection<'_>) {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    for (language, program) in INTERPRETERS {
        let mut scripts = repository.files.iter().filter(|entry| {
            entry.path.starts_with(&prefix)
                && entry.language.as_deref() == Some(language)
                && is_test(&entry.path)
                && !entry.vendored
        });
        let first = scripts.next();
        if let Some(first) = first.filter(|_| scripts.count() + 1 >= TEST_SCRIPTS) {
            out.ask(Ask {
                capability: Capability::Command(program.to_owned()),
                group: Group::Test,
                option: None,
                because: Because::at(
                    Place::file(&first.path),
                    Trust::Source,
                    format!("runs {program}"),
                ),
            });
        }
    }
}
