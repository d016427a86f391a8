//! What build tools of the JVM share: how versions of Java are written, and wrapper scripts.

use crate::evidence::{Place, Trust};

use super::Reading;
use super::tree::join;

/// `1.8`, `8`, `VERSION_1_8`, `JVM_17`, `11.0.2` → the feature release.
pub fn feature_release(text: &str) -> Option<String> {
    let text = text.trim().rsplit(['V', '+']).next().unwrap_or_default();
    let text = text.trim_start_matches("ERSION_").trim_start_matches("M_");
    let text = text.replace('_', ".");
    let text = text.strip_prefix("1.").unwrap_or(&text);
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty() && digits.len() < 3).then_some(digits)
}

/// The command of a build tool: its wrapper where the checkout has one.
pub fn launcher(
    reading: &Reading<'_>,
    dir: &str,
    wrapper: &str,
    tool: &str,
) -> (String, Option<Place>) {
    let Some(path) = join(dir, wrapper).filter(|path| reading.tree.has(path)) else {
        return (tool.to_owned(), None);
    };
    let command = if reading.tree.is_executable(&path) {
        format!("./{wrapper}")
    } else {
        format!("sh ./{wrapper}")
    };
    (command, Some(Place::file(path)))
}

/// The version in a wrapper's `distributionUrl`: `…/gradle-8.5-bin.zip`, `…/apache-maven-3.9.6-bin.zip`.
pub fn wrapper_version(reading: &mut Reading<'_>, ecosystem: &str, file: &str, tool: &str) {
    let Some(path) = join(reading.dir, file) else {
        return;
    };
    let Some(text) = reading.tree.read(&path) else {
        return;
    };
    for (line, row) in (1..).zip(text.lines()) {
        let Some(url) = row.trim().strip_prefix("distributionUrl") else {
            continue;
        };
        let archive = url.rsplit('/').next().unwrap_or_default();
        let version: String = archive
            .split('-')
            .skip_while(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
            .take_while(|part| !matches!(*part, "bin.zip" | "all.zip" | "bin.tar.gz"))
            .collect::<Vec<_>>()
            .join("-");
        if !version.is_empty() {
            let draft = reading.drafts.project(ecosystem, reading.dir);
            draft.manifest(&path, reading.format);
            draft.tool(tool, Some(version), Trust::Lock, Place::new(&path, line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_java() {
        for (text, release) in [
            ("1.8", Some("8")),
            ("VERSION_1_8", Some("8")),
            ("VERSION_17", Some("17")),
            ("JVM_11", Some("11")),
            ("JVM_1_8", Some("8")),
            ("21", Some("21")),
            ("11.0.2", Some("11")),
            ("${x}", None),
            ("é", None),
        ] {
            assert_eq!(feature_release(text).as_deref(), release, "{text}");
        }
    }
}
