//! Properties of the index as a whole: order, damage, other releases, arbitrary input.

use std::borrow::Cow;
use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

#[test]
fn the_best_comes_first_and_no_package_twice() {
    let index = Index::embedded();
    for text in [
        "header:curl/curl.h",
        "cmd:make",
        "lib:blas",
        "cmake:LLVM",
        "header:SDL.h",
    ] {
        let found = index.providers(&text.parse().unwrap());
        assert!(found.len() > 1, "{text}");
        let names: HashSet<&str> = found.iter().map(|c| c.package.as_str()).collect();
        assert_eq!(names.len(), found.len(), "{text}");
        assert!(
            found.windows(2).all(|two| two[0].score >= two[1].score),
            "{text}: {found:?}"
        );
    }
}

/// Alternatives, one of which a build would take: each is named once, and one is the answer.
#[test]
fn a_name_that_forty_packages_have_gives_one_answer_and_few_runners_up() {
    let mut builder = Builder::new();
    let list: Vec<String> = (0..40)
        .map(|at| format!("libdevel/libfoo{at}-dev"))
        .collect();
    let contents = format!("usr/include/foo.h  {}\n", list.join(","));
    builder.add_contents(contents.as_bytes()).unwrap();
    let index = Index::from_bytes(Cow::Owned(builder.finish("testing").unwrap())).unwrap();
    let found = index.providers(&"header:foo.h".parse().unwrap());
    let names: HashSet<&str> = found.iter().map(|c| c.package.as_str()).collect();
    assert_eq!((found.len(), names.len()), (40, 40));
    let text = answer(&index, "foo.h", Manager::Apt).to_string();
    assert!(
        text.starts_with("foo.h: libfoo") && text.lines().count() < 10,
        "{text}"
    );
}

#[test]
fn a_damaged_index_is_an_error_or_empty_and_never_a_panic() {
    let whole = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/debian-bookworm.idx"
    ))
    .unwrap();
    assert!(Index::from_bytes(Cow::Borrowed(b"")).is_err());
    assert!(Index::from_bytes(Cow::Owned(whole[..100].to_vec())).is_err());
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    let cut = Index::from_bytes(Cow::Owned(cut)).unwrap();
    assert!(cut.check().unwrap_err().to_string().contains("cut off"));
    assert!(cut.providers(&"cmd:meson".parse().unwrap()).is_empty());
    let mut spoilt = whole;
    for at in (2000..spoilt.len()).step_by(97) {
        spoilt[at] ^= 0x5a;
    }
    let spoilt = Index::from_bytes(Cow::Owned(spoilt)).unwrap();
    assert!(spoilt.check().unwrap_err().to_string().contains("checksum"));
    assert!(
        spoilt
            .providers(&"header:zlib.h".parse().unwrap())
            .is_empty()
    );
}

#[test]
fn an_index_of_another_architecture_is_refused() {
    let whole = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/debian-bookworm.idx"
    ))
    .unwrap();
    assert!(Index::from_bytes(Cow::Borrowed(&[])).is_err());
    let at = whole.windows(5).position(|five| five == b"amd64").unwrap();
    let mut other = whole;
    other[at..at + 5].copy_from_slice(b"arm64");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), other).unwrap();
    let error = Index::from_file(file.path()).err().unwrap();
    assert!(error.to_string().contains("arm64"), "{error}");
}

#[test]
fn an_index_is_built_from_small_lists() {
    let mut builder = Builder::new();
    let contents = "usr/include/foo.h  libdevel/libfoo1.2-dev\nusr/bin/foo  utils/foo\n\
                    usr/include/stdio.h  libdevel/libc6-dev\nbroken\n\u{fffd}\n";
    builder.add_contents(contents.as_bytes()).unwrap();
    builder
        .add_packages("Package: libfoo-dev\nDepends: libfoo1.2-dev (= 1)\n".as_bytes())
        .unwrap();
    builder
        .add_sources("Package: x\nBuild-Depends: libfoo-dev\n".as_bytes())
        .unwrap();
    let index = Index::from_bytes(Cow::Owned(builder.finish("testing").unwrap())).unwrap();
    assert_eq!(index.release(), "testing");
    let first = |text: &str| index.providers(&text.parse().unwrap())[0].clone();
    assert_eq!(first("header:foo.h").package, "libfoo-dev");
    assert_eq!(first("header:foo.h").path, "usr/include/foo.h");
    assert_eq!(first("cmd:foo").package, "foo");
    assert!(matches!(
        Builder::new().finish("none"),
        Err(BuildError::Empty(_))
    ));
}

#[test]
fn another_release_is_served_by_the_embedded_index_and_says_so() {
    let other = BaseFacts {
        release: "no-such-release".to_owned(),
        ..base_by_id("debian-trixie").unwrap().clone()
    };
    assert!(Index::for_base(&other).is_approximate());
    assert!(!Index::for_base(base_by_id("debian-bookworm").unwrap()).is_approximate());
    assert_eq!(cache_path("debian", "../../etc"), None);
}

/// The index must hold what bookworm has, not a part of it: loose bounds around the counts of 2026.
#[test]
fn the_embedded_index_is_whole() {
    let counts = Index::embedded().counts();
    for (kind, least) in [
        ("header", 150_000),
        ("pc", 4_000),
        ("cmake", 1_500),
        ("lib", 10_000),
        ("cmd", 40_000),
        ("m4", 500),
        ("py", 5_000),
    ] {
        assert!(counts[kind] > least, "{kind}: {}", counts[kind]);
    }
}

proptest! {
    #[test]
    fn no_subject_panics(prefix in "header|pc|cmake|lib|cmd|m4|py|pkg", subject in "\\PC{1,40}|[a-z./*+_-]{1,30}") {
        if let Ok(capability) = format!("{prefix}:{subject}").parse::<Capability>() {
            let index = Index::embedded();
            let _ = index.providers(&capability);
            let _ = explain(&index, &capability);
            let _ = is_standard_header(&subject);
            for manager in Manager::ALL {
                let _ = native_requirement(&capability, manager);
            }
        }
    }

    #[test]
    fn no_os_release_panics(text in "(ID|ID_LIKE|VERSION_ID|VERSION_CODENAME)=[a-z0-9.\" ]{0,12}\n(\\PC{0,40}\n){0,4}") {
        let _ = base_of_os_release(&text);
    }

    #[test]
    fn no_line_of_a_contents_file_panics(line in "\\PC{0,60}|usr/(include|lib|bin)/[a-z0-9./]{0,40} [a-z/,]{0,20}") {
        let mut builder = Builder::new();
        prop_assert!(builder.add_contents(line.as_bytes()).is_ok());
    }
}
