//! Many short runs of `envc build`, each ended at random by success, failure, a signal, a limit or a full disk. After
//! the next good run nothing of them is left. `benchmarks/sandbox-soak` runs a thousand; `cargo test` a few.

mod cli_support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cli_support::*;

/// How a run is made to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Success,
    Failure,
    Interrupt,
    Terminate,
    Kill,
    KillHolder,
    OutOfMemory,
    TimeOut,
    DiskLimit,
    FullDisk,
}

const ENDS: [End; 10] = [
    End::Success,
    End::Failure,
    End::Interrupt,
    End::Terminate,
    End::Kill,
    End::KillHolder,
    End::OutOfMemory,
    End::TimeOut,
    End::DiskLimit,
    End::FullDisk,
];

/// No run may take longer, however it ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// xorshift: the same sequence for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn number(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn soak() {
    if !can_build() {
        return;
    }
    let runs = number("ENVC_SOAK_RUNS", 20);
    let seed = number("ENVC_SOAK_SEED", u64::from(std::process::id()) + 1);
    println!("{runs} runs with ENVC_SOAK_SEED={seed}");
    let mut random = Random(seed);
    let scene = Scene::of("make-words");
    fs::create_dir(scene.path().join("tmp")).unwrap();
    let before = Machine::look();
    let mut seen: BTreeMap<End, u64> = BTreeMap::new();
    let started = Instant::now();
    for run in 0..runs {
        // Each kind once before any chance.
        let pick = if run < ENDS.len() as u64 {
            run
        } else {
            random.below(ENDS.len() as u64)
        };
        let end = ENDS[pick as usize];
        *seen.entry(end).or_default() += 1;
        one(&scene, end, &mut random);
        journal_is_readable(&scene);
        if run % 50 == 49 {
            println!("{} runs in {:?}", run + 1, started.elapsed());
            nothing_left(&scene, &before);
        }
    }
    nothing_left(&scene, &before);
    println!("{runs} runs in {:?}: {seen:?}", started.elapsed());
}

fn one(scene: &Scene, end: End, random: &mut Random) {
    let recipe = match end {
        End::Success => "sh ./test.sh",
        End::Failure => "exit 3",
        End::Interrupt | End::Terminate | End::Kill | End::KillHolder => {
            "(setsid sleep 600 &) ; echo ok 1; sleep 0.4; sh ./test.sh"
        }
        End::OutOfMemory => "perl -e 'my @a; push @a, \"x\" x (1 << 20) for 1..600; sleep 5'",
        End::TimeOut => "trap '' TERM; sleep 600",
        End::DiskLimit => "head -c 300M /dev/zero > zeros; sleep 1",
        End::FullDisk => "head -c 30M /dev/zero > zeros && sh ./test.sh",
    };
    let makefile = format!("words: words.c\n\t$(CC) -o $@ words.c\n\ntest: words\n\t{recipe}\n");
    scene.write("Makefile", &makefile);
    let small = (end == End::FullDisk)
        .then(|| Small::mount(scene.path().join("small"), 64 + random.below(20_000)));
    let mut command = scene.envc(&["build", "--base", "host", "--certify", "none", "repo"]);
    command
        .args(["--memory", "200M", "--disk", "100M", "--attempts", "1"])
        .args(["--timeout", if end == End::TimeOut { "1s" } else { "60s" }])
        .env("TMPDIR", scene.path().join("tmp"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(small) = &small {
        command.env("XDG_CACHE_HOME", &small.0);
    }
    let mut child = command.spawn().unwrap();
    let delay = Duration::from_millis(random.below(1800));
    match end {
        End::Interrupt => signal(&child, libc::SIGINT, delay),
        End::Terminate => signal(&child, libc::SIGTERM, delay),
        End::Kill => signal(&child, libc::SIGKILL, delay),
        End::KillHolder => {
            std::thread::sleep(delay);
            kill_helpers(scene.path());
        }
        _ => {}
    }
    let (code, err) = wait(&mut child, end);
    let expected: &[Option<i32>] = match end {
        End::Success => &[Some(0)],
        End::Failure | End::OutOfMemory | End::TimeOut => &[Some(1)],
        End::DiskLimit => &[Some(1), Some(75)],
        End::Interrupt | End::Terminate => &[Some(0), Some(130), Some(143), None],
        // A run that ends before its signal is as good as any; the others may end in any way but by hanging.
        End::Kill | End::KillHolder | End::FullDisk => return,
    };
    assert!(expected.contains(&code), "{end:?}: {code:?}\n{err}");
}

fn signal(child: &Child, signal: i32, delay: Duration) {
    std::thread::sleep(delay);
    // SAFETY: the child has not been waited for, so its id is its own.
    unsafe {
        libc::kill(child.id() as i32, signal);
    }
}

/// Ends the holder and other helpers of this scene outright, as the kernel does when memory is short.
fn kill_helpers(dir: &Path) {
    for pid in processes_in(dir) {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains("__sandbox") {
            // SAFETY: a helper of this test's own run.
            unsafe {
                libc::kill(pid as i32, libc::SIGKILL);
            }
        }
    }
}

fn wait(child: &mut Child, end: End) -> (Option<i32>, String) {
    let start = Instant::now();
    let mut stderr = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = std::io::Read::read_to_string(&mut stderr, &mut text);
        text
    });
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), reader.join().unwrap());
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{end:?}: still running after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn journal_is_readable(scene: &Scene) {
    let Ok(text) = fs::read_to_string(scene.repo.join(".envc/journal.jsonl")) else {
        return;
    };
    for line in text.lines() {
        serde_json::from_str::<serde_json::Value>(line)
            .unwrap_or_else(|error| panic!("{error} in {line:?}"));
    }
}

