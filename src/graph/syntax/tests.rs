//! Every grammar folder has `examples/`: a source file whose special comments say what the queries must find on
//! that line, and nothing else may be found.
//!
//! `import TARGET`, `local TARGET`, `main`, `script`, `test NAME`, `function NAME`, `type NAME` after `EXPECT:`; a
//! guard follows in `[…]`; two on a line are separated by `;;`.

use std::collections::BTreeSet;

use super::grammar::grammar;
use super::parse::{Source, deadline, parse};
use super::reading::{Want, read_source};
use crate::graph::SymbolKind;
use crate::scan::languages::GRAMMARS;

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
        let tree = parse(grammar, &grammar.parsable(text), deadline()).unwrap();
        let source = Source {
            tree: &tree,
            text,
            end: deadline(),
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
        ("c", "(".repeat(100_000)),
        (
            "c",
            format!("{}{}", "#if A\n".repeat(5_000), "#include <z.h>\n"),
        ),
        ("python", "[".repeat(200_000)),
        ("rust", "mod a{".repeat(50_000)),
        ("cpp", "a<".repeat(100_000)),
        ("bash", "$(".repeat(50_000)),
    ] {
        read_source(grammar(name).unwrap(), &text, ALL);
    }
    assert!(start.elapsed().as_secs() < 30);
}
