//! The whole stage on hand-made graphs: what a scanner would find, and the pyramid that follows.

use insta::assert_snapshot;

use super::*;
use crate::evidence::{Because, Place, Trust};
use crate::graph::{
    CommandFacts, CommandSource, EdgeKind, EntryKind, Facts, KnowledgeGraph, NodeId, Os,
    ProjectFacts,
};
use crate::plan::*;

/// A graph and a plan in the making.
struct Case {
    graph: KnowledgeGraph,
    plan: Plan,
    line: u32,
}

fn case(ecosystem: &str) -> Case {
    let mut graph = KnowledgeGraph::new();
    graph.add("p", None, Facts::Project(ProjectFacts::new(ecosystem, "")));
    Case {
        graph,
        plan: Plan {
            schema: crate::plan::SCHEMA.into(),
            repository: RepositoryId {
                name: "zap".into(),
                commit: None,
                as_of: None,
                marker: None,
            },
            base: BaseChoice {
                image: "debian:bookworm".into(),
                id: "debian-bookworm".into(),
                because: vec![],
            },
            toolchains: vec![],
            packages: vec![],
            services: vec![],
            env: vec![],
            projects: vec![ProjectPlan {
                name: "zap".into(),
                dir: String::new(),
                ecosystem: ecosystem.into(),
                steps: vec![],
                ready: vec![],
            }],
            conflicts: vec![],
            notes: vec![],
        },
        line: 0,
    }
}

impl Case {
    fn command(
        &mut self,
        source: CommandSource,
        path: &str,
        context: &str,
        text: &str,
    ) -> &mut CommandFacts {
        self.line += 1;
        let facts = Facts::Command(CommandFacts {
            context: context.into(),
            ..CommandFacts::new(text, source)
        });
        let id = self
            .graph
            .add(text, Some(Place::new(path, self.line)), facts);
        match self.graph.node_mut(id).map(|node| &mut node.facts) {
            Some(Facts::Command(facts)) => facts,
            _ => unreachable!(),
        }
    }

    fn ci(&mut self, text: &str) -> &mut CommandFacts {
        self.command(
            CommandSource::Ci,
            ".github/workflows/ci.yml",
            "test / run",
            text,
        )
    }

    fn readme(&mut self, text: &str) -> &mut CommandFacts {
        self.command(CommandSource::Readme, "README.md", "Usage", text)
    }

    fn file(&mut self, path: &str) {
        let facts = Facts::File {
            language: None,
            vendored: false,
        };
        self.graph.add(path, Some(Place::file(path)), facts);
    }

    fn entry(&mut self, name: &str, entry: EntryKind) {
        let id = self.graph.add(
            name,
            Some(Place::new("manifest", 3)),
            Facts::EntryPoint { entry },
        );
        self.graph.link(NodeId(0), id, EdgeKind::Provides);
    }

    fn ready(&mut self, level: Level, command: &str, runner: Option<&str>) {
        self.plan.projects[0].ready.push(ReadyCommand {
            level,
            command: command.into(),
            dir: String::new(),
            runner: runner.map(str::to_owned),
            because: Because::no_place(Trust::Convention, "convention"),
        });
    }

    fn step(&mut self, argv: &[&str]) {
        self.plan.projects[0].steps.push(Step {
            id: format!("./{}", argv.join("-")),
            layer: Layer::Project,
            dir: String::new(),
            action: Action::run(argv.iter().copied()),
            unless: None,
            because: vec![Because::no_place(Trust::Manifest, "a manifest")],
        });
    }

    fn build(&self) -> Pyramid {
        super::build(&self.graph, &self.plan)
    }

    fn text(&self) -> String {
        text(&self.build(), true)
    }
}

#[test]
fn a_python_project() {
    let mut case = case("python");
    case.plan.toolchains.push(Toolchain {
        name: "python".into(),
        requirement: String::new(),
        version: None,
        channel: Channel::Uv,
        because: vec![],
        rejected: vec![],
    });
    case.ci("python -m pip install --upgrade pip\npip install -e .[test]");
    case.ci("export ZAP_MODE=fast\npython -m pytest --cov=zap -v tests");
    case.ci("codecov --token ${{ secrets.CODECOV }}");
    case.command(
        CommandSource::TaskRunner,
        "tox.ini",
        "testenv",
        "pytest --cov=zap tests",
    );
    case.command(
        CommandSource::Contributing,
        "CONTRIBUTING.md",
        "Tests",
        "tox -e py",
    );
    case.readme("$ pip install zap\n$ zap convert in.txt out.txt\n3 files converted");
    case.readme("zap convert examples/a.txt -o out.txt");
    case.readme("git clone https://example.org/zap.git\ncd zap\npython examples/demo.py");
    case.readme("brew install zap").os = Some(Os::Macos);
    case.file("examples/demo.py");
    case.file("examples/a.txt");
    case.file("tests/test_a.py");
    case.entry("zap", EntryKind::Command);
    case.entry("zap", EntryKind::Library);
    case.ready(Level::Testability, "pytest", Some("pytest"));
    case.step(&["uv", "pip", "install", "-e", ".[test]"]);
    assert_snapshot!(case.text());
}

#[test]
fn a_cmake_project_is_tested_in_the_plans_build_directory() {
    let mut case = case("cmake");
    case.ci("mkdir out && cd out\ncmake ..\nmake -j4\nctest");
    case.readme("cmake -B build\ncmake --build build\nctest --test-dir build\n./build/zap --help");
    case.entry("zap", EntryKind::Command);
    case.step(&["cmake", "-S", ".", "-B", "build"]);
    case.step(&["cmake", "--build", "build"]);
    case.ready(
        Level::Testability,
        "ctest --test-dir build --output-on-failure",
        Some("ctest"),
    );
    assert_snapshot!(case.text());
}