/// What a run may not leave on a machine.
#[derive(Debug, PartialEq)]
struct Machine {
    loops: usize,
}

impl Machine {
    fn look() -> Self {
        let loops = fs::read_dir("/sys/block").into_iter().flatten().flatten();
        Self {
            loops: loops
                .filter(|entry| entry.path().join("loop/backing_file").exists())
                .count(),
        }
    }
}

fn nothing_left(scene: &Scene, before: &Machine) {
    // The next start.
    scene.write(
        "Makefile",
        "words: words.c\n\t$(CC) -o $@ words.c\n\ntest: words\n\tsh ./test.sh\n",
    );
    scene.build(&[]).code(0);
    scene.assert_nothing_left();
    assert_eq!(&Machine::look(), before);
    assert_eq!(dead_groups(), [] as [PathBuf; 0]);
    assert_eq!(names(&scene.path().join("tmp")), [""; 0]);
    assert_eq!(names(&scene.path().join("small")), [""; 0]);
    let mut artifacts = names(&scene.repo.join(".envc"));
    let unfinished =
        |name: &str| name.contains("tmp") || name.contains("new") || name.starts_with('.');
    artifacts.retain(|name| unfinished(name) && name != ".gitignore");
    assert_eq!(artifacts, [""; 0]);
    let known = ["sandboxes", "caches", "bases"];
    for name in names(&scene.store()) {
        let unfinished = name.contains("tmp") || name.contains(".new");
        assert!(!unfinished, "{name} in the store, known are {known:?}");
    }
}

/// Control groups of envc's runs that are over. (Those of other runs on this machine are their own affair.)
fn dead_groups() -> Vec<PathBuf> {
    walkdir::WalkDir::new("/sys/fs/cgroup")
        .max_depth(6)
        .into_iter()
        .flatten()
        .map(|entry| entry.into_path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            let id = name.and_then(|name| name.strip_prefix("envc-"));
            let pid = id.and_then(|id| id.split('-').next());
            pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists())
        })
        .collect()
}

/// A file system of some KiB, unmounted at the end: which fails where something holds it.
struct Small(PathBuf);

impl Small {
    fn mount(at: PathBuf, kilobytes: u64) -> Self {
        fs::create_dir_all(&at).unwrap();
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "none"])
            .arg(&at)
            .status();
        assert!(done.is_ok_and(|status| status.success()));
        Self(at)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let free = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let done = Command::new("umount")
                .arg(&self.0)
                .stderr(Stdio::null())
                .status();
            done.is_ok_and(|status| status.success())
        });
        if !free && !std::thread::panicking() {
            panic!("something holds the full disk");
        }
    }
}
