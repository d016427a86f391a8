//! `envc which`, `envc deps` and `envc index` as a user runs them.

use std::path::Path;
use std::process::{Command, Output};

fn envc(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_envc"))
        .args(args)
        .current_dir(dir)
        .env("XDG_CACHE_HOME", dir.join("cache"))
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let list = "project(demo C)\noption(WITH_PNG \"\" OFF)\nfind_package(ZLIB REQUIRED)\nif(WITH_PNG)\nfind_package(PNG REQUIRED)\nendif()\nadd_executable(demo main.c)\n";
    std::fs::write(dir.path().join("CMakeLists.txt"), list).unwrap();
    std::fs::write(dir.path().join("main.c"), "#include <zlib.h>\n").unwrap();
    dir
}

#[test]
fn which_names_the_package_or_says_that_there_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let found = envc(
        &[
            "which",
            "--base",
            "image:debian:bookworm",
            "zlib.h",
            "-lssl",
            "Qt5",
        ],
        dir.path(),
    );
    assert_eq!(found.status.code(), Some(0));
    for line in [
        "apt-get install -y --no-install-recommends zlib1g-dev",
        "libssl-dev",
        "qtbase5-dev",
    ] {
        assert!(text(&found).contains(line), "{}", text(&found));
    }
    let nowhere = envc(
        &["which", "--base", "image:debian:bookworm", "zlibb.h"],
        dir.path(),
    );
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(
        text(&nowhere).contains("close names: zlib.h"),
        "{}",
        text(&nowhere)
    );
    let json = envc(
        &[
            "which",
            "--base",
            "image:debian:bookworm",
            "--json",
            "png.h",
        ],
        dir.path(),
    );
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        value[0]["found"][0]["candidates"][0]["package"],
        "libpng-dev"
    );
}

#[test]
fn deps_lists_needs_by_format_and_feature() {
    let dir = project();
    let base = ["--base", "image:debian:bookworm"];
    let with = |more: &[&str]| envc(&[&["deps"], more, &base[..]].concat(), dir.path());
    assert!(
        text(&with(&[]))
            .contains("zlib1g-dev  CMakeLists.txt:3 cmake:ZLIB; main.c:1 #include <zlib.h>"),
        "{}",
        text(&with(&[]))
    );
    let apt = text(&with(&["--format", "apt", "--features", "png"]));
    assert!(
        apt.starts_with("apt-get install") && apt.contains(" libpng-dev"),
        "{apt}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&with(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json["schema"], "envc.needs/1");
    let unknown = with(&["--features", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("WITH_PNG"));
    let missing = text(&with(&["--missing", "--format", "apt"]));
    assert!(!missing.contains("no-such"), "{missing}");
}

#[test]
fn a_damaged_index_is_named_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache/envc/index");
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::write(cache.join("debian-trixie.idx"), "ENVCIDX1 no index").unwrap();
    let info = envc(&["index", "info"], dir.path());
    assert_eq!(info.status.code(), Some(1));
    assert!(
        text(&info).contains("debian-trixie.idx: not a sound index"),
        "{}",
        text(&info)
    );
    let which = envc(
        &["which", "--base", "image:debian:trixie", "zlib.h"],
        dir.path(),
    );
    assert!(text(&which).contains("zlib1g-dev"), "{}", text(&which));
}
