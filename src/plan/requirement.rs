//! Version requirements of toolchains, in whichever notation their evidence uses.

use std::str::FromStr;

use nodejs_semver::Range;
use pep440_rs::{Version, VersionSpecifiers};

/// Whether `version` (dotted numbers) satisfies `requirement`. Notations: PEP 440 (`>=3.8,<3.13`), a bare version
/// as `.python-version` and `actions/setup-python` write it (`3.9`: that series), Cargo's `rust-version` and CMake's
/// and Meson's minimum (callers write these as `>=1.70`), CMake's range `3.5...3.28` (the first is the minimum), and
/// wildcards (`3.x`), npm's ranges (`^18.12 || >=20`, `18 - 20`) and RubyGems' `~> 3.1`. Text that is no version at all
/// (`stable`, `latest`, `lts/*`) is satisfied by any.
pub fn satisfies(requirement: &str, version: &str) -> bool {
    let requirement = requirement.trim().trim_start_matches('v');
    if let Some(answer) = npm_range(requirement, version) {
        return answer;
    }
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

/// Answers for what only npm's ranges (node-semver) write. A tool's version with fewer than three numbers is the newest
/// of its series.
fn npm_range(requirement: &str, version: &str) -> Option<bool> {
    let marks = ["||", "^", " - ", "~", "*", ".x", ".X"];
    let theirs =
        requirement.contains("~=") || requirement.contains("~>") || requirement.contains(".*");
    if theirs || !marks.iter().any(|mark| requirement.contains(mark)) {
        return None;
    }
    // Poetry separates with commas where npm has spaces.
    let range: Range = requirement.replace(',', " ").parse().ok()?;
    let numbers = version.split('.').count();
    let full = format!("{version}{}", ".999".repeat(3usize.saturating_sub(numbers)));
    Some(range.satisfies(&full.parse().ok()?))
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
        .replace("~>", "~=")
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
            ("^3.8", "4.0", false),
            ("^18.12.0 || >= 20.9.0", "18.20.4", true),
            ("^18.12.0 || >= 20.9.0", "19.1.0", false),
            ("^18 || ^20", "20", true),
            ("18 - 20", "19.2.0", true),
            ("18.x", "18.20.4", true),
            ("18.x", "20.1.0", false),
            ("v20.19.0", "20.19.2", true),
            ("lts/*", "20.19.2", true),
            ("~> 3.1", "3.3", true),
            ("~> 3.1.0", "3.3", false),
            (">=3.8,<4.0 || >=5", "3.9.1", true),
            ("~=3.8 || junk", "3.9", true),
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
