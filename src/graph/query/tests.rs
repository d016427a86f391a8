use super::*;
use crate::graph::build;
use crate::scan::{ScanOptions, scan};

/// A small C project with a document, a workflow and a requirement.
fn graph() -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("thing");
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("src/db.c", "#include <libpq-fe.h>\n#include <zlib.h>\n");
    write(
        "src/pack.c",
        "#include <zlib.h>\nint main(void) { return 0; }\n",
    );
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(thing C)\nfind_package(ZLIB REQUIRED)\n",
    );
    write(
        "README.md",
        "# Thing\n\n## Building\n\n```sh\ncmake -B build\n```\n",
    );
    build(&scan(&root, &ScanOptions::default()).unwrap())
}

fn labels(nodes: &[&Node]) -> Vec<String> {
    let place = |node: &Node| {
        node.place
            .as_ref()
            .map_or(String::new(), ToString::to_string)
    };
    nodes
        .iter()
        .map(|node| format!("{} {}", kind(&node.facts), place(node)))
        .collect()
}

use crate::graph::kind;

#[test]
fn nodes_by_name_part_path_place_glob_and_kind() {
    let graph = graph();
    let find = |pattern: &str| labels(&find(&graph, pattern, &[]));
    assert_eq!(find("zlib.h"), ["import src/db.c:2", "import src/pack.c:1"]);
    assert_eq!(find("libpq"), ["import src/db.c:1"]);
    assert_eq!(
        find("SRC/DB.C"),
        ["file src/db.c", "import src/db.c:1", "import src/db.c:2"]
    );
    assert_eq!(find("db.c")[0], "file src/db.c");
    assert_eq!(find("src/db.c:1"), ["import src/db.c:1"]);
    assert_eq!(find("*.c"), ["file src/db.c", "file src/pack.c"]);
    assert_eq!(
        find("[").len() + find("").len() + find("no such thing").len(),
        0
    );
    let only = super::find(&graph, "zlib", &["dependency".to_owned()]);
    assert_eq!(labels(&only), ["dependency CMakeLists.txt:3"]);
}

#[test]
fn a_name_means_the_best_fits_only() {
    let graph = graph();
    let Named::Nodes(ids) = named(&graph, "import:zlib.h") else {
        panic!("not found");
    };
    assert_eq!(ids.len(), 2);
    let Named::Nodes(by_id) = named(&graph, &format!("#{}", ids[0].0)) else {
        panic!("not found");
    };
    assert_eq!(by_id, ids[..1]);
    let Named::Nothing(similar) = named(&graph, "zilb.h") else {
        panic!("found");
    };
    assert_eq!(similar.first().map(String::as_str), Some("zlib.h"));
    assert_eq!(named(&graph, "#999999"), Named::Nothing(Vec::new()));
}

#[test]
fn the_way_avoids_directories_where_it_can() {
    let graph = graph();
    let ids = |name: &str| match named(&graph, name) {
        Named::Nodes(ids) => ids,
        Named::Nothing(_) => panic!("{name}"),
    };
    let way = |a: &str, b: &str| {
        let (first, hops) = path(&graph, &ids(a), &ids(b)).unwrap();
        let mut text = first.name.clone();
        for hop in hops {
            let (left, right) = if hop.forward {
                ("-", "->")
            } else {
                ("<-", "-")
            };
            text.push_str(&format!(
                " {left}{}{right} {}",
                hop.kind.name(),
                hop.node.name
            ));
        }
        text
    };
    assert_eq!(
        way("file:src/db.c", "libpq-fe.h"),
        "db.c -imports-> libpq-fe.h"
    );
    assert_eq!(
        way("project:cmake", "dependency:zlib"),
        "thing -requires-> ZLIB"
    );
    assert!(
        way("libpq-fe.h", "file:src/pack.c").contains("src"),
        "through the directory"
    );
    assert_eq!(way("file:src/db.c", "file:src/db.c"), "db.c");
}

#[test]
fn why_leads_back_to_what_was_written() {
    let graph = graph();
    let Named::Nodes(ids) = named(&graph, "dependency:zlib") else {
        panic!("not found");
    };
    let reasons = why(&graph, ids[0]);
    let names: Vec<(&str, &str)> = reasons
        .iter()
        .map(|reason| (reason.kind.name(), kind(&reason.node.facts)))
        .collect();
    assert_eq!(names, [("declares", "manifest"), ("requires", "project")]);
    let Named::Nodes(ids) = named(&graph, "libpq-fe.h") else {
        panic!("not found");
    };
    let reasons = why(&graph, ids[0]);
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].node.name, "db.c");
    assert!(reasons[0].because.is_empty(), "a directory is no reason");
}

#[test]
fn edge_kinds_are_named_as_in_json() {
    for kind in EdgeKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}
