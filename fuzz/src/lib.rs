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
