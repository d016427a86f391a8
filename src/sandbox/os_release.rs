//! What distribution a root file system holds: os-release(5).

use std::fs;
use std::path::Path;

use super::contract::SandboxFacts;

/// `ID` and `VERSION_CODENAME` (else `VERSION_ID`) from the text of os-release; empty where absent.
pub fn parse(text: &str) -> (String, String) {
    let get = |name: &str| {
        text.lines().find_map(|line| {
            let value = line.trim().strip_prefix(name)?.strip_prefix('=')?;
            let value = value.trim_matches(['"', '\'']);
            (!value.is_empty()).then(|| value.to_string())
        })
    };
    let release = get("VERSION_CODENAME").or_else(|| get("VERSION_ID"));
    (get("ID").unwrap_or_default(), release.unwrap_or_default())
}

/// Facts of a root directory. Its `etc/os-release` is often an absolute link, which must not be followed on the host.
pub fn facts(backend: &str, base: &str, root: &Path, digest: Option<String>) -> SandboxFacts {
    let text = ["usr/lib/os-release", "etc/os-release"]
        .into_iter()
        .map(|name| root.join(name))
        .find(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file()))
        .and_then(|path| fs::read(path).ok())
        .unwrap_or_default();
    let (distribution, release) = parse(&String::from_utf8_lossy(&text));
    SandboxFacts {
        backend: backend.into(),
        base: base.into(),
        digest,
        distribution,
        release,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codename_then_version() {
        let debian =
            "PRETTY_NAME=\"Debian\"\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\nID=debian\n";
        assert_eq!(parse(debian), ("debian".into(), "bookworm".into()));
        let alpine = "ID=alpine\nVERSION_ID=3.22.1\n";
        assert_eq!(parse(alpine), ("alpine".into(), "3.22.1".into()));
        assert_eq!(parse("garbage"), (String::new(), String::new()));
    }
}
