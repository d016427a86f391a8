//! JSON with the line of every value; comments and trailing commas are read as the tools of `package.json`'s kin do.

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::evidence::Place;

use super::toml_doc::LineIndex;

/// A parsed document that remembers where its text came from.
pub struct Doc<'a> {
    root: Option<Value<'a>>,
    lines: LineIndex,
    path: &'a str,
}

/// A value, and the line of its key (or of itself within an array).
#[derive(Clone, Copy)]
pub struct Item<'d, 'a> {
    doc: &'d Doc<'a>,
    inner: &'d Value<'a>,
    line: u32,
}

impl<'a> Doc<'a> {
    /// An empty document where the text is no JSON or nests deeper than any real one.
    pub fn parse(text: &'a str, path: &'a str) -> Self {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        Self {
            root: parsed.ok().and_then(|parsed| parsed.value),
            lines: LineIndex::new(text),
            path,
        }
    }

    pub fn root(&self) -> Option<Item<'_, 'a>> {
        Some(self.item(self.root.as_ref()?, 0))
    }

    /// The value at a path of keys.
    pub fn get(&self, keys: &[&str]) -> Option<Item<'_, 'a>> {
        keys.iter()
            .try_fold(self.root()?, |value, key| value.get(key))
    }

    pub fn is_object(&self) -> bool {
        matches!(self.root, Some(Value::Object(_)))
    }

    fn item<'d>(&'d self, inner: &'d Value<'a>, offset: usize) -> Item<'d, 'a> {
        Item {
            doc: self,
            inner,
            line: self.lines.line(offset),
        }
    }
}

impl<'d, 'a> Item<'d, 'a> {
    pub fn get(self, key: &str) -> Option<Item<'d, 'a>> {
        self.entries()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    pub fn place(self) -> Place {
        Place::new(self.doc.path, self.line)
    }

    pub fn str(self) -> Option<&'d str> {
        match self.inner {
            Value::StringLit(text) => Some(text.value.as_ref()),
            _ => None,
        }
    }

    /// A string, or a number as written.
    pub fn text(self) -> Option<&'d str> {
        match self.inner {
            Value::NumberLit(number) => Some(number.value),
            _ => self.str(),
        }
    }

    pub fn bool(self) -> Option<bool> {
        match self.inner {
            Value::BooleanLit(value) => Some(value.value),
            _ => None,
        }
    }

    pub fn is_object(self) -> bool {
        matches!(self.inner, Value::Object(_))
    }

    pub fn is_empty(self) -> bool {
        match self.inner {
            Value::Object(object) => object.properties.is_empty(),
            Value::Array(array) => array.elements.is_empty(),
            Value::StringLit(text) => text.value.is_empty(),
            Value::NullKeyword(_) => true,
            _ => false,
        }
    }

    /// The elements of an array; none for anything else.
    pub fn array(self) -> impl Iterator<Item = Item<'d, 'a>> {
        let elements: &'d [Value<'a>] = match self.inner {
            Value::Array(array) => &array.elements,
            _ => &[],
        };
        elements
            .iter()
            .map(move |value| self.doc.item(value, value.range().start))
    }

    /// The entries of an object in their order; none for anything else.
    pub fn entries(self) -> impl Iterator<Item = (&'d str, Item<'d, 'a>)> {
        let properties = match self.inner {
            Value::Object(object) => object.properties.as_slice(),
            _ => &[],
        };
        properties.iter().map(move |property| {
            let name = match &property.name {
                ObjectPropName::String(text) => text.value.as_ref(),
                ObjectPropName::Word(word) => word.value,
            };
            (name, self.doc.item(&property.value, property.range.start))
        })
    }

    /// Strings of an array, or a lone string.
    pub fn strings(self) -> impl Iterator<Item = (&'d str, Place)> {
        let lone = self.str().map(|text| (text, self.place()));
        let many = self
            .array()
            .filter_map(|item| Some((item.str()?, item.place())));
        lone.into_iter().chain(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() {
        let text =
            "// c\r\n{\r\n  \"a\": {\"b\": [\r\n    'x',\r\n    \"y\", ],\r\n  \"n\": 3.10}}";
        let doc = Doc::parse(text, "f.json");
        let b = doc.get(&["a", "b"]).unwrap();
        assert_eq!(b.place().line, 3);
        let lines: Vec<_> = b
            .strings()
            .map(|(text, place)| (text, place.line))
            .collect();
        assert_eq!(lines, [("x", 4), ("y", 5)]);
        assert_eq!(doc.get(&["a", "n"]).and_then(Item::text), Some("3.10"));
    }

    #[test]
    fn towers_and_broken_text_give_nothing() {
        for text in [
            "[".repeat(300_000),
            "{\"a\":".repeat(300_000),
            "{\"a\": ".to_owned(),
        ] {
            assert!(Doc::parse(&text, "f").get(&["a"]).is_none());
        }
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\[\\]{}:,\"'/*\\\\\n]){0,200}") {
            if let Some(root) = Doc::parse(&text, "f").root() {
                root.entries().count();
            }
        }
    }
}
