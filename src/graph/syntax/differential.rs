//! Readers without a tree against the queries that they stand for: the same on made-up texts, and, by hand, on the
//! trees that `ENVC_TREES` names (`cargo test --release differential -- --ignored --nocapture`).

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::grammar::grammar;
use super::parse::{Deadline, Source, parse};
use super::reading::{Want, find_imports, read_source};
use crate::scan::{FileKind, ScanOptions, read_text, scan};

/// `line target system [guard]` of each import, by the tree and its queries.
fn by_tree(name: &str, text: &str) -> BTreeSet<String> {
    let grammar = grammar(name).unwrap();
    let search = grammar.imports.as_ref().unwrap();
    let Some(tree) = parse(grammar, &grammar.parsable(text)) else {
        return BTreeSet::new();
    };
    let source = Source {
        tree: &tree,
        text,
        deadline: Deadline::new(),
    };
    let found = find_imports(
        grammar,
        search,
        search.query().unwrap(),
        &source,
        0..text.len(),
    );
    shown(found)
}

fn by_lines(name: &str, text: &str) -> BTreeSet<String> {
    let want = Want {
        imports: true,
        own: false,
        definitions: false,
    };
    shown(read_source(grammar(name).unwrap(), text, want).imports)
}

fn shown(found: Vec<(u32, crate::graph::ImportFacts)>) -> BTreeSet<String> {
    let line = |(line, import): &(u32, crate::graph::ImportFacts)| {
        let guard = plain(&import.guard);
        format!("{line} {} {} [{guard}]", import.target, import.system)
    };
    found.iter().map(line).collect()
}

/// A guard without the differences of writing: `!(defined(A))` is `!defined(A)`, comments are none.
fn plain(guard: &str) -> String {
    let spaces = regex::Regex::new(r"/\*.*?\*/|//.*|\\|\s+").unwrap();
    let twice = regex::Regex::new(r"!\(!(defined\(\w+\))\)").unwrap();
    let once = regex::Regex::new(r"!\((defined\(\w+\))\)").unwrap();
    let guard = spaces.replace_all(guard, "");
    let guard = twice.replace_all(&guard, "$1");
    once.replace_all(&guard, "!$1").into_owned()
}

/// Directives as they are nested in real files: whole statements between them.
fn c_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-d]".prop_map(|name| format!("#include <{name}.h>\n")),
        "[a-d]".prop_map(|name| format!("#  include \"{name}.h\" /* why */\n")),
        Just("int f(void);\n".to_owned()),
        Just("char *s = \"#include <no.h>\";\n".to_owned()),
        Just("/*\n#include <no.h>\n*/\n".to_owned()),
        "[A-C]".prop_map(|name| format!("#define {name} 1\n")),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat());
        prop_oneof![
            ("[A-C]", body()).prop_map(|(name, body)| format!("#ifdef {name}\n{body}#endif\n")),
            ("[A-C]", body(), body())
                .prop_map(|(name, a, b)| format!("#ifndef {name}\n{a}#else\n{b}#endif\n")),
            ("[A-C]", body(), body(), body()).prop_map(|(name, a, b, c)| {
                format!("#if {name} > 1\n{a}#elif defined({name})\n{b}#else\n{c}#endif\n")
            }),
            body(),
        ]
    })
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn python_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-d]".prop_map(|name| format!("import {name}, {name}.x as y\n")),
        "[a-d]".prop_map(|name| format!("from .{name} import (z,\n  w)\n")),
        "[a-d]".prop_map(|name| format!("from importlib.import_{name} import z\n")),
        "[a-d]".prop_map(|name| format!("importlib.import_module(\"{name}.late\")\n")),
        Just("x = {'a': [1, 2]}  # import no\n".to_owned()),
        Just("\"\"\"\nimport no\n\"\"\"\n".to_owned()),
        Just("def test_a(): pass\n".to_owned()),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let body = || {
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| indented(&parts.concat()))
        };
        prop_oneof![
            (body(), body()).prop_map(|(a, b)| format!("try:\n{a}except ImportError:\n{b}")),
            (body(), body()).prop_map(|(a, b)| format!("try:\n{a}except ValueError as e:\n{b}")),
            (body(), body(), body())
                .prop_map(|(a, b, c)| format!("if x > 1:\n{a}elif y:\n{b}else:\n{c}")),
            body().prop_map(|a| format!("def f(a: int = 1) -> dict[str, int]:\n{a}")),
            body().prop_map(|a| format!("class T(object):\n{a}")),
            body().prop_map(|a| format!("with suppress(ImportError):\n{a}")),
            body().prop_map(|a| format!("for x in y:\n{a}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn includes_by_lines_are_those_of_the_tree(text in c_text()) {
        prop_assert_eq!(by_lines("c", &text), by_tree("c", &text));
    }

    #[test]
    fn python_imports_by_lines_are_those_of_the_tree(text in python_text()) {
        prop_assert_eq!(by_lines("python", &text), by_tree("python", &text));
    }
}

#[test]
#[ignore = "reads the trees that ENVC_TREES names, separated by colons"]
fn differential() {
    let trees = std::env::var("ENVC_TREES").unwrap_or_default();
    for tree in trees.split(':').filter(|tree| !tree.is_empty()) {
        let repository = scan(std::path::Path::new(tree), &ScanOptions::default()).unwrap();
        for name in ["c", "cpp", "python"] {
            let (mut files, mut imports, mut differ) = (0, 0, 0);
            for entry in &repository.files {
                let chosen =
                    entry.language.as_deref() == Some(name) && entry.kind == FileKind::Text;
                let small = entry.size < 1024 * 1024;
                let Some(text) = (chosen && small)
                    .then(|| read_text(&repository, &entry.path))
                    .flatten()
                else {
                    continue;
                };
                let (lines, tree) = (by_lines(name, &text), by_tree(name, &text));
                files += 1;
                imports += tree.len();
                if lines != tree {
                    differ += 1;
                    for only in lines.difference(&tree).take(3) {
                        println!("{}: only by lines: {only}", entry.path);
                    }
                    for only in tree.difference(&lines).take(3) {
                        println!("{}: only by tree: {only}", entry.path);
                    }
                }
            }
            println!("{name}: {files} files, {imports} imports, {differ} files differ");
        }
    }
}
