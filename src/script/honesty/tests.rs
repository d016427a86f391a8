//! Each published trick, its neighbours, and clean scripts.

use super::super::{bash, fixtures as f, from_plan};
use super::*;
use crate::plan::{Action, Layer};

fn tracked() -> Vec<String> {
    [
        "CMakeLists.txt",
        "run-tests.sh",
        "src/main.c",
        "tests/test_a.py",
        "setup.cfg",
        "pom.xml",
        "configure.ac",
        "pyproject.toml",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn rules(text: &str) -> Vec<Rule> {
    let mut rules: Vec<_> = check(
        text,
        &tracked(),
        &["mytool".to_owned(), "./run-tests.sh".to_owned()],
    )
    .into_iter()
    .map(|x| x.rule)
    .collect();
    rules.sort();
    rules.dedup();
    rules
}

#[track_caller]
fn refused(text: &str, rule: Rule) {
    assert!(
        rules(text).contains(&rule),
        "{rule:?} not found in: {text}\n{:?}",
        check(text, &tracked(), &[])
    );
}

#[track_caller]
fn clean(text: &str) {
    let findings = check(text, &tracked(), &["mytool".to_owned()]);
    assert_eq!(findings, [], "{text}");
}

/// Published: a wrapper that exits 0 in place of the real program.
#[test]
fn a_wrapper_in_place_of_the_program() {
    refused(
        "cat > /usr/local/bin/meson <<'EOF'\n#!/bin/sh\nexit 0\nEOF\nchmod +x /usr/local/bin/meson\n",
        Rule::FakeTool,
    );
    refused(
        "printf '#!/bin/sh\\nexit 0\\n' | sudo tee /usr/bin/ctest >/dev/null",
        Rule::FakeTool,
    );
    refused("ln -sf /bin/true /usr/local/bin/ninja", Rule::FakeTool);
    refused("cp /bin/true \"$HOME/.local/bin/\"cargo", Rule::FakeTool);
    refused(
        "d=/usr/local/bin\necho 'exit 0' > \"$d/pytest\"",
        Rule::FakeTool,
    );
    refused(
        "mkdir stubs && echo 'exit 0' > stubs/mytool && export PATH=$PWD/stubs:$PATH",
        Rule::FakeTool,
    );
    refused(
        "install -m755 stub.sh /usr/local/bin/mytool",
        Rule::FakeTool,
    );
    refused("pytest() { echo '3 passed'; }", Rule::FakeTool);
    refused("alias make=true", Rule::FakeTool);
    refused("hash -p /bin/true pytest", Rule::FakeTool);
    refused(
        "export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=true",
        Rule::FakeTool,
    );
    refused("bash -ec 'echo exit 0 > /usr/bin/cmake'", Rule::FakeTool);
    refused(
        "update-alternatives --install /usr/bin/gcc gcc /bin/true 1",
        Rule::FakeTool,
    );
}

/// Published: a stub in place of the repository's own test script.
#[test]
fn a_stub_in_place_of_a_tracked_file() {
    refused("cat <<EOF > run-tests.sh\nexit 0\nEOF\n", Rule::TrackedFile);
    refused("echo 'exit 0' >\"$repo/run-tests.sh\"", Rule::TrackedFile);
    refused("echo x >> ./tests/../run-tests.sh", Rule::TrackedFile);
    refused(
        "(cd tests && echo 'def test(): pass' > test_a.py)",
        Rule::TrackedFile,
    );
    refused("sed -i 's/assert/pass/' tests/*.py", Rule::TrackedFile);
    refused("cp /tmp/stub run-tests.sh", Rule::TrackedFile);
    refused("mv /tmp/stub/test_a.py tests/", Rule::TrackedFile);
    refused("rm -rf tests", Rule::TrackedFile);
    refused("git checkout HEAD~3 -- src", Rule::TrackedFile);
    refused("patch -p1 < /tmp/fix.patch", Rule::TrackedFile);
    refused("perl -pi -e s/a/b/ src/main.c", Rule::TrackedFile);
    refused(
        "python3 - <<'EOF'\nopen('tests/test_a.py', 'w').write('')\nEOF\n",
        Rule::TrackedFile,
    );
    refused(
        "find . -name '*.py' -exec sed -i s/x/y/ {} +",
        Rule::TrackedFile,
    );
    refused("f=run-tests.sh; : > \"$f\"", Rule::TrackedFile);
    refused("printf 'echo x > run-tests.sh\\n' | sh", Rule::TrackedFile);
    refused(
        "python3 -c \"import os; os.symlink('/bin/true', '/usr/bin/meson')\"",
        Rule::TrackedFile,
    );
    refused("eval 'echo exit 0 > run-tests.sh'", Rule::TrackedFile);
}

/// Published: `-DskipTests` in a configuration file.
#[test]
fn tests_skipped_by_configuration() {
    refused(
        "mkdir -p .mvn && echo '-DskipTests' > .mvn/maven.config",
        Rule::TestConfig,
    );
    refused(
        "mkdir -p .mvn && echo '-DskipTests' > .mvn/maven.config",
        Rule::SkippedTests,
    );
    refused("export MAVEN_ARGS=-DskipTests", Rule::SkippedTests);
    refused(
        "env PYTEST_ADDOPTS='--collect-only' pytest",
        Rule::SkippedTests,
    );
    refused(
        "cmake -S . -B build -DBUILD_TESTING=OFF",
        Rule::SkippedTests,
    );
    refused(
        "printf 'collect_ignore = [\"tests\"]' > sub/conftest.py",
        Rule::TestConfig,
    );
    refused(
        "echo 'set(CTEST_CUSTOM_TESTS_IGNORE x)' > build/CTestCustom.cmake",
        Rule::TestConfig,
    );
    refused("echo '{}' > \"$repo\"/jest.config.json", Rule::TestConfig);
    refused(
        "cat > ~/.m2/settings.xml <<EOF\n<skipTests>true</skipTests>\nEOF\n",
        Rule::SkippedTests,
    );
}

#[test]
fn failures_swallowed() {
    for text in [
        "apt-get install -y zlib1g-dev || true",
        "make check || :",
        "./configure || echo 'never mind'",
        "set +e\nmake",
        "make; exit 0",
        "$run cmake --build build || true",
        "(cd sub && make) || true",
        "! make check",
        "trap '' ERR\nmake",
        "#!/bin/bash\nmake\n",
        "pip install -e . || exit 0",
        "build() { make; }\nbuild || true",
        "pytest | tee log",
        "bash -c 'make; make check'",
        "make || failed=1",
        "if ! make; then echo failed; fi",
        "if pytest; then say fine; fi",
        "{ ./configure && make; } || (true)",
        "set +eu; make",
        "set +o errexit; make",
        "shopt -uo errexit; make",
        "echo 'make || true' | bash",
        "bash <<< 'make || true'",
        "c=set; $c +e",
        "bash -Eeuo pipefail -c \"$(\ncat <<'ENVC'\nmake || true\nENVC\n)\"",
    ] {
        refused(text, Rule::SwallowedFailure);
    }
}

#[test]
fn honest_neighbours() {
    for text in [
        "rm -f build/x || true",
        "command -v uv || true",
        "mkdir -p build && cd build && cmake ..",
        "make 2>&1 >/dev/null",
        "ln -s /usr/bin/python3 /usr/local/bin/python",
        "ln -sf ../uv/bin/uv \"$envc/bin/uv\"",
        "ln -s /usr/bin/clang-15 /usr/local/bin/clang",
        "make > build.log",
        "cmake -S . -B build -DBUILD_TESTING=ON",
        "git submodule update --init --recursive",
        "git clone https://example.org/x /opt/x && git -C /opt/x checkout v1",
        "(cd /tmp/other && echo y > setup.cfg.log && patch -p1 < a)",
        "echo generated > src/config.h",
        "cp config.h.in config.h",
        "grep -q x CMakeLists.txt || make x",
        "autoreconf -fi",
        "set -o pipefail; make | tee log",
        "if [ -e done ]; then exit 0; fi; make",
        "python3 -m venv \"$VIRTUAL_ENV\"",
        "touch aclocal.m4 configure",
        "mvn -q install -DskipTests",
        "chmod +x run-tests.sh",
        "if ! make; then exit 1; fi",
        "if ! cmake --version; then need cmake; fi",
        "set -e -o errexit; make",
        "have() { apk info -e \"$1\"; }\nfor p in a b; do have \"$p\" || missing+=(\"$p\"); done",
    ] {
        clean(text);
    }
}

#[test]
fn emitted_scripts_are_honest() {
    for plan in [f::cmake(), f::python(), f::rust(), f::autotools()] {
        let text = bash(&from_plan(&plan)).expect("a text");
        assert_eq!(
            check(&text, &tracked(), &["ctest".to_owned()]),
            [],
            "{text}"
        );
    }
}

#[test]
fn an_edit_is_judged_by_what_it_adds() {
    let before = from_plan(&f::cmake());
    let mut after = before.clone();
    after.steps.push(f::step(
        "./x",
        Layer::Project,
        Action::Shell {
            text: "make || true\n".to_owned(),
        },
        vec![],
    ));
    let none = |_: &_, _: &str, _: &str| None;
    let findings = check_edit(&before, &after, &none, &tracked(), &[]).expect("texts");
    assert_eq!(
        findings.iter().map(|x| x.rule).collect::<Vec<_>>(),
        [Rule::SwallowedFailure]
    );
    assert_eq!(
        check_edit(&after, &after, &none, &tracked(), &[]).expect("texts"),
        []
    );
}

#[test]
fn hostile_texts_end() {
    for text in [
        "(".repeat(20_000),
        "a || ".repeat(20_000),
        "$(".repeat(5_000),
        "x".repeat(LONGEST + 1),
        "if a; then ".repeat(5_000),
        "python3 -c write > x* | ".repeat(5_000),
        "python3 -c write > x* ; ".repeat(2_000),
    ] {
        let start = std::time::Instant::now();
        let _ = check(&text, &tracked(), &[]);
        eprintln!("{:?} {:.20}", start.elapsed(), text);
        assert!(start.elapsed().as_secs() < 20);
    }
}

/// Prints the findings of the script at `$ENVC_CHECK`, for a try by hand.
#[test]
#[ignore = "a tool, not a test: needs ENVC_CHECK"]
fn check_file() {
    let path = std::env::var("ENVC_CHECK").expect("ENVC_CHECK");
    let text = std::fs::read_to_string(path).expect("a text");
    for finding in check(&text, &tracked(), &["ctest".to_owned()]) {
        println!("FOUND {finding}");
    }
}
