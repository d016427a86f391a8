//! Closing the host's abstract Unix sockets, which belong to a network namespace and not to a file system: a command
//! that shares the host's network could otherwise speak to its desktop, its engine or its session bus.

use super::sys;

/// `struct landlock_ruleset_attr` as of version 6 of the interface.
#[repr(C)]
struct Ruleset {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

/// `LANDLOCK_CREATE_RULESET_VERSION`: asks for the version instead of making a set.
const VERSION: u32 = 1;

/// First version of the interface (Linux 6.12) that knows scopes.
const SCOPES: i64 = 6;

/// `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET`
const ABSTRACT_SOCKETS: u64 = 1;

/// Whether this kernel can keep a process to the abstract sockets of its own sandbox.
pub fn works() -> bool {
    // SAFETY: asking for the version takes no structure.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<Ruleset>(),
            0usize,
            VERSION,
        )
    };
    version >= SCOPES
}

/// Confines this process and its children to abstract sockets of their own; says whether the kernel can.
/// Needs `no_new_privs`.
pub fn confine() -> bool {
    if !works() {
        return false;
    }
    let ruleset = Ruleset {
        handled_access_fs: 0,
        handled_access_net: 0,
        scoped: ABSTRACT_SOCKETS,
    };
    // SAFETY: the structure is valid for the size given; the descriptor is closed after use.
    unsafe {
        let fd = libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &ruleset,
            size_of::<Ruleset>(),
            0u32,
        );
        let Ok(fd) = sys::check(fd as libc::c_int) else {
            return false;
        };
        let confined = libc::syscall(libc::SYS_landlock_restrict_self, fd, 0u32);
        libc::close(fd);
        confined == 0
    }
}
