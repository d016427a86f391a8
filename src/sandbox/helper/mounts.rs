//! Assembling the sandbox's root: overlays, devices, `/proc`, and what the host lends.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use super::sys::{self, Context, Result};
use crate::sandbox::spec::{EnterSpec, LENT_DIR, Lend, TreeKind};

/// Device nodes every program may expect. `/dev/tty` opens only with a controlling terminal.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Parts of `/proc` through which root could change the host; and those that only tell about it.
const PROC_READ_ONLY: [&str; 5] = ["bus", "fs", "irq", "sys", "sysrq-trigger"];
const PROC_HIDDEN: [&str; 17] = [
    "acpi",
    "asound",
    "interrupts",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "sched_debug",
    "scsi",
    "slabinfo",
    "timer_list",
    "vmallocinfo",
];

/// Nothing mounted from here on is seen outside of this mount namespace; unmounts of the host still arrive.
pub fn detach_propagation() -> Result<()> {
    sys::mount(
        Path::new("none"),
        Path::new("/"),
        "",
        libc::MS_REC | libc::MS_SLAVE,
        "",
    )
    .context(|| "make mounts private".into())
}

/// Mounts the overlay of one tree. Paths are relative to the store (the current directory), so that no character
/// of a base's path needs escaping, and a hundred layers fit the one page that `mount(2)` takes.
pub fn overlay(tree: &str, layers: &[u32], at: &Path, user_marks: bool) -> Result<()> {
    let Some((top, below)) = layers.split_first() else {
        return Ok(());
    };
    let (upper, work) = (format!("l/{top}/{tree}"), format!("l/w/{top}.{tree}"));
    // Fresh each time: a volatile overlay leaves a mark in it that refuses the next mount.
    super::holder::remove_tree(Path::new(&work));
    for dir in [&upper, &work] {
        fs::create_dir_all(dir).context(|| format!("create {dir}"))?;
    }
    copy_root_mode(below, tree, &upper);
    let mut lower: Vec<String> = below.iter().map(|l| format!("l/{l}/{tree}")).collect();
    lower.push(format!("b/{tree}"));
    let mut options = format!(
        "lowerdir={},upperdir={upper},workdir={work}",
        lower.join(":")
    );
    // Volatile: package managers sync every file, and after a crash of the machine layers are dropped anyway.
    options.push_str(if user_marks {
        ",userxattr,volatile"
    } else {
        ",redirect_dir=off,metacopy=off,index=off,volatile"
    });
    let flags = libc::MS_NODEV | libc::MS_NOATIME;
    let mount = |options: &str| sys::mount(Path::new("overlay"), at, "overlay", flags, options);
    match mount(&options) {
        // Kernels before 5.10 do not know it.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            mount(options.trim_end_matches(",volatile"))
        }
        other => other,
    }
    .context(|| format!("mount the overlay of {tree}"))
}

/// The top directory of the upper layer gives the mode and owner of the merged one: take them from below.
fn copy_root_mode(below: &[u32], tree: &str, upper: &str) {
    let lower = below
        .first()
        .map_or_else(|| format!("b/{tree}"), |layer| format!("l/{layer}/{tree}"));
    let base = format!("b/{tree}");
    let source = [lower, base].into_iter().find_map(|p| fs::metadata(p).ok());
    if let (Some(meta), Ok(true)) = (source, is_empty(Path::new(upper))) {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::chown(upper, Some(meta.uid()), Some(meta.gid()));
        let _ = fs::set_permissions(upper, meta.permissions());
    }
}

fn is_empty(dir: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(dir)?.next().is_none())
}

/// Mounts all trees below `m` in the store, which is the current directory.
pub fn trees(spec: &EnterSpec) -> Result<()> {
    let root = PathBuf::from("m");
    for tree in &spec.trees {
        let at = root.join(tree.at.trim_start_matches('/'));
        match tree.kind {
            TreeKind::Overlay => overlay(&tree.name, &spec.layers, &at, spec.user_marks)?,
            TreeKind::ReadOnly => sys::bind(&Path::new("b").join(&tree.name), &at, true)?,
        }
    }
    Ok(())
}

/// Unmounts whatever is mounted at `at`, and in it.
pub fn unmount(at: &Path) {
    if let Ok(path) = sys::c_path(at) {
        // SAFETY: path is a NUL-terminated string; failing where nothing is mounted is expected.
        while unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) } == 0 {}
    }
}

/// Mounts what is not part of any layer. The current directory is the new root; the old one is still in reach.
pub fn system(spec: &EnterSpec) -> Result<()> {
    bound_processes(spec);
    for dir in ["dev", "proc", "run", "sys", "tmp"] {
        mountpoint(Path::new(dir))?;
    }
    sticky_tmp();
    let size = format!("size={}", spec.shared_memory);
    devices(&size)?;
    tmpfs("run", &format!("mode=755,{size}"))?;
    for dir in ["run/lock", &LENT_DIR[1..]] {
        make_dir(Path::new(dir))?;
    }
    proc()?;
    cpu_information()?;
    spec.lent.iter().try_for_each(lend)
}

/// Where no control group counts processes, their numbers run out (since Linux 6.14 for each namespace). `/proc` is
/// still the host's, which means this process's namespaces all the same.
fn bound_processes(spec: &EnterSpec) {
    /// The kernel takes no less.
    const LEAST: u64 = 302;
    if spec.cgroups.is_empty() {
        let most = spec.processes.max(LEAST).to_string();
        if own_pid_max() {
            let _ = fs::write("/proc/sys/kernel/pid_max", most);
        }
    }
}

