//! Where the repository is: a directory, or a git URL to clone.

use std::path::PathBuf;
use std::process::Command;

use super::exit::{Exit, Failure};

/// The directory of the repository. A URL is cloned into a new directory beside the user, as `git clone` does.
pub fn resolve(path: &str) -> Result<PathBuf, Failure> {
    if !is_url(path) {
        return Ok(PathBuf::from(path));
    }
    let name = directory_name(path).ok_or_else(|| {
        Failure::usage(format!(
            "{path} names no repository: clone it yourself and give its directory"
        ))
    })?;
    let target = PathBuf::from(&name);
    if target.exists() {
        return Err(Failure::usage(format!(
            "{name} is there already: run `envc build {name}`, or remove it to clone {path} again"
        )));
    }
    let status = Command::new("git")
        .args(["clone", "--recurse-submodules", "--", path, &name])
        .env("GIT_TERMINAL_PROMPT", "0")
        .status()
        .map_err(|error| {
            Failure::usage(format!(
                "cannot start git: {error}; install git, or give a directory"
            ))
        })?;
    if status.success() {
        return Ok(target);
    }
    Err(Failure::new(
        Exit::Transient,
        format!("git could not clone {path}: check the URL and the network, or clone it yourself"),
    ))
}

fn is_url(text: &str) -> bool {
    let schemes = ["https://", "http://", "ssh://", "git://", "file://"];
    schemes.iter().any(|scheme| text.starts_with(scheme))
        || (text.starts_with("git@") && text.contains(':'))
}

fn directory_name(url: &str) -> Option<String> {
    let last = url.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let name = last.strip_suffix(".git").unwrap_or(last);
    let plain = !name.is_empty()
        && !name.starts_with(['.', '-'])
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    plain.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_directories() {
        assert!(is_url("https://host.example/a/b.git"));
        assert!(is_url("git@host.example:a/b.git"));
        assert!(!is_url("./https"));
        assert_eq!(
            directory_name("https://host.example/a/b.git").as_deref(),
            Some("b")
        );
        assert_eq!(
            directory_name("git@host.example:b.git/").as_deref(),
            Some("b")
        );
        assert_eq!(directory_name("https://host.example/.."), None);
        assert_eq!(directory_name("https://host.example/a/$(id)"), None);
    }
}
