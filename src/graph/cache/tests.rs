//! Whole caches: what is parsed again after a change, and what of a store is believed.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;
use crate::graph::build_with;
use crate::scan::{ScanOptions, scan_with};

struct Case {
    dir: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for at in 0..40 {
            case.put(&format!("src/f{at}.c"), &format!("#include <lib{at}.h>\n"));
        }
        case.put("a.py", "import numpy\n");
        case.put("b.go", "package b\nimport \"x.example/y\"\n");
        case
    }

    fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("tree")
    }

    fn stores(&self) -> std::path::PathBuf {
        self.dir.path().join("stores")
    }

    /// Writes a file as it would look some time ago, so that its time is trusted.
    fn put(&self, path: &str, text: &str) {
        self.put_at(path, text, SystemTime::now() - Duration::from_secs(60));
    }

    fn put_at(&self, path: &str, text: &str, time: SystemTime) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }

    /// One run: what was used of the cache, and the graph.
    fn run(&self) -> (CacheUse, String) {
        // The time of the last change of a file's data cannot be set: it has to grow old.
        std::thread::sleep(Duration::from_nanos(2 * TICK as u64));
        let cache = Cache::open_in(&self.root(), &self.stores());
        self.run_with(&cache)
    }

    fn run_with(&self, cache: &Cache) -> (CacheUse, String) {
        let known = |path: &str, stamp: &Stamp| cache.head(path, stamp);
        let repository = scan_with(&self.root(), &ScanOptions::default(), &known).unwrap();
        let graph = build_with(&repository, cache);
        cache.save(&repository);
        (cache.usage(), serde_json::to_string(&graph).unwrap())
    }

    fn place(&self) -> PathBuf {
        file::place(&self.stores(), &self.root().canonicalize().unwrap())
    }
}

fn used(opened: usize, parsed: usize) -> CacheUse {
    CacheUse { opened, parsed }
}

#[test]
fn after_one_change_only_that_file_is_parsed_again() {
    let case = Case::new();
    let (first, graph) = case.run();
    assert_eq!(first, used(42, 42));
    let (second, again) = case.run();
    assert_eq!(second, used(0, 0));
    assert_eq!(again, graph);
    case.put("src/f7.c", "#include <other.h>\n");
    let (third, changed) = case.run();
    assert_eq!(third, used(1, 1));
    assert!(changed.contains("other.h") && !changed.contains("lib7.h"));
    let place = case.place();
    assert!(addition_of(&place).exists(), "one change is an addition");
    // The addition is read with its base, and a second one replaces it.
    case.put("src/f8.c", "#include <third.h>\n");
    assert_eq!(case.run().0, used(1, 1));
    let (last, graph) = case.run();
    assert_eq!(last, used(0, 0));
    assert!(graph.contains("other.h") && graph.contains("third.h"));
}

#[test]
fn the_same_content_elsewhere_or_touched_is_not_parsed() {
    let case = Case::new();
    case.run();
    case.put("src/f7.c", "#include <lib7.h>\n");
    fs::rename(
        case.root().join("src/f8.c"),
        case.root().join("src/renamed.c"),
    )
    .unwrap();
    let (usage, graph) = case.run();
    assert_eq!((usage.opened, usage.parsed), (2, 0));
    assert!(graph.contains("src/renamed.c"));
    assert_eq!(case.run().0, used(0, 0));
}

#[test]
fn a_file_that_was_just_written_is_not_believed_by_its_stamp() {
    let case = Case::new();
    // Written in the same tick in which it is read: a second write need not change the stamp.
    case.put_at(
        "now.c",
        "#include <now.h>\n",
        SystemTime::now() + Duration::from_secs(3600),
    );
    case.run();
    let (usage, _) = case.run();
    assert_eq!((usage.opened, usage.parsed), (1, 0));
}

#[test]
fn what_is_asked_of_a_file_counts() {
    let case = Case::new();
    case.run();
    // Third-party code is not asked for tests.
    fs::create_dir(case.root().join("vendor")).unwrap();
    fs::rename(case.root().join("a.py"), case.root().join("vendor/a.py")).unwrap();
    assert_eq!(case.run().0, used(1, 1));
}

#[test]
fn a_damaged_store_counts_as_empty() {
    let case = Case::new();
    let (_, graph) = case.run();
    let place = case.place();
    let whole = fs::read(&place).unwrap();
    let mut damaged: Vec<Vec<u8>> = vec![
        Vec::new(),
        whole[..10].to_vec(),
        whole[..whole.len() - 1].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        b"something else".to_vec(),
    ];
    for at in [0, 20, 40, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        damaged.push(bytes);
    }
    for bytes in damaged {
        fs::write(&place, bytes).unwrap();
        let (usage, again) = case.run();
        assert_eq!(usage.parsed, 42);
        assert_eq!(again, graph);
    }
    // Rebuilt.
    assert_eq!(case.run().0, used(0, 0));
    // An addition to another base is not one to this.
    fs::write(addition_of(&place), &whole).unwrap();
    assert_eq!(case.run().0, used(0, 0));
}

#[test]
fn a_store_of_another_version_or_root_counts_as_empty() {
    let case = Case::new();
    case.run();
    let root = case.root().canonicalize().unwrap();
    let bytes = fs::read(case.place()).unwrap();
    assert!(Table::decode(bytes.clone(), *VERSION, &root).is_some());
    assert!(Table::decode(bytes.clone(), *VERSION ^ 1, &root).is_none());
    assert!(Table::decode(bytes, *VERSION, Path::new("/elsewhere")).is_none());
}

#[test]
fn nowhere_to_keep_it_is_no_error() {
    let case = Case::new();
    fs::write(case.dir.path().join("file"), "x").unwrap();
    for stores in [case.dir.path().join("file/below"), "/proc/none".into()] {
        let cache = Cache::open_in(&case.root(), &stores);
        assert_eq!(case.run_with(&cache).0.parsed, 42);
    }
    let cache = Cache::disabled();
    assert_eq!(case.run_with(&cache).0.parsed, 42);
    // A directory in the store's place.
    fs::create_dir_all(case.place()).unwrap();
    assert_eq!(case.run().0.parsed, 42);
}

#[test]
fn runs_at_the_same_time_leave_a_whole_store() {
    let case = Case::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    case.run();
                }
            });
        }
    });
    assert_eq!(case.run().0, used(0, 0));
    let left: Vec<_> = fs::read_dir(case.stores()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

#[test]
fn a_file_that_is_gone_leaves_the_store_with_the_next_base() {
    let case = Case::new();
    case.run();
    for at in 0..30 {
        fs::remove_file(case.root().join(format!("src/f{at}.c"))).unwrap();
        case.put(&format!("src/n{at}.c"), "#include <n.h>\n");
    }
    let (usage, graph) = case.run();
    assert!(usage.parsed >= 1 && !graph.contains("lib0.h"));
    let root = case.root().canonicalize().unwrap();
    let table = Table::decode(fs::read(case.place()).unwrap(), *VERSION, &root).unwrap();
    assert_eq!(table.len(), 42);
}
