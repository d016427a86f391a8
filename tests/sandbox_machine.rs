//! Machines that lack something, made for real: `envc doctor` says what and what to do, the best sandbox that works is
//! taken, and what cannot work ends with a sentence.

mod cli_support;

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cli_support::*;

const NOBODY: u32 = 65534;

/// What is done to a program before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// In a user namespace of the machine's first 65,536 ids that allows no further ones.
    UserNamespaces,
    /// The same, that allows no mount namespaces.
    MountNamespaces,
    /// An empty file system stands over the control groups.
    ControlGroups,
}

impl Lack {
    fn apply(self, command: &mut Command, user: u32) {
        // SAFETY: only system calls and short-lived files between fork and exec, in a child with one thread.
        unsafe {
            command.pre_exec(move || {
                match self {
                    Self::UserNamespaces => bounded("max_user_namespaces")?,
                    Self::MountNamespaces => bounded("max_mnt_namespaces")?,
                    Self::ControlGroups => hide_control_groups()?,
                }
                if user != 0 {
                    check(libc::setgroups(0, std::ptr::null()))?;
                    check(libc::setresgid(user, user, user))?;
                    check(libc::setresuid(user, user, user))?;
                }
                Ok(())
            });
        }
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Enters a user namespace and sets one of its limits to 0.
fn bounded(limit: &str) -> io::Result<()> {
    let pid = std::process::id();
    let (read, write) = io::pipe()?;
    // SAFETY: this process has one thread.
    let writer = check(unsafe { libc::fork() })?;
    if writer == 0 {
        drop(write);
        let mut byte = [0u8];
        let _ = io::Read::read(&mut &read, &mut byte);
        let maps = ["uid_map", "gid_map"];
        let done = maps
            .iter()
            .all(|map| fs::write(format!("/proc/{pid}/{map}"), "0 0 65536").is_ok());
        // SAFETY: ends this process.
        unsafe { libc::_exit(i32::from(!done)) };
    }
    drop(read);
    // SAFETY: no pointers involved.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    drop(write);
    let mut status = 0;
    // SAFETY: status is valid for the call.
    check(unsafe { libc::waitpid(writer, &mut status, 0) })?;
    fs::write(format!("/proc/sys/user/{limit}"), "0")
}

fn hide_control_groups() -> io::Result<()> {
    // SAFETY: literals are NUL-terminated.
    unsafe {
        check(libc::unshare(libc::CLONE_NEWNS))?;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        let (none, root, tmpfs) = (c"none".as_ptr(), c"/".as_ptr(), c"tmpfs".as_ptr());
        check(libc::mount(none, root, none, private, std::ptr::null()))?;
        let at = c"/sys/fs/cgroup".as_ptr();
        check(libc::mount(tmpfs, at, tmpfs, 0, std::ptr::null()))?;
    }
    Ok(())
}

fn root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("SKIPPED: only root can make a machine that lacks something");
    }
    root
}

/// A file system mounted for a test.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: PathBuf, arguments: &[&str]) -> Self {
        fs::create_dir_all(&at).unwrap();
        let done = Command::new("mount").args(arguments).arg(&at).status();
        assert!(done.unwrap().success(), "mount {arguments:?}");
        Self(at)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// The line of `envc doctor` that begins so, after its mark.
fn line<'a>(doctor: &'a Ended, mark: &str, what: &str) -> &'a str {
    let start = format!("{mark}{what}: ");
    doctor
        .out
        .lines()
        .find_map(|line| line.strip_prefix(&start))
        .unwrap_or_else(|| panic!("no {start:?} in\n{}", doctor.out))
}

const OK: &str = "ok  ";
const NO: &str = "no  ";
const OVERLAY: &str = "sandbox overlay over host";
const CHOSEN: &str = "`envc build` uses";

#[test]
fn no_user_namespaces() {
    if !root() {
        return;
    }
    let scene = Scene::of("make-words");
    open(&scene);
    let mut doctor = scene.envc(&["doctor"]);
    Lack::UserNamespaces.apply(&mut doctor, NOBODY);
    let doctor = ended(&mut doctor);
    line(&doctor, NO, OVERLAY);
    let advice = line(&doctor, NO, "user namespaces");
    assert!(
        advice.contains("sysctl user.max_user_namespaces"),
        "{advice}"
    );
    line(&doctor, NO, CHOSEN);
    let mut build = scene.envc(&["build", "--base", "host", "--certify", "none", "repo"]);
    Lack::UserNamespaces.apply(&mut build, NOBODY);
    ended(&mut build).code(2).says("envc doctor");
    scene.assert_nothing_left();
    if !can_build() {
        return;
    }
    // Root does without: of a namespace that may have no other below it.
    let mut doctor = scene.envc(&["doctor"]);
    Lack::UserNamespaces.apply(&mut doctor, 0);
    let doctor = ended(&mut doctor);
    let detail = line(&doctor, OK, OVERLAY);
    assert!(detail.contains("root of a user namespace"), "{detail}");
    line(&doctor, NO, "user namespaces");
    assert_eq!(line(&doctor, OK, CHOSEN), "overlay");
    let mut build = scene.envc(&["build", "--base", "host", "--certify", "none", "repo"]);
    Lack::UserNamespaces.apply(&mut build, 0);
    ended(&mut build).code(0).prints("verified");
    scene.assert_nothing_left();
}

