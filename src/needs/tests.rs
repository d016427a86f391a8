//! Whole answers on small repositories.

use super::*;
use crate::graph::declared;
use crate::scan::scan;

fn of(files: &[(&str, &str)]) -> Needs {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("demo");
    for (path, text) in files {
        let full = root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }
    let repository = scan(&root, &Default::default()).unwrap();
    let graph = declared(&repository);
    let projects = crate::plan::select(&graph, &crate::plan::Constraints::default()).projects;
    needs(&repository, &graph, &Index::embedded(), &projects)
}

fn packages(needs: &Needs, features: &Features) -> String {
    let mut names: Vec<&str> = needs
        .wanted(features)
        .map(|need| need.package.as_str())
        .collect();
    names.sort_unstable();
    names.join(" ")
}

const CMAKE: &[(&str, &str)] = &[
    (
        "CMakeLists.txt",
        "project(demo C)\noption(WITH_PNG \"png\" OFF)\nfind_package(ZLIB REQUIRED)\nfind_package(CURL)\nfind_package(NoSuchThing)\nif(WITH_PNG)\n  find_package(PNG REQUIRED)\nendif()\nadd_executable(demo main.c)\ninclude(CTest)\nadd_subdirectory(tests)\n",
    ),
    (
        "main.c",
        "#include <zlib.h>\n#ifdef HAVE_CURL\n#include <curl/curl.h>\n#endif\n#ifdef _WIN32\n#include <ldap.h>\n#endif\n#include \"own.h\"\n",
    ),
    ("own.h", "#include <expat.h>\n#include \"own.h\"\n"),
    ("unused.c", "#include <sqlite3.h>\n"),
    (
        "tests/CMakeLists.txt",
        "find_package(GTest REQUIRED)\nadd_executable(t t.cc)\nadd_test(NAME t COMMAND t)\n",
    ),
    ("tests/t.cc", "#include <gtest/gtest.h>\n"),
];

