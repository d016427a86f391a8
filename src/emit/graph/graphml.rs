//! GraphML (<http://graphml.graphdrawing.org/specification.html>): for Gephi, yEd, NetworkX.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::Part;
use crate::emit::terminal::sanitize;
use crate::graph::{kind, line};

/// Attributes of nodes, then of edges, as `<key>` declares them.
const KEYS: [(&str, &str); 5] = [
    ("name", "node"),
    ("kind", "node"),
    ("place", "node"),
    ("text", "node"),
    ("edge", "edge"),
];

/// The graph as GraphML. What XML cannot hold (control characters) is left out.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub fn graphml(part: &Part<'_>) -> std::io::Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.write_event(Event::Start(
        BytesStart::new("graphml")
            .with_attributes([("xmlns", "http://graphml.graphdrawing.org/xmlns")]),
    ))?;
    for (name, of) in KEYS {
        let attributes = [
            ("id", name),
            ("for", of),
            ("attr.name", name),
            ("attr.type", "string"),
        ];
        xml.write_event(Event::Empty(
            BytesStart::new("key").with_attributes(attributes),
        ))?;
    }
    let graph = [("id", "envc"), ("edgedefault", "directed")];
    xml.write_event(Event::Start(
        BytesStart::new("graph").with_attributes(graph),
    ))?;
    for node in &part.nodes {
        let id = format!("n{}", node.id.0);
        let tag = BytesStart::new("node").with_attributes([("id", id.as_str())]);
        xml.write_event(Event::Start(tag))?;
        data(&mut xml, "name", &node.name)?;
        data(&mut xml, "kind", kind(&node.facts))?;
        if let Some(place) = &node.place {
            data(&mut xml, "place", &place.to_string())?;
        }
        data(&mut xml, "text", &line(node))?;
        xml.write_event(Event::End(BytesEnd::new("node")))?;
    }
    for (from, to, kind) in &part.edges {
        let (from, to) = (format!("n{}", from.0), format!("n{}", to.0));
        let ends = [("source", from.as_str()), ("target", to.as_str())];
        xml.write_event(Event::Start(BytesStart::new("edge").with_attributes(ends)))?;
        data(&mut xml, "edge", kind.name())?;
        xml.write_event(Event::End(BytesEnd::new("edge")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("graph")))?;
    xml.write_event(Event::End(BytesEnd::new("graphml")))?;
    let text = String::from_utf8(xml.into_inner()).map_err(std::io::Error::other)?;
    Ok(format!("{text}\n"))
}

fn data(xml: &mut Writer<Vec<u8>>, key: &str, value: &str) -> std::io::Result<()> {
    let start = BytesStart::new("data").with_attributes([("key", key)]);
    xml.write_event(Event::Start(start))?;
    let value = sanitize(value);
    // U+FFFE and U+FFFF are no characters of XML (XML 1.0, 2.2).
    let value: String = value
        .chars()
        .filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}'))
        .collect();
    xml.write_event(Event::Text(BytesText::new(&value)))?;
    xml.write_event(Event::End(BytesEnd::new("data")))
}
