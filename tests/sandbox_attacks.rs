//! The promises of `docs/SECURITY.md`, each attacked from the inside. One suite; it runs over the host and over a root
//! file system, as root, as a user with subordinate ids and as a user without. Where one of these is not possible on
//! a machine, the test says so loudly.

mod sandbox_support;

use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use envc::sandbox::{Backend, Base, Network, Outcome, REPOSITORY_DIR, Sandbox, create};
use sandbox_support::*;

const CANARY: &str = "canary-5f1c9d-value";

/// Where the suite runs.
struct Place {
    base: Base,
    store: tempfile::TempDir,
    root: bool,
}

impl Place {
    fn new(base: Base) -> Self {
        Self {
            base,
            store: tempfile::Builder::new()
                .prefix("envc-attack-")
                .tempdir()
                .unwrap(),
            // SAFETY: no pointers involved.
            root: unsafe { libc::geteuid() } == 0,
        }
    }

    fn make(&self) -> Box<dyn Sandbox> {
        make(Backend::Overlay, &self.base, self.store.path())
    }
}

fn suite(base: Base) {
    // SAFETY: set before any sandbox is made; every test of this program sets the same value.
    unsafe { std::env::set_var("ENVC_TEST_CANARY", CANARY) };
    let place = Place::new(base);
    let mut sandbox = place.make();
    let attacks: [(&str, Attack); 12] = [
        ("privileges", |s, _| privileges(s)),
        ("system calls", |s, _| system_calls(s)),
        ("devices", |s, _| devices(s)),
        ("kernel files", |s, _| kernel_files(s)),
        ("set-user-id programs", |s, _| set_user_id_programs(s)),
        ("other processes", |s, _| other_processes(s)),
        ("files outside", files_outside),
        ("sockets", sockets),
        ("own program", |_, place| own_program(place)),
        ("survivors", |s, _| survivors(s)),
        ("descriptors", |s, _| descriptors(s)),
        ("secrets", |_, place| secrets(place)),
    ];
    let failed: Vec<&str> = attacks
        .into_iter()
        .filter(|(_, attack)| {
            let attempt = std::panic::AssertUnwindSafe(|| attack(&mut *sandbox, &place));
            std::panic::catch_unwind(attempt).is_err()
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(failed, [] as [&str; 0]);
}

type Attack = fn(&mut dyn Sandbox, &Place);

/// A script of the attacker: it runs to its end whatever is refused, and says so.
fn attack(sandbox: &mut dyn Sandbox, script: &str) -> String {
    let mut command = shell(&format!("{script}\necho attack-over"));
    command.dir = "/tmp".into();
    let (finished, output) = run(sandbox, &command);
    assert!(
        output.trim_end().ends_with("attack-over"),
        "the attack did not run to its end: {finished:?}\n{output}"
    );
    output
}

fn privileges(sandbox: &mut dyn Sandbox) {
    let status = ok(sandbox, "cat /proc/self/status");
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1))
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(field("NoNewPrivs:"), "1");
    assert_eq!(field("Seccomp:"), "2");
    let bits = |name: &str| u64::from_str_radix(&field(name), 16).unwrap();
    // SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, SYS_BOOT, SYS_TIME, NET_ADMIN, MKNOD, DAC_READ_SEARCH, BPF, PERFMON.
    for forbidden in [16, 17, 19, 21, 22, 25, 12, 27, 2, 39, 38] {
        for set in ["CapEff:", "CapPrm:", "CapBnd:", "CapInh:", "CapAmb:"] {
            assert_eq!(bits(set) >> forbidden & 1, 0, "{set} {forbidden}");
        }
    }
    // Each namespace is the sandbox's own; the user namespace, too, so that no privilege means anything outside.
    for kind in ["mnt", "pid", "ipc", "uts", "cgroup", "user"] {
        let inside = ok(sandbox, &format!("readlink /proc/self/ns/{kind}"));
        let outside = std::fs::read_link(format!("/proc/self/ns/{kind}")).unwrap();
        assert_ne!(inside, outside.to_string_lossy(), "{kind}");
    }
}

