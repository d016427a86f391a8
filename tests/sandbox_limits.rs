//! Limits of a command, each passed on purpose, with control groups and without.

mod sandbox_support;

use std::time::{Duration, Instant};

use envc::sandbox::{Backend, Base, Network, NetworkPolicy, Outcome, Sandbox, create};
use sandbox_support::*;

fn sandbox() -> (tempfile::TempDir, Box<dyn Sandbox>) {
    let store = tempfile::Builder::new()
        .prefix("envc-limits-")
        .tempdir()
        .unwrap();
    let sandbox = make(Backend::Overlay, &Base::Host, store.path());
    (store, sandbox)
}

/// Takes memory in steps of a megabyte that are written to; gives up at 400.
const HUNGRY: &str = "exec perl -e 'my @a; for (1..400) { push @a, \"x\" x (1 << 20); select(undef, undef, undef, 0.01) } sleep 5'";

#[test]
fn memory() {
    let (_store, mut sandbox) = sandbox();
    let mut hungry = shell(HUNGRY);
    hungry.limits.memory = 100 << 20;
    let (finished, output) = run(&mut *sandbox, &hungry);
    assert_eq!(finished.outcome, Outcome::OutOfMemory, "{output}");
    // A child's death is the command's, where the command fails for it; and not where it does not.
    let mut parent = shell(&format!("({HUNGRY}); echo still here; exit 3"));
    parent.limits.memory = 100 << 20;
    let (finished, output) = run(&mut *sandbox, &parent);
    assert_eq!(finished.outcome, Outcome::OutOfMemory, "{output}");
    let (finished, _) = run(&mut *sandbox, &shell("true"));
    assert_eq!(finished.outcome, Outcome::Exited(0));
    // Files in memory are memory.
    let mut files = shell("head -c 300M /dev/zero > /dev/shm/x; head -c 300M /dev/zero > /run/x");
    files.limits.memory = 100 << 20;
    let (finished, _) = run(&mut *sandbox, &files);
    assert!(!finished.outcome.ok(), "{finished:?}");
}

#[test]
fn open_files() {
    let (_store, mut sandbox) = sandbox();
    let mut greedy = shell(
        "perl -e 'my @f; while (open(my $f, \"<\", \"/dev/null\")) { push @f, $f } print scalar(@f)'",
    );
    greedy.limits.open_files = 50;
    let count: u64 = run(&mut *sandbox, &greedy).1.parse().unwrap();
    assert!((40..50).contains(&count), "{count}");
    // No more than this machine allows.
    let limits = ok(&mut *sandbox, "ulimit -Hn; ulimit -Hc");
    let (files, core) = limits.split_once('\n').unwrap();
    assert!(
        (51..=1 << 16).contains(&files.parse::<u64>().unwrap()),
        "{files}"
    );
    assert_eq!(core, "0");
}

#[test]
fn disk() {
    let (store, mut sandbox) = sandbox();
    let start = Instant::now();
    let mut full = shell("i=0; while :; do i=$((i+1)); head -c 5M /dev/zero > /tmp/f$i; done");
    full.limits.disk = 200 << 20;
    let (finished, _) = run(&mut *sandbox, &full);
    assert_eq!(finished.outcome, Outcome::DiskLimit);
    assert!(start.elapsed() < Duration::from_secs(50));
    // A file without a name is on the disk all the same.
    let mut nameless =
        shell("exec 3> /tmp/x; rm /tmp/x; while :; do head -c 5M /dev/zero >&3; done");
    nameless.limits.disk = 100 << 20;
    let (finished, _) = run(&mut *sandbox, &nameless);
    assert_eq!(finished.outcome, Outcome::DiskLimit);
    sandbox.reset().unwrap();
    // What is within the limit is nobody's business.
    let mut little = shell("head -c 20M /dev/zero > /tmp/little; sleep 0.3");
    little.limits.disk = 200 << 20;
    assert_eq!(run(&mut *sandbox, &little).0.outcome, Outcome::Exited(0));
    drop(sandbox);
    drop(store);
}

