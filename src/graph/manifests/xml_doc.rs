//! XML as a tree of elements with their lines. Entities that a document defines are never expanded, so that a
//! document cannot grow; namespaces are dropped.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::toml_doc::LineIndex;

/// Levels of elements within each other, and elements of a document, that are kept.
const MAX_DEPTH: usize = 100;
const MAX_ELEMENTS: usize = 200_000;

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// Text straight within the element, trimmed.
    pub text: String,
    pub children: Vec<Element>,
    pub line: u32,
}

impl Element {
    /// The root element, as far as the text is well-formed.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = LineIndex::new(text);
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_dangling_amp = true;
        let mut open: Vec<Element> = Vec::new();
        for _ in 0..MAX_ELEMENTS * 4 {
            let line = line_of_next(&lines, text, reader.buffer_position());
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    open.push(element(&start, line));
                    if open.len() > MAX_DEPTH {
                        return None;
                    }
                }
                Ok(Event::Empty(start)) => {
                    if let Some(root) = close(&mut open, element(&start, line)) {
                        return Some(root);
                    }
                }
                Ok(Event::End(_)) => {
                    let done = open.pop()?;
                    if let Some(root) = close(&mut open, done) {
                        return Some(root);
                    }
                }
                Ok(Event::Text(text)) => append(&mut open, &text),
                Ok(Event::CData(text)) => append(&mut open, &text),
                Ok(Event::GeneralRef(name)) => append(&mut open, predefined(&name)),
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        // Broken off: what stands there so far.
        while let Some(last) = open.pop() {
            if let Some(root) = close(&mut open, last) {
                return Some(root);
            }
        }
        None
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The element at a path of names.
    pub fn at(&self, names: &[&str]) -> Option<&Element> {
        names
            .iter()
            .try_fold(self, |element, name| element.child(name))
    }

    /// The text of a child, where there is some.
    pub fn value(&self, name: &str) -> Option<&str> {
        let text = self.child(name)?.text.as_str();
        (!text.is_empty()).then_some(text)
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// This element and all below it, in the order of the document.
    pub fn walk(&self) -> Vec<&Element> {
        let mut found = Vec::new();
        let mut queue = vec![self];
        while let Some(element) = queue.pop() {
            found.push(element);
            queue.extend(element.children.iter().rev());
        }
        found
    }
}

/// The line of the tag that starts at or after an offset.
fn line_of_next(lines: &LineIndex, text: &str, offset: u64) -> u32 {
    lines.line(usize::try_from(offset).unwrap_or(text.len()))
}

fn element(start: &BytesStart<'_>, line: u32) -> Element {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    Element {
        name: start.local_name().as_ref().to_owned(),
        attributes: attributes
            .flatten()
            .take(100)
            .map(|attribute| {
                let value = unescape(&attribute.value)
                    .map_or_else(|_| attribute.value.to_string(), |text| text.into_owned());
                (attribute.key.local_name().as_ref().to_owned(), value)
            })
            .collect(),
        line,
        ..Element::default()
    }
}

/// Puts a finished element into the one around it; gives it back where it is the root.
fn close(open: &mut [Element], mut done: Element) -> Option<Element> {
    done.text = done.text.trim().to_owned();
    let Some(parent) = open.last_mut() else {
        return Some(done);
    };
    if parent.children.len() < MAX_ELEMENTS {
        parent.children.push(done);
    }
    None
}

fn append(open: &mut [Element], text: &str) {
    if let Some(last) = open.last_mut() {
        last.text.push_str(text);
    }
}

fn predefined(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_lines_and_text() {
        let text = "<?xml version=\"1.0\"?>\n<!-- c -->\n<m:p a='1 &lt; 2'>\n  <x>a &amp; b</x>\n  <y/><x><![CDATA[z]]></x>\n</m:p>";
        let root = Element::parse(text).unwrap();
        assert_eq!((root.name.as_str(), root.line), ("p", 3));
        assert_eq!(root.attribute("a"), Some("1 < 2"));
        let texts: Vec<_> = root.all("x").map(|x| (x.text.as_str(), x.line)).collect();
        assert_eq!(texts, [("a & b", 4), ("z", 5)]);
        assert_eq!(root.walk().len(), 4);
    }

    #[test]
    fn bombs_towers_and_broken_text_stay_small() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<x><y>&b;&b;</y></x>";
        assert_eq!(Element::parse(bomb).unwrap().value("y"), None);
        assert_eq!(Element::parse(&"<a>".repeat(100_000)), None);
        let cut = Element::parse("<a><b>1</b><c>").unwrap();
        assert_eq!(cut.value("b"), Some("1"));
        assert_eq!(
            Element::parse("<a x=\"&lol;\"/>").unwrap().attribute("x"),
            Some("&lol;")
        );
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[<>/!&;=\"'\\[\\]-]){0,200}") {
            Element::parse(&text);
        }
    }
}
