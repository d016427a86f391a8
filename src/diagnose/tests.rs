use super::{At, Attribution, diagnose, ranked};
use crate::sandbox::Outcome;

fn at(own: &[String]) -> At<'_> {
    At {
        layer: Some(5),
        step: Some("./build"),
        argv: &[],
        outcome: Outcome::Exited(2),
        own_modules: own,
    }
}

#[test]
fn the_cause_in_the_middle_of_a_long_log() {
    let mut log = String::from("checking for zlib.h... no\nchecking for foo... no\n");
    for n in 0..1_000 {
        log.push_str(&format!(
            "[{n}/2000] cc -O2 -Wall -c src/f{n}.c -o f{n}.o\n"
        ));
    }
    log.push_str("src/png.c:3:10: fatal error: png.h: No such file or directory\n    3 | #include <png.h>\ncompilation terminated.\n");
    for n in 1_000..2_000 {
        log.push_str(&format!(
            "src/f{n}.c:9:5: warning: unused variable 'x' [-Wunused-variable]\n"
        ));
    }
    log.push_str(
        "make[1]: *** [Makefile:40: all] Error 2\nmake: *** [Makefile:12: all-recursive] Error 1\n",
    );
    let failure = diagnose(&log, &at(&[]));
    assert_eq!(failure.kind, "missing-header");
    assert_eq!(failure.position, 1_002);
    assert_eq!(
        failure.missing.as_ref().unwrap().to_string(),
        "header:png.h"
    );
    assert!(failure.lines[1].contains("png.h: No such file"));
}

#[test]
fn nothing_known_is_said_to_be_unknown() {
    let failure = diagnose("all is odd\nend", &at(&[]));
    assert_eq!(failure.kind, "unknown");
    assert_eq!(failure.attribution, Attribution::Unknown);
    assert_eq!(failure.lines, ["all is odd", "end"]);
    assert_eq!(failure.position, 1);
    let silent = diagnose("", &at(&[]));
    assert_eq!(silent.kind, "unknown");
    assert!(silent.lines.is_empty());
}

#[test]
fn a_hundred_megabytes_are_read_in_seconds() {
    let line =
        "[ 42%] Building CXX object src/CMakeFiles/app.dir/main.cpp.o with many flags and words\n";
    let mut log = line.repeat((100 << 20) / line.len());
    log.push_str("main.cpp:1:10: fatal error: boost/any.hpp: No such file or directory\n");
    let start = std::time::Instant::now();
    let failure = diagnose(&log, &at(&[]));
    assert_eq!(failure.kind, "missing-header");
    assert_eq!(failure.position, log.lines().count() - 1);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn a_line_repeated_without_end_is_bounded() {
    let log = "sh: 1: flex: not found\nx.c:1:1: error: expected ';'\n".repeat(200_000);
    assert!(!ranked(&log, &at(&[])).is_empty());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_is_diagnosed(text in "(?s).{0,400}") {
        let failure = diagnose(&text, &at(&["pkg".to_owned()]));
        proptest::prop_assert!(!failure.kind.is_empty());
    }

    #[test]
    fn pieces_of_real_messages_are_safe(pieces in proptest::collection::vec(
        proptest::sample::select(vec!["fatal error: ", "No such file or directory", "ModuleNotFoundError: No module named '", "'", "\n", "CMake Error", "é", "\u{1b}[0m", ":", "cannot find -l", "Could NOT find ", "\r"]), 0..40)) {
        let text = pieces.concat();
        let _ = ranked(&text, &at(&["é".to_owned()]));
    }
}
