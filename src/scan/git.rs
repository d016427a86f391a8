//! Asking git about a repository that may be hostile.
//!
//! A repository's own `.git/config` can name programs for git to run (fsmonitor, hooks, filters, signature
//! checks, remote helpers). Each is switched off here: only plumbing commands are used, filters found in the
//! configuration are overridden, and no protocol is allowed, so that a partial clone cannot fetch.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::GitFacts;

/// A git that does not answer by then waits for something (a pipe in place of a file): it is ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of output that are read; a path list longer than this is not of a repository to build.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;

/// A repository that git answers for.
pub(super) struct Git {
    root: PathBuf,
    filters: Vec<String>,
    tracked: Vec<PathBuf>,
    links: Vec<PathBuf>,
}

impl Git {
    /// `None` when `root` is not (in) a work tree with tracked files, or there is no git.
    pub(super) fn open(root: &Path, warnings: &mut Vec<String>) -> Option<Self> {
        let own = root.join(".git").symlink_metadata().is_ok();
        if own && !looks_answerable(root) {
            warnings.push(".git is damaged: scanned as a plain directory".to_owned());
            return None;
        }
        let mut git = Self {
            root: root.to_owned(),
            filters: Vec::new(),
            tracked: Vec::new(),
            links: Vec::new(),
        };
        let Some(list) = git.run(&["ls-files", "-z", "--stage"]) else {
            if own {
                warnings.push("git could not read .git: scanned as a plain directory".to_owned());
            }
            return None;
        };
        git.read_index(&list);
        // Below somebody's work tree, but no part of it: an archive unpacked in a home kept in git, say.
        if !own && git.tracked.is_empty() {
            return None;
        }
        git.filters = git.filter_names();
        Some(git)
    }

    /// Files in the index, relative to the root; they may be missing on disk.
    pub(super) fn tracked(&self) -> &[PathBuf] {
        &self.tracked
    }

    /// Submodules in the index.
    pub(super) fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// Reads `mode object stage TAB path NUL` records (git-ls-files(1)).
    fn read_index(&mut self, list: &[u8]) {
        for record in list.split(|byte| *byte == 0) {
            let Some(tab) = record.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let (head, path) = record.split_at(tab);
            let path = PathBuf::from(OsString::from_vec(path.iter().skip(1).copied().collect()));
            if head.starts_with(b"160000") {
                self.links.push(path);
            } else {
                self.tracked.push(path);
            }
        }
        self.tracked.dedup();
    }

    /// What git says of the commit; the submodules are the caller's to fill in.
    pub(super) fn facts(&self) -> GitFacts {
        let commit = self.line(&["rev-parse", "--verify", "-q", "HEAD^{commit}"]);
        let commit_time = commit
            .as_deref()
            .and_then(|id| self.run(&["cat-file", "commit", id]))
            .and_then(|object| committer_time(&object));
        let dirty = commit.is_some()
            && self
                .run(&[
                    "diff-index",
                    "--quiet",
                    "--no-ext-diff",
                    "--ignore-submodules=all",
                    "HEAD",
                    "--",
                ])
                .is_none();
        GitFacts {
            commit,
            commit_time,
            branch: self.line(&["symbolic-ref", "--short", "-q", "HEAD"]),
            remote: self.remote(),
            dirty,
            submodules: Vec::new(),
        }
    }

    fn remote(&self) -> Option<String> {
        let list = self.run(&["config", "-z", "--get-regexp", r"^remote\..*\.url$"])?;
        let text = String::from_utf8_lossy(&list).into_owned();
        let urls: Vec<(&str, &str)> = text
            .split('\0')
            .filter_map(|item| item.split_once('\n'))
            .collect();
        let (_, url) = urls
            .iter()
            .find(|(key, _)| *key == "remote.origin.url")
            .or_else(|| urls.first())?;
        Some(without_credentials(url))
    }

