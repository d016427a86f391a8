//! INI files as Python's `configparser` reads them (`setup.cfg`, `tox.ini`), with the line of every value.

#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub section: String,
    pub key: String,
    /// The lines of the value that are not empty, without comments, each with its number.
    pub lines: Vec<(String, u32)>,
    pub line: u32,
}

impl Entry {
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|(text, _)| text.as_str()).collect();
        lines.join("\n")
    }
}

pub fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut section = String::new();
    for (number, raw) in (1_u32..).zip(text.lines()) {
        let line = raw.trim_end();
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let value = trimmed.split(" #").next().unwrap_or_default().trim();
        if trimmed.len() < line.len() {
            // Continuation; without an entry above it is nothing.
            if let Some(last) = entries.last_mut().filter(|entry| entry.section == section) {
                last.lines.push((value.to_owned(), number));
                continue;
            }
        }
        if let Some(name) = value
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name.trim().to_owned();
            continue;
        }
        let Some(at) = value.find(['=', ':']) else {
            continue;
        };
        let (key, rest) = value.split_at(at);
        let rest = rest.get(1..).unwrap_or_default().trim();
        let mut lines = Vec::new();
        if !rest.is_empty() {
            lines.push((rest.to_owned(), number));
        }
        let key = key.trim().to_ascii_lowercase().replace('-', "_");
        entries.push(Entry {
            section: section.clone(),
            key,
            lines,
            line: number,
        });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_belong_to_their_key() {
        let entries = parse("[a]\nx = 1\n  2 # c\n# no\ny-z:\n  3\n[b]\n  q\nx=\n");
        let shown: Vec<String> = entries
            .iter()
            .map(|e| format!("{}.{}@{}={:?}", e.section, e.key, e.line, e.text()))
            .collect();
        assert_eq!(shown, ["a.x@2=\"1\\n2\"", "a.y_z@5=\"3\"", "b.x@9=\"\""]);
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\[\\]=:#\n ]){0,200}") {
            parse(&text);
        }
    }
}