#[test]
fn grace() {
    let (_store, mut sandbox) = sandbox();
    // Asked, and given the time to finish.
    let mut polite =
        shell("trap 'sleep 0.3; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.1; done");
    polite.limits.wall = Duration::from_millis(600);
    let (finished, output) = run(&mut *sandbox, &polite);
    assert_eq!(finished.outcome, Outcome::TimedOut);
    assert!(output.ends_with("saved\n"), "{output}");
    assert!(finished.wall < Duration::from_secs(2), "{finished:?}");
    // Who does not listen is not asked twice.
    let time = unique_sleep();
    let mut deaf = shell(&format!(
        "trap '' TERM; echo ready; while :; do sleep {time}; done"
    ));
    deaf.limits.wall = Duration::from_millis(600);
    deaf.limits.grace = Duration::from_millis(700);
    let (finished, _) = run(&mut *sandbox, &deaf);
    assert_eq!(finished.outcome, Outcome::TimedOut);
    assert!(
        (Duration::from_millis(1200)..Duration::from_secs(4)).contains(&finished.wall),
        "{finished:?}"
    );
    assert_eq!(processes_with(&time), [] as [u32; 0]);
}

#[test]
fn silence_and_floods() {
    let (_store, mut sandbox) = sandbox();
    let mut flood = command(&["yes"]);
    flood.limits.output = 1 << 20;
    let start = Instant::now();
    let (finished, output) = run(&mut *sandbox, &flood);
    assert_eq!(finished.outcome, Outcome::OutputLimit);
    assert_eq!(output.len(), 1 << 20);
    assert!(start.elapsed() < Duration::from_secs(10));
    let mut silent = shell("trap '' TERM; sleep 600");
    silent.limits.silence = Some(Duration::from_millis(300));
    silent.limits.grace = Duration::ZERO;
    assert_eq!(run(&mut *sandbox, &silent).0.outcome, Outcome::Silent);
}

#[test]
fn network_policy() {
    let store = tempfile::tempdir().unwrap();
    let interfaces = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' \\n'";
    let mut seen = Vec::new();
    for policy in [
        NetworkPolicy::Full,
        NetworkPolicy::InstallOnly,
        NetworkPolicy::None,
    ] {
        let mut options = options(store.path());
        options.network = policy;
        let mut sandbox = create(Backend::Overlay, &Base::Host, &options).unwrap();
        for network in [Network::Full, Network::Judged, Network::None] {
            let mut command = shell(interfaces);
            command.network = network;
            seen.push(run(&mut *sandbox, &command).1 == "lo");
        }
        // Loopback is up, its low ports are free, and nobody else is on it.
        let mut alone = shell(
            "perl -MSocket -e 'socket(S, 2, 1, 0); bind(S, pack_sockaddr_in(80, INADDR_LOOPBACK)) or die $!; listen(S, 1); socket(C, 2, 1, 0); connect(C, pack_sockaddr_in(80, INADDR_LOOPBACK)) or die $!; print \"ok\"'",
        );
        alone.network = Network::None;
        assert_eq!(run(&mut *sandbox, &alone).1, "ok");
    }
    let own = std::fs::read_to_string("/proc/net/dev").unwrap();
    if own.lines().count() <= 3 {
        eprintln!("SKIPPED: this machine has no network but loopback");
        return;
    }
    assert_eq!(
        seen,
        [false, false, true, false, true, true, true, true, true]
    );
}

/// Not a test by itself: the same limits where this user can make no control group.
#[test]
#[ignore = "run as another user"]
fn without_control_groups() {
    memory_without_groups();
    processes_without_groups();
    disk();
    grace();
    open_files();
}

fn memory_without_groups() {
    let (_store, mut sandbox) = sandbox();
    let mut hungry = shell(&format!("({HUNGRY}) & ({HUNGRY}) & wait"));
    hungry.limits.memory = 150 << 20;
    let (finished, output) = run(&mut *sandbox, &hungry);
    assert_eq!(finished.outcome, Outcome::OutOfMemory, "{output}");
}

fn processes_without_groups() {
    let (_store, mut sandbox) = sandbox();
    let mut many = shell(
        "exec perl -e '$| = 1; my $n = 0; while (1) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++; last if $n > 500 } print $n'",
    );
    many.limits.processes = 60;
    let (finished, output) = run(&mut *sandbox, &many);
    println!("{finished:?} {output}");
    let count: u64 = output.parse().unwrap_or(0);
    assert!((20..=60).contains(&count), "{output}");
}

#[test]
fn as_a_user_with_subordinate_ids() {
    let user = users::with_subordinate_ids();
    users::test_as(user, "with subordinate ids", "without_control_groups", &[]);
}

#[test]
fn as_a_user_without_subordinate_ids() {
    let user = users::without_subordinate_ids();
    users::test_as(
        user,
        "without subordinate ids",
        "without_control_groups",
        &[],
    );
}
