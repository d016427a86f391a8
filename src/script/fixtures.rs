//! Plans for the tests.

use std::collections::BTreeMap;

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::plan::{
    Action, BaseChoice, EnvVar, Guard, Layer, Plan, ProjectPlan, ReadyCommand, RepositoryId,
    SCHEMA, Step, SystemPackage,
};
use crate::pyramid::Level;

pub fn at(path: &str, line: u32, text: &str) -> Vec<Because> {
    vec![Because::at(Place::new(path, line), Trust::Manifest, text)]
}

pub fn package(capability: &str, name: &str, because: Vec<Because>) -> SystemPackage {
    SystemPackage {
        capability: capability
            .parse()
            .unwrap_or(Capability::Package(name.to_owned())),
        package: name.to_owned(),
        because,
    }
}

pub fn step(id: &str, layer: Layer, action: Action, because: Vec<Because>) -> Step {
    Step {
        id: id.to_owned(),
        layer,
        dir: String::new(),
        action,
        unless: None,
        because,
    }
}

pub fn template(name: &str, values: &[(&str, &str)], because: Vec<Because>) -> Step {
    let values: BTreeMap<String, String> = values
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    step(
        &format!("./{name}"),
        Layer::Runtimes,
        Action::Template {
            template: name.to_owned(),
            values,
        },
        because,
    )
}

pub fn ready(level: Level, command: &str) -> ReadyCommand {
    ReadyCommand {
        level,
        command: command.to_owned(),
        dir: String::new(),
        runner: None,
        because: Because::no_place(Trust::Convention, "convention"),
    }
}

pub fn plan(
    name: &str,
    marker: &str,
    packages: Vec<SystemPackage>,
    steps: Vec<Step>,
    readies: Vec<ReadyCommand>,
) -> Plan {
    Plan {
        schema: SCHEMA.to_owned(),
        repository: RepositoryId {
            name: name.to_owned(),
            commit: Some("a1249bf0c3d2e1f4".to_owned()),
            as_of: Some("2024-05-01".to_owned()),
            marker: Some(marker.to_owned()),
        },
        base: BaseChoice {
            image: "debian:bookworm".to_owned(),
            id: "debian-bookworm".to_owned(),
            because: vec![],
        },
        toolchains: vec![],
        packages,
        services: vec![],
        env: vec![],
        projects: vec![ProjectPlan {
            name: name.to_owned(),
            dir: String::new(),
            ecosystem: "cmake".to_owned(),
            steps,
            ready: readies,
        }],
        conflicts: vec![],
        notes: vec![],
    }
}

pub fn cmake() -> Plan {
    let project = || at("CMakeLists.txt", 2, "project(tally C)");
    let mut configure = step(
        "./configure",
        Layer::Project,
        Action::run([
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            "-DCMAKE_BUILD_TYPE=Release",
        ]),
        project(),
    );
    configure.unless = Some(Guard::Exists("build/Makefile".to_owned()));
    plan(
        "tally",
        "CMakeLists.txt",
        vec![
            package(
                "header:zlib.h",
                "zlib1g-dev",
                at("CMakeLists.txt", 5, "find_package(ZLIB REQUIRED)"),
            ),
            package("cmd:make", "make", project()),
            package("cmd:cc", "gcc", project()),
            package("header:stdio.h", "libc6-dev", project()),
            package(
                "cmd:cmake",
                "cmake",
                at("CMakeLists.txt", 1, "cmake_minimum_required(VERSION 3.13)"),
            ),
        ],
        vec![
            configure,
            step(
                "./build",
                Layer::Project,
                Action::run(["cmake", "--build", "build", "--parallel"]),
                project(),
            ),
        ],
        vec![ready(
            Level::Testability,
            "ctest --test-dir build --output-on-failure",
        )],
    )
}

pub fn python() -> Plan {
    plan(
        "greeter",
        "pyproject.toml",
        vec![],
        vec![
            template(
                "python-uv",
                &[("python", ">=3.9"), ("exclude-newer", "2024-05-01")],
                at("pyproject.toml", 7, "requires-python = \">=3.9\""),
            ),
            step(
                "./install",
                Layer::Runtimes,
                Action::run(["uv", "pip", "install", "-q", "-e", ".[test]"]),
                at("pyproject.toml", 9, "test = [\"pytest\"]"),
            ),
        ],
        vec![
            ready(Level::Testability, "python -m pytest"),
            ready(Level::Runnability, "greeter World"),
        ],
    )
}

pub fn rust() -> Plan {
    let manifest = || at("Cargo.toml", 5, "rust-version = \"1.85\"");
    plan(
        "rusty",
        "Cargo.toml",
        vec![
            package("cmd:cc", "gcc", at("Cargo.toml", 1, "[package]")),
            package(
                "pc:openssl",
                "libssl-dev",
                at("Cargo.toml", 12, "openssl-sys"),
            ),
        ],
        vec![
            template("rust", &[("minimum", "1.85")], manifest()),
            step(
                "./build",
                Layer::Project,
                Action::run(["cargo", "build", "--locked", "--all-targets"]),
                at("Cargo.lock", 0, "locked"),
            ),
        ],
        vec![ready(Level::Testability, "cargo test --locked")],
    )
}

pub fn autotools() -> Plan {
    let mut generate = step(
        "./autoreconf",
        Layer::Project,
        Action::run(["autoreconf", "-fi"]),
        at("configure.ac", 1, "AC_INIT"),
    );
    generate.unless = Some(Guard::Exists("configure".to_owned()));
    let mut configure = step(
        "./configure",
        Layer::Project,
        Action::run(["./configure", "--disable-docs"]),
        at("configure.ac", 1, "AC_INIT"),
    );
    configure.unless = Some(Guard::Exists("Makefile".to_owned()));
    let mut tools = step(
        "tools/build",
        Layer::Project,
        Action::Shell {
            text: "make -j\"$(nproc)\"\necho done\n".to_owned(),
        },
        at(".github/workflows/ci.yml", 21, "make"),
    );
    tools.dir = "tools".to_owned();
    let mut plan = plan(
        "oldtool",
        "configure.ac",
        vec![
            package(
                "cmd:autoreconf",
                "autoconf",
                at("configure.ac", 1, "AC_INIT"),
            ),
            package("cmd:cc", "gcc", at("configure.ac", 4, "AC_PROG_CC")),
        ],
        vec![generate, configure, tools],
        vec![ready(Level::Testability, "make check")],
    );
    plan.env = vec![EnvVar {
        name: "CFLAGS".to_owned(),
        value: "-O2 -g".to_owned(),
        because: at(".github/workflows/ci.yml", 9, "env"),
    }];
    plan
}
