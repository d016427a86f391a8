//! Where this machine's apt has its packages from (sources.list(5)): one-line lists and deb822 files.

use std::fmt::Write;
use std::path::Path;

/// One archive and suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AptSource {
    pub uri: String,
    pub suite: String,
    /// `Signed-By`: a key file.
    pub signed_by: Option<String>,
}

/// The archives of `release` that the files below `etc` (`/etc/apt`) name, each once, in their order.
pub fn apt_sources(etc: &Path, release: &str) -> Vec<AptSource> {
    let mut files = vec![etc.join("sources.list")];
    let mut parts: Vec<_> = std::fs::read_dir(etc.join("sources.list.d"))
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect()
        })
        .unwrap_or_default();
    parts.sort();
    files.extend(parts);
    let mut found: Vec<AptSource> = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let listed = match file.extension().and_then(|extension| extension.to_str()) {
            Some("sources") => deb822(&text),
            Some("list") => one_line(&text),
            _ => Vec::new(),
        };
        for source in listed {
            let plain =
                |text: &str| !text.contains(char::is_whitespace) && !text.contains(['[', ']', '"']);
            if source.suite == release
                && plain(&source.uri)
                && !found.iter().any(|known| known.uri == source.uri)
            {
                found.push(source);
            }
        }
    }
    found
}

/// The text of a one-line list that names packages and sources of these archives' component `main`.
pub fn sources_list(sources: &[AptSource]) -> String {
    let mut out = String::new();
    for source in sources {
        let options = source
            .signed_by
            .as_ref()
            .map_or(String::new(), |key| format!("[signed-by={key}] "));
        for kind in ["deb", "deb-src"] {
            let _ = writeln!(out, "{kind} {options}{} {} main", source.uri, source.suite);
        }
    }
    out
}

fn one_line(text: &str) -> Vec<AptSource> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("deb ") else {
            continue;
        };
        let rest = rest.trim_start();
        let (options, rest) = match rest
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'))
        {
            Some((options, rest)) => (options, rest),
            None => ("", rest),
        };
        let mut words = rest.split_whitespace();
        let (Some(uri), Some(suite)) = (words.next(), words.next()) else {
            continue;
        };
        if words.any(|component| component == "main") {
            found.push(AptSource {
                uri: uri.to_owned(),
                suite: suite.to_owned(),
                signed_by: options
                    .split_whitespace()
                    .find_map(|option| option.strip_prefix("signed-by="))
                    .map(str::to_owned),
            });
        }
    }
    found
}

fn deb822(text: &str) -> Vec<AptSource> {
    let mut found = Vec::new();
    let text: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for paragraph in text.join("\n").split("\n\n") {
        let field = |name: &str| {
            let mut lines = paragraph.lines();
            lines.find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name)
                    .then(|| value.trim().to_owned())
            })
        };
        let words = |name: &str| -> Vec<String> {
            field(name)
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect()
        };
        let wanted = words("Types").iter().any(|kind| kind == "deb")
            && words("Components")
                .iter()
                .any(|component| component == "main");
        if !wanted || field("Enabled").is_some_and(|value| value.eq_ignore_ascii_case("no")) {
            continue;
        }
        let signed_by = field("Signed-By").filter(|key| key.starts_with('/'));
        for uri in words("URIs") {
            for suite in words("Suites") {
                found.push(AptSource {
                    uri: uri.clone(),
                    suite,
                    signed_by: signed_by.clone(),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_other_suites_left_out() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sources.list.d")).unwrap();
        std::fs::write(
            dir.path().join("sources.list"),
            "# deb http://no.example/ trixie main\ndeb [arch=amd64 signed-by=/k.gpg] http://a.example/debian trixie main contrib\ndeb http://b.example trixie-updates main\n",
        )
        .unwrap();
        std::fs::write(
            dir.path().join("sources.list.d/x.sources"),
            "# note\nTypes: deb deb-src\nURIs: http://c.example/debian\nSuites: trixie trixie-updates\nComponents: main\nSigned-By: /usr/share/k.gpg\n\nTypes: deb\nURIs: http://d.example\nSuites: trixie\nComponents: contrib\n",
        )
        .unwrap();
        let found = apt_sources(dir.path(), "trixie");
        insta::assert_snapshot!(sources_list(&found), @r"
        deb [signed-by=/k.gpg] http://a.example/debian trixie main
        deb-src [signed-by=/k.gpg] http://a.example/debian trixie main
        deb [signed-by=/usr/share/k.gpg] http://c.example/debian trixie main
        deb-src [signed-by=/usr/share/k.gpg] http://c.example/debian trixie main
        ");
    }
}
