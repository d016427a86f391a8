//! `.sdkmanrc` (SDKMAN, "Env command"): `candidate=version` a line.

use super::{Format, Reading, base, lines};

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == ".sdkmanrc",
    read,
    pins: true,
};

pub(super) fn entries(text: &str) -> Vec<(u32, &str, &str)> {
    lines(text)
        .filter_map(|(line, text)| {
            let (tool, version) = text.split_once('=')?;
            Some((line, tool.trim(), version.trim()))
        })
        .collect()
}

fn read(reading: &mut Reading) {
    for (line, tool, version) in entries(reading.text) {
        reading.tool(line, tool, Some(version));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn candidates() {
        let text = "# Enable auto-env\njava=17.0.8-tem\ngradle = 8.2\nnothing\n";
        assert_eq!(
            found(".sdkmanrc", text),
            "2: tool java 17.0.8\n3: tool gradle 8.2"
        );
    }
}
