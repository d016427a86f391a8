//! `meson.build` and `meson_options.txt` / `meson.options` (Meson's reference manual).
//!
//! Statements are interpreted as far as that needs no machine: options have their defaults (a feature that is
//! `auto` takes what is present), the platform is Linux, `if` has three values.
//!
//! Attributes of a `meson` project:
//! - `language`: Meson's name in CMake's spelling: `C`, `CXX`, `Fortran`, `Rust`, `Vala`, …
//! - `meson-minimum`: `meson_version` of `project()`
//! - `option`: `NAME=DEFAULT`; `test-option`: one that switches tests on
//! - `network`: a wrap that is needed and not in the tree; `network-optional`: any other wrap file
//! - `fallback`: `DEPENDENCY SUBPROJECT`
//! - `package-version`: `NAME VERSION`
//! - `guarded`: `CAPABILITY if CONDITION`
//! - `uninstalled`: an executable that is not installed
//!
//! Tools: `meson` with its minimum, `python` where a module of it is used.

mod calls;
mod machine;
mod modules;

use super::meson_syntax;
use super::tree::base;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "meson",
    matches: |path| base(path) == "meson.build",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let statements = meson_syntax::parse(reading.text);
    let starts = statements.iter().any(|(statement, _)| {
        matches!(statement, meson_syntax::Statement::Expr(meson_syntax::Expr::Call(call)) if call.name == "project")
    });
    if !starts {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let (path, dir) = (reading.path.to_owned(), reading.dir.to_owned());
    reading
        .drafts
        .project("meson", &dir)
        .manifest(&path, reading.format);
    let mut machine = machine::Machine::new(reading);
    machine.options();
    machine.run(&statements);
    machine.wraps();
}

#[cfg(test)]
mod tests;
