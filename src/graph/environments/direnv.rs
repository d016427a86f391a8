//! `.envrc` (direnv, "stdlib"): variables with literal values, and the tools that a layout names.

use super::{Format, Reading, base, lines};

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == ".envrc",
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    for (line, text) in lines(reading.text) {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["export", ..] => {
                let pairs = shlex::split(text).unwrap_or_default();
                for (name, value) in pairs.iter().skip(1).filter_map(|pair| pair.split_once('=')) {
                    let literal = !value.contains(['$', '`']);
                    reading.variable(line, name, Some(value).filter(|_| literal));
                }
            }
            ["use", "nix" | "flake", ..] => reading.tool(line, "nix", None),
            ["use", tool @ ("asdf" | "mise"), ..] => reading.tool(line, tool, None),
            ["use", tool, version, ..] | ["use_version", tool, version, ..] => {
                reading.tool(line, tool, Some(version));
            }
            [
                "layout",
                "python" | "python3" | "pyenv" | "virtualenv",
                version,
                ..,
            ] => {
                let version = version
                    .trim_start_matches("python")
                    .trim_start_matches("3.x");
                let known = version.starts_with(|c: char| c.is_ascii_digit());
                reading.tool(line, "python", Some(version).filter(|_| known));
            }
            [
                "layout",
                tool @ ("node" | "ruby" | "go" | "php" | "perl" | "julia" | "python" | "poetry"),
                ..,
            ] => {
                reading.tool(line, tool, None);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn layouts_and_variables() {
        let text = "use flake\nlayout python python3.11\nuse node 18\nlayout go\nexport A=b C=\"$HOME/x\"\nPATH_add bin\nexport D='\n";
        insta::assert_snapshot!(found(".envrc", text), @r#"
        1: tool nix *
        2: tool python 3.11
        3: tool node 18
        4: tool go *
        5: variable A=Some("b")
        5: variable C=None
        "#);
    }
}
