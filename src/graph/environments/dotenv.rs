//! `.env.example` and its like: variables that a program wants, with a value to start from.

use super::{Format, Reading, base};

pub(super) const FORMAT: Format = Format {
    matches: |path| {
        let name = base(path).to_ascii_lowercase();
        let name = name.trim_start_matches('.');
        name.starts_with("env.") || name.starts_with("dotenv.") || name.ends_with(".env")
    },
    read,
    pins: false,
};

/// Endings that mark a file to be copied; a real `.env` is somebody's own, and others are code (`env.d.ts`).
const ENDINGS: [&str; 8] = [
    "example", "sample", "template", "dist", "defaults", "default", "test", "testing",
];

fn read(reading: &mut Reading) {
    let name = base(reading.path).to_ascii_lowercase();
    if !name
        .split(['.', '-', '_'])
        .any(|part| ENDINGS.contains(&part))
    {
        return;
    }
    for (number, line) in (1..).zip(reading.text.lines()) {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.trim();
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain {
            let value = unquoted(value.trim());
            reading.variable(number, name, Some(value).filter(|value| !value.is_empty()));
        }
    }
}

/// A value without its quotes; a comment after a bare one is cut off.
fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            return inner.split(quote).next().unwrap_or(inner);
        }
    }
    value.split(" #").next().unwrap_or(value).trim()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn variables() {
        let text = "# Database\r\nDATABASE_URL=postgres://localhost/x # local\r\nexport KEY=\"a # b\"\r\nEMPTY=\n# OFF=1\nnot a line\n";
        insta::assert_snapshot!(found(".env.example", text), @r#"
        2: variable DATABASE_URL=Some("postgres://localhost/x")
        3: variable KEY=Some("a # b")
        4: variable EMPTY=None
        "#);
        assert_eq!(found("prod.env", "A=b\n"), "");
    }
}
