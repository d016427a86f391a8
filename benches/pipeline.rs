//! Stages 1 and 2 on made-up repositories: `cargo bench`. Whole processes on real trees: `benchmarks/scan-speed`.

use std::fs;
use std::path::Path;

use divan::Bencher;
use envc::graph::{Cache, build, build_with, find_definitions};
use envc::scan::{Repository, ScanOptions, Stamp, scan, scan_with};

/// Files of a repository, in eight languages.
const SIZES: [usize; 3] = [80, 800, 4000];

fn main() {
    divan::main();
}

/// A tree of `count` source files of a usual length.
fn tree(count: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for at in 0..count {
        let (path, head, line) = match at % 8 {
            0 => (
                "c",
                format!("#include <lib{at}.h>\n#ifdef A\n#include \"own.h\"\n#endif\n"),
                "int f(int a) { return a + 1; }\n",
            ),
            1 => (
                "py",
                format!("import lib{at}\ntry:\n    import b\nexcept ImportError:\n    b = None\n"),
                "def f(a):\n    return [a, 1]\n",
            ),
            2 => (
                "rs",
                format!("use lib{at}::Thing;\n"),
                "pub fn f(a: u32) -> u32 { a + 1 }\n",
            ),
            3 => (
                "go",
                format!("package p\n\nimport \"example.org/lib{at}\"\n"),
                "func f(a int) int { return a + 1 }\n",
            ),
            4 => (
                "ts",
                format!("import {{ x }} from \"lib{at}\";\n"),
                "export function f(a: number): number { return a + 1; }\n",
            ),
            5 => (
                "java",
                format!("import org.lib{at}.Thing;\nclass A {{\n"),
                "  int f(int a) { return a + 1; }\n",
            ),
            6 => (
                "cpp",
                format!("#include <lib{at}>\n"),
                "template <typename T> T f(T a) { return a; }\n",
            ),
            _ => ("sh", "source lib.sh\n".to_owned(), "echo \"$a\" | sort\n"),
        };
        let file = dir.path().join(format!("d{}/f{at}.{path}", at / 50));
        let text = head + &line.repeat(200);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(file, text).expect("a file");
    }
    dir
}

fn scanned(root: &Path) -> Repository {
    scan(root, &ScanOptions::default()).expect("a repository")
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn scanning(bencher: Bencher, count: usize) {
    let dir = tree(count);
    bencher.bench(|| scanned(dir.path()));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn graph_cold(bencher: Bencher, count: usize) {
    let dir = tree(count);
    let repository = scanned(dir.path());
    bencher.bench(|| build(&repository));
}

/// Scan and graph with what an earlier run left.
#[divan::bench(args = SIZES, sample_count = 10)]
fn scan_and_graph_warm(bencher: Bencher, count: usize) {
    let dir = tree(count);
    let stores = tempfile::tempdir().expect("a temporary directory");
    // Files of this very moment are not believed by their times.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let run = || {
        let cache = Cache::open_in(dir.path(), stores.path());
        let known = |path: &str, stamp: &Stamp| cache.head(path, stamp);
        let repository =
            scan_with(dir.path(), &ScanOptions::default(), &known).expect("a repository");
        let graph = build_with(&repository, &cache);
        cache.save(&repository);
        (graph, cache.usage().parsed)
    };
    run();
    assert_eq!(run().1, 0, "nothing is parsed twice");
    bencher.bench(run);
}

/// Every file holds the name, so that all are parsed: the syntax stage alone.
#[divan::bench(args = [80, 800], sample_count = 10)]
fn definitions_of_a_name(bencher: Bencher, count: usize) {
    let dir = tree(count);
    let repository = scanned(dir.path());
    bencher.bench(|| find_definitions(&repository, "f"));
}
