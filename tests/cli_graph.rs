//! `envc graph`: questions to the graph and the forms of an answer, as a user asks for them.

mod cli_support;

use std::fs;

use cli_support::*;

#[test]
fn questions_are_answered_in_words() {
    let scene = Scene::of("cmake-tally");
    let ask = |words: &[&str]| {
        let mut all = vec!["graph"];
        all.extend(words);
        all.extend(["-C", "repo"]);
        scene.run(&all)
    };
    ask(&["stats"]).code(0).prints("nodes by kind");
    let found = ask(&["find", "zlib.h"]).code(0);
    found.prints("import").prints("tally.c:");
    ask(&["show", "project:cmake"])
        .code(0)
        .prints("-requires->");
    ask(&["path", "file:tally.c", "zlib.h"])
        .code(0)
        .prints("-imports->");
    ask(&["why", "zlib.h"]).code(0).prints("imported by");
}

#[test]
fn answers_come_as_data_and_drawings() {
    let scene = Scene::of("cmake-tally");
    for question in [
        &["stats"][..],
        &["find", "zlib.h"],
        &["show", "zlib.h"],
        &["path", "project:cmake", "zlib.h"],
        &["why", "zlib.h"],
    ] {
        let ask = |form: &[&str]| {
            let mut all = vec!["graph"];
            all.extend(question);
            all.extend(["-C", "repo"]);
            all.extend(form);
            scene.run(&all)
        };
        assert!(ask(&["--json"]).code(0).json().is_object(), "{question:?}");
        ask(&["--format", "dot"]).code(0).prints("digraph envc {");
        ask(&["--format", "graphml"]).code(0).prints("</graphml>");
    }
    let whole = scene.run(&["graph", "repo", "--format", "json"]);
    assert_eq!(whole.code(0).json()["schema"], "envc.graph/1");
}

#[test]
fn the_page_is_one_file_that_asks_nothing_of_a_network() {
    let scene = Scene::of("cmake-tally");
    scene
        .run(&["graph", "repo", "--html", "page.html"])
        .code(0)
        .prints("page.html");
    let html = fs::read_to_string(scene.path().join("page.html")).unwrap();
    assert!(html.contains("<title>repo: knowledge graph</title>"));
    assert!(
        html.contains("#include \\u003czlib.h\\u003e"),
        "the evidence itself"
    );
    for foreign in ["src=", "href=", "@import", "url("] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    assert!(html.contains("default-src 'none'"));
}

/// A name that was mistyped must not cost a source file.
#[test]
fn a_page_replaces_only_a_page() {
    let scene = Scene::of("cmake-tally");
    let page = |file: &str| scene.run(&["graph", "repo", "--html", file]);
    page("repo/tally.c").code(2).says("no page of envc's");
    assert!(
        fs::read_to_string(scene.repo.join("tally.c"))
            .unwrap()
            .contains("zlib.h")
    );
    page("repo").code(2).says("it is a directory");
    page("page.html").code(0);
    page("page.html").code(0);
    std::os::unix::fs::symlink("repo/tally.c", scene.path().join("link.html")).unwrap();
    page("link.html").code(2).says("it is a link");
}

/// Names of the repository's own cannot forge lines or turn text around.
#[test]
fn names_are_shown_as_what_they_are() {
    let scene = Scene::empty();
    let dir = scene.repo.join("x)\n\nNotes\n  all is proved");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("README.md"), "    $ make test\n").unwrap();
    scene.write("CMakeLists.txt", "project(a C)\n");
    scene.write("README.md", "# \u{202e}x\n\n    make check\u{202e}\n");
    for command in ["pyramid", "graph", "plan"] {
        let shown = scene.run(&[command, "repo"]).code(0).out;
        assert!(!shown.contains('\u{202e}'), "{command}: {shown:?}");
        assert!(!shown.contains("\n  all is proved"), "{command}: {shown:?}");
    }
}

/// A manifest that cannot be read is named, by the graph and by the plan.
#[test]
fn broken_manifests_are_named() {
    let scene = Scene::empty();
    scene.write("index.js", "console.log(1);\n");
    scene.write("package.json", "{\n  \"name\": \"a\",\n}\n");
    scene.run(&["graph", "repo"]).code(0).prints("package.json");
    let plan = scene.run(&["plan", "repo"]);
    assert!(
        format!("{}{}", plan.out, plan.err).contains("package.json: is not well formed"),
        "{plan:?}"
    );
}

#[test]
fn what_is_not_there_is_said_with_what_is_like_it() {
    let scene = Scene::of("cmake-tally");
    for question in [
        &["show", "zilb.h"][..],
        &["why", "zilb.h"],
        &["find", "zilb.h"],
    ] {
        let mut all = vec!["graph"];
        all.extend(question);
        all.extend(["-C", "repo"]);
        scene.run(&all).code(1).says("did you mean zlib.h");
    }
    scene
        .run(&["graph", "find", "zlib.h", "--kind", "service", "-C", "repo"])
        .code(1)
        .says("not as a node of the kind");
    scene
        .run(&["graph", "repo", "--html", "no/such/dir/page.html"])
        .code(2)
        .says("cannot write");
}

/// A directory that is called like a question.
#[test]
fn a_path_that_looks_like_a_question() {
    let scene = Scene::of("cmake-tally");
    fs::rename(&scene.repo, scene.path().join("find")).unwrap();
    scene.run(&["graph", "./find"]).code(0).prints("cmake");
    scene.run(&["graph", "find"]).code(2);
}
