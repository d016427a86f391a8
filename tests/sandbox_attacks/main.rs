//! The promises of `docs/SECURITY.md`, each attacked from the inside. One suite; it runs over the host and over a root
//! file system, as root, as a user with subordinate ids and as a user without. Where one of these is not possible on
//! a machine, the test says so loudly.

mod files;
mod kernel;
mod processes;
#[path = "../sandbox_support/mod.rs"]
mod sandbox_support;

use envc::sandbox::{Backend, Base, Sandbox};
use files::{files_outside, secrets, sockets};
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
        ("privileges", |s, _| kernel::privileges(s)),
        ("system calls", |s, _| kernel::system_calls(s)),
        ("devices", |s, _| kernel::devices(s)),
        ("kernel files", |s, _| kernel::kernel_files(s)),
        ("set-user-id programs", |s, _| {
            kernel::set_user_id_programs(s)
        }),
        ("other processes", |s, _| processes::other_processes(s)),
        ("files outside", files_outside),
        ("sockets", sockets),
        ("own program", |_, place| processes::own_program(place)),
        ("survivors", |s, _| processes::survivors(s)),
        ("descriptors", |s, _| processes::descriptors(s)),
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
