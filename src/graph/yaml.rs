//! YAML with the line of every value and scalars as written: a version `3.10` stays three-ten.
//!
//! Built on the events of the parser below serde-saphyr, since deserialising to numbers and booleans is what
//! has to be avoided here. Bounds: depth, and total size after aliases are replaced.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};

/// Levels of lists and maps within each other.
const MAX_DEPTH: usize = 64;

/// Nodes and bytes of a document, aliases replaced; real workflows stay below a hundredth of it.
const MAX_COST: usize = 4 * 1024 * 1024;

/// Bytes that a node costs besides its text.
const NODE_COST: usize = 32;

/// A value and the line it stands on, from 1; of a block scalar the line below its `|`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Yaml {
    pub(super) line: u32,
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
}

impl Yaml {
    /// The first document of a text; `None` when it is no YAML or goes over a bound.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut builder = Builder::default();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.ok()?;
            let line = u32::try_from(span.start.line()).ok()?;
            if let Step::Done(root) = builder.step(event, line)? {
                return Some(root);
            }
        }
        None
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

/// A collection that is not closed yet.
struct Open {
    node: Yaml,
    key: Option<String>,
    anchor: usize,
    cost_before: usize,
    /// `!reference […]` and the like: what it stands for is not known here.
    foreign: bool,
}

#[derive(Default)]
struct Builder {
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
                    line: line.saturating_sub(blank),
                    value,
                };
                return Some(self.place(node, anchor, cost));
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(line, Value::List(Vec::new()), anchor, tag.is_some())?
            }
            Event::MappingStart(_, anchor, tag) => {
                self.open(line, Value::Map(Vec::new()), anchor, tag.is_some())?
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let mut closed = self.open.pop()?;
                if closed.foreign {
                    closed.node.value = Value::Scalar {
                        text: String::new(),
                        literal: false,
                    };
                }
                let cost = self.cost.saturating_sub(closed.cost_before);
                return Some(self.place(closed.node, closed.anchor, cost));
            }
            Event::Alias(anchor) => {
                let (node, cost) = self.anchors.get(&anchor)?.clone();
                self.pay(cost)?;
                return Some(self.place(node, 0, 0));
            }
            _ => {}
        }
        Some(Step::More)
    }

    fn pay(&mut self, cost: usize) -> Option<usize> {
        self.cost = self.cost.checked_add(cost)?;
        (self.cost <= MAX_COST).then_some(cost)
    }

    fn open(&mut self, line: u32, value: Value, anchor: usize, foreign: bool) -> Option<()> {
        let cost_before = self.cost;
        self.pay(NODE_COST)?;
        let node = Yaml { line, value };
        self.open.push(Open {
            node,
            key: None,
            anchor,
            cost_before,
            foreign,
        });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    /// Puts a finished node into the collection around it.
    fn place(&mut self, node: Yaml, anchor: usize, cost: usize) -> Step {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), cost));
        }
        let Some(parent) = self.open.last_mut() else {
            return Step::Done(node);
        };
        match &mut parent.node.value {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match parent.key.take() {
                None => parent.key = Some(node.text().unwrap_or_default().to_owned()),
                Some(key) if key == "<<" => merge(entries, &node),
                Some(key) => {
                    // A merged entry gives way to one of the map itself.
                    entries.retain(|(known, _)| *known != key);
                    entries.push((key, node));
                }
            },
            Value::Scalar { .. } => {}
        }
        Step::More
    }
}

fn merge(entries: &mut Vec<(String, Yaml)>, node: &Yaml) {
    let maps = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for (key, value) in maps.iter().flat_map(Yaml::map) {
        if entries.iter().all(|(known, _)| known != key) {
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
        assert_eq!((run.line, run.text()), (4, Some("make\nmake test\n")));
        assert_eq!(yaml.text_at(&["y", "k"]), Some("1"));
        assert_eq!(yaml.at(&["y", "l"]).unwrap().line, 9);
        assert_eq!(yaml.text_at(&["on"]), Some("push"));
        for (text, line) in [
            ("a: |\n\n  x\n", 2),
            ("a: >-\n  x\n  y\n", 2),
            ("a: # c\n  x\n", 2),
            ("a: |2-\n  x\n", 2),
        ] {
            assert_eq!(
                Yaml::parse(text).unwrap().get("a").unwrap().line,
                line,
                "{text:?}"
            );
        }
    }

    #[test]
    fn bombs_and_depth_end_the_parse() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for at in 1..12 {
            let alias = format!("*a{}", at - 1);
            bomb.push_str(&format!(
                "a{at}: &a{at} [{}]\n",
                [alias.as_str(); 9].join(", ")
            ));
        }
        assert_eq!(Yaml::parse(&bomb), None);
        assert_eq!(Yaml::parse(&"[".repeat(100_000)), None);
        assert_eq!(Yaml::parse(&"- ".repeat(100_000)), None);
        assert_eq!(Yaml::parse("a: *b\n"), None);
    }
}
