use super::Task;

fn shown(tasks: &[Task]) -> String {
    let lines = tasks
        .iter()
        .map(|task| format!("{} {} <{}>", task.line, task.command, task.recipe));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn make() {
    let text = "CC := gcc\nall: $(OBJS)\n.PHONY: test check\ntest check: all\n\t@echo testing\n\t@./run \\\n\t  -v\nifeq ($(X),y)\n\t./more\nendif\nclean:\n\trm x\ninstall:: lib ; cp a b\nbuild: CFLAGS = -O2\n%.o: %.c\n\t$(CC)\ndefine x\ntest:\n\tno\nendef\n$(T)/test: x\ninstall-$(X):\n";
    insta::assert_snapshot!(shown(&super::make::tasks(text)), @"
    2 make all <>
    4 make test <./run -v; ./more>
    4 make check <./run -v; ./more>
    13 make install <cp a b>
    ");
}

#[test]
fn just_tox_and_nox() {
    let just = "set shell := ['sh']\ntest_dir := 'x'\n# Tests\ntest *args: build\n    cargo test {{args}}\n\n    @more\n@build:\n  make\ntest-one name:\n  x\n";
    let tox = "[tox]\nenvlist = py, lint\n[testenv]\ndeps = pytest\ncommands =\n    # first\n    pytest {posargs}\n    coverage\n[testenv:integration]\ncommands = pytest it\n[testenv:py{38,39}]\n[testenv:$(x)]\n";
    let nox = "import nox\n@nox.session(\n    python=['3.9'],\n    name=\"unit-tests\",\n)\ndef tests(session):\n    pass\ndef helper():\n    pass\n@session\ndef lint(session): pass\n";
    let all = [
        super::just::tasks(just),
        super::tox::ini(tox),
        super::nox::tasks(nox),
    ];
    insta::assert_snapshot!(all.iter().map(|tasks| shown(tasks)).collect::<Vec<_>>().join("\n--\n"), @"
    4 just test <cargo test {{args}}; more>
    8 just build <make>
    --
    3 tox <pytest {posargs}; coverage>
    9 tox -e integration <pytest it>
    12 tox -e '$(x)' <>
    --
    2 nox -s unit-tests <>
    10 nox -s lint <>
    ");
    assert!(super::tox::setup_cfg("[metadata]\nname = x\n").is_empty());
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s).{0,200}") {
        for read in [super::make::tasks, super::just::tasks, super::tox::ini, super::nox::tasks] {
            for task in read(&text) {
                // A hostile name stays one word of its command.
                let words = shlex::split(&task.command).unwrap();
                proptest::prop_assert!(words.len() <= 3);
            }
        }
    }
}
