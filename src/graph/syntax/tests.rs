//! Every grammar folder has `examples/`: a source file whose special comments say what the queries must find on
//! that line, and nothing else may be found.
//!
//! `import TARGET`, `local TARGET`, `main`, `script`, `test NAME`, `function NAME`, `type NAME` after `EXPECT:`; a
//! guard follows in `[…]`; two on a line are separated by `;;`.

use std::collections::BTreeSet;

use super::add_definitions;
use super::grammar::grammar;
use super::parse::{Deadline, Source, parse};
use super::reading::{Want, read_source};
use crate::graph::{KnowledgeGraph, SymbolKind, Warning, build};
use crate::scan::languages::GRAMMARS;
use crate::scan::{ScanOptions, scan};

const ALL: Want = Want {
    imports: true,
    own: true,
    definitions: true,
};

fn expected(text: &str) -> BTreeSet<String> {
    let mut expected = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        if let Some((_, wanted)) = line.split_once("EXPECT:") {
            let wanted = wanted
                .trim()
                .trim_end_matches("*/")
                .trim_end_matches("*)")
                .trim();
            expected.extend(
                wanted
                    .split(";;")
                    .map(|item| format!("{}: {}", at + 1, item.trim())),
            );
        }
    }
    expected
}

fn found(name: &str, text: &str) -> BTreeSet<String> {
    let grammar = grammar(name).unwrap();
    let reading = read_source(grammar, text, ALL);
    let mut found = BTreeSet::new();
    for (line, import) in reading.imports {
        let kind = if import.system { "import" } else { "local" };
        let guard = if import.guard.is_empty() {
            String::new()
        } else {
            format!(" [{}]", import.guard)
        };
        found.insert(format!("{line}: {kind} {}{guard}", import.target));
    }
    found.extend(reading.main.map(|line| format!("{line}: main")));
    found.extend(reading.script.map(|line| format!("{line}: script")));
    for (line, kind, name) in reading.definitions {
        let kind = match kind {
            SymbolKind::Type => "type",
            _ => "function",
        };
        found.insert(format!("{line}: {kind} {name}"));
    }
    if let Some(search) = &grammar.tests
        && let (Some(query), Some(span)) = (search.query(), search.span(text))
    {
        let tree = parse(grammar, &grammar.parsable(text)).unwrap();
        let source = Source {
            tree: &tree,
            text,
            deadline: Deadline::new(),
        };
        source.search(search, query, span, |m| {
            for capture in m.captures() {
                if query.capture_names()[capture.index as usize] == "test" {
                    let line = capture.node.start_position().row + 1;
                    found.insert(format!("{line}: test {}", &text[capture.node.byte_range()]));
                }
            }
        });
    }
    found
}

#[test]
fn every_example_gives_what_it_says_and_nothing_else() {
    let mut wrong = Vec::new();
    for dir in GRAMMARS.dirs() {
        let name = dir.path().to_str().unwrap();
        let examples = GRAMMARS
            .get_dir(format!("{name}/examples"))
            .unwrap_or_else(|| panic!("{name} has no examples"));
        let mut positive = 0;
        let mut negative = 0;
        for file in examples.files() {
            let text = file.contents_utf8().unwrap();
            let wanted = expected(text);
            if wanted.is_empty() {
                negative += 1
            } else {
                positive += 1
            }
            let found = found(name, text);
            for lacking in wanted.difference(&found) {
                wrong.push(format!("{} lacks {lacking}", file.path().display()));
            }
            for surplus in found.difference(&wanted) {
                wrong.push(format!(
                    "{} should not give {surplus}",
                    file.path().display()
                ));
            }
        }
        assert!(
            positive > 0 && negative > 0,
            "{name} needs a positive and a negative example"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    let start = std::time::Instant::now();
    for (name, text) in [
        (
            "c",
            format!("{}{}", "#if A\n".repeat(5_000), "#include <z.h>\n"),
        ),
        ("rust", "mod a{".repeat(50_000)),
        ("cpp", "a<".repeat(100_000)),
        ("bash", "$(".repeat(50_000)),
        ("python", "if x:\n".repeat(50_000)),
        ("c", "(".repeat(100_000)),
        ("go", "[{".repeat(50_000)),
    ] {
        read_source(grammar(name).unwrap(), &text, ALL);
    }
    for name in GRAMMARS.dirs().filter_map(|dir| dir.path().to_str()) {
        let brackets = format!("{}{}", "(".repeat(4_000), "[{".repeat(2_000));
        read_source(grammar(name).unwrap(), &brackets, ALL);
    }
    // Each has a second and a half at most; most take a tenth of that, on a machine that does nothing else.
    assert!(start.elapsed().as_secs() < 120);
}

/// The graph of a tree of which something happens between the scan and the reading.
fn graph_after(files: &[(&str, &[u8])], happens: impl FnOnce(&std::path::Path)) -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        std::fs::write(dir.path().join(path), bytes).unwrap();
    }
    let repository = scan(dir.path(), &ScanOptions::default()).unwrap();
    happens(dir.path());
    build(&repository)
}

