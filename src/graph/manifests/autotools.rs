//! `configure.ac` (or `configure.in`), `Makefile.am`, and `configure` scripts written by hand.
//!
//! Attributes of an `autotools` project:
//! - `configure`: `present` where a `configure` stands in the tree
//! - `handwritten`: interpreter of a `configure` that Autoconf did not make (then it takes its own options)
//! - `configure-script`: its name, where that is another one
//! - `bootstrap`: path of the script that makes `configure` (`autogen.sh`, `bootstrap`, …)
//! - `language`: `C`, `CXX`, `Fortran`, `ObjC`
//! - `automake`, `libtool`, `gettext`: the macro that brings each in
//! - `autoconf-minimum`: `AC_PREREQ`
//! - `macro-dir`: directories of the repository's own macros
//! - `option`: `enable-NAME=DEFAULT` or `with-NAME=DEFAULT` (`?` where the default is not known)
//! - `subdir`: a directory with a `configure` of its own (`AC_CONFIG_SUBDIRS`)
//! - `guarded`: `CAPABILITY if CONDITION`
//! - `test-target`: make target of the tests, for a `configure` written by hand
//!
//! Dependencies that only making `configure` needs (`cmd:autoreconf`, `m4:…`) are required where it does not
//! stand in the tree.

mod automake;
mod known;
pub mod libc;
mod macros;
mod shell;

use crate::evidence::Place;
use crate::graph::Scope;
use crate::packages::Capability;

use super::m4;
use super::tree::{Tree, base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "autotools",
    matches: |path| matches!(base(path), "configure.ac" | "configure.in"),
    read,
};

pub const HANDWRITTEN: Reader = Reader {
    format: "configure",
    matches: |path| matches!(base(path), "configure" | "configure.sh"),
    read: handwritten,
};

fn read(reading: &mut Reading<'_>) {
    let dir = reading.dir.to_owned();
    let sibling = join(&dir, "configure.ac").unwrap_or_default();
    if base(reading.path) == "configure.in" && reading.tree.has(&sibling) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let pieces = m4::scan(reading.text, 1);
    let starts = pieces
        .iter()
        .any(|piece| matches!(piece, m4::Piece::Call(call) if call.name == "AC_INIT"));
    if !starts {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let here = Place::file(reading.path);
    let tree = reading.tree;
    let own = own_macros(tree, &dir);
    let draft = reading.drafts.project("autotools", &dir);
    draft.manifest(reading.path, reading.format);
    let configure = join(&dir, "configure").unwrap_or_default();
    let generated = tree.has(&configure);
    if generated {
        draft.attr("configure", "present", Place::file(&configure));
        draft.manifest(&configure, "configure");
    }
    for name in [
        "autogen.sh",
        "bootstrap",
        "bootstrap.sh",
        "buildconf",
        "buildconf.sh",
        "autogen",
    ] {
        if let Some(path) = join(&dir, name).filter(|path| tree.has(path)) {
            draft.attr("bootstrap", &path, Place::file(&path));
        }
    }
    let tool = Capability::Command("autoreconf".to_owned());
    draft.system(tool, Scope::Build, !generated, here);
    let mut run = macros::Run::new(draft, reading.path, !generated, own);
    run.pieces(&pieces);
    automake::read(reading, &dir);
}

/// Macros that the repository defines itself, in `*.m4` files and in `configure.ac`. What `aclocal` has copied comes
/// last: a definition of the repository's own goes before it.
fn own_macros(tree: &Tree<'_>, dir: &str) -> macros::Own {
    let mut found = macros::Own::new();
    let is_source =
        |path: &str| path.ends_with(".m4") || matches!(base(path), "configure.ac" | "configure.in");
    let mut files: Vec<&str> = tree
        .below(dir)
        .map(|entry| entry.path.as_str())
        .filter(|path| is_source(path))
        .collect();
    files.sort_by_key(|path| (base(path) == "aclocal.m4", path.matches('/').count()));
    for path in files.into_iter().take(500) {
        let Some(text) = tree.read(path) else {
            continue;
        };
        for piece in m4::scan(&text, 1) {
            if let m4::Piece::Call(call) = piece
                && matches!(
                    call.name.as_str(),
                    "AC_DEFUN"
                        | "AC_DEFUN_ONCE"
                        | "AU_DEFUN"
                        | "AU_ALIAS"
                        | "m4_define"
                        | "AC_DEFUN_GL"
                )
                && let Some(name) = call.args.first()
            {
                let body = call.args.get(1).cloned().unwrap_or_default();
                found
                    .entry(name.text.clone())
                    .or_insert_with(|| macros::Definition {
                        path: path.to_owned(),
                        body,
                    });
            }
        }
    }
    found
}

fn handwritten(reading: &mut Reading<'_>) {
    let dir = reading.dir.to_owned();
    let place = Place::file(reading.path);
    if reading.drafts.get("autotools", &dir).is_some() {
        return;
    }
    // `configure.sh` is a name for much else; beside a template of the makefile it is what fills it.
    let beside = |name: &str| join(&dir, name).is_some_and(|path| reading.tree.has(&path));
    let script = base(reading.path);
    if script != "configure" && !beside("Makefile.in") {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let first = reading.text.lines().next().unwrap_or_default();
    let Some(interpreter) = first
        .strip_prefix("#!")
        .map(|line| line.split_whitespace().map(base))
    else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let interpreter = interpreter
        .filter(|word| *word != "env")
        .find(|word| !word.starts_with('-'))
        .unwrap_or("sh")
        .to_owned();
    let head: String = reading.text.chars().take(4000).collect();
    // A wrapper that forwards to another build system is not one itself.
    let makes = [
        "Makefile",
        "makefile",
        "GNUmakefile",
        "Makefile.in",
        "config.mak",
        "config.mk",
        // Autosetup, whose `configure` only starts it.
        "auto.def",
    ];
    let by_autoconf = head.contains("Generated by GNU Autoconf");
    let writes =
        by_autoconf || reading.text.contains("akefile") || reading.text.contains("config.mak");
    if !writes && !makes.iter().any(|name| beside(name)) {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let draft = reading.drafts.project("autotools", &dir);
    draft.manifest(reading.path, reading.format);
    draft.attr("configure", "present", place.clone());
    if !by_autoconf {
        draft.attr("handwritten", interpreter, place.clone());
    }
    if script != "configure" {
        draft.attr("configure-script", script, place.clone());
    }
    let targets = ["check", "test"];
    for name in makes.iter().take(4) {
        let Some(path) = join(&dir, name) else {
            continue;
        };
        let Some(text) = reading.tree.read(&path) else {
            continue;
        };
        let draft = reading.drafts.project("autotools", &dir);
        draft.manifest(&path, "make");
        for (line, number) in text.lines().zip(1_u32..) {
            let target = line.split(':').next().unwrap_or_default().trim();
            if line.contains(':') && !line.contains(":=") && targets.contains(&target) {
                draft.attr("test-target", target, Place::new(&path, number));
                draft.suite("make", Place::new(&path, number));
            }
        }
    }
}

#[cfg(test)]
mod tests;
