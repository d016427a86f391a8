//! `Brewfile` (Homebrew Bundle): `brew "name"` a line. A Ruby file, of which only literal lines are read.

use std::sync::LazyLock;

use regex::Regex;

use super::{Format, Reading, base, lines};
use crate::graph::Scope;

static BREW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^brew\s*\(?\s*["']([\w@.+/-]+)["']"#).expect("a literal pattern")
});

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == "Brewfile",
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    for (line, text) in lines(reading.text) {
        let name = BREW.captures(text).and_then(|found| found.get(1));
        if let Some(name) = name.map(|name| name.as_str()) {
            reading.dependency(line, "brew", name, name, Scope::Dev);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn formulae() {
        let text = "tap \"a/b\"\nbrew \"cmake\" # build\nbrew 'openssl@3', link: true\ncask \"docker\"\nbrew name\n";
        assert_eq!(found("Brewfile", text), "2: brew cmake\n3: brew openssl@3");
    }
}
