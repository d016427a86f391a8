use super::super::testing::{project, repo, repo_bytes, summary};

#[test]
fn options_and_conditions_decide_what_is_required() {
    let graph = repo(&[
        (
            "CMakeLists.txt",
            r#"
cmake_minimum_required(VERSION 3.10...3.27)
project(demo VERSION 1.2 LANGUAGES C CXX)
option(WITH_SSL "use TLS" OFF)
option(WITH_Z "use zlib" ON)
option(DEMO_BUILD_TESTS "tests" OFF)
include(cmake/extra.cmake)
find_package(Threads REQUIRED)
find_package(PkgConfig)
if(WITH_SSL)
  find_package(OpenSSL 1.1 REQUIRED COMPONENTS SSL)
elseif(WIN32)
  find_package(Schannel REQUIRED)
else()
  find_package(Nettle REQUIRED)
endif()
if(WITH_Z AND NOT WIN32)
  find_package(ZLIB REQUIRED)
endif()
if(HAVE_THING)
  find_package(Thing REQUIRED)
endif()
find_library(FOO_LIB NAMES foo)
if(NOT FOO_LIB)
  message(FATAL_ERROR "no foo")
endif()
pkg_check_modules(GLIB REQUIRED glib-2.0>=2.40 gio-2.0)
find_program(GPERF gperf)
set(SRC main.c)
add_executable(demo ${SRC})
add_executable(helper helper.c)
install(TARGETS demo)
if(DEMO_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  add_subdirectory(test)
  FetchContent_Declare(catch)
endif()
"#,
        ),
        (
            "cmake/extra.cmake",
            "find_package(Doxygen)\nfind_package(Python3 REQUIRED)\nmacro(need what)\n find_package(${what} REQUIRED)\nendmacro()\nneed(EXPAT)\n",
        ),
        (
            "test/CMakeLists.txt",
            "project(t)\nadd_executable(t1 t.c)\nadd_test(NAME t COMMAND t1)\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r##"
    cmake "" demo (CMakeLists.txt:3)
      cmake-minimum = 3.10 (CMakeLists.txt:2)
      component = OpenSSL SSL (CMakeLists.txt:11)
      guarded = cmake:Thing if HAVE_THING (CMakeLists.txt:21)
      language = C (CMakeLists.txt:3)
      language = CXX (CMakeLists.txt:3)
      network = catch (CMakeLists.txt:37)
      option = DEMO_BUILD_TESTS=OFF (CMakeLists.txt:6)
      option = WITH_SSL=OFF (CMakeLists.txt:4)
      option = WITH_Z=ON (CMakeLists.txt:5)
      package-version = OpenSSL 1.1 (CMakeLists.txt:11)
      subproject = test (test/CMakeLists.txt:1)
      test-option = DEMO_BUILD_TESTS=OFF (CMakeLists.txt:6)
      uninstalled = helper (CMakeLists.txt:31)
      tool cmake >=3.10 Manifest (CMakeLists.txt:2)
      system cmd:doxygen [build] if-present (cmake/extra.cmake:1)
      tool python any Manifest (cmake/extra.cmake:2)
      system cmake:EXPAT [build] (cmake/extra.cmake:4)
      system cmd:pkg-config [build] if-present (CMakeLists.txt:9)
      system cmake:OpenSSL [optional:WITH_SSL] if-present (CMakeLists.txt:11)
      system cmake:Schannel [optional:WIN32] if-present (CMakeLists.txt:13)
      system cmake:Nettle [build] (CMakeLists.txt:15)
      system cmake:ZLIB [build] (CMakeLists.txt:18)
      system cmake:Thing [build] if-present (CMakeLists.txt:21)
      system lib:foo [build] (CMakeLists.txt:23)
      system cmd:pkg-config [build] (CMakeLists.txt:27)
      system pc:glib-2.0 [build] (CMakeLists.txt:27)
      system pc:gio-2.0 [build] (CMakeLists.txt:27)
      system cmd:gperf [build] if-present (CMakeLists.txt:28)
      system cmake:GTest [test] (CMakeLists.txt:35)
      entry Command demo (CMakeLists.txt:30)
      entry Command helper (CMakeLists.txt:31)
      suite ctest (CMakeLists.txt:34)
    "##);
}

#[test]
fn find_modules_of_the_repository_are_read() {
    let graph = repo(&[
        (
            "CMakeLists.txt",
            "project(d C)\nset(CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)\nfind_package(Ev REQUIRED)\n",
        ),
        (
            "cmake/FindEv.cmake",
            "find_path(EV_INC NAMES ev.h)\nfind_library(EV_LIB NAMES ev)\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r##"
    cmake "" d (CMakeLists.txt:1)
      language = C (CMakeLists.txt:1)
      system header:ev.h [build] (cmake/FindEv.cmake:1)
      system lib:ev [build] if-present (cmake/FindEv.cmake:2)
    "##);
}

#[test]
fn list_files_without_a_project_are_no_projects() {
    let graph = repo(&[
        ("a/CMakeLists.txt", "add_library(a a.c)\n"),
        ("b/CMakeLists.txt", "project(b)\n"),
    ]);
    assert_eq!(graph.projects().count(), 1);
    project(&graph, "cmake", "b");
}

#[test]
fn hostile_list_files_are_survived() {
    repo(&[(
        "CMakeLists.txt",
        "project(a)\ninclude(CMakeLists.txt)\nadd_subdirectory(.)\nmacro(m)\nm()\nm()\nendmacro()\nm()\n",
    )]);
    repo(&[(
        "CMakeLists.txt",
        &format!("project(a)\n{}", "if(A)\n".repeat(50_000)),
    )]);
    repo(&[(
        "CMakeLists.txt",
        &format!("project(a)\n{}", "foreach(i 1 2 3 4)\n".repeat(300)),
    )]);
    repo(&[(
        "CMakeLists.txt",
        "project(a)\nset(A ${A}${A}x)\nset(A x)\nforeach(i RANGE 9)\nset(A ${A}${A}${A}${A})\nendforeach()\n",
    )]);
    repo(&[(
        "CMakeLists.txt",
        "else()\nendif()\nproject()\nset()\nfind_package()\nlist()\nendforeach()\n",
    )]);
    repo_bytes(&[(
        "CMakeLists.txt",
        b"project(\xff\xfe)\nfind_package(\xc3\x28 REQUIRED)\n",
    )]);
}

#[test]
fn lists_that_grow_under_conditions_are_looked_for_in_full() {
    let graph = repo(&[(
        "CMakeLists.txt",
        r#"project(demo CXX)
set(PARTS filesystem)
if(COMPILER_IS_ODD)
  list(APPEND PARTS regex)
endif()
if(UNKNOWN_TO_ALL MATCHES "${SOMETHING}")
  list(APPEND PARTS thread)
  set(LIBRARIES first second)
endif()
find_package(Boost COMPONENTS ${PARTS})
foreach(library ${LIBRARIES})
  find_library(LIBRARY_${library} ${library})
endforeach()
check_library_exists(snappy snappy_compress "" HAVE_SNAPPY)
check_include_files("stdio.h;zlib.h" HAVE_BOTH)
CPMFindPackage(NAME fmt VERSION 9.1.0)
CPMAddPackage(NAME nlohmann_json VERSION 3)
"#,
    )]);
    let text = summary(&graph);
    for line in [
        "system lib:boost_filesystem [build]",
        "system lib:boost_thread [build]",
        "system lib:first [build]",
        "system lib:second [build]",
        "system lib:snappy [build]",
        "system header:zlib.h [build]",
        "system cmake:fmt [build]",
        "network = fmt",
        "network = nlohmann_json",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("header:stdio.h"), "{text}");
}
