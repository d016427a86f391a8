//! A small script, pyramid, repository and package index, and what repairs make of them.

mod application;
mod proposals;

use super::*;
use crate::diagnose::{At, Attribution, Failure, diagnose};
use crate::evidence::{Because, Trust};
use crate::packages::Capability;
use crate::plan::{Action, BaseChoice, EnvVar, Layer, RepositoryId, Step};
use crate::pyramid::{Level, Pyramid, PyramidCommand};
use crate::sandbox::Outcome;
use crate::script::Script;

fn step(id: &str, layer: Layer, argv: &[&str]) -> Step {
    Step {
        id: id.to_owned(),
        layer,
        dir: String::new(),
        action: Action::run(argv.iter().copied()),
        unless: None,
        because: vec![],
    }
}

fn script() -> Script {
    Script {
        schema: crate::script::SCHEMA.to_owned(),
        repository: RepositoryId {
            name: "x".to_owned(),
            commit: None,
            as_of: None,
            marker: None,
        },
        base: BaseChoice {
            image: "debian:bookworm".to_owned(),
            id: "debian-bookworm".to_owned(),
            because: vec![],
        },
        env: vec![],
        packages: vec![],
        steps: vec![
            step("python/venv", Layer::Runtimes, &["uv", "venv"]),
            step(
                "python/install",
                Layer::Runtimes,
                &["uv", "pip", "install", "--python", ".venv", "-e", "."],
            ),
            step("./configure", Layer::Project, &["./configure"]),
            step("./cmake", Layer::Project, &["cmake", "-B", "build"]),
            step("./build", Layer::Project, &["make"]),
        ],
        ready: vec![],
        verified: None,
    }
}

fn command(id: &str, text: &str) -> PyramidCommand {
    PyramidCommand {
        id: id.to_owned(),
        level: Level::Testability,
        command: text.to_owned(),
        dir: String::new(),
        env: std::collections::BTreeMap::new(),
        because: vec![],
        confidence: 0.9,
        runner: None,
        added: false,
    }
}

fn pyramid() -> Pyramid {
    Pyramid {
        schema: crate::pyramid::SCHEMA.to_owned(),
        commands: vec![
            command("t1", "make check"),
            command("t2", "python -m pytest -q"),
        ],
        left_out: vec![],
    }
}

/// A piece of a distribution's index.
fn index(capability: &Capability) -> Vec<(String, String)> {
    let table = [
        ("header:zlib.h", "zlib1g-dev"),
        ("lib:png", "libpng-dev"),
        ("pc:glib-2.0", "libglib2.0-dev"),
        ("cmake:CURL", "libcurl4-openssl-dev"),
        ("pc:libcurl", "libcurl4-gnutls-dev"),
        ("cmd:flex", "flex"),
        ("py:yaml", "python3-yaml"),
        ("pc:openssl", "libssl-dev"),
        ("pc:alsa", "libasound2-dev"),
        ("lib:clang", "libclang-dev"),
        ("m4:AX_PTHREAD", "autoconf-archive"),
    ];
    let key = capability.to_string();
    table
        .iter()
        .filter(|(known, _)| *known == key)
        .map(|(_, package)| ((*package).to_owned(), "has it".to_owned()))
        .collect()
}

struct World {
    script: Script,
    pyramid: Pyramid,
    files: Vec<String>,
    own: Vec<String>,
    bases: Vec<String>,
    tried: TriedSet,
    telemetry: Telemetry,
}

impl World {
    fn new() -> Self {
        let strings = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
        Self {
            script: script(),
            pyramid: pyramid(),
            files: strings(&[
                "configure.ac",
                "pyproject.toml",
                "src/pkg/__init__.py",
                "sub/Makefile",
                "third_party/x/y",
            ]),
            own: strings(&["pkg"]),
            bases: strings(&["debian-bullseye", "debian-bookworm", "debian-trixie"]),
            tried: TriedSet::default(),
            telemetry: Telemetry::default(),
        }
    }

    fn candidates(&self, failure: &Failure) -> Vec<Edit> {
        let context = Context {
            index: &index,
            files: &self.files,
            own_modules: &self.own,
            bases: &self.bases,
            python: Some("3.12"),
            tried: &self.tried,
            telemetry: &self.telemetry,
        };
        candidates(failure, &self.script, &self.pyramid, &context)
    }

    /// A failure of a step (`./…`, `python/…`) or of a pyramid command.
    fn fail(&self, id: &str, log: &str) -> Failure {
        let layer = self.script.step(id).map(|step| step.layer.number());
        diagnose(
            log,
            &At {
                layer,
                step: Some(id),
                argv: &[],
                outcome: Outcome::Exited(1),
                own_modules: &self.own,
            },
        )
    }

    fn texts(&self, id: &str, log: &str) -> Vec<String> {
        let edits = self.candidates(&self.fail(id, log));
        edits.iter().map(ToString::to_string).collect()
    }

    fn first(&self, id: &str, log: &str) -> String {
        let failure = self.fail(id, log);
        let edits = self.candidates(&failure);
        let first = edits
            .first()
            .unwrap_or_else(|| panic!("nothing for {failure:?}"));
        assert_eq!(first.because.trust, Trust::Observed);
        first.to_string()
    }
}

fn edit(operation: Operation) -> Edit {
    Edit {
        operation,
        origin: "test".to_owned(),
        because: Because::no_place(Trust::Observed, "it failed"),
    }
}
