use super::*;
use crate::evidence::Place;
use crate::graph::query::{find, path, why};
use crate::graph::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, ProjectFacts};

/// A graph whose names try to break out of every format.
fn graph() -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    let file = Facts::File {
        language: Some("c".into()),
        vendored: false,
    };
    let file = graph.add("a\"]; <b>.c", Some(Place::file("src/a\"]; <b>.c")), file);
    let facts = ProjectFacts::new("cmake", "");
    let project = graph.add(
        "thing",
        Some(Place::new("CMakeLists.txt", 1)),
        Facts::Project(facts),
    );
    let command = Facts::Command(CommandFacts {
        text: "echo </script><script>alert(1)</script> \u{1b}[31m & \u{0}".into(),
        source: CommandSource::Ci,
        dir: String::new(),
        env: Default::default(),
        os: None,
        context: String::new(),
        unresolved: Vec::new(),
        shell: Default::default(),
        row: Default::default(),
        alternatives: Default::default(),
    });
    let command = graph.add("echo", Some(Place::new("ci.yml", 3)), command);
    graph.link(project, command, EdgeKind::Runs);
    graph.link(project, file, EdgeKind::Contains);
    graph
}

#[test]
fn dot_keeps_names_inside_of_quotes() {
    insta::assert_snapshot!(dot(&Part::whole(&graph())));
}

#[test]
fn graphml_is_well_formed_and_holds_every_node() {
    let xml = graphml(&Part::whole(&graph())).unwrap();
    let mut reader = quick_xml::Reader::from_str(&xml);
    let mut nodes = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == "node" => nodes += 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(nodes, 3);
    assert!(
        !xml.contains('\u{1b}') && !xml.contains("<script>"),
        "{xml}"
    );
}

#[test]
fn the_page_holds_names_as_data_only() {
    let mut asked = Vec::new();
    let html = page(&graph(), "a<b>", &mut |path, line| {
        asked.push(format!("{path}:{line}"));
        Some("run: </script>".to_owned())
    })
    .unwrap();
    assert_eq!(html.matches("</script>").count(), 2, "only the page's own");
    assert!(html.contains("<title>a&lt;b&gt;: knowledge graph</title>"));
    assert!(!html.contains('\u{1b}'));
    assert_eq!(asked, ["CMakeLists.txt:1", "ci.yml:3"]);
    let json = html
        .split("id=\"data\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["nodes"].as_array().unwrap().len(), 3);
    assert_eq!(
        data["nodes"][2][4], 1,
        "the command is folded into its project"
    );
    assert_eq!(data["nodes"][1][4], -1);
}

#[test]
fn a_cycle_has_a_root_and_a_page() {
    let mut graph = KnowledgeGraph::new();
    let a = graph.add("a", None, Facts::Project(ProjectFacts::new("npm", "a")));
    let b = graph.add("b", None, Facts::Project(ProjectFacts::new("npm", "b")));
    graph.link(a, b, EdgeKind::Requires);
    graph.link(b, a, EdgeKind::Requires);
    let html = page(&graph, "cycle", &mut |_, _| None).unwrap();
    assert!(html.contains("[1,0,") && html.contains(",-1]"));
}

#[test]
fn a_graph_that_is_too_large_leaves_out_what_says_least() {
    let mut graph = KnowledgeGraph::new();
    for at in 0..61_000 {
        let facts = Facts::Symbol {
            symbol: crate::graph::SymbolKind::Function,
            language: "c".into(),
        };
        graph.add(format!("f{at}"), None, facts);
    }
    graph.add("thing", None, Facts::Project(ProjectFacts::new("make", "")));
    let html = page(&graph, "large", &mut |_, _| None).unwrap();
    assert!(html.contains("60000 nodes") && html.contains("left out of this page: 1001 symbol"));
    assert!(html.contains("\"make .\""), "the project stays");
}

#[test]
fn answers_in_words() {
    let graph = graph();
    let nodes = find(&graph, "echo", &[]);
    let command = nodes[0];
    let project = graph.nodes().nth(1).unwrap();
    let (first, hops) = path(&graph, &[project.id], &[command.id]).unwrap();
    let whys_text = whys(&graph, &[(command.id, why(&graph, command.id))]);
    let all = [
        stats(&graph),
        found(&nodes),
        shown(&graph, command),
        way(first, &hops),
        whys_text,
    ];
    insta::assert_snapshot!(all.join("---\n"));
}
