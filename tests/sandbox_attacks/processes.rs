//! Attacks on other processes, on envc's own, and on the end of a command.

use std::time::Duration;

use envc::sandbox::{Backend, Base, Outcome, Sandbox, create};

use super::{Place, attack};
use crate::sandbox_support::*;

/// A process that is not the sandbox's.
struct Outside(std::process::Child);

impl Outside {
    fn start(time: &str) -> Self {
        let mut command = std::process::Command::new("sleep");
        let null = std::process::Stdio::null;
        command
            .arg(time)
            .stdin(null())
            .stdout(null())
            .stderr(null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn other_processes(sandbox: &mut dyn Sandbox) {
    let time = unique_sleep();
    let mut outside = Outside::start(&time);
    let pid = outside.0.id();
    let output = attack(
        sandbox,
        &format!(
            "kill -9 {pid} 2>/dev/null && echo killed; kill -0 {pid} 2>/dev/null && echo seen
for c in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $c; echo; done 2>/dev/null | grep -q 'sl[e]ep {time}' && echo listed
test -e /proc/{pid}/root/etc && echo entered"
        ),
    );
    assert_eq!(output, "attack-over\n");
    // All it can see is itself.
    let (finished, _) = run(
        sandbox,
        &shell("perl -e 'kill 9, -1; kill 9, 1'; kill -9 -1"),
    );
    assert!(!finished.outcome.ok());
    assert!(
        outside.0.try_wait().unwrap().is_none(),
        "a process outside ended"
    );
    let output = attack(
        sandbox,
        "for f in exe root cwd ns/mnt map_files; do ls -L /proc/1/$f >/dev/null 2>&1 && echo reached $f; readlink /proc/1/$f; done; readlink /proc/1/fd/*; cat /proc/1/root/etc/passwd 2>/dev/null | head -1",
    );
    assert_eq!(output, "attack-over\n");
}

/// The program that starts commands is the host's: a command that finds it as `/proc/self/exe` must not change it.
pub fn own_program(place: &Place) {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("envc");
    std::fs::copy(env!("CARGO_BIN_EXE_envc"), &copy).unwrap();
    let length = std::fs::metadata(&copy).unwrap().len();
    let source = dir.path().join("evil.c");
    std::fs::write(
        &source,
        r#"#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/statvfs.h>
__attribute__((constructor)) static void evil(void) {
    struct statvfs s;
    int fd = open("/proc/self/exe", O_RDONLY);
    printf("evil %d\n", fd >= 0);
    if (fd >= 0 && fstatvfs(fd, &s) == 0 && !(s.f_flag & ST_RDONLY)) printf("writable mount\n");
    if (open("/proc/self/exe", O_WRONLY | O_TRUNC) >= 0) printf("opened to write\n");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (open(path, O_WRONLY | O_TRUNC) >= 0) printf("opened again to write\n");
    fflush(stdout);
    _exit(0);
}
"#,
    )
    .unwrap();
    let library = dir.path().join("evil.so");
    let compiled = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler for the attack on envc's own program");
        return;
    }
    let mut options = options(place.store.path());
    options.helper = copy.clone();
    let mut sandbox = create(Backend::Overlay, &place.base, &options).unwrap();
    let bytes = std::fs::read(&library).unwrap();
    sandbox.write_file("/repo/evil.so", &bytes, 0o755).unwrap();
    sandbox
        .write_file("/repo/evil", b"#!/proc/self/exe\n", 0o755)
        .unwrap();
    for program in ["/repo/evil", "/proc/self/exe"] {
        let mut command = command(&[program]);
        command
            .env
            .push(("LD_PRELOAD".into(), "/repo/evil.so".into()));
        let (finished, output) = run(&mut *sandbox, &command);
        // Where the base's C library is too old for the attack, its start fails, and so does the attack.
        assert!(
            place.base != Base::Host || output.starts_with("evil"),
            "the attack did not start: {finished:?} {output}"
        );
        assert!(
            output == "evil 1\n" || output == "evil 0\n" || !finished.outcome.ok(),
            "{program}: {finished:?} {output}"
        );
    }
    assert_eq!(std::fs::metadata(&copy).unwrap().len(), length);
}

pub fn survivors(sandbox: &mut dyn Sandbox) {
    let time = unique_sleep();
    let script = format!(
        "trap '' TERM HUP INT
setsid sh -c \"trap '' TERM HUP; setsid sleep {time} & sleep {time}\" &
nohup sleep {time} >/dev/null 2>&1 &
perl -e 'use POSIX; exit if fork; setsid; exit if fork; $SIG{{$_}}=\"IGNORE\" for keys %SIG; close STDOUT; close STDERR; exec \"sleep\", \"{time}\"' &
sleep 0.3; echo started"
    );
    let (finished, output) = run(sandbox, &shell(&script));
    assert_eq!(
        (finished.outcome, output.as_str()),
        (Outcome::Exited(0), "started\n")
    );
    ended(&time);
    let mut slow = shell(&format!("{script}; while :; do sleep {time}; done"));
    slow.limits.wall = Duration::from_millis(900);
    let (finished, _) = run(sandbox, &slow);
    assert_eq!(finished.outcome, Outcome::TimedOut);
    assert!(finished.wall < Duration::from_secs(10), "{finished:?}");
    ended(&time);
}

pub fn ended(mark: &str) {
    for _ in 0..60 {
        if processes_with(mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("still running: {:?}", processes_with(mark));
}

/// No descriptor of envc's, or of whoever started it, reaches a command.
pub fn descriptors(sandbox: &mut dyn Sandbox) {
    // SAFETY: a descriptor of this test's own, left open for programs it starts.
    let leaked = unsafe { libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY) };
    assert!(leaked > 2);
    // Its own look at the directory is one more, which leads to the directory.
    let list = r#"opendir D, "/proc/self/fd"; print join " ", sort grep { /\d/ && readlink("/proc/self/fd/$_") !~ m{/fd$} } readdir D"#;
    let (_, open) = run(sandbox, &command(&["perl", "-e", list]));
    assert_eq!(open, "0 1 2");
    // SAFETY: opened above.
    unsafe { libc::close(leaked) };
    assert_eq!(
        ok(sandbox, "readlink /proc/self/cwd /proc/self/root"),
        "/\n/"
    );
}