/// Whether `pid_max` is a namespace's own, and not the machine's.
fn own_pid_max() -> bool {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|n| n.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(14))
}

fn sticky_tmp() {
    use std::os::unix::fs::PermissionsExt;
    if fs::metadata("tmp").is_ok_and(|meta| meta.permissions().mode() & 0o1777 != 0o1777) {
        let _ = fs::set_permissions("tmp", fs::Permissions::from_mode(0o1777));
    }
}

/// A hostile layer may have put a link where a mount goes; mounting would follow it to a place on the host.
fn mountpoint(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => return Ok(()),
        Ok(_) => fs::remove_file(path).context(|| format!("replace {}", path.display()))?,
        Err(_) => {}
    }
    make_dir(path)
}

fn make_dir(path: &Path) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .context(|| format!("create {}", path.display()))
}

fn tmpfs(at: &str, options: &str) -> Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount(Path::new("tmpfs"), Path::new(at), "tmpfs", flags, options)
        .context(|| format!("mount a tmpfs at {at}"))
}

fn devices(shared_memory: &str) -> Result<()> {
    sys::mount(
        Path::new("tmpfs"),
        Path::new("dev"),
        "tmpfs",
        libc::MS_NOSUID | libc::MS_NOEXEC,
        "mode=755,size=65536k",
    )
    .context(|| "mount /dev".into())?;
    for name in DEVICES {
        let (source, target) = (Path::new("/dev").join(name), Path::new("dev").join(name));
        fs::write(&target, b"").context(|| format!("create {}", target.display()))?;
        sys::bind(&source, &target, false)?;
    }
    for dir in ["dev/pts", "dev/shm"] {
        make_dir(Path::new(dir))?;
    }
    let options = "newinstance,ptmxmode=0666,mode=620";
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    sys::mount(
        Path::new("devpts"),
        Path::new("dev/pts"),
        "devpts",
        flags,
        options,
    )
    .context(|| "mount /dev/pts".into())?;
    tmpfs("dev/shm", &format!("mode=1777,{shared_memory}"))?;
    let links = [
        ("pts/ptmx", "dev/ptmx"),
        ("/proc/self/fd", "dev/fd"),
        ("/proc/self/fd/0", "dev/stdin"),
        ("/proc/self/fd/1", "dev/stdout"),
        ("/proc/self/fd/2", "dev/stderr"),
    ];
    for (target, link) in links {
        symlink(target, link).context(|| format!("link {link}"))?;
    }
    Ok(())
}

fn proc() -> Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount(Path::new("proc"), Path::new("proc"), "proc", flags, "")
        .context(|| "mount /proc".into())?;
    for name in PROC_READ_ONLY {
        let path = Path::new("proc").join(name);
        if path.exists() {
            sys::bind(&path, &path, false)?;
            sys::restrict(&path, false)?;
        }
    }
    for name in PROC_HIDDEN {
        let path = Path::new("proc").join(name);
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => {
                tmpfs(&path.to_string_lossy(), "size=0k,mode=755")?;
                sys::restrict(&path, false)?;
            }
            Ok(_) => sys::bind(Path::new("/dev/null"), &path, false)?,
            Err(_) => {}
        }
    }
    Ok(())
}

/// `/sys` holds only the description of processors and memory nodes, which compilers and runtimes read.
fn cpu_information() -> Result<()> {
    tmpfs("sys", "size=64k,mode=755")?;
    let source = Path::new("/sys/devices/system");
    if source.is_dir() {
        let target = Path::new("sys/devices/system");
        make_dir(target)?;
        sys::bind(source, target, true)?;
        sys::restrict(target, true)?;
    }
    sys::set_attributes(Path::new("sys"), libc::MOUNT_ATTR_RDONLY, false)
}

/// Binds one thing of the host. A target outside of [`LENT_DIR`] is a file such as `/etc/resolv.conf`, which may be
/// missing or a link: what it links to is looked up inside of the new root only.
fn lend(item: &Lend) -> Result<()> {
    let target = PathBuf::from(item.target.trim_start_matches('/'));
    let is_dir = item.source.is_dir();
    if !item.target.starts_with(LENT_DIR) && !is_dir {
        if let Some(parent) = target.parent() {
            make_real_dirs(parent)?;
        }
        let linked = fs::symlink_metadata(&target).is_ok_and(|meta| !meta.is_file());
        if linked {
            // Bound over a link, the file would land where the link points on the host.
            fs::remove_file(&target).context(|| format!("replace {}", target.display()))?;
        }
        if !target.exists() {
            fs::write(&target, b"").context(|| format!("create {}", target.display()))?;
        }
    } else if is_dir {
        make_real_dirs(&target)?;
    } else {
        if let Some(parent) = target.parent() {
            make_dir(parent)?;
        }
        fs::write(&target, b"").context(|| format!("create {}", target.display()))?;
    }
    sys::bind(&item.source, &target, false)?;
    if item.writable {
        let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        return sys::set_attributes(&target, attributes, false);
    }
    sys::restrict(&target, false)
}

/// Creates each directory of a relative path, refusing links on the way.
fn make_real_dirs(path: &Path) -> Result<()> {
    let mut at = PathBuf::new();
    for part in path.components() {
        at.push(part);
        mountpoint(&at)?;
    }
    Ok(())
}
