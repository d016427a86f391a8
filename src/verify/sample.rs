//! A small finished run, for the tests of what is made from one.

use std::collections::BTreeMap;

use super::{Charge, TestReport};
use crate::diagnose::{Attribution, Failure};
use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::plan::{
    Action, BaseChoice, Channel, Conflict, EnvVar, Layer, Plan, ProjectPlan, Rejected,
    RepositoryId, Step, SystemPackage, Toolchain,
};
use crate::pyramid::{LeftOut, Level, Pyramid, PyramidCommand};
use crate::repair::{Edit, Operation};
use crate::run::{CommandResult, EndReason, LayerResult, RepairRecord, Run, Verdict};
use crate::sandbox::{Outcome, SandboxFacts};
use crate::script::Script;

pub fn because(path: &str, line: u32, trust: Trust, text: &str) -> Because {
    Because::at(Place::new(path, line), trust, text)
}

pub fn layers(ok: bool) -> Vec<LayerResult> {
    let last = Outcome::Exited(if ok { 0 } else { 2 });
    [
        (3, Outcome::Exited(0), 21.4),
        (4, Outcome::Exited(0), 0.1),
        (5, last, 6.25),
    ]
    .map(|(layer, outcome, wall)| LayerResult {
        layer,
        outcome,
        wall,
    })
    .to_vec()
}

/// `report` is passed, failed, errors.
pub fn result(
    id: &str,
    level: Level,
    exit: i32,
    report: Option<(u64, u64, u64)>,
    verdict: Verdict,
) -> CommandResult {
    CommandResult {
        id: id.into(),
        level,
        command: format!("make {id}"),
        dir: String::new(),
        outcome: Outcome::Exited(exit),
        wall: 1.5,
        report: report.map(|(passed, failed, errors)| TestReport {
            runner: "ctest".into(),
            passed,
            failed,
            errors,
            skipped: 0,
            evidence: format!("{passed} passed, {failed} failed"),
        }),
        verdict,
        reason: "as it says".into(),
        tail: vec!["last line".into()],
        journal: 1,
    }
}

pub fn charge(upheld: bool) -> Charge {
    Charge {
        charge: "ctest gives other counts when it runs again".into(),
        evidence: vec!["25 passed, then 24 passed".into()],
        upheld,
        verdict: "run a third time by itself".into(),
    }
}

fn repository() -> RepositoryId {
    RepositoryId {
        name: "json-c".into(),
        commit: Some("a1249bf0123456789".into()),
        as_of: Some("2026-03-01".into()),
        marker: Some("CMakeLists.txt".into()),
    }
}

fn step(id: &str, argv: &[&str], reason: Because) -> Step {
    Step {
        id: id.into(),
        layer: Layer::Project,
        dir: String::new(),
        action: Action::run(argv.iter().copied()),
        unless: None,
        because: vec![reason],
    }
}

pub fn plan() -> Plan {
    Plan {
        schema: crate::plan::SCHEMA.into(),
        repository: repository(),
        base: BaseChoice {
            image: "debian:bookworm".into(),
            id: "debian-bookworm".into(),
            because: vec![Because::no_place(Trust::Convention, "the stable release")],
        },
        toolchains: vec![Toolchain {
            name: "c".into(),
            requirement: "C99".into(),
            version: Some("12.2".into()),
            channel: Channel::Distribution,
            because: vec![because(
                "CMakeLists.txt",
                3,
                Trust::Manifest,
                "project(json-c LANGUAGES C)",
            )],
            rejected: vec![Rejected {
                value: "clang".into(),
                reason: "only named in one CI job".into(),
                because: vec![because(
                    ".github/workflows/ci.yml",
                    21,
                    Trust::Ci,
                    "CC=clang",
                )],
            }],
        }],
        packages: vec![
            SystemPackage {
                capability: Capability::Command("cmake".into()),
                package: "cmake".into(),
                because: vec![because(
                    "CMakeLists.txt",
                    1,
                    Trust::Manifest,
                    "cmake_minimum_required(VERSION 3.9)",
                )],
            },
            SystemPackage {
                capability: Capability::Header("zlib.h".into()),
                package: "zlib1g-dev".into(),
                because: vec![
                    because("src/gz.c", 12, Trust::Source, "#include <zlib.h>"),
                    because(
                        "CMakeLists.txt",
                        40,
                        Trust::Manifest,
                        "find_package(ZLIB REQUIRED)",
                    ),
                ],
            },
        ],
        services: vec![],
        env: vec![EnvVar {
            name: "CTEST_OUTPUT_ON_FAILURE".into(),
            value: "1".into(),
            because: vec![because(
                ".github/workflows/ci.yml",
                9,
                Trust::Ci,
                "env of the job",
            )],
        }],
        projects: vec![ProjectPlan {
            name: "json-c".into(),
            dir: String::new(),
            ecosystem: "cmake".into(),
            steps: vec![
                step(
                    "./configure",
                    &["cmake", "-S", ".", "-B", "build"],
                    because("README.md", 92, Trust::Document, "cmake ../json-c"),
                ),
                step(
                    "./build",
                    &["cmake", "--build", "build", "--parallel"],
                    because("README.md", 93, Trust::Document, "make"),
                ),
            ],
            ready: vec![],
        }],
        conflicts: vec![Conflict {
            topic: "build system".into(),
            winner: "cmake".into(),
            because: because(".github/workflows/ci.yml", 30, Trust::Ci, "cmake -B build"),
            losers: vec![Rejected {
                value: "autotools".into(),
                reason: "deprecated, says README.md".into(),
                because: vec![because("README.md", 120, Trust::Document, "./autogen.sh")],
            }],
        }],
        notes: vec!["Valgrind is optional and left out.".into()],
    }
}