#[test]
fn no_mount_namespaces() {
    if !root() {
        return;
    }
    let scene = Scene::of("make-words");
    let mut doctor = scene.envc(&["doctor"]);
    Lack::MountNamespaces.apply(&mut doctor, 0);
    let doctor = ended(&mut doctor);
    line(&doctor, NO, OVERLAY);
    if doctor.out.contains("ok  sandbox docker") {
        assert!(line(&doctor, OK, CHOSEN).starts_with("docker"));
    } else {
        eprintln!("SKIPPED in part: no container engine to fall back to");
        line(&doctor, NO, CHOSEN);
    }
    let mut build = scene.envc(&["build", "--base", "host", "--certify", "none", "repo"]);
    Lack::MountNamespaces.apply(&mut build, 0);
    ended(&mut build)
        .code(2)
        .says("overlay sandbox is not available");
}

#[test]
fn no_control_groups() {
    if !root() || !can_build() {
        return;
    }
    let scene = Scene::with_test("f() { f | f & }; f; sleep 1; exit 1");
    let mut doctor = scene.envc(&["doctor"]);
    Lack::ControlGroups.apply(&mut doctor, 0);
    let doctor = ended(&mut doctor);
    line(&doctor, OK, OVERLAY);
    let advice = line(&doctor, NO, "control groups");
    assert!(advice.contains("memory is then watched"), "{advice}");
    // A fork bomb is bounded all the same, and no setting of the machine changed for it.
    let pid_max = || fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    let before = pid_max();
    let mut build = scene.envc(&["build", "--base", "host", "--certify", "none", "repo"]);
    build.args(["--timeout", "20s", "--attempts", "0"]);
    Lack::ControlGroups.apply(&mut build, 0);
    ended(&mut build).code(1);
    assert_eq!(pid_max(), before);
    scene.assert_nothing_left();
}

#[test]
fn no_subordinate_ids() {
    if !root() {
        return;
    }
    let scene = Scene::of("make-words");
    open(&scene);
    let mut doctor = scene.envc(&["doctor"]);
    doctor.uid(NOBODY).gid(NOBODY);
    let doctor = ended(&mut doctor);
    let advice = line(&doctor, NO, "subordinate ids");
    assert!(advice.contains("usermod --add-subuids"), "{advice}");
}

/// A directory for everybody, so that another user's envc can work in it.
fn open(scene: &Scene) {
    use std::os::unix::fs::PermissionsExt;
    let cache = scene.path().join("cache");
    fs::create_dir_all(&cache).unwrap();
    for dir in [scene.path(), &cache, &scene.repo] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o777)).unwrap();
    }
}

#[test]
fn a_file_system_that_cannot_hold_layers() {
    if !root() || !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    let made = |name: &str| {
        let dir = scene.path().join(name);
        fs::create_dir(&dir).unwrap();
        dir.display().to_string()
    };
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        made("lower"),
        made("upper"),
        made("work")
    );
    let cache = scene.path().join("cache");
    let mounted = Mounted::new(cache, &["-t", "overlay", "-o", &options, "overlay"]);
    let doctor = scene.run(&["doctor"]);
    let detail = line(&doctor, OK, OVERLAY);
    assert!(detail.contains("layers are in memory"), "{detail}");
    scene.build(&[]).code(0).prints("verified");
    drop(mounted);
    assert!(!Path::new("/proc/self/mountinfo").exists() || !mounts().contains(&options));
}

fn mounts() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap()
}

#[test]
fn noexec_directories() {
    if !root() || !can_build() {
        return;
    }
    let scene = Scene::of("make-words");
    let options = ["-t", "tmpfs", "-o", "noexec,size=200m", "none"];
    let _cache = Mounted::new(scene.path().join("cache"), &options);
    let temporary = Mounted::new(scene.path().join("tmp"), &options);
    let with_tmp = |arguments: &[&str]| {
        let mut command = scene.envc(arguments);
        command.env("TMPDIR", &temporary.0);
        ended(&mut command)
    };
    let doctor = with_tmp(&["doctor"]);
    let advice = line(&doctor, NO, "programs in the directory for layers");
    assert!(advice.contains("noexec"), "{advice}");
    assert!(line(&doctor, OK, "temporary directory").contains("noexec"));
    with_tmp(&["build", "--base", "host", "--certify", "none", "repo"])
        .code(0)
        .prints("verified");
}

#[test]
fn a_home_that_is_read_only_and_a_disk_that_is_full() {
    if !root() {
        return;
    }
    let scene = Scene::of("make-words");
    {
        let _cache = Mounted::new(
            scene.path().join("cache"),
            &["-t", "tmpfs", "-o", "ro", "none"],
        );
        let doctor = scene.run(&["doctor"]);
        let advice = line(&doctor, NO, "directory for layers and caches");
        assert!(advice.contains("XDG_CACHE_HOME"), "{advice}");
        scene.build(&[]).code(2).says("XDG_CACHE_HOME");
    }
    let size = ["-t", "tmpfs", "-o", "size=40k", "none"];
    let full = Mounted::new(scene.path().join("cache"), &size);
    let _ = fs::write(full.0.join("filler"), vec![0u8; 1 << 20]);
    let doctor = scene.run(&["doctor"]);
    let advice = line(&doctor, NO, "directory for layers and caches");
    assert!(advice.contains("No space left"), "{advice}");
    scene.build(&[]).code(75).says("no space left");
}
