use super::super::testing::{repo, summary};
use super::*;

#[test]
fn names_of_requirements() {
    assert_eq!(
        requirement_name("A.b>=1; python_version<'3'").as_deref(),
        Some("a-b")
    );
    assert_eq!(
        requirement_name("zope.interface (>=3)").as_deref(),
        Some("zope-interface")
    );
    assert_eq!(requirement_name("not a requirement"), None);
    assert_eq!(requirement_name("./local"), None);
}

#[test]
fn markers_of_other_systems() {
    assert!(is_foreign("sys_platform == \"win32\""));
    assert!(is_foreign("(platform_system=='Windows')"));
    assert!(!is_foreign("python_version < '3.11'"));
    assert!(!is_foreign("sys_platform == 'win32' or extra == 'x'"));
}

#[test]
fn tests_without_pytest_are_run_by_unittest() {
    let graph = repo(&[
        (
            "setup.py",
            "from setuptools import setup\nsetup(name='thing')\n",
        ),
        ("thing.py", ""),
        ("tests/test_thing.py", "import unittest\n"),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    python "" thing (setup.py:2)
      backend = setuptools.build_meta:__legacy__ (setup.py)
      build-command = python -m build (setup.py)
      import = thing (thing.py)
      install-command = pip install -e . (setup.py:2)
      layout = package (setup.py)
      test-command = python -m unittest (tests/test_thing.py)
      suite unittest (tests/test_thing.py)
    "#);
}

proptest::proptest! {
    #[test]
    fn arbitrary_requirements_never_panic(text in "\\PC{0,80}") {
        requirement_name(&text);
        is_foreign(&text);
    }
}
