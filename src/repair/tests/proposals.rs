//! From a real log to the edit that is tried first.

use super::*;

#[test]
fn the_first_edit_for_each_kind_of_the_issue() {
    let world = World::new();
    let first = |id, log| world.first(id, log);
    assert_eq!(
        first(
            "./build",
            "/bin/sh: 1: flex: not found\nmake: *** [Makefile:2: all] Error 127"
        ),
        "install flex for cmd:flex"
    );
    assert_eq!(
        first(
            "./build",
            "a.c:1:10: fatal error: zlib.h: No such file or directory"
        ),
        "install zlib1g-dev for header:zlib.h"
    );
    assert_eq!(
        first(
            "./build",
            "/usr/bin/ld: cannot find -lpng: No such file or directory"
        ),
        "install libpng-dev for lib:png"
    );
    assert_eq!(
        first(
            "./configure",
            "configure: error: Package requirements (glib-2.0 >= 2.40) were not met:\n\nPackage 'glib-2.0', required by 'virtual:world', not found"
        ),
        "install libglib2.0-dev for pc:glib-2.0"
    );
    assert_eq!(
        first(
            "./cmake",
            "CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find CURL (missing: CURL_LIBRARY CURL_INCLUDE_DIR)"
        ),
        "install libcurl4-openssl-dev for cmake:CURL"
    );
    assert_eq!(
        first("t2", "E   ModuleNotFoundError: No module named 'yaml'"),
        "install PyYAML into the Python environment"
    );
    assert_eq!(
        first(
            "./build",
            "error: failed to run custom build command for `openssl-sys v0.9.102`\n  Could not find directory of OpenSSL installation, and this `-sys` crate cannot"
        ),
        "install libssl-dev for pc:openssl"
    );
    assert_eq!(
        first(
            "./build",
            "  The system library `alsa` required by crate `alsa-sys` was not found."
        ),
        "install libasound2-dev for pc:alsa"
    );
    assert_eq!(
        first(
            "./configure",
            "run.sh: line 1: ./configure: Permission denied"
        ),
        "replace step ./configure"
    );
    assert_eq!(
        first(
            "t1",
            "make: *** No targets specified and no makefile found.  Stop."
        ),
        "run command t1 in sub"
    );
}

#[test]
fn the_network_is_not_repaired() {
    let world = World::new();
    let failure = world.fail("./build", "fatal: unable to access 'https://nosuch.invalid/x.git/': Could not resolve host: nosuch.invalid");
    assert_eq!(
        (failure.kind.as_str(), failure.attribution),
        ("network", Attribution::Transient)
    );
    assert!(world.candidates(&failure).is_empty());
}

#[test]
fn other_kinds_have_their_strategies() {
    let mut world = World::new();
    assert_eq!(
        world.first("./configure", "sh: 0: cannot open configure: No such file"),
        "install autoconf for pkg:autoconf, install automake for pkg:automake, install libtool for pkg:libtool, install pkg-config for pkg:pkg-config, add step autoreconf"
    );
    assert_eq!(
        world.first(
            "./configure",
            "configure.ac:4: error: possibly undefined macro: AX_PTHREAD"
        ),
        "install autoconf-archive for m4:AX_PTHREAD"
    );
    assert_eq!(
        world.first(
            "python/install",
            "ERROR: Package 'x' requires a different Python: 3.11.2 not in '>=3.12,<4'"
        ),
        "plan again with python >=3.12,<4"
    );
    assert_eq!(
        world.first(
            "./cmake",
            "  CMake 3.28 or higher is required.  You are running version 3.25.1"
        ),
        "plan again with cmake >=3.28"
    );
    assert_eq!(
        world.texts(
            "./build",
            "g++: error: unrecognized command-line option '-std=c++29'"
        ),
        ["plan again with base debian-trixie"]
    );
    assert_eq!(
        world.first("t2", "E   ModuleNotFoundError: No module named 'pkg'"),
        "run command t2 with PYTHONPATH=/repo/src"
    );
    assert_eq!(
        world.texts("t2", "ModuleNotFoundError: No module named 'imp'")[0],
        "plan again with python <3.12"
    );
    let empty = "CMake Error at CMakeLists.txt:3 (add_subdirectory):\n  The source directory\n\n    /repo/third_party/foo\n\n  does not contain a CMakeLists.txt file.";
    assert!(world.texts("./cmake", empty).is_empty(), "no .gitmodules");
    world.files.push(".gitmodules".to_owned());
    assert_eq!(world.first("./cmake", empty), "add step ./submodules");
}