#[test]
fn without_a_plan_for_it_a_sequence_becomes_one_command() {
    let mut case = case("cmake");
    case.ci("mkdir out && cd out\ncmake ..\nmake -j4\nctest");
    assert_snapshot!(case.text());
}

#[test]
fn a_rust_library() {
    let mut case = case("cargo");
    case.ci("cargo build --verbose\ncargo test --all-features");
    case.ci("cargo clippy -- -D warnings");
    case.file("examples/hello.rs");
    case.entry("zap", EntryKind::Library);
    case.ready(Level::Installability, "cargo build", None);
    case.ready(Level::Testability, "cargo test", Some("cargo"));
    assert_snapshot!(case.text());
}

#[test]
fn nothing_gives_nothing() {
    let case = case("make");
    let pyramid = case.build();
    assert_eq!(pyramid.highest(), None);
    assert!(text(&pyramid, false).contains("no command"));
}

#[test]
fn a_library_without_a_program_ends_at_its_tests() {
    let mut case = case("python");
    case.entry("zap", EntryKind::Library);
    case.ready(Level::Testability, "pytest", Some("pytest"));
    assert_eq!(case.build().highest(), Some(Level::Testability));
}

#[test]
fn blocks_directories_and_variables_survive() {
    let mut case = case("python");
    case.file("sub/setup.py");
    case.ci("cd sub\nFOO=1 pytest -x")
        .env
        .insert("BAR".into(), "2 3".into());
    case.ci("for t in a b; do\n  pytest tests/$t\ndone");
    let pyramid = case.build();
    let all: Vec<_> = pyramid.level(Level::Testability).collect();
    assert_eq!(all[0].command, "FOO=1 pytest -x");
    assert_eq!(
        (all[0].dir.as_str(), all[0].env["BAR"].as_str()),
        ("sub", "2 3")
    );
    assert_eq!(all[1].command, "for t in a b; do\n  pytest tests/$t\ndone");
    assert_eq!(all[1].runner.as_deref(), Some("pytest"));
}

#[test]
fn what_cannot_run_here_says_why() {
    let mut case = case("make");
    case.ci("cd ../other && make test");
    case.ci("make test PREFIX=$UNKNOWN");
    case.ci("make test X=${{ matrix.x }}");
    case.ci("make test Y=$Y").unresolved.push("$Y".into());
    case.readme("cd nowhere\nmake test");
    case.readme("make test <target>");
    case.readme("it's not shell");
    case.ci("if true; then sudo rm -rf /; make test; fi");
    let pyramid = case.build();
    assert_eq!(pyramid.commands, []);
    let reasons: Vec<_> = pyramid.left_out.iter().map(|l| l.reason.as_str()).collect();
    assert_snapshot!(reasons.join("\n"));
}

#[test]
fn the_plans_own_commands_are_never_crowded_out() {
    let mut case = case("python");
    for number in 0..20 {
        case.file(&format!("tests/test_{number}.py"));
        case.ci(&format!("pytest tests/test_{number}.py"));
    }
    case.ready(Level::Testability, "pytest", Some("pytest"));
    let pyramid = case.build();
    let tests: Vec<_> = pyramid.level(Level::Testability).collect();
    assert_eq!(tests.len(), 6);
    assert!(tests.iter().any(|c| c.command == "pytest" && c.added));
    assert_eq!(pyramid.left_out.len(), 15);
}

#[test]
fn ids_are_unique_and_levels_are_in_order() {
    let mut case = case("cargo");
    case.ci("cargo build\ncargo test\ncargo run -- --help\ncargo test --doc");
    let pyramid = case.build();
    let ids: Vec<_> = pyramid.commands.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["i1", "t1", "t2", "r1"]);
}

fn texts(pyramid: &Pyramid) -> Vec<&str> {
    pyramid
        .commands
        .iter()
        .map(|command| command.command.as_str())
        .collect()
}

#[test]
fn commands_of_a_build_that_the_plan_decided_against_are_left_out() {
    let mut case = case("cmake");
    case.plan.projects[0].ready = vec![ReadyCommand {
        level: Level::Installability,
        command: "cmake --build build".into(),
        dir: String::new(),
        runner: None,
        because: Because::no_place(Trust::Convention, "CMake project"),
    }];
    for path in ["Makefile", "bootstrap", "configure.ac", "pkg/Makefile"] {
        case.graph
            .add(path, Some(Place::new(path, 1)), Facts::Directory);
    }
    case.command(CommandSource::Ci, ".ci.yml", "build", "./bootstrap");
    case.command(CommandSource::Ci, ".ci.yml", "build", "./configure");
    case.command(CommandSource::Ci, ".ci.yml", "build", "cmake .");
    case.command(CommandSource::Ci, ".ci.yml", "build", "ctest -C Debug");
    case.command(
        CommandSource::Ci,
        ".ci.yml",
        "x",
        "if meson setup b; then exit 1; fi",
    );
    case.command(CommandSource::Ci, ".ci.yml", "docs", "pip install -r r.txt");
    case.command(CommandSource::TaskRunner, "Makefile", "all: cc", "make all");
    case.command(
        CommandSource::TaskRunner,
        "pkg/Makefile",
        "run: docker run x",
        "make run",
    );
    case.command(CommandSource::Ci, ".ci.yml", "e", "make test")
        .dir = "fetched".into();
    case.command(
        CommandSource::TaskRunner,
        "tests/unity/Makefile",
        "all: cc",
        "make all",
    )
    .dir = "tests/unity".into();
    let pyramid = build(&case.graph, &case.plan);
    assert_eq!(texts(&pyramid), ["cmake --build build", "ctest -C Debug"]);
    assert!(pyramid.commands[0].because[0].text.contains("cmake ."));
}
