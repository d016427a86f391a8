//! Version requirements of toolchains, in whichever notation their evidence uses.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

/// Whether `version` (dotted numbers) satisfies `requirement`. Notations: PEP 440 (`>=3.8,<3.13`), a bare version
/// as `.python-version` and `actions/setup-python` write it (`3.9`: that series), Cargo's `rust-version` and CMake's
/// and Meson's minimum (callers write these as `>=1.70`), CMake's range `3.5...3.28` (the first is the minimum), and
/// wildcards (`3.x`). Text that is no version at all (`stable`, `latest`) is satisfied by any.
pub fn satisfies(requirement: &str, version: &str) -> bool {
    let requirement = requirement.trim();
    let Ok(version) = Version::from_str(version) else {
        return false;
    };
    if requirement.is_empty() || !requirement.contains(|c: char| c.is_ascii_digit()) {
        return true;
    }
    match specifiers(requirement) {
        Some(specifiers) => specifiers.contains(&version),
        None => true,
    }
}

fn specifiers(requirement: &str) -> Option<VersionSpecifiers> {
    if let Some((minimum, _)) = requirement.split_once("...") {
        return VersionSpecifiers::from_str(&format!(
            ">={}",
            minimum.trim().trim_start_matches(">=")
        ))
        .ok();
    }
    let bare = requirement.starts_with(|c: char| c.is_ascii_digit());
    if bare && !requirement.contains([',', ' ', '|']) {
        return series(requirement);
    }
    let spaced = requirement
        .replace(", ", ",")
        .replace(' ', "")
        .replace('^', ">=");
    VersionSpecifiers::from_str(&spaced).ok()
}

/// `3.9` → `==3.9.*`, `3.x` → `==3.*`, `3.9.1` → `==3.9.*` (a patch release of the same series serves as well).
fn series(bare: &str) -> Option<VersionSpecifiers> {
    let parts: Vec<&str> = bare
        .split(['.', '-', '+'])
        .take_while(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        .take(2)
        .collect();
    if parts.is_empty() {
        return None;
    }
    VersionSpecifiers::from_str(&format!("=={}.*", parts.join("."))).ok()
}

/// The lowest version a requirement allows, for `>=`, `==`, `~=`, `^` and bare forms.
pub fn minimum(requirement: &str) -> Option<String> {
    let text = requirement.split("...").next().unwrap_or(requirement);
    text.split(',')
        .map(str::trim)
        .find(|part| !part.starts_with(['<', '!']) && part.contains(|c: char| c.is_ascii_digit()))
        .map(|part| {
            part.trim_start_matches(['>', '=', '~', '^', ' '])
                .trim_end_matches(".*")
                .trim_end_matches(".x")
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read() {
        for (requirement, version, expected) in [
            (">=3.8", "3.11", true),
            (">=3.8,<3.11", "3.11", false),
            (">= 3.8, < 4", "3.11", true),
            ("3.9", "3.9.2", true),
            ("3.9", "3.11", false),
            ("3.10", "3.1", false),
            ("3.9.18", "3.9.2", true),
            ("3.x", "3.11", true),
            ("^3.8", "3.11", true),
            ("~=3.8", "3.11", true),
            ("3.5...3.28", "3.25.1", true),
            (">=1.70", "1.63.0", false),
            ("stable", "1.63.0", true),
            ("", "1.63.0", true),
            (">=3.12", "3.11.2", false),
            ("!=3.0.*,>=2.7", "3.11", true),
        ] {
            assert_eq!(
                satisfies(requirement, version),
                expected,
                "{requirement} {version}"
            );
        }
    }

    #[test]
    fn minimum_is_the_lower_end() {
        assert_eq!(minimum(">=3.8,<4").as_deref(), Some("3.8"));
        assert_eq!(minimum("3.5...3.28").as_deref(), Some("3.5"));
        assert_eq!(minimum("<4"), None);
        assert_eq!(minimum("^1.2").as_deref(), Some("1.2"));
    }
}
