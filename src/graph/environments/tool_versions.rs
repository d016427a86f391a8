//! `.tool-versions` (asdf, "Configuration"): a tool and its versions a line.

use super::{Format, Reading, base, lines};

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == ".tool-versions",
    read,
    pins: true,
};

/// `(line, tool, first version)`; the versions after it are fallbacks.
pub(super) fn entries(text: &str) -> Vec<(u32, &str, &str)> {
    lines(text)
        .filter_map(|(line, text)| {
            let mut words = text.split_whitespace();
            Some((line, words.next()?, words.next()?))
        })
        .collect()
}

fn read(reading: &mut Reading) {
    for (line, tool, version) in entries(reading.text) {
        // `system`, `path:…` and `ref:…` name no version.
        let version =
            Some(version).filter(|version| version.contains(|c: char| c.is_ascii_digit()));
        let version = version.filter(|version| !version.contains(':'));
        reading.tool(line, tool, version);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn tools_and_versions() {
        let text = "# tools\npython 3.11.4 3.10.0\r\nnodejs  20.1.0 # lts\njava temurin-17.0.8+7\ngolang system\nodd\n";
        insta::assert_snapshot!(found(".tool-versions", text), @"
        2: tool python 3.11.4
        3: tool node 20.1.0
        4: tool java 17.0.8
        5: tool go *
        ");
    }
}
