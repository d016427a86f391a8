//! TOML with the line of every value.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::evidence::Place;

/// A parsed document that remembers where its text came from.
pub struct Doc<'a> {
    root: DeTable<'a>,
    lines: LineIndex,
    path: &'a str,
}

/// A value, and the line of its key (or of itself within an array).
#[derive(Clone, Copy)]
pub struct Value<'d, 'a> {
    doc: &'d Doc<'a>,
    inner: &'d DeValue<'a>,
    line: u32,
}

/// Byte offset → line number.
pub struct LineIndex(Vec<usize>);

impl LineIndex {
    pub fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    pub fn line(&self, offset: usize) -> u32 {
        let before = self.0.partition_point(|&newline| newline < offset);
        u32::try_from(before).unwrap_or(u32::MAX - 1) + 1
    }
}

impl<'a> Doc<'a> {
    /// Parses as much as is well-formed; one bad line does not hide the rest of a manifest.
    pub fn parse(text: &'a str, path: &'a str) -> Self {
        let root = if nests_too_deep(text) {
            DeTable::default()
        } else {
            DeTable::parse_recoverable(text).0.into_inner()
        };
        Self {
            root,
            lines: LineIndex::new(text),
            path,
        }
    }

    /// The value at a path of keys.
    pub fn get<'d>(&'d self, keys: &[&str]) -> Option<Value<'d, 'a>> {
        let (first, rest) = keys.split_first()?;
        rest.iter()
            .try_fold(self.entry(&self.root, first)?, |value, key| value.get(key))
    }

    fn entry<'d>(&'d self, table: &'d DeTable<'a>, key: &str) -> Option<Value<'d, 'a>> {
        let (name, value) = table.get_key_value(key)?;
        Some(self.value(value, name.span().start))
    }

    fn value<'d>(&'d self, value: &'d Spanned<DeValue<'a>>, offset: usize) -> Value<'d, 'a> {
        Value {
            doc: self,
            inner: value.get_ref(),
            line: self.lines.line(offset),
        }
    }
}

impl<'d, 'a> Value<'d, 'a> {
    pub fn get(self, key: &str) -> Option<Value<'d, 'a>> {
        self.doc.entry(self.inner.as_table()?, key)
    }

    pub fn place(self) -> Place {
        Place::new(self.doc.path, self.line)
    }

    pub fn str(self) -> Option<&'d str> {
        self.inner.as_str()
    }

    pub fn bool(self) -> Option<bool> {
        self.inner.as_bool()
    }

    pub fn is_table(self) -> bool {
        self.inner.is_table()
    }

    pub fn integer(self) -> Option<&'d str> {
        self.inner.as_integer().map(|number| number.as_str())
    }

    /// The elements of an array; none for anything else.
    pub fn array(self) -> impl Iterator<Item = Value<'d, 'a>> {
        let items = self.inner.as_array().into_iter();
        items
            .flat_map(|array| array.iter())
            .map(move |item| self.doc.value(item, item.span().start))
    }

    /// The entries of a table in order of their keys; none for anything else.
    pub fn entries(self) -> impl Iterator<Item = (&'d str, Value<'d, 'a>)> {
        self.inner.as_table().into_iter().flat_map(move |table| {
            table.iter().map(move |(key, value)| {
                (
                    key.get_ref().as_ref(),
                    self.doc.value(value, key.span().start),
                )
            })
        })
    }
}

/// Dotted keys nest one table a dot, and dropping such a tower would overflow the stack.
fn nests_too_deep(text: &str) -> bool {
    const MAX: usize = 200;
    let mut dots = 0;
    for byte in text.bytes() {
        match byte {
            b'.' => dots += 1,
            b'\n' | b'=' | b',' | b'{' | b'}' => dots = 0,
            _ => {}
        }
        if dots > MAX {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() {
        let doc = Doc::parse("[a]\nb = [\n  'x',\n  'y',\n]\n", "f.toml");
        let b = doc.get(&["a", "b"]).unwrap();
        assert_eq!(b.place().line, 2);
        let lines: Vec<u32> = b.array().map(|item| item.place().line).collect();
        assert_eq!(lines, [3, 4]);
    }

    #[test]
    fn towers_do_not_overflow_the_stack() {
        let dotted = format!("{}a = 1\n", "a.".repeat(300_000));
        assert!(Doc::parse(&dotted, "f").get(&["a"]).is_none());
        let arrays = format!("a = {}", "[".repeat(300_000));
        Doc::parse(&arrays, "f");
        let tables = "{a=".repeat(300_000);
        Doc::parse(&format!("a = {tables}"), "f");
    }

    #[test]
    fn a_bad_line_does_not_hide_the_rest() {
        let doc = Doc::parse("x = = 1\n[project]\nname = 'n'\n", "f");
        assert_eq!(
            doc.get(&["project", "name"]).and_then(Value::str),
            Some("n")
        );
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".{0,200}") {
            Doc::parse(&text, "f");
        }
    }
}