#[test]
fn needs_are_grouped_and_say_why() {
    let needs = of(CMAKE);
    insta::assert_snapshot!(format(&needs, &Features::Default, Format::Text), @r##"
    demo: cmake

    required
      zlib1g-dev     CMakeLists.txt:3 cmake:ZLIB; main.c:1 #include <zlib.h>
      libexpat1-dev  own.h:1 #include <expat.h>

    tools
      cmake  CMakeLists.txt:1 cmake project
      make   CMakeLists.txt:1 cmake project
      gcc    CMakeLists.txt:1 language C

    optional
      libcurl4-openssl-dev  CMakeLists.txt:4 cmake:CURL; main.c:3 #include <curl/curl.h>

    test
      libgtest-dev  tests/CMakeLists.txt:1 cmake:GTest; tests/t.cc:1 #include <gtest/gtest.h>

    only with an option (--features)
      libpng-dev  [WITH_PNG] CMakeLists.txt:7 cmake:PNG

    no package provides cmake:NoSuchThing (optional; CMakeLists.txt:5 cmake:NoSuchThing)

    apt-get install -y --no-install-recommends zlib1g-dev libexpat1-dev cmake make gcc libcurl4-openssl-dev libgtest-dev
    "##);
}

#[test]
fn features_choose() {
    let needs = of(CMAKE);
    assert_eq!(
        packages(&needs, &Features::Minimal),
        "cmake gcc libexpat1-dev make zlib1g-dev"
    );
    assert!(packages(&needs, &Features::All).contains("libpng-dev"));
    assert!(packages(&needs, &Features::Named("png".to_owned())).contains("libpng-dev"));
    assert!(!packages(&needs, &Features::Default).contains("libpng-dev"));
    assert!(needs.has_option("WITH_PNG") && !needs.has_option("WITH_X"));
}

#[test]
fn other_managers_are_asked_in_their_own_words() {
    let needs = of(CMAKE);
    insta::assert_snapshot!(format(&needs, &Features::Minimal, Format::Dnf), @"dnf install -y /usr/include/zlib.h /usr/include/expat.h cmake make gcc");
    insta::assert_snapshot!(format(&needs, &Features::Minimal, Format::Dockerfile), @r##"
    FROM debian:bookworm
    RUN apt-get update \
     && apt-get install -y --no-install-recommends \
          cmake \
          gcc \
          libexpat1-dev \
          make \
          zlib1g-dev \
     && rm -rf /var/lib/apt/lists/*
    "##);
    insta::assert_snapshot!(format(&needs, &Features::Minimal, Format::Conan), @r##"
    [requires]
    zlib/[*]
    expat/[*]

    [generators]
    CMakeDeps
    CMakeToolchain
    "##);
}

#[test]
fn the_macros_of_the_repository_are_followed() {
    let needs = of(&[
        (
            "configure.ac",
            "AC_INIT([demo],[1])\nAC_PROG_CC\nMY_LIB(expat, expat.h)\nAC_CHECK_LIB([owfat], [f])\nAX_BOOST_REGEX\nAC_OUTPUT\n",
        ),
        (
            "m4/my.m4",
            "AC_DEFUN([MY_LIB], [AC_CHECK_LIB([$1], [f],, [AC_MSG_ERROR([no $1])])])\n",
        ),
        (
            "Makefile.am",
            "bin_PROGRAMS = demo\ndemo_SOURCES = main.c scan.l\n",
        ),
        ("main.c", "#include <expat.h>\n#include <boost/regex.hpp>\n"),
        ("scan.l", "%%\n%%\n"),
    ]);
    let names = packages(&needs, &Features::Default);
    assert_eq!(
        names,
        "autoconf autoconf-archive flex gcc libboost-dev libboost-regex-dev libexpat1-dev make"
    );
    let expat = needs
        .needs
        .iter()
        .find(|need| need.package == "libexpat1-dev")
        .unwrap();
    assert_eq!(expat.group, Group::Required);
    assert!(expat.because.iter().any(|because| {
        because
            .place
            .as_ref()
            .is_some_and(|place| place.path == "m4/my.m4")
    }));
}

#[test]
fn a_project_does_not_need_the_package_that_is_made_of_it() {
    let needs = of(&[
        (
            "configure.ac",
            "AC_INIT([expat],[1])\nAC_PROG_CC\nAC_OUTPUT\n",
        ),
        ("Makefile.am", "bin_PROGRAMS = x\nx_SOURCES = main.c\n"),
        ("main.c", "#include <expat.h>\n"),
    ]);
    assert!(
        !packages(&needs, &Features::All).contains("libexpat"),
        "{needs:?}"
    );
}

#[test]
fn names_that_are_made_at_run_time_are_said_to_be_unknown() {
    let needs = of(&[
        (
            "CMakeLists.txt",
            "project(demo C)\nfind_package(${WHATEVER} REQUIRED)\n",
        ),
        ("a.c", ""),
    ]);
    assert!(
        needs.notes.iter().any(|note| note.contains("${WHATEVER}")),
        "{:?}",
        needs.notes
    );
}

#[test]
fn toolchains_of_other_languages_are_listed_as_a_plan_takes_them() {
    let node = of(&[
        (
            "package.json",
            "{\"name\": \"a\", \"main\": \"a.js\", \"scripts\": {\"build\": \"node a.js\"}}",
        ),
        ("a.js", ""),
    ]);
    assert!(
        packages(&node, &Features::Default).contains("nodejs npm"),
        "{node:?}"
    );
    let maven = of(&[
        (
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version></project>",
        ),
        ("src/main/java/A.java", "class A {}"),
    ]);
    let names = packages(&maven, &Features::Default);
    assert!(
        names.contains("default-jdk") && names.contains("maven"),
        "{maven:?}"
    );
    assert!(maven.unresolved.is_empty(), "{:?}", maven.unresolved);
}

#[test]
fn what_a_package_manager_would_bring_is_a_need() {
    let needs = of(&[
        ("CMakeLists.txt", "project(a C)\nadd_executable(a a.c)\n"),
        ("a.c", ""),
        (
            "vcpkg.json",
            "{\"dependencies\": [\"zlib\", \"vcpkg-cmake\", \"no-such-port\"], \"features\": {\"png\": {\"dependencies\": [\"libpng\"]}}}",
        ),
        ("conanfile.txt", "[requires]\nexpat/2.5.0\n"),
    ]);
    assert_eq!(
        packages(&needs, &Features::Default),
        "cmake gcc libexpat1-dev make zlib1g-dev"
    );
    assert!(packages(&needs, &Features::All).contains("libpng-dev"));
}

#[test]
fn a_dockerfile_without_packages_installs_nothing() {
    let mut needs = of(CMAKE);
    needs.needs.clear();
    let text = format(&needs, &Features::Default, Format::Dockerfile);
    assert_eq!(text, "FROM debian:bookworm\n# nothing to install\n");
}

#[test]
fn headers_that_the_build_makes_in_its_own_directory_are_no_needs() {
    let names = ["client", "book", "source", "server"];
    let includes: String = names
        .iter()
        .map(|name| format!("#include <libecal/{name}.h>\n"))
        .collect();
    let mut files: Vec<(String, String)> = names
        .iter()
        .map(|name| {
            (
                format!("src/libecal/{name}.h"),
                "#include <libecal/e-cal-enumtypes.h>\n".to_owned(),
            )
        })
        .collect();
    files.push(("src/main.c".to_owned(), includes));
    files.push(("Makefile".to_owned(), "all: main.o\n".to_owned()));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    assert!(!packages(&of(&files), &Features::All).contains("libecal"));
}

#[test]
fn hostile_repositories_are_survived() {
    let deep = "#if A\n".repeat(100_000);
    let includes: String = (0..5000).map(|i| format!("#include <x{i}.h>\n")).collect();
    of(&[
        (
            "Makefile",
            "all:\n\t$(Q)\n\t@\n-l -l$(X) -l;reboot\nx.o: x.c\n",
        ),
        ("x.c", &deep),
        ("y.c", &includes),
        ("a.h", "#include \"b.h\"\n"),
        (
            "b.h",
            "#include \"a.h\"\n#include \"../../../etc/passwd\"\n",
        ),
        ("z.pro", "LIBS += -l$(reboot) -l\nQT += \\\n"),
        (
            "w.c",
            "#include <a\u{0}b.h>\n#include <$(id).h>\n#include \"a.h\"\n#include <-o>\n",
        ),
    ]);
}