/// Calls by number, so that no tool has to be there. Each must fail for want of permission, or not exist.
fn system_calls(sandbox: &mut dyn Sandbox) {
    let calls: &[(&str, libc::c_long, &str)] = &[
        ("mount", libc::SYS_mount, r#""none","/mnt","tmpfs",0,"""#),
        ("umount2", libc::SYS_umount2, r#""/proc",2"#),
        ("pivot_root", libc::SYS_pivot_root, r#""/","/""#),
        ("fsopen", libc::SYS_fsopen, r#""tmpfs",0"#),
        ("open_tree", libc::SYS_open_tree, r#"-100,"/",1"#),
        (
            "move_mount",
            libc::SYS_move_mount,
            r#"-100,"/",-100,"/mnt",0"#,
        ),
        (
            "mount_setattr",
            libc::SYS_mount_setattr,
            r#"-100,"/",0,0,0"#,
        ),
        ("unshare user", libc::SYS_unshare, "0x10000000"),
        ("unshare mount", libc::SYS_unshare, "0x00020000"),
        ("unshare net", libc::SYS_unshare, "0x40000000"),
        ("clone user", libc::SYS_clone, "0x10000011,0,0,0,0"),
        ("clone3", libc::SYS_clone3, "0,0"),
        ("setns", libc::SYS_setns, "0,0"),
        ("keyctl", libc::SYS_keyctl, "0,-3,1"),
        ("add_key", libc::SYS_add_key, r#""user","x","y",1,-3"#),
        ("request_key", libc::SYS_request_key, r#""user","x",0,-3"#),
        ("open_by_handle_at", libc::SYS_open_by_handle_at, "-100,0,0"),
        (
            "name_to_handle_at",
            libc::SYS_name_to_handle_at,
            r#"-100,"/",0,0,0"#,
        ),
        ("bpf", libc::SYS_bpf, "0,0,0"),
        ("perf_event_open", libc::SYS_perf_event_open, "0,0,-1,-1,0"),
        ("init_module", libc::SYS_init_module, r#"0,0,"""#),
        ("finit_module", libc::SYS_finit_module, r#"0,"",0"#),
        ("delete_module", libc::SYS_delete_module, r#""x",0"#),
        ("kexec_load", libc::SYS_kexec_load, "0,0,0,0"),
        ("swapon", libc::SYS_swapon, r#""/x",0"#),
        ("acct", libc::SYS_acct, r#""/tmp/acct""#),
        ("settimeofday", libc::SYS_settimeofday, "0,0"),
        ("syslog", libc::SYS_syslog, "10,0,0"),
        ("io_uring_setup", libc::SYS_io_uring_setup, "1,0"),
        ("userfaultfd", libc::SYS_userfaultfd, "0"),
        ("fanotify_init", libc::SYS_fanotify_init, "0,0"),
        ("reboot", libc::SYS_reboot, "0xfee1dead,672274793,0,0"),
        ("sethostname", libc::SYS_sethostname, r#""x",1"#),
        ("ptrace attach 1", libc::SYS_ptrace, "16,1,0,0"),
        (
            "mknod block",
            libc::SYS_mknodat,
            r#"-100,"/tmp/disk",0x6180,0x800"#,
        ),
        (
            "mknod memory",
            libc::SYS_mknodat,
            r#"-100,"/tmp/mem",0x2180,0x101"#,
        ),
        ("ioctl TIOCSTI", libc::SYS_ioctl, r#"0,0x5412,"x""#),
        ("quotactl", libc::SYS_quotactl, "0,0,0,0"),
        ("setdomainname", libc::SYS_setdomainname, r#""x",1"#),
        ("kcmp", libc::SYS_kcmp, "1,1,0,0,0"),
    ];
    let mut script = String::from("perl -e '$|=1; my $r;\n");
    for (name, number, arguments) in calls {
        // Perl passes a string that is not a number by address, and refuses to pass a literal: copy it first.
        script.push_str(&format!(
            "{{ my @a=({arguments}); $r=syscall({number}, @a); print \"{name}=\", ($r==-1 ? $!+0 : \"done\"), \"\\n\"; exit 0 if $r==0 && \"{name}\" =~ /^clone/ && getppid()==0; }}\n"
        ));
    }
    script.push('\'');
    let output = attack(sandbox, &script);
    for (name, ..) in calls {
        let line = output
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}=")));
        let refused = [libc::EPERM, libc::ENOSYS, libc::EACCES].map(|e| e.to_string());
        assert!(
            line.is_some_and(|errno| refused.iter().any(|r| r == errno)),
            "{name}: {line:?}\n{output}"
        );
    }
}

fn devices(sandbox: &mut dyn Sandbox) {
    let names = ok(sandbox, "ls /dev | tr '\\n' ' '");
    let expected = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero";
    assert_eq!(names.trim(), expected);
    assert_eq!(
        ok(sandbox, "find / -xdev -type b 2>/dev/null; ls /dev/pts"),
        "ptmx"
    );
    // A device file that a base holds would not open: no file system but that of /dev has devices.
    let mounts = ok(sandbox, "cat /proc/self/mountinfo");
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let (root, at, options) = (fields[3], fields[4], fields[5]);
        // The null device stands over what is hidden.
        let expected = at == "/dev" || at.starts_with("/dev/") || root == "/null";
        let closed = options.split(',').any(|o| o == "nodev");
        assert!(expected || closed, "{line}");
    }
}

fn kernel_files(sandbox: &mut dyn Sandbox) {
    let before = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    let written = [
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/modprobe",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sys/fs/binfmt_misc/register",
        "/proc/sysrq-trigger",
        "/proc/irq/default_smp_affinity",
        "/proc/1/oom_score_adj",
        "/proc/1/mem",
        "/sys/kernel/uevent_helper",
        "/sys/fs/cgroup/release_agent",
        "/sys/devices/system/cpu/cpu0/online",
        "/sys/power/state",
    ];
    for path in written {
        let output = attack(
            sandbox,
            &format!("(echo x > {path}) 2>/dev/null && echo written {path}"),
        );
        assert!(!output.contains("written"), "{output}");
    }
    let after = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    assert_eq!(before, after);
    let read = [
        "/proc/kcore",
        "/proc/keys",
        "/proc/key-users",
        "/proc/kmsg",
        "/proc/sched_debug",
        "/proc/timer_list",
        "/proc/kallsyms",
        "/proc/kpageflags",
        "/proc/vmallocinfo",
        "/proc/slabinfo",
        "/proc/interrupts",
        "/proc/1/environ",
        "/proc/1/maps",
        "/proc/1/auxv",
        "/sys/firmware/dmi/tables/DMI",
        "/sys/kernel/notes",
    ];
    for path in read {
        let output = attack(
            sandbox,
            &format!("head -c 64 {path} 2>/dev/null | wc -c | grep -qx 0 || echo has {path}"),
        );
        assert!(!output.contains("has "), "{output}");
    }
    // A cgroup's release agent, and a mount of its file system, are out of reach, by name too.
    let groups = ok(sandbox, "cat /proc/self/cgroup; cat /proc/self/mounts");
    assert!(
        !groups.contains("cgroup /") && !groups.contains("envc-"),
        "{groups}"
    );
}

fn set_user_id_programs(sandbox: &mut dyn Sandbox) {
    let output = attack(
        sandbox,
        "cp /bin/sh /tmp/raise && chmod 6755 /tmp/raise && chmod 1777 /tmp
perl -e 'use POSIX; setgid(12345); if (!setuid(12345)) { print \"no other id here\\n\"; exit } exec(\"/tmp/raise\", \"-p\", \"-c\", \"id -u; id -g\")'",
    );
    assert!(
        output == "12345\n12345\nattack-over\n" || output.starts_with("no other id here\n"),
        "{output}"
    );
}

fn other_processes(sandbox: &mut dyn Sandbox) {
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

fn files_outside(sandbox: &mut dyn Sandbox, place: &Place) {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, CANARY).unwrap();
    let shown = secret.display();
    let up = "../".repeat(40);
    let output = attack(
        sandbox,
        &format!(
            "cat {shown} {up}{shown} /repo/{up}{shown} /proc/self/root{shown} /proc/self/cwd/{up}{shown} 2>/dev/null
mkdir -p /repo && ln -sfn / /repo/root && cat /repo/root{shown} 2>/dev/null
ln {shown} /repo/hard 2>/dev/null && cat /repo/hard
perl -e 'mkdir \"/tmp/jail\"; chroot \"/tmp/jail\" or exit; for (1..60) {{ chdir \"..\" }} chroot \".\"; open F, \"{shown}\" and print <F>'
perl -e 'opendir D, \"/\"; mkdir \"/tmp/jail\"; chroot \"/tmp/jail\" or exit; chdir(*D) ; for (1..60) {{ chdir \"..\" }} open F, \".{shown}\" and print <F>'
ls /home /root /media /mnt /srv /boot 2>/dev/null | grep -v ':$' | grep ."
        ),
    );
    assert_eq!(output, "attack-over\n");
    // What is written through hard links of the base's own files stays inside.
    let system = Path::new("/etc/hostname");
    let before = std::fs::read(system).ok();
    attack(
        sandbox,
        "ln /etc/hostname /repo/name 2>/dev/null && echo changed >> /repo/name; echo changed >> /etc/hostname; chmod 666 /etc/hostname /usr/bin/env; echo x >> /usr/bin/env; rm -f /usr/bin/yes; mv /usr/bin/tac /usr/bin/cat2; true",
    );
    assert_eq!(std::fs::read(system).ok(), before);
    assert!(Path::new("/usr/bin/yes").exists() || place.base != Base::Host);
    if let Base::Rootfs(path) = &place.base {
        assert!(path.join("usr/bin/yes").exists() && path.join("usr/bin/tac").exists());
    }
    // Links on the way of a copy, on either side.
    let from = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), from.path().join("dir")).unwrap();
    std::os::unix::fs::symlink(&secret, from.path().join("file")).unwrap();
    for name in ["dir/secret", "../secret", "/etc/passwd", "dir/../../x"] {
        let _ = sandbox.copy_in(from.path(), &[PathBuf::from(name)], "/repo/copied");
    }
    sandbox
        .copy_in(from.path(), &[PathBuf::from("file")], "/repo/copied")
        .unwrap();
    let output = attack(
        sandbox,
        "find /repo/copied /secret -type f 2>/dev/null; cat /repo/copied/file 2>/dev/null",
    );
    assert_eq!(output, "attack-over\n");
    // Where the sandbox puts files: the target's links lead nowhere outside.
    let target = outside.path().display();
    attack(
        sandbox,
        &format!("ln -sfn {target} /repo/out; ln -sfn {shown} /repo/out-file"),
    );
    std::fs::write(from.path().join("new"), "new").unwrap();
    let _ = sandbox.copy_in(from.path(), &[PathBuf::from("new")], "/repo/out");
    let _ = sandbox.write_file("/repo/out/new", b"new", 0o644);
    let _ = sandbox.write_file("/repo/out-file", b"new", 0o644);
    let names: Vec<_> = std::fs::read_dir(outside.path())
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(names.len(), 1);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), CANARY);
    // Where the sandbox mounts: links there do not lead a mount astray.
    attack(
        sandbox,
        &format!(
            "rm -rf /srv/x; mkdir -p /srv; ln -sfn {target} /srv/x; rm -rf /mnt; ln -s {target} /mnt; rm -f /etc/hosts; ln -s {shown} /etc/hosts"
        ),
    );
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), CANARY);
    ok(sandbox, "test -r /etc/resolv.conf || true; true");
    sandbox.reset().unwrap();
}

fn sockets(sandbox: &mut dyn Sandbox, place: &Place) {
    let name = format!("envc-attack-{}", unique_sleep());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name);
    let _hidden = UnixListener::bind_addr(&address.unwrap()).unwrap();
    let mut places = vec![tempfile::tempdir().unwrap()];
    if place.root && place.base == Base::Host {
        // As daemons have theirs.
        for parent in ["/var/lib", "/opt"] {
            places.push(tempfile::tempdir_in(parent).unwrap());
        }
    }
    let mut listeners = Vec::new();
    let mut tries =
        format!("connect(S, pack(\"S a*\", 1, \"\\0{name}\")) and print \"abstract\\n\";");
    for dir in &places {
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = dir.path().join("socket");
        listeners.push(UnixListener::bind(&path).unwrap());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let path = path.display();
        tries.push_str(&format!(
            "socket(S, 1, 1, 0) or die; connect(S, pack(\"S a*\", 1, \"{path}\\0\")) and print \"{path}\\n\";"
        ));
    }
    let output = attack(
        sandbox,
        &format!(
            "perl -e 'socket(S, 1, 1, 0) or die; {tries}'; find /run /var/run /tmp /var /opt -type s -exec test -S {{}} \\; -print 2>/dev/null"
        ),
    );
    assert_eq!(output, "attack-over\n");
    // No raw access to the host's network.
    let output = attack(
        sandbox,
        "perl -e 'socket(S, 17, 3, 0x0300) and print \"packets\\n\"; socket(S, 2, 3, 1) and print \"raw\\n\"; socket(S, 16, 3, 0) and setsockopt(S, 1, 36, 1) and print \"mark\\n\"'",
    );
    assert_eq!(output, "attack-over\n");
    let mut alone = shell("perl -e 'socket(S, 1, 1, 0); connect(S, pack(\"S a*\", 1, \"\\0NAME\")) and print \"abstract\\n\"'; echo attack-over".replace("NAME", &name).as_str());
    alone.network = Network::None;
    assert_eq!(run(sandbox, &alone).1, "attack-over\n");
}

/// The program that starts commands is the host's: a command that finds it as `/proc/self/exe` must not change it.
fn own_program(place: &Place) {
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
            output == "evil 1\n" || output == "evil 0\n" || !finished.outcome.ok(),
            "{program}: {finished:?} {output}"
        );
    }
    assert_eq!(std::fs::metadata(&copy).unwrap().len(), length);
}

fn survivors(sandbox: &mut dyn Sandbox) {
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

fn ended(mark: &str) {
    for _ in 0..60 {
        if processes_with(mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("still running: {:?}", processes_with(mark));
}

/// No descriptor of envc's, or of whoever started it, reaches a command.
fn descriptors(sandbox: &mut dyn Sandbox) {
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

/// Values and files that are the host's own appear in no output, no layer and no kept environment.
fn secrets(place: &Place) {
    let mut files = Vec::new();
    let mut hidden = Vec::new();
    if place.root {
        // Readable by their owner alone, as keys and databases are.
        for parent in ["/etc", "/var/lib", "/opt", "/root", "/home", "/srv"] {
            let dir = tempfile::Builder::new()
                .prefix("envc-attack-")
                .tempdir_in(parent)
                .unwrap();
            let open = dir.path().join("open");
            std::fs::create_dir(&open).unwrap();
            std::fs::write(open.join("key"), CANARY).unwrap();
            std::fs::set_permissions(open.join("key"), std::fs::Permissions::from_mode(0o600))
                .unwrap();
            std::fs::write(dir.path().join("key"), CANARY).unwrap();
            // A locked directory, or an unlocked one with a locked file in it.
            let mode = if parent == "/etc" { 0o700 } else { 0o755 };
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.path(), mode).unwrap();
            hidden.push(dir.path().display().to_string());
            files.push(dir);
        }
    }
    // A sandbox made after the files are there.
    let mut again = place.make();
    let mut script = String::from("env; cat /proc/*/environ | tr '\\0' '\\n';");
    for dir in &hidden {
        let open = format!("{dir}/open/key {dir}/key");
        // A file that all may read is no secret; only the one in an unlocked directory is left so.
        let readable = if dir.starts_with("/etc") {
            open
        } else {
            format!("{dir}/open/key")
        };
        script.push_str(&format!("grep -H . {readable} 2>/dev/null;"));
    }
    script.push_str("cat /etc/shadow /etc/gshadow 2>/dev/null | cut -d: -f2 | grep '[$]'");
    let output = attack(&mut *again, &script);
    assert!(
        !output.contains(CANARY) && !output.contains('$'),
        "{output}"
    );
    again
        .write_file(&format!("{REPOSITORY_DIR}/x"), b"x", 0o644)
        .unwrap();
    attack(
        &mut *again,
        "env > /repo/env; set > /repo/set; mkdir -p /repo/proc; cat /proc/self/mountinfo > /repo/proc/mounts",
    );
    let kept = place.store.path().join("kept");
    let state = again.keep(&kept).unwrap();
    let found = std::process::Command::new("grep")
        .args(["-rlFs", CANARY])
        .arg(place.store.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    envc::sandbox::forget(&state, &options(place.store.path())).unwrap();
}

#[test]
fn over_the_host() {
    suite(Base::Host);
}

#[test]
fn over_a_root_file_system() {
    match std::env::var_os("ENVC_TEST_ROOTFS") {
        Some(path) => suite(Base::Rootfs(path.into())),
        None => eprintln!("SKIPPED: set ENVC_TEST_ROOTFS to a root file system to test over"),
    }
}

/// Not a test by itself: what the tests below run as another user.
#[test]
#[ignore = "run by the tests of other users"]
fn as_this_user() {
    suite(Base::Host);
}

#[test]
fn as_a_user_with_subordinate_ids() {
    let user = users::with_subordinate_ids();
    users::test_as(user, "with subordinate ids", "as_this_user", &[]);
}

#[test]
fn as_a_user_without_subordinate_ids() {
    let user = users::without_subordinate_ids();
    users::test_as(user, "without subordinate ids", "as_this_user", &[]);
}
