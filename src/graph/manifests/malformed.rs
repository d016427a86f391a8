//! Manifests that their own tools would refuse: what envc still reads of them may be less than they say.

use serde::de::IgnoredAny;

use super::toml_doc::LineIndex;

/// Manifests whose format is strict JSON; others of that ending allow comments.
const JSON: [&str; 2] = ["package.json", "composer.json"];

/// Where and why a manifest of a standard format cannot be read as a whole.
pub(super) fn malformed(path: &str, text: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let text = text.trim_start_matches('\u{feff}');
    let reason = match ending {
        _ if JSON.contains(&name) => serde_json::from_str::<IgnoredAny>(text).err()?.to_string(),
        "toml" => {
            let error = text.parse::<toml::Table>().err()?;
            let line = error
                .span()
                .map_or(0, |span| LineIndex::new(text).line(span.start));
            format!("{} at line {line}", error.message())
        }
        "xml" | "csproj" | "fsproj" | "vbproj" | "props" => xml(text)?,
        _ => return None,
    };
    let reason: String = reason.chars().take(200).collect();
    Some(format!("is not well formed: {reason}"))
}

fn xml(text: &str) -> Option<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return None,
            Ok(_) => {}
            Err(error) => {
                let at = usize::try_from(reader.error_position()).unwrap_or(0);
                let line = LineIndex::new(text).line(at);
                return Some(format!("{error} at line {line}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_manifests_name_the_line() {
        let said = |path, text| malformed(path, text).unwrap_or_default();
        assert!(said("a/package.json", "{\n\"a\": 1,\n}").contains("line 3"));
        assert!(said("Cargo.toml", "[package]\nname = \n").contains("line 2"));
        assert!(said("pom.xml", "<project>\n<a></b>\n</project>").contains("line 2"));
    }

    #[test]
    fn what_is_well_formed_is_not_named() {
        for (path, text) in [
            ("package.json", "\u{feff}{}"),
            ("tsconfig.json", "{ // fine there\n}"),
            ("pyproject.toml", "[project]\nname = 'a'\n"),
            ("pom.xml", "<?xml version='1.0'?><project/>"),
            ("CMakeLists.txt", "project("),
        ] {
            assert_eq!(malformed(path, text), None, "{path}");
        }
    }
}
