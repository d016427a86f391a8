//! Attacks on the host's files, sockets and secrets.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use envc::sandbox::{Base, Network, REPOSITORY_DIR, Sandbox};

use super::{CANARY, Place, attack};
use crate::sandbox_support::*;

pub fn files_outside(sandbox: &mut dyn Sandbox, place: &Place) {
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

pub fn sockets(sandbox: &mut dyn Sandbox, place: &Place) {
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

/// Values and files that are the host's own appear in no output, no layer and no kept environment.
pub fn secrets(place: &Place) {
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