pub fn script() -> Script {
    let plan = plan();
    Script {
        schema: crate::script::SCHEMA.into(),
        repository: plan.repository,
        base: plan.base,
        env: plan.env,
        packages: plan.packages,
        steps: plan.projects.into_iter().flat_map(|p| p.steps).collect(),
        ready: vec!["ctest --test-dir build".into()],
        verified: None,
    }
}

fn command(id: &str, level: Level, text: &str, reason: Because) -> PyramidCommand {
    PyramidCommand {
        id: id.into(),
        level,
        command: text.into(),
        dir: String::new(),
        env: BTreeMap::new(),
        because: vec![reason],
        confidence: 0.9,
        runner: (level == Level::Testability).then(|| "ctest".into()),
        added: level == Level::Runnability,
    }
}

pub fn pyramid() -> Pyramid {
    Pyramid {
        schema: crate::pyramid::SCHEMA.into(),
        commands: vec![
            command(
                "i1",
                Level::Installability,
                "cmake --build build",
                because("README.md", 93, Trust::Document, "make"),
            ),
            command(
                "t1",
                Level::Testability,
                "ctest --test-dir build",
                because(".github/workflows/ci.yml", 33, Trust::Ci, "step Test"),
            ),
            command(
                "r1",
                Level::Runnability,
                "build/apps/json_parse --help",
                Because::no_place(Trust::Convention, "the installed program answers"),
            ),
        ],
        left_out: vec![LeftOut {
            command: "sudo make install".into(),
            place: Some(Place::new("README.md", 97)),
            reason: "changes the machine".into(),
        }],
    }
}

pub fn run() -> Run {
    let mut tests = result(
        "t1",
        Level::Testability,
        8,
        Some((24, 1, 0)),
        Verdict::RepositoryFails,
    );
    tests.command = "ctest --test-dir build".into();
    Run {
        schema: crate::run::SCHEMA.into(),
        sandbox: SandboxFacts {
            backend: "overlay".into(),
            base: "rootfs".into(),
            digest: Some("sha256:0011".into()),
            distribution: "debian".into(),
            release: "bookworm".into(),
        },
        script: script(),
        pyramid: pyramid(),
        layers: layers(true),
        results: vec![
            result("i1", Level::Installability, 0, None, Verdict::Passed),
            tests,
            result("r1", Level::Runnability, 1, None, Verdict::Failed),
        ],
        repairs: vec![repair()],
        reached: Some(Level::Testability),
        end: EndReason::Complete,
        wall: 61.0,
        replay_wall: 33.3,
    }
}

pub fn failure() -> Failure {
    Failure {
        kind: "missing-header".into(),
        title: "header zlib.h is missing".into(),
        attribution: Attribution::Script,
        layer: Some(5),
        step: Some("./build".into()),
        missing: Some(Capability::Header("zlib.h".into())),
        captures: BTreeMap::new(),
        lines: vec!["src/gz.c:12:10: fatal error: zlib.h: No such file or directory".into()],
        position: 40,
    }
}

fn repair() -> RepairRecord {
    RepairRecord {
        attempt: 1,
        failure: failure(),
        edit: Edit {
            operation: Operation::AddPackage {
                capability: Capability::Header("zlib.h".into()),
                package: "zlib1g-dev".into(),
            },
            origin: "package index".into(),
            because: Because::no_place(Trust::Observed, "header zlib.h is missing"),
        },
        kept: true,
        reason: "the build goes on".into(),
        wall: 9.0,
    }
}