fn warnings(graph: &KnowledgeGraph) -> Vec<String> {
    let shown = |warning: &Warning| format!("{}: {}", warning.path, warning.reason);
    graph.warnings().iter().map(shown).collect()
}

#[test]
fn files_that_change_while_they_are_read_are_warnings() {
    let source = b"#include <a.h>\n".as_slice();
    let files = [
        ("kept.c", source),
        ("gone.c", source),
        ("grown.c", source),
        ("pipe.c", source),
        ("link.c", source),
    ];
    let graph = graph_after(&files, |root| {
        std::fs::remove_file(root.join("gone.c")).unwrap();
        std::fs::write(root.join("grown.c"), "#include <b.h>\n#include <c.h>\n").unwrap();
        for name in ["pipe.c", "link.c"] {
            std::fs::remove_file(root.join(name)).unwrap();
        }
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("pipe.c"))
            .status();
        assert!(made.unwrap().success());
        std::os::unix::fs::symlink("/etc/passwd", root.join("link.c")).unwrap();
    });
    let found = warnings(&graph);
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.contains(&"grown.c: changed while it was read".to_owned()));
    let targets: Vec<&str> = graph
        .imports()
        .map(|(_, import)| import.target.as_str())
        .collect();
    assert_eq!(targets, ["b.h", "c.h", "a.h"]);
    let json = serde_json::to_string(&graph).unwrap();
    let back: KnowledgeGraph = serde_json::from_str(&json).unwrap();
    assert_eq!(back.warnings(), graph.warnings());
}

#[test]
fn definitions_of_entry_and_api_files_can_be_added() {
    let dir = tempfile::tempdir().unwrap();
    let many: String = (0..300).map(|at| format!("int f{at}(void);\n")).collect();
    for (path, text) in [
        ("include/api.h", many.as_str()),
        ("src/inner.c", "int hidden(void) { return 1; }\n"),
        ("tests/include/t.h", "int test_only(void);\n"),
        ("main.go", "package main\n\ntype Config struct{}\n"),
    ] {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let repository = scan(dir.path(), &ScanOptions::default()).unwrap();
    let mut graph = build(&repository);
    let before = graph.node_count();
    add_definitions(&repository, &mut graph);
    let names: Vec<&str> = graph
        .nodes()
        .skip(before)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(names.len(), 101);
    assert_eq!(names.first(), Some(&"Config"));
    assert!(names.contains(&"f0") && !names.contains(&"hidden") && !names.contains(&"test_only"));
}

#[test]
fn long_lines_and_odd_encodings_give_what_they_can() {
    let wide: Vec<u8> = "\u{feff}#include <wide.h>\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let long = format!("int x; /* {} */", "a".repeat(10 << 20));
    let middle = format!("int x = 0{};\n", "+1".repeat(1 << 20));
    let graph = graph_after(
        &[
            ("bom.c", b"\xef\xbb\xbf#include <bom.h>\r\n"),
            ("broken.py", b"def (:\n  import ok\n]]]\nimport also\n"),
            ("latin.c", b"/* caf\xe9 */\n#include <latin.h>\n"),
            ("long.c", long.as_bytes()),
            ("middle.c", middle.as_bytes()),
            ("wide.c", &wide),
        ],
        |_| {},
    );
    let targets: Vec<&str> = graph
        .imports()
        .map(|(_, import)| import.target.as_str())
        .collect();
    assert_eq!(targets, ["bom.h", "also", "latin.h", "wide.h"]);
    let found = warnings(&graph);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|text| text.starts_with("long.c")));
    assert!(found.iter().any(|text| text.starts_with("middle.c")));
}
