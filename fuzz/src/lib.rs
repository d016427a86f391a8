//! What the targets share: a repository of one file, read as any other is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use envc::scan::{FileEntry, FileKind, Repository};

/// The repository's directory, in memory where the machine has such a place.
static ROOT: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(place).expect("a directory to write to")
});

/// Every format that has a target.
pub const FORMATS: &[(&str, Option<&str>)] = &[
    ("README.adoc", Some("asciidoc")),
    ("configure.ac", Some("m4")),
    ("azure-pipelines.yml", Some("yaml")),
    (".circleci/config.yml", Some("yaml")),
    (".cirrus.yml", Some("yaml")),
    ("CMakeLists.txt", Some("cmake")),
    ("docker-compose.yml", Some("yaml")),
    ("environment.yml", Some("yaml")),
    (".devcontainer/devcontainer.json", Some("json")),
    ("Dockerfile", Some("dockerfile")),
    (".env.example", None),
    (".envrc", Some("bash")),
    (".github/workflows/ci.yml", Some("yaml")),
    (".gitlab-ci.yml", Some("yaml")),
    ("setup.cfg", Some("ini")),
    ("Jenkinsfile", Some("groovy")),
    ("justfile", Some("just")),
    ("Makefile", Some("make")),
    ("README.md", Some("markdown")),
    ("meson.build", Some("meson")),
    ("shell.nix", Some("nix")),
    ("noxfile.py", Some("python")),
    ("INSTALL", Some("text")),
    ("requirements.txt", Some("text")),
    ("README.rst", Some("restructuredtext")),
    ("setup.py", Some("python")),
    (".tool-versions", None),
    ("tox.ini", Some("ini")),
    (".travis.yml", Some("yaml")),
    ("Vagrantfile", Some("ruby")),
    ("a.cabal", None),
    ("CMakePresets.json", None),
    ("composer.json", None),
    ("cpanfile", None),
    ("a.csproj", None),
    ("DESCRIPTION", None),
    ("dune-project", None),
    ("Gemfile", None),
    ("a.gemspec", None),
    ("go.mod", None),
    ("build.gradle.kts", None),
    ("settings.gradle", None),
    ("mix.exs", None),
    ("a.opam", None),
    ("package.json", None),
    ("pom.xml", None),
    ("Rakefile", None),
    ("rebar.config", None),
    ("a.rockspec", None),
    ("build.sbt", None),
    ("Package.swift", None),
    ("Taskfile.yml", None),
    ("build.zig.zon", None),
];

/// The format that the first byte picks, with the rest of the bytes.
pub fn any(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    match FORMATS.get(usize::from(*first) % (FORMATS.len() + 1)) {
        Some((path, language)) => read(path, *language, rest),
        None => {
            envc::fuzzing::shell_statements(&String::from_utf8_lossy(rest));
        }
    }
}

/// Builds the graph of a repository whose only file is `path` with these bytes.
pub fn read(path: &str, language: Option<&str>, data: &[u8]) {
    let file = ROOT.path().join(path);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).expect("a directory below the root");
    }
    std::fs::write(&file, data).expect("a file below the root");
    let entry = FileEntry {
        path: path.to_owned(),
        size: data.len() as u64,
        kind: FileKind::Text,
        language: language.map(str::to_owned),
        executable: false,
        vendored: false,
        seen: Default::default(),
    };
    let repository = Repository {
        schema: envc::scan::SCHEMA.to_owned(),
        name: "thing".to_owned(),
        root: ROOT.path().to_owned(),
        git: None,
        files: vec![entry],
        languages: BTreeMap::new(),
        warnings: Vec::new(),
    };
    envc::graph::build(&repository);
}
