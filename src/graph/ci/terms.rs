//! Terms that several CI systems share: systems, shells, directories, variables.

use std::collections::BTreeMap;

use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

/// A map of scalars, as `env:` and `variables:` have it; GitLab may write `{value: …}`. Other systems write a list of
/// such maps, or of `NAME=value`.
pub(super) fn variables(yaml: Option<&Yaml>) -> BTreeMap<String, String> {
    let Some(yaml) = yaml else {
        return BTreeMap::new();
    };
    if let Value::List(items) = &yaml.value {
        return items.iter().flat_map(of_item).collect();
    }
    let pair = |(key, value): &(String, Yaml)| {
        let nothing = matches!(value.value, Value::Scalar { .. }).then_some("");
        let text = value
            .text()
            .or_else(|| value.text_at(&["value"]))
            .or(nothing)?;
        Some((key.clone(), text.to_owned()))
    };
    yaml.map().iter().filter_map(pair).collect()
}

fn of_item(item: &Yaml) -> BTreeMap<String, String> {
    if let Some((name, value)) = item.text().and_then(|text| text.split_once('=')) {
        return BTreeMap::from([(name.to_owned(), value.to_owned())]);
    }
    // Azure: `- name: A` and `value: b`.
    if let (Some(name), Some(value)) = (item.text_at(&["name"]), item.text_at(&["value"])) {
        return BTreeMap::from([(name.to_owned(), value.to_owned())]);
    }
    match &item.value {
        Value::Map(_) => variables(Some(item)),
        _ => BTreeMap::new(),
    }
}

/// The system of an image or runner label.
pub(super) fn os_of_label(label: &str) -> Option<Os> {
    let label = label.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    if has(&[
        "windows",
        "win-",
        "win32",
        "win64",
        "vs20",
        "msvc",
        "visual studio",
    ]) {
        Some(Os::Windows)
    } else if has(&["macos", "osx", "mac-", "xcode"]) {
        Some(Os::Macos)
    } else if has(&["bsd"]) {
        Some(Os::Bsd)
    } else if has(&[
        "ubuntu",
        "linux",
        "debian",
        "fedora",
        "alpine",
        "centos",
        "self-hosted",
    ]) {
        Some(Os::Linux)
    } else {
        None
    }
}

/// `DIR` of a working directory as written; `None` where it is not known before a run.
pub(super) fn plain_dir(dir: &str) -> Option<String> {
    let dir = dir.trim().trim_start_matches("./").trim_end_matches('/');
    let plain = !dir.contains(['$', '{', '~', '%', '<'])
        && !dir.starts_with('/')
        && !dir.split('/').any(|part| part == "..");
    plain.then(|| {
        if dir == "." {
            String::new()
        } else {
            dir.to_owned()
        }
    })
}

/// What a `shell:` reads: `None` for POSIX text, else the interpreter's name.
pub(super) fn shell(shell: &str) -> Option<String> {
    const POSIX: [&str; 6] = ["sh", "bash", "zsh", "ksh", "dash", "msys2"];
    let words: Vec<&str> = shell.split_whitespace().collect();
    let name = |word: &str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        name.trim_end_matches(".exe").to_owned()
    };
    // `nix develop -c bash -e {0}`, `wsl-bash {0}`.
    let posix = |word: &&str| {
        let name = name(word);
        POSIX.contains(&name.as_str()) || name.ends_with("-bash") || name.ends_with("-sh")
    };
    match words.first() {
        None => None,
        Some(_) if words.iter().any(posix) => None,
        Some(first) => Some(name(first)),
    }
}

/// `postgres` of `registry/library/postgres:16@sha256:…`.
pub(super) fn short_name(image: &str) -> &str {
    let last = image.rsplit('/').next().unwrap_or(image);
    last.split([':', '@']).next().unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells() {
        for (text, expected) in [
            ("", None),
            ("bash", None),
            ("bash -el {0}", None),
            ("nix develop --command bash -e {0}", None),
            ("msys2 {0}", None),
            ("C:\\msys64\\usr\\bin\\bash.exe {0}", None),
            ("pwsh", Some("pwsh")),
            ("python {0}", Some("python")),
            ("cmd", Some("cmd")),
        ] {
            assert_eq!(shell(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn variables_of_maps_and_lists() {
        for text in [
            "{A: b, C: ''}",
            "[A=b, {C: ''}]",
            "[{name: A, value: b}, C=]",
        ] {
            let found = variables(Yaml::parse(text).as_ref());
            assert_eq!(format!("{found:?}"), r#"{"A": "b", "C": ""}"#, "{text}");
        }
        assert_eq!(short_name("host:5000/a/postgres:16@sha256:00"), "postgres");
    }
}
