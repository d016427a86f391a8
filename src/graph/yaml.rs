//! YAML with the line of every value and scalars as written: a version `3.10` stays three-ten.
//!
//! Built on the events of the parser below serde-saphyr, since deserialising to numbers and booleans is what
//! has to be avoided here. Bounds: depth, and total size after aliases are replaced. A text that breaks off (a
//! syntax error, a bound) gives what stands before the break.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};

/// Levels of lists and maps within each other.
const MAX_DEPTH: usize = 64;

/// Nodes and bytes of a document, aliases replaced; real workflows stay below a hundredth of it.
const MAX_COST: usize = 4 * 1024 * 1024;

/// Bytes that a node costs besides its text.
const NODE_COST: usize = 32;

/// Documents of one text that are read.
const MAX_DOCUMENTS: usize = 50;

/// Where a value stands: a file by its number in the reader's own list, and a line from 1 (of a block scalar the line
/// below its `|`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mark {
    pub(super) file: u16,
    pub(super) line: u32,
}

impl Mark {
    /// The place so many lines further down.
    pub(super) fn down(self, rows: u32) -> Self {
        Self {
            line: self.line.saturating_add(rows),
            ..self
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Yaml {
    pub(super) mark: Mark,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `literal`: rows of the text are rows of the file.
    Scalar {
        text: String,
        literal: bool,
    },
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
    /// GitLab's `!reference [job, key]`.
    Reference(Vec<String>),
}

impl Yaml {
    /// The first document of a text, as far as it is well-formed; `None` when it says nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::documents(text, 0).into_iter().next()
    }

    /// Every document of a text, whose values are marked with `file`.
    pub(super) fn documents(text: &str, file: u16) -> Vec<Self> {
        Self::documents_or_break(text, file).0
    }

    /// The same, with what ended the reading before the text's end.
    pub(super) fn documents_or_break(text: &str, file: u16) -> (Vec<Self>, Option<String>) {
        let mut builder = Builder {
            file,
            ..Builder::default()
        };
        let mut found = Vec::new();
        let mut broken = None;
        let mut last = 0;
        for event in Parser::new_from_str(text) {
            let (event, span) = match event {
                Ok(event) => event,
                Err(wrong) => {
                    broken = Some(format!("read as far as line {last}: {wrong}"));
                    break;
                }
            };
            let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
            last = line;
            match builder.step(event, line) {
                Some(Step::Done(root)) => found.push(root),
                Some(Step::More) => {}
                None => {
                    broken = Some(format!("read as far as line {line}: too large or too deep"));
                    break;
                }
            }
            if found.len() >= MAX_DOCUMENTS {
                return (found, Some(format!("more than {MAX_DOCUMENTS} documents")));
            }
        }
        found.extend(builder.rest());
        (found, broken)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Yaml> {
        self.map()
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The value at a way of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Yaml> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar that is not null.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !matches!(text.as_str(), "" | "~" | "null") => Some(text),
            _ => None,
        }
    }

    pub(super) fn text_at(&self, keys: &[&str]) -> Option<&str> {
        self.at(keys)?.text()
    }

    /// Entries of a map; empty for anything else.
    pub(super) fn map(&self) -> &[(String, Yaml)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Entries of the map under a key.
    pub(super) fn map_at(&self, keys: &[&str]) -> &[(String, Yaml)] {
        self.at(keys).map_or(&[], Yaml::map)
    }

    /// Items of a list; a lone value is a list of itself, as CI systems have it.
    pub(super) fn list(&self) -> &[Yaml] {
        match &self.value {
            Value::List(items) => items,
            Value::Scalar { .. } if self.text().is_none() => &[],
            _ => std::slice::from_ref(self),
        }
    }

    pub(super) fn list_at(&self, keys: &[&str]) -> &[Yaml] {
        self.at(keys).map_or(&[], Yaml::list)
    }
}

enum Step {
    More,
    Done(Yaml),
}

/// What a tag makes of a collection.
#[derive(Clone, Copy, PartialEq)]
enum Tagged {
    No,
    Reference,
    /// `!Sub […]` and the like: what it stands for is not known here.
    Foreign,
}

/// A collection that is not closed yet.
struct Open {
    node: Yaml,
    key: Option<String>,
    /// Places of the keys of a map, for maps of many.
    keys: HashMap<String, usize>,
    anchor: usize,
    cost_before: usize,
    tagged: Tagged,
}

#[derive(Default)]
struct Builder {
    file: u16,
    open: Vec<Open>,
    anchors: HashMap<usize, (Yaml, usize)>,
    cost: usize,
}

impl Builder {
    /// `None` ends the parse: a bound is passed.
    fn step(&mut self, event: Event, line: u32) -> Option<Step> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let literal = style == ScalarStyle::Literal;
                let cost = self.pay(NODE_COST + text.len())?;
                // The parser's mark is at the first line that is not blank.
                let blank = if literal {
                    text.chars().take_while(|c| *c == '\n').count() as u32
                } else {
                    0
                };
                let value = Value::Scalar {
                    text: text.into_owned(),
                    literal,
                };
                let node = Yaml {
                    mark: self.mark(line.saturating_sub(blank)),
                    value,
                };
                return self.place(node, anchor, cost);
            }
            Event::SequenceStart(_, anchor, tag) => {
                let tagged = tag.as_deref().map_or(Tagged::No, |tag| {
                    if tag.suffix() == "reference" {
                        Tagged::Reference
                    } else {
                        Tagged::Foreign
                    }
                });
                self.open(line, Value::List(Vec::new()), anchor, tagged)?
            }
            Event::MappingStart(_, anchor, tag) => {
                let tagged = tag.map_or(Tagged::No, |_| Tagged::Foreign);
                self.open(line, Value::Map(Vec::new()), anchor, tagged)?
            }
            Event::SequenceEnd | Event::MappingEnd => return self.close(),
            Event::Alias(anchor) => {
                let (node, cost) = self.anchors.get(&anchor)?.clone();
                self.pay(cost)?;
                return self.place(node, 0, 0);
            }
            Event::DocumentEnd => self.anchors.clear(),
            _ => {}
        }
        Some(Step::More)
    }

