//! What a command may not do: privileges are dropped before it starts.

use std::io;

use super::landlock;
use super::seccomp;
use super::sys::{self, Context, Result};

/// Capabilities that package managers and test suites need; those of a usual container without making device nodes
/// and without raw access to the network.
const KEPT: [u32; 11] = [
    0,  // CHOWN
    1,  // DAC_OVERRIDE
    3,  // FOWNER
    4,  // FSETID
    5,  // KILL
    6,  // SETGID
    7,  // SETUID
    8,  // SETPCAP
    10, // NET_BIND_SERVICE
    18, // SYS_CHROOT
    31, // SETFCAP
];

/// How willing the kernel shall be to end a process of a sandbox before others when the machine's memory is full:
/// the most that is not certain death.
const OUT_OF_MEMORY_SCORE: &str = "900";

/// Bounds of each process, where no control group sets them for all.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Processes and threads at once of one user.
    pub processes: u64,
    pub open_files: u64,
}

/// Drops capabilities for good, forbids gaining any, filters system calls, and sets resource limits.
pub fn apply(rules: &Rules) -> Result<()> {
    set_limit(libc::RLIMIT_CORE, 0);
    set_limit(libc::RLIMIT_NOFILE, rules.open_files);
    // Counted for each user of a user namespace; root of the machine is not bound by it.
    set_limit(libc::RLIMIT_NPROC, rules.processes);
    let _ = std::fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE);
    // SAFETY: no pointers involved.
    unsafe {
        // Other processes of the sandbox must not look into process 1, which still runs the host's executable.
        sys::check(libc::prctl(libc::PR_SET_DUMPABLE, 0)).context(|| "prctl(DUMPABLE)".into())?;
        for capability in (0..64).filter(|c| !KEPT.contains(c)) {
            // Numbers beyond the kernel's last capability are refused; that ends the list.
            if libc::prctl(libc::PR_CAPBSET_DROP, capability) != 0 {
                break;
            }
        }
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        );
    }
    set_capabilities()?;
    // SAFETY: no pointers involved.
    sys::check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })
        .context(|| "prctl(NO_NEW_PRIVS)".into())?;
    landlock::confine();
    seccomp::install()
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilityData {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

fn set_capabilities() -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let mut header = CapabilityHeader {
        version: VERSION_3,
        pid: 0,
    };
    let low = KEPT.iter().fold(0u32, |bits, c| bits | (1 << c));
    let none = CapabilityData {
        effective: 0,
        permitted: 0,
        inheritable: 0,
    };
    let data = [
        CapabilityData {
            effective: low,
            permitted: low,
            inheritable: 0,
        },
        none,
    ];
    // SAFETY: header and the two data words are laid out as capset(2) of version 3 wants them.
    let result = unsafe { libc::syscall(libc::SYS_capset, &mut header, data.as_ptr()) };
    sys::check(result as libc::c_int)
        .map(drop)
        .context(|| "capset".into())
}

fn set_limit(resource: libc::__rlimit_resource_t, wanted: u64) {
    // SAFETY: the structure is valid for both calls. A refusal keeps the limit in force before.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(resource, &mut limit) == 0 {
            limit.rlim_max = limit.rlim_max.min(wanted);
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(resource, &limit);
        }
    }
}

/// Rust ignores SIGPIPE and envc blocks signals; a command expects neither.
pub fn reset_signals() {
    // SAFETY: default dispositions have no handler; the set is initialised before use.
    unsafe {
        for signal in 1..32 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

extern "C" fn ask_all(_: libc::c_int) {
    // SAFETY: kill(2) may be called in a handler; -1 means every other process of this namespace.
    unsafe {
        libc::kill(-1, libc::SIGTERM);
    }
}

/// Process 1 hands a request to end, which comes from outside, to every process of the sandbox.
pub fn pass_on_sigterm() {
    let handler: extern "C" fn(libc::c_int) = ask_all;
    // SAFETY: the handler only calls kill(2).
    unsafe {
        libc::signal(libc::SIGTERM, handler as libc::sighandler_t);
    }
}

pub fn host_name(name: &str) -> Result<()> {
    // SAFETY: the pointer is valid for the length given.
    sys::check(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) })
        .map(drop)
        .context(|| "set the host name".into())
}

/// Brings the loopback interface of a new network namespace up, and lets any user have its low ports and send echo
/// requests over it: nobody else is there. `/proc` must be one in which this namespace can be written to.
pub fn loopback_up() -> Result<()> {
    let _ = std::fs::write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
    let _ = std::fs::write("/proc/sys/net/ipv4/ping_group_range", "0 65535");
    // SAFETY: the request is zeroed and its name NUL-terminated; the socket is closed after use.
    unsafe {
        let socket = sys::check(libc::socket(
            libc::AF_INET,
            libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
            0,
        ))
        .context(|| "open a socket".into())?;
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let result = sys::check(libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &request));
        let error = result.err();
        libc::close(socket);
        error
            .map_or(Ok(()), |e: io::Error| Err(e))
            .context(|| "start the loopback interface".into())
    }
}
