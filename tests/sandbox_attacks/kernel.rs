//! Attacks on the kernel's own interfaces.

use envc::sandbox::Sandbox;

use super::attack;
use crate::sandbox_support::*;

pub fn privileges(sandbox: &mut dyn Sandbox) {
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
pub fn system_calls(sandbox: &mut dyn Sandbox) {
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

pub fn devices(sandbox: &mut dyn Sandbox) {
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

pub fn kernel_files(sandbox: &mut dyn Sandbox) {
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

pub fn set_user_id_programs(sandbox: &mut dyn Sandbox) {
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