    fn mark(&self, line: u32) -> Mark {
        Mark {
            file: self.file,
            line,
        }
    }

    fn pay(&mut self, cost: usize) -> Option<usize> {
        self.cost = self.cost.checked_add(cost)?;
        (self.cost <= MAX_COST).then_some(cost)
    }

    fn open(&mut self, line: u32, value: Value, anchor: usize, tagged: Tagged) -> Option<()> {
        let cost_before = self.cost;
        self.pay(NODE_COST)?;
        let node = Yaml {
            mark: self.mark(line),
            value,
        };
        self.open.push(Open {
            node,
            key: None,
            keys: HashMap::new(),
            anchor,
            cost_before,
            tagged,
        });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn close(&mut self) -> Option<Step> {
        let mut closed = self.open.pop()?;
        if closed.tagged != Tagged::No {
            let way = closed.node.list().iter().filter_map(Yaml::text);
            closed.node.value = match closed.tagged {
                Tagged::Reference => Value::Reference(way.map(str::to_owned).collect()),
                _ => Value::Scalar {
                    text: String::new(),
                    literal: false,
                },
            };
        }
        let cost = self.cost.saturating_sub(closed.cost_before);
        self.place(closed.node, closed.anchor, cost)
    }

    /// What is open when the text breaks off, closed.
    fn rest(mut self) -> Option<Yaml> {
        // Beyond the bound of the depth there is nothing worth keeping.
        while !self.open.is_empty() {
            self.cost = 0;
            if let Some(Step::Done(root)) = self.close() {
                let says = match &root.value {
                    Value::List(items) => !items.is_empty(),
                    _ => !root.map().is_empty(),
                };
                return says.then_some(root);
            }
        }
        None
    }

    /// Puts a finished node into the collection around it. An anchor is paid for again, since it is kept twice.
    fn place(&mut self, node: Yaml, anchor: usize, cost: usize) -> Option<Step> {
        if anchor != 0 {
            self.pay(cost)?;
            self.anchors.insert(anchor, (node.clone(), cost));
        }
        let Some(parent) = self.open.last_mut() else {
            return Some(Step::Done(node));
        };
        match &mut parent.node.value {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match parent.key.take() {
                None => parent.key = Some(node.text().unwrap_or_default().to_owned()),
                Some(key) if key == "<<" => merge(entries, &mut parent.keys, &node),
                // A merged entry gives way to one of the map itself, a repeated key to the last of its kind.
                Some(key) => match parent.keys.get(&key) {
                    Some(at) => {
                        if let Some(known) = entries.get_mut(*at) {
                            known.1 = node;
                        }
                    }
                    None => {
                        parent.keys.insert(key.clone(), entries.len());
                        entries.push((key, node));
                    }
                },
            },
            Value::Scalar { .. } | Value::Reference(_) => {}
        }
        Some(Step::More)
    }
}

fn merge(entries: &mut Vec<(String, Yaml)>, keys: &mut HashMap<String, usize>, node: &Yaml) {
    let maps = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for (key, value) in maps.iter().flat_map(Yaml::map) {
        if !keys.contains_key(key) {
            keys.insert(key.clone(), entries.len());
            entries.push((key.clone(), value.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_as_written_and_lines_are_those_of_the_content() {
        let yaml = Yaml::parse("on: push\nv: [3.10, '3.9', on, 010]\nrun: |\n  make\n  make test\nx: &a {k: 1}\ny:\n  <<: *a\n  l: 2\n").unwrap();
        let versions: Vec<_> = yaml.list_at(&["v"]).iter().filter_map(Yaml::text).collect();
        assert_eq!(versions, ["3.10", "3.9", "on", "010"]);
        let run = yaml.get("run").unwrap();
        assert_eq!((run.mark.line, run.text()), (4, Some("make\nmake test\n")));
        assert_eq!(yaml.text_at(&["y", "k"]), Some("1"));
        assert_eq!(yaml.at(&["y", "l"]).unwrap().mark.line, 9);
        assert_eq!(yaml.text_at(&["on"]), Some("push"));
        for (text, line) in [
            ("a: |\n\n  x\n", 2),
            ("a: >-\n  x\n  y\n", 2),
            ("a: # c\n  x\n", 2),
            ("a: |2-\n  x\n", 2),
        ] {
            assert_eq!(
                Yaml::parse(text).unwrap().get("a").unwrap().mark.line,
                line,
                "{text:?}"
            );
        }
    }

    fn bomb() -> String {
        let mut bomb = String::from("first: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for at in 1..12 {
            let alias = format!("*a{}", at - 1);
            bomb.push_str(&format!(
                "a{at}: &a{at} [{}]\n",
                [alias.as_str(); 9].join(", ")
            ));
        }
        bomb
    }

    #[test]
    fn bombs_and_depth_end_the_parse_and_what_stands_before_is_kept() {
        let yaml = Yaml::parse(&bomb()).unwrap();
        assert_eq!(yaml.text_at(&["first"]), Some("1"));
        assert!(yaml.map().len() < 10);
        for text in ["[".repeat(100_000), "- ".repeat(100_000)] {
            let mut depth = 0;
            let mut node = Yaml::parse(&text);
            while let Some(inner) = node.and_then(|node| node.list().first().cloned()) {
                depth += 1;
                node = Some(inner);
                assert!(depth <= MAX_DEPTH);
            }
        }
        assert_eq!(Yaml::parse("a: *b\n"), None);
        assert_eq!(Yaml::parse(""), None);
    }

    #[test]
    fn a_broken_text_gives_what_stands_before_the_break() {
        for (text, key) in [
            ("a: 1\nb:\n\t- x\n", "a"),
            ("a: 1\nb: [1, 2\nc: }\n", "a"),
            ("a: 1\r\nb: 2\r\nc: \"x\r\n", "b"),
            ("a: 1\na: 2\n", "a"),
            ("\u{feff}a: 1\n", "a"),
        ] {
            let yaml = Yaml::parse(text).unwrap();
            assert!(yaml.text_at(&[key]).is_some(), "{text:?} {yaml:?}");
        }
        let repeated = Yaml::parse("a: 1\na: 2\n").unwrap();
        assert_eq!(
            (repeated.map().len(), repeated.text_at(&["a"])),
            (1, Some("2"))
        );
    }

    #[test]
    fn many_keys_and_long_lines_take_linear_time() {
        let many: String = (0..100_000).map(|at| format!("k{at}: 1\n")).collect();
        let start = std::time::Instant::now();
        Yaml::parse(&many);
        Yaml::parse(&format!("a: {}", "x ".repeat(500_000)));
        assert!(start.elapsed().as_secs() < 20);
    }

    #[test]
    fn documents_and_references() {
        let all = Yaml::documents("a: 1\n---\nb: !reference [.x, script]\nc: !Sub [q]\n", 3);
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].mark, Mark { file: 3, line: 3 });
        let way = vec![".x".to_owned(), "script".to_owned()];
        assert_eq!(all[1].get("b").unwrap().value, Value::Reference(way));
        assert_eq!(all[1].text_at(&["c"]), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([-a&*!:{}\\[\\]|> \t\r\n'\"é]|a: ){0,80}") {
            Yaml::documents(&text, 0);
        }
    }
}
