//! Help for the tests of the command line: repositories to build, an `envc` with a cache of its own, and what a run
//! may not leave behind.

#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

/// A directory that holds a copy of a repository of `tests/repos/`, a cache, and whatever else a test makes.
pub struct Scene {
    dir: TempDir,
    pub repo: PathBuf,
}

impl Scene {
    /// A copy of `tests/repos/NAME`.
    pub fn of(name: &str) -> Self {
        let scene = Self::empty();
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/repos")
            .join(name);
        copy(&from, &scene.repo);
        scene
    }

    /// An empty repository.
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        fs::create_dir(&repo).unwrap();
        Self { dir, repo }
    }

    /// `make-words` whose test is `recipe`.
    pub fn with_test(recipe: &str) -> Self {
        let scene = Self::of("make-words");
        let makefile =
            format!("words: words.c\n\t$(CC) -o $@ words.c\n\ntest: words\n\t{recipe}\n");
        scene.write("Makefile", &makefile);
        scene
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn store(&self) -> PathBuf {
        self.path().join("cache/envc")
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.repo.join(name), text).unwrap();
    }

    pub fn artifact(&self, name: &str) -> String {
        let file = self.repo.join(".envc").join(name);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// `envc` in the scene's directory.
    pub fn envc(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_envc"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"));
        command
    }

    /// `envc build repo` over this machine's root, without Docker, and more arguments.
    pub fn build(&self, arguments: &[&str]) -> Ended {
        let mut all = vec!["build", "--base", "host", "--certify", "none", "repo"];
        all.extend(arguments);
        ended(&mut self.envc(&all))
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        ended(&mut self.envc(arguments))
    }

    /// Fails where a sandbox, a mount or a process of this scene is left.
    pub fn assert_nothing_left(&self) {
        wait_for("sandboxes are removed", || {
            names(&self.store().join("sandboxes")).is_empty()
        });
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let own = self.path().to_str().unwrap();
        assert!(!mounts.contains(own), "still mounted:\n{mounts}");
        wait_for("processes end", || processes_in(self.path()).is_empty());
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Fails unless the exit code is `code`; the output is in the message.
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n{}\n{}", self.out, self.err);
        self
    }

    /// Fails unless standard error holds `text`.
    pub fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no {text:?} in\n{}", self.err);
        self
    }

    /// Fails unless standard output holds `text`.
    pub fn prints(self, text: &str) -> Self {
        assert!(
            self.out.contains(text),
            "no {text:?} in\n{}\n{}",
            self.out,
            self.err
        );
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}", self.out))
    }
}

pub fn ended(command: &mut Command) -> Ended {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Ended {
        code: status.code(),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Whether builds over this machine work here; says so where they do not. The packages of the test repositories must
/// be there already, for these tests to be fast and to need no network.
pub fn can_build() -> bool {
    let root = rustix::process::geteuid().is_root();
    let debian = Path::new("/etc/debian_version").exists();
    let tools = ["cc", "make"].iter().all(|tool| on_path(tool));
    if root && debian && tools {
        return true;
    }
    eprintln!(
        "SKIPPED: needs root on Debian with gcc and make (root {root}, Debian {debian}, tools {tools})"
    );
    false
}

pub fn on_path(tool: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file()))
}

/// Entries of a directory; none where it is not there.
pub fn names(dir: &Path) -> Vec<String> {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Processes that stand in a directory (the holder of a sandbox does) or were given a name in it.
pub fn processes_in(dir: &Path) -> Vec<u32> {
    let text = dir.to_str().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stands = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(dir));
        let named = fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(text));
        if pid != std::process::id() && (stands || named) {
            found.push(pid);
        }
    }
    found
}

pub fn wait_for(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..400 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("did not happen: {what}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
