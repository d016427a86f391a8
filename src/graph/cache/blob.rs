//! What one file said, as bytes that stand by themselves.

use crate::graph::syntax::Reading;
use crate::graph::{ImportFacts, SymbolKind};

use super::codec::{Reader, Writer};

pub(super) fn encode(reading: &Reading) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(reading.imports.len() as u64);
    for (line, import) in &reading.imports {
        out.number(u64::from(*line) << 1 | u64::from(import.system));
        out.text(&import.target);
        out.text(&import.guard);
    }
    for line in [reading.main, reading.script] {
        out.number(line.map_or(0, |line| u64::from(line) + 1));
    }
    out.number(reading.tests as u64);
    match &reading.first_test {
        Some((line, name)) => {
            out.number(u64::from(*line) + 1);
            out.text(name);
        }
        None => out.number(0),
    }
    out.number(reading.definitions.len() as u64);
    for (line, kind, name) in &reading.definitions {
        out.number(u64::from(*line) << 1 | u64::from(*kind == SymbolKind::Type));
        out.text(name);
    }
    out.bytes
}

pub(super) fn decode(bytes: &[u8], language: &str) -> Option<Reading> {
    let mut from = Reader::new(bytes);
    let mut reading = Reading::default();
    for _ in 0..from.count()? {
        let head = from.number()?;
        let import = ImportFacts {
            language: language.to_owned(),
            target: from.text()?.to_owned(),
            system: head & 1 == 1,
            guard: from.text()?.to_owned(),
        };
        reading
            .imports
            .push((u32::try_from(head >> 1).ok()?, import));
    }
    reading.main = optional(&mut from)?;
    reading.script = optional(&mut from)?;
    reading.tests = usize::try_from(from.number()?).ok()?;
    if let Some(line) = optional(&mut from)? {
        reading.first_test = Some((line, from.text()?.to_owned()));
    }
    for _ in 0..from.count()? {
        let head = from.number()?;
        let kind = match head & 1 {
            1 => SymbolKind::Type,
            _ => SymbolKind::Function,
        };
        let name = from.text()?.to_owned();
        reading
            .definitions
            .push((u32::try_from(head >> 1).ok()?, kind, name));
    }
    from.is_at_end().then_some(reading)
}

/// A number that may be missing, written as one more.
fn optional(from: &mut Reader) -> Option<Option<u32>> {
    match from.number()? {
        0 => Some(None),
        number => Some(Some(u32::try_from(number - 1).ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_comes_back() {
        let import = |target: &str, guard: &str, system| ImportFacts {
            language: "c".to_owned(),
            target: target.to_owned(),
            system,
            guard: guard.to_owned(),
        };
        let reading = Reading {
            imports: vec![
                (3, import("zlib.h", "", true)),
                (900, import("é.h", "A && B", false)),
            ],
            main: Some(0),
            script: None,
            tests: 7,
            first_test: Some((12, "test_a".to_owned())),
            definitions: vec![(1, SymbolKind::Type, "T".to_owned())],
            trouble: None,
        };
        let bytes = encode(&reading);
        assert_eq!(decode(&bytes, "c"), Some(reading));
        assert_eq!(decode(bytes.get(..bytes.len() - 1).unwrap(), "c"), None);
        assert_eq!(
            decode(&encode(&Reading::default()), "c"),
            Some(Reading::default())
        );
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_trouble(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            decode(&bytes, "c");
        }
    }
}