#[test]
fn a_header_of_the_repository_itself_is_not_installed() {
    let mut world = World::new();
    world.files.push("include/zlib.h".to_owned());
    let texts = world.texts(
        "./build",
        "a.c:1:10: fatal error: zlib.h: No such file or directory",
    );
    assert!(texts.is_empty(), "{texts:?}");
}

#[test]
fn nothing_is_proposed_twice() {
    let mut world = World::new();
    let log = "a.c:1:10: fatal error: zlib.h: No such file or directory";
    let failure = world.fail("./build", log);
    let edit = world.candidates(&failure).remove(0);
    let mut tried = TriedSet::default();
    tried.insert(&failure, &edit);
    assert!(tried.contains(&failure, &edit.operation));
    world.tried = tried;
    assert!(world.candidates(&failure).is_empty());
    // Another failure may try it.
    let mut other = failure.clone();
    other.kind = "other".to_owned();
    assert!(!world.tried.contains(&other, &edit.operation));
}

#[test]
fn what_is_in_force_is_not_proposed() {
    let mut world = World::new();
    let log = "a.c:1:10: fatal error: zlib.h: No such file or directory";
    let edit = world.candidates(&world.fail("./build", log)).remove(0);
    let (mut script, mut pyramid) = (world.script.clone(), world.pyramid.clone());
    assert_eq!(
        apply(&edit, &mut script, &mut pyramid),
        Ok(Applied::Script { first: Layer::Base })
    );
    assert!(matches!(
        apply(&edit, &mut script, &mut pyramid),
        Err(ApplyError::InForce(_))
    ));
    world.script = script;
    assert!(world.candidates(&world.fail("./build", log)).is_empty());
}

#[test]
fn the_only_command_of_a_level_is_not_dropped() {
    let mut world = World::new();
    // The root has its Makefile, so no other directory is meant.
    world.files.push("Makefile".to_owned());
    let log = "make: *** No rule to make target 'check'.  Stop.";
    assert_eq!(
        world.texts("t1", log),
        ["leave out command t1: there is no check"]
    );
    world.pyramid.commands.truncate(1);
    assert!(world.texts("t1", log).is_empty());
}

#[test]
fn success_breaks_ties() {
    let mut world = World::new();
    world.script.steps.retain(|step| step.id != "./cmake");
    let log = "run.sh: line 1: pytest: command not found";
    world.pyramid.commands[0].command = "pytest".to_owned();
    assert_eq!(
        world.first("t1", log),
        "install pytest into the Python environment"
    );
    let log = "configure.ac:4: error: possibly undefined macro: AX_PTHREAD";
    assert_eq!(
        world.first("./configure", log),
        "install autoconf-archive for m4:AX_PTHREAD"
    );
}

#[test]
fn two_libraries_of_one_message_are_installed_together() {
    let log = "Error: Please make sure the libpng and libclang development packages are installed.";
    assert_eq!(
        World::new().texts("./build", log),
        [
            "install libpng-dev for lib:png",
            "install libpng-dev for lib:png, install libclang-dev for lib:clang"
        ]
    );
}

#[test]
fn flags_add_up() {
    let mut world = World::new();
    let log = "a.c:1:17: error: unused variable 'x' [-Werror=unused-variable]";
    assert_eq!(
        world.first("./build", log),
        "export CFLAGS=-g -O2 -Wno-error=unused-variable"
    );
    world.script.env.push(EnvVar {
        name: "CFLAGS".to_owned(),
        value: "-O1 -g".to_owned(),
        because: vec![],
    });
    assert_eq!(
        world.first("./build", log),
        "export CFLAGS=-O1 -g -Wno-error=unused-variable"
    );
}

#[test]
fn every_edit_of_every_example_can_be_applied() {
    let world = World::new();
    for unit in crate::diagnose::knowledge().unwrap().units() {
        for example in &unit.examples {
            for id in ["./configure", "t2"] {
                let failure = world.fail(id, &example.log);
                for edit in world.candidates(&failure) {
                    let (mut script, mut pyramid) = (world.script.clone(), world.pyramid.clone());
                    let applied = apply(&edit, &mut script, &mut pyramid);
                    assert!(applied.is_ok(), "{}: {edit}: {applied:?}", unit.id);
                    let again = apply(&edit, &mut script, &mut pyramid);
                    let replan = matches!(applied, Ok(Applied::Replan { .. }));
                    assert!(
                        replan || matches!(again, Err(ApplyError::InForce(_))),
                        "{}: {edit}",
                        unit.id
                    );
                }
            }
        }
    }
}