    /// Drivers that `diff-index` would run on files whose time stamp changed (gitattributes(5), `filter`).
    fn filter_names(&self) -> Vec<String> {
        let list = self.run(&["config", "-z", "--name-only", "--get-regexp", r"^filter\."]);
        let text = String::from_utf8_lossy(&list.unwrap_or_default()).into_owned();
        let mut names: Vec<String> = text
            .split('\0')
            .filter_map(|key| {
                key.strip_prefix("filter.")?
                    .rsplit_once('.')
                    .map(|(name, _)| name.to_owned())
            })
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn line(&self, arguments: &[&str]) -> Option<String> {
        let text = String::from_utf8_lossy(&self.run(arguments)?)
            .trim()
            .to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Output of a git command that succeeded.
    fn run(&self, arguments: &[&str]) -> Option<Vec<u8>> {
        let mut command = Command::new("git");
        for (key, _) in std::env::vars_os() {
            if key.to_string_lossy().starts_with("GIT_") {
                command.env_remove(key);
            }
        }
        command
            .args([
                "-c",
                "safe.directory=*",
                "-c",
                "safe.bareRepository=explicit",
            ])
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .arg("-C")
            .arg(&self.root)
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .stdout(Stdio::piped());
        self.override_filters(&mut command);
        output_in_time(command)
    }

    /// By environment rather than `-c`, where a `=` in a driver's name would end the key.
    fn override_filters(&self, command: &mut Command) {
        let mut count = 0;
        for name in &self.filters {
            for (key, value) in [
                ("clean", ""),
                ("smudge", ""),
                ("process", ""),
                ("required", "false"),
            ] {
                command.env(
                    format!("GIT_CONFIG_KEY_{count}"),
                    format!("filter.{name}.{key}"),
                );
                command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
                count += 1;
            }
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
}

/// Pipes in place of the files that git opens first would make it wait.
fn looks_answerable(root: &Path) -> bool {
    let dot_git = root.join(".git");
    match dot_git.symlink_metadata() {
        Ok(data) if data.is_file() => true,
        Ok(data) if data.is_dir() => ["HEAD", "config", "index"].iter().all(|name| {
            dot_git
                .join(name)
                .metadata()
                .map_or(true, |data| data.is_file())
        }),
        _ => false,
    }
}

fn output_in_time(mut command: Command) -> Option<Vec<u8>> {
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MAX_OUTPUT).read_to_end(&mut bytes);
        // The receiver may have given up: nothing is left to tell then.
        let _ = send.send(read.map(|_| bytes));
    });
    let output = receive.recv_timeout(PATIENCE);
    if output.is_err() {
        // It may have ended by itself meanwhile; either way it is reaped below.
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    if status.success() {
        output.ok()?.ok()
    } else {
        None
    }
}

/// Seconds from the `committer NAME <MAIL> SECONDS ZONE` line of a commit object.
fn committer_time(object: &[u8]) -> Option<i64> {
    let text = String::from_utf8_lossy(object);
    let line = text
        .lines()
        .take_while(|line| !line.is_empty())
        .find(|line| line.starts_with("committer "))?;
    line.rsplit(' ').nth(1)?.parse().ok()
}

/// Drops `user:password@` of a URL: a token must not reach an artifact. An scp-like `git@host:path` stays.
pub(super) fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) if scheme != "ssh" || user.contains(':') => {
            format!(
                "{scheme}://{}",
                rest.get(user.len() + 1..).unwrap_or_default()
            )
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_dropped() {
        for (url, clean) in [
            (
                "https://u:tok@host.example/a/b.git",
                "https://host.example/a/b.git",
            ),
            ("https://tok@host.example/a", "https://host.example/a"),
            ("ssh://git@host.example/a", "ssh://git@host.example/a"),
            ("git@host.example:a/b", "git@host.example:a/b"),
            ("https://host.example/a@b", "https://host.example/a@b"),
        ] {
            assert_eq!(without_credentials(url), clean);
        }
    }

    #[test]
    fn committer_time_is_read_from_the_header_only() {
        let object = b"tree 1\nauthor A <a@b> 5 +0000\ncommitter B b <c@d> 1700000000 +0100\n\ncommitter x 9 9\n";
        assert_eq!(committer_time(object), Some(1_700_000_000));
        assert_eq!(committer_time(b"tree 1\n\ncommitter B <c@d> 17 +0\n"), None);
    }
}
