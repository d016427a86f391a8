//! Tells cargo that the embedded data is part of the program (`include_dir` does not notice a new file by itself),
//! and writes the table of the parsers that the folders of `grammars/` name, so that a language needs no Rust.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    for dir in ["knowledge", "grammars", "templates", "data"] {
        println!("cargo:rerun-if-changed={dir}");
    }
    // Readings of the sources are cached: what reads them is part of their identity.
    let mut hasher = DefaultHasher::new();
    for path in ["src/graph/syntax", "src/scan", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
        hash_all(Path::new(path), &mut hasher);
    }
    println!("cargo:rustc-env=ENVC_SOURCES={:016x}", hasher.finish());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let table = parsers(Path::new("grammars"));
    fs::write(out.join("parsers.rs"), table).expect("OUT_DIR can be written");
}

fn hash_all(path: &Path, hasher: &mut DefaultHasher) {
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| hash_all(path, hasher));
    } else {
        fs::read(path).unwrap_or_default().hash(hasher);
    }
}

/// A `match` from the folder's name to its parser, for `include!` in `src/graph/syntax/grammar.rs`.
fn parsers(grammars: &Path) -> String {
    let mut folders: Vec<PathBuf> = fs::read_dir(grammars)
        .expect("grammars/ is part of the sources")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let arms: Vec<String> = folders.iter().map(|folder| arm(folder)).collect();
    format!("match name {{\n{}    _ => None,\n}}\n", arms.concat())
}

/// `"go" => Some(tree_sitter_go::LANGUAGE.into()),` from the line `parser = "tree_sitter_go::LANGUAGE"`.
fn arm(folder: &Path) -> String {
    let file = folder.join("language.toml");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let parser = text
        .lines()
        .find_map(|line| line.strip_prefix("parser = \"")?.strip_suffix('"'))
        .unwrap_or_else(|| panic!("{}: no line `parser = \"crate::CONSTANT\"`", file.display()));
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let plain = |text: &str| {
        text.chars()
            .all(|c| c.is_alphanumeric() || "_:-".contains(c))
    };
    assert!(
        plain(parser) && plain(&name),
        "{}: {parser:?} is no path to a constant",
        file.display()
    );
    format!("    {name:?} => Some({parser}.into()),\n")
}
