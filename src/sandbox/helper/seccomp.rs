//! A filter of system calls (seccomp, classic BPF). It closes what capabilities do not: doors that a new user
//! namespace, the keyrings or the terminal would open again. What is refused fails with EPERM, so a program that only
//! tries goes on.

use super::sys::{self, Context, Result};

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;

const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_SET: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;

/// Offsets in `struct seccomp_data`; arguments' low words on a little-endian machine.
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
const OFFSET_FIRST_ARGUMENT: u32 = 16;
const OFFSET_SECOND_ARGUMENT: u32 = 24;

/// Always refused: mounts, modules, kernel images, keyrings, other machines' tracing, clock and swap.
const DENIED: [libc::c_long; 41] = [
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_process_madvise,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
];

const NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWCGROUP) as u32;

fn statement(code: u16, k: u32) -> libc::sock_filter {
    jump(code, k, 0, 0)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

fn errno(number: libc::c_int) -> u32 {
    ERRNO | number as u32
}

/// If the call is `number`, test an argument: any bit of `mask` (or, with `equal`, exactly that value) is refused.
fn test_argument(
    program: &mut Vec<libc::sock_filter>,
    number: libc::c_long,
    offset: u32,
    (code, value): (u16, u32),
) {
    program.push(jump(JUMP_EQUAL, number as u32, 0, 4));
    program.push(statement(LOAD_WORD, offset));
    program.push(jump(code, value, 0, 1));
    program.push(statement(RETURN, errno(libc::EPERM)));
    program.push(statement(RETURN, ALLOW));
}

fn program() -> Vec<libc::sock_filter> {
    let mut program = vec![
        statement(LOAD_WORD, OFFSET_ARCH),
        jump(JUMP_EQUAL, ARCH, 1, 0),
        statement(RETURN, errno(libc::ENOSYS)),
        statement(LOAD_WORD, OFFSET_NUMBER),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        // The x32 ABI has its own numbers.
        program.push(jump(JUMP_SET, 0x4000_0000, 0, 1));
        program.push(statement(RETURN, errno(libc::ENOSYS)));
    }
    for number in DENIED {
        program.push(jump(JUMP_EQUAL, number as u32, 0, 1));
        program.push(statement(RETURN, errno(libc::EPERM)));
    }
    // The flags of clone3 are in memory, out of a filter's sight; libraries fall back to clone.
    program.push(jump(JUMP_EQUAL, libc::SYS_clone3 as u32, 0, 1));
    program.push(statement(RETURN, errno(libc::ENOSYS)));
    let namespaces = (JUMP_SET, NAMESPACES);
    test_argument(
        &mut program,
        libc::SYS_clone,
        OFFSET_FIRST_ARGUMENT,
        namespaces,
    );
    test_argument(
        &mut program,
        libc::SYS_unshare,
        OFFSET_FIRST_ARGUMENT,
        namespaces,
    );
    // Typing into the user's terminal.
    program.push(jump(JUMP_EQUAL, libc::SYS_ioctl as u32, 0, 5));
    program.push(statement(LOAD_WORD, OFFSET_SECOND_ARGUMENT));
    program.push(jump(JUMP_EQUAL, libc::TIOCSTI as u32, 1, 0));
    program.push(jump(JUMP_EQUAL, libc::TIOCLINUX as u32, 0, 1));
    program.push(statement(RETURN, errno(libc::EPERM)));
    program.push(statement(RETURN, ALLOW));
    program.push(statement(RETURN, ALLOW));
    program
}

/// Installs the filter for this process and all that it starts.
pub fn install() -> Result<()> {
    let mut filter = program();
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the program points to `filter`, which outlives the call; the kernel copies it.
    sys::check(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) })
        .map(drop)
        .context(|| "install the system call filter".into())
}
