//! Running a test again as another user: sandboxes of root, of a user with subordinate ids, and of one without.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Who a test runs as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
}

/// A user of this machine with a range in subuid(5) and `newuidmap` at hand.
pub fn with_subordinate_ids() -> Option<User> {
    let text = std::fs::read_to_string("/etc/subuid").ok()?;
    let tool = ["/usr/bin/newuidmap", "/bin/newuidmap"];
    tool.iter().any(|t| Path::new(t).exists()).then_some(())?;
    text.lines()
        .filter_map(|line| line.split(':').next())
        .find_map(account)
        .filter(|user| user.uid != 0)
}

/// A user without a range.
pub fn without_subordinate_ids() -> Option<User> {
    account("nobody")
}

fn account(name: &str) -> Option<User> {
    let text = std::fs::read_to_string("/etc/passwd").ok()?;
    text.lines().find_map(|line| {
        let mut parts = line.split(':');
        (parts.next()? == name).then_some(())?;
        let mut number = || parts.by_ref().nth(1)?.parse().ok();
        let uid = number()?;
        let gid = parts.next()?.parse().ok()?;
        Some(User {
            name: name.into(),
            uid,
            gid,
        })
    })
}

/// Runs the ignored test `name` of this test program as `user`, in a home of its own. `None`, said loudly, where that
/// cannot be done here: this process is not root, or the user may not reach this program.
pub fn test_as(user: Option<User>, kind: &str, name: &str, env: &[(&str, &str)]) -> Option<()> {
    let Some(user) = user else {
        eprintln!("SKIPPED: no user {kind} on this machine");
        return None;
    };
    // SAFETY: no pointers involved.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("SKIPPED: only root can run this test as {}", user.name);
        return None;
    }
    let home = tempfile::Builder::new()
        .prefix("envc-home-")
        .tempdir()
        .unwrap();
    std::os::unix::fs::chown(home.path(), Some(user.uid), Some(user.gid)).unwrap();
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(&program);
    command
        .args(["--ignored", "--exact", "--nocapture", name])
        .uid(user.uid)
        .gid(user.gid)
        .current_dir("/")
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env_remove("CARGO_TARGET_TMPDIR");
    for (name, value) in env {
        command.env(name, value);
    }
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            println!("as {}:\n{text}", user.name);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{name} as {}",
                user.name
            );
            Some(())
        }
        Err(error) => {
            eprintln!(
                "SKIPPED: {} may not run {}: {error}",
                user.name,
                program.display()
            );
            None
        }
    }
}
