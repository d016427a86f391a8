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
    insta::assert_snapshot!(shown(&super::make_text::tasks(text)), @"
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

/// Tasks of a repository with these files, with what is known about them.
fn tasks_of(files: &[(&str, &str)]) -> String {
    use crate::graph::{CommandSource, build};
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let full = dir.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }
    let graph =
        build(&crate::scan::scan(dir.path(), &crate::scan::ScanOptions::default()).unwrap());
    let lines = graph
        .commands()
        .filter(|(_, facts)| facts.source == CommandSource::TaskRunner)
        .map(|(node, facts)| {
            let os = facts.os.map(|os| format!(" [{os:?}]")).unwrap_or_default();
            let env: Vec<String> = facts.env.iter().map(|(k, v)| format!(" {k}={v}")).collect();
            let place = node.place.as_ref().unwrap();
            format!(
                "{place} {}$ {}{os}{} <{}>",
                facts.dir,
                facts.text,
                env.concat(),
                facts.context
            )
        });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn makefiles_that_include_others() {
    insta::assert_snapshot!(tasks_of(&[
        ("Makefile", "T = test\nall: lib\n\techo x\n$(T): all\n\t$(T)/run $(UNKNOWN)\ninclude mk/more.mk\n-include $(T).mk\n"),
        ("mk/more.mk", "check-all:\n\t./c\ninclude ../../etc/passwd\n"),
    ]), @r"
    Makefile:2 $ make all <all>
    Makefile:4 $ make test <test: test/run $(UNKNOWN)>
    mk/more.mk:1 $ make check-all <check-all: ./c>
    ");
}

#[test]
fn scripts_of_packages() {
    insta::assert_snapshot!(tasks_of(&[
        ("package.json", "{\"name\": \"r\", \"main\": \"x.js\", \"workspaces\": [\"p/*\"], \"scripts\": {\n\"build\": \"turbo run build\",\n\"lint\": \"x\"}}"),
        ("yarn.lock", "# yarn lockfile v1\n"),
        ("p/a/package.json", "{\"name\": \"a\", \"main\": \"x.js\", \"scripts\": {\"test:unit\": \"jest\"}}"),
        ("turbo.json", "{\"tasks\": {\"build\": {}, \"dev\": {\"persistent\": true}, \"a#test\": {}}}"),
        ("nx.json", "{\"targetDefaults\": {\"test\": {}}}"),
        (".moon/tasks.yml", "tasks:\n  test:\n    command: 'jest --ci'\n"),
        ("x.js", ""), ("php/x.php", ""), ("deno.json", "{\"tasks\": {\"test\": {\"command\": \"deno test\"}}}"),
        ("php/composer.json", "{\"autoload\": {}, \"scripts\": {\"test\": [\"@a\", \"phpunit\"], \"check\": \"x\"}}"),
        ("examples/e/package.json", "{\"name\": \"e\", \"main\": \"x.js\", \"scripts\": {\"test\": \"x\"}}"),
    ]), @r"
    .moon/tasks.yml:3 $ moon run :test <:test: jest --ci>
    deno.json:1 $ deno task test <test: deno test>
    nx.json:1 $ yarn nx run-many -t test <test>
    p/a/package.json:1 p/a$ yarn run test:unit <test:unit: jest>
    package.json:2 $ yarn run build <build: turbo run build>
    php/composer.json:1 php$ composer test <test: @a; phpunit>
    php/composer.json:1 php$ composer run-script check <check: x>
    turbo.json:1 $ yarn turbo run build <build>
    ");
}

#[test]
fn scripts_of_python() {
    insta::assert_snapshot!(tasks_of(&[
        ("pyproject.toml", "[project]\nname = 'a'\n[tool.hatch.envs.default.scripts]\ntest = 'pytest {args}'\n[tool.hatch.envs.ci.scripts]\ntest = ['a', 'b']\n[tool.pdm.scripts]\ntest = {cmd = 'pytest'}\n_x = 'y'\n[tool.poe.tasks]\ntest = 'pytest'\n[tool.taskipy.tasks]\ntest = 'pytest'\n[tool.tox]\nlegacy_tox_ini = '''\n[tox]\n[testenv]\ncommands = pytest\n[testenv:it]\n'''\n"),
        ("Pipfile", "[scripts]\ntest = \"pytest\"\n"),
        ("tasks.py", "from invoke import task\n\n@task\ndef run_tests(c, fast=False):\n    pass\n@task\ndef build(c, version):\n    pass\n@task(build)\ndef check(c):\n    pass\n"),
        ("sub/tasks.py", "@task\ndef test(): pass\n"),
    ]), @r"
    Pipfile:2 $ pipenv run test <test: pytest>
    pyproject.toml:6 $ hatch run ci:test <ci:test: a; b>
    pyproject.toml:4 $ hatch run test <test: pytest {args}>
    pyproject.toml:8 $ pdm run test <test: pytest>
    pyproject.toml:11 $ poe test <test: pytest>
    pyproject.toml:13 $ task test <test: pytest>
    pyproject.toml:17 $ tox <tox: pytest>
    pyproject.toml:19 $ tox -e it <it>
    tasks.py:3 $ invoke run-tests <run-tests>
    tasks.py:9 $ invoke check <check>
    ");
}

#[test]
fn tasks_of_compiled_languages() {
    insta::assert_snapshot!(tasks_of(&[
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        (".cargo/config.toml", "[alias]\nxtask = \"run -p xtask --\"\nt = [\"test\", \"--all\"]\nfmtc = \"fmt --check\"\n"),
        ("pom.xml", "<project><artifactId>a</artifactId><profiles><profile><id>integration-test</id></profile><profile><id>release</id></profile></profiles></project>"),
        ("build.gradle", "plugins { id 'java' }\ntasks.register(\"integrationTest\", Test) {}\ntask smokeTest(type: Test) {}\ntask publishAll {}\n"),
        ("CMakePresets.json", "{\"configurePresets\": [{\"name\": \"base\", \"hidden\": true, \"generator\": \"Ninja\",\n\"condition\": {\"type\": \"equals\", \"lhs\": \"${hostSystemName}\", \"rhs\": \"Windows\"}},\n{\"name\": \"win\", \"inherits\": \"base\", \"cacheVariables\": {\"A\": \"1\"}},\n{\"name\": \"dev\", \"binaryDir\": \"b\"}, {\"name\": \"me\", \"inherits\": \"me\"}],\n\"testPresets\": [{\"name\": \"win-t\", \"configurePreset\": \"win\"}], \"workflowPresets\": [{\"name\": \"all\"}]}"),
        ("magefile.go", "//go:build mage\n\npackage main\n\nfunc Test() error {}\nfunc (Build) All(ctx context.Context) {}\nfunc helper() {}\n"),
    ]), @r"
    .cargo/config.toml:3 $ cargo t <t: test --all>
    .cargo/config.toml:2 $ cargo xtask <xtask: run -p xtask -->
    CMakePresets.json:3 $ cmake --preset win [Windows] <win: generator=Ninja -DA=1>
    CMakePresets.json:4 $ cmake --preset dev <dev: binaryDir=b>
    CMakePresets.json:4 $ cmake --preset me <me>
    CMakePresets.json:5 $ ctest --preset win-t [Windows] <win-t: configurePreset=win>
    CMakePresets.json:5 $ cmake --workflow --preset all <all>
    build.gradle:2 $ gradle integrationTest <integrationTest>
    build.gradle:3 $ gradle smokeTest <smokeTest>
    magefile.go:5 $ mage test <test>
    magefile.go:6 $ mage build:all <build:all>
    pom.xml:1 $ mvn -B -Pintegration-test verify <integration-test>
    ");
}

#[test]
fn tasks_of_scripting_languages() {
    insta::assert_snapshot!(tasks_of(&[
        ("Gemfile", "gem 'rake'\n"),
        ("a.rb", ""),
        ("Rakefile", "Rake::TestTask.new(:test) do |t|\nend\nRSpec::Core::RakeTask.new\nnamespace :test do\n  task :unit => :x do\n  end\nend\ntask default: [:test]\ntask 'build:all'\ntask publish: :x\n"),
        ("mix.exs", "[app: :a, aliases: aliases()]\ndefp aliases do\n  [\n    setup: [\"deps.get\", \"ecto.setup\"],\n    test: \"test --trace\",\n    docs: []\n  ]\nend\n"),
        ("Taskfile.yml", "version: '3'\ntasks:\n  build: go build\n  test:\n    env: {CGO_ENABLED: 0, X: '{{.Y}}'}\n    cmds:\n      - go test ./...\n      - cmd: echo\n  check:\n    internal: true\n  install:\n    requires: {vars: [A]}\n  run:\n    platforms: [windows]\n    cmds: [a.exe]\n"),
        ("Earthfile", "VERSION 0.7\ntest:\n    FROM +base\n    RUN go test ./...\n    RUN x\nlint-all:\n"),
    ]), @r"
    Earthfile:2 $ earthly +test <test: go test ./...; x>
    Rakefile:1 $ bundle exec rake test <test: Rake::TestTask.new(:test) do |t|>
    Rakefile:3 $ bundle exec rake spec <spec: RSpec::Core::RakeTask.new>
    Rakefile:5 $ bundle exec rake test:unit <test:unit: task :unit => :x do>
    Rakefile:8 $ bundle exec rake <default: task default: [:test]>
    Rakefile:9 $ bundle exec rake build:all <build:all: task 'build:all'>
    Taskfile.yml:3 $ task build <build: go build>
    Taskfile.yml:5 $ task test CGO_ENABLED=0 <test: go test ./...; echo>
    Taskfile.yml:14 $ task run [Windows] <run: a.exe>
    mix.exs:4 $ mix setup <setup: deps.get; ecto.setup>
    mix.exs:5 $ mix test <test: test --trace>
    ");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn any_file_is_survived(text in "(?s)([a-z{}:=\"'\\[\\], \n@$()-]|test|task|alias|scripts|tasks|é){0,60}") {
        let names = ["package.json", "pyproject.toml", "Taskfile.yml", "Rakefile", "mix.exs", "tasks.py", "Earthfile",
            "CMakePresets.json", "magefile.go", ".cargo/config.toml", "turbo.json", "build.gradle", "Makefile"];
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, text.as_str())).collect();
        tasks_of(&files);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s).{0,200}") {
        for read in [super::make_text::tasks, super::just::tasks, super::tox::ini, super::nox::tasks] {
            for task in read(&text) {
                // A hostile name stays one word of its command.
                let words = shlex::split(&task.command).unwrap();
                proptest::prop_assert!(words.len() <= 3);
            }
        }
    }
}
