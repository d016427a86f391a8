use super::testing::{graph, shown};

#[test]
fn github() {
    let text = r#"on: push
env: {A: one, TOKEN: "${{ secrets.T }}"}
defaults:
  run: {working-directory: ./sub}
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [windows-latest, ubuntu-22.04]
        python: ["3.9", 3.10, 3.14-dev]
        exclude: [{os: ubuntu-22.04, python: "3.9"}]
    services:
      db:
        image: postgres:16
        env: {POSTGRES_PASSWORD: x}
        ports: ["5432:5432"]
    steps:
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python }}
      - uses: dtolnay/rust-toolchain@1.75.0
      - name: Packages
        if: runner.os == 'Linux'
        run: |
          sudo apt-get update
          sudo apt-get install -y \
            libpq-dev
      - if: runner.os == 'Windows'
        run: choco install x
      - run: tox -e py${{ matrix.python }} ${{ inputs.more }}
        working-directory: .
        env: {B: "${{ matrix.os }}"}
      - {if: "matrix.python == '3.9'", run: never}
      - shell: python
        run: print(1)
"#;
    insta::assert_snapshot!(shown(".github/workflows/ci.yml", text), @r#"
    15: service db postgres:16 ["5432:5432"] {"POSTGRES_PASSWORD": "x"}
    21: tool python 3.10
    21: tool python 3.14-dev
    22: tool rust 1.75.0
    26: [sub] sudo apt-get update (test / Packages) Linux A=one @os=ubuntu-22.04 @python=3.10
    27: [sub] sudo apt-get install -y \⏎  libpq-dev (test / Packages) Linux A=one @os=ubuntu-22.04 @python=3.10
    30: [sub] choco install x (test) Windows <pwsh> A=one @os=ubuntu-22.04 @python=3.10
    31: [] tox -e py3.10 ${{ inputs.more }} (test) Linux A=one B=ubuntu-22.04 @os=ubuntu-22.04 @python=3.10 ?${{ inputs.more }} or tox -e py3.14-dev ${{ inputs.more }}
    36: [sub] print(1) (test) Linux <python> A=one @os=ubuntu-22.04 @python=3.10
    28: needs libpq-dev
    "#);
}

#[test]
fn gitlab() {
    let text = "image: debian:12\nvariables:\n  V: '1'\n.base:\n  before_script:\n    - apt-get install -y gcc\nunit:\n  extends: .base\n  services: [redis:7]\n  script:\n    - cd sub\n    - make check\n    - !reference [.x, script]\nwin:\n  tags: [windows]\n  script: nmake\n";
    insta::assert_snapshot!(shown(".gitlab-ci.yml", text), @"
    9: service redis redis:7 [] {}
    6: [] apt-get install -y gcc (unit) Linux V=1
    12: [sub] make check (unit) Linux V=1
    16: [] nmake (win) Windows <pwsh> V=1
    6: needs gcc
    ");
}

#[test]
fn thin_systems() {
    let travis = "language: python\npython: [3.10, '3.8']\naddons: {apt: {packages: [libxml2-dev]}}\nservices: [redis-server]\ninstall: pip install .\nscript:\n  - pytest\n  - make\n";
    let circle = "jobs:\n  build:\n    docker: [{image: cimg/base:1}, {image: cimg/postgres:14}]\n    steps:\n      - checkout\n      - run: make\n      - run:\n          name: T\n          command: |\n            make check\n";
    let cirrus = "freebsd_task:\n  freebsd_instance: {image: x}\n  test_script:\n    - make\nlinux_task:\n  container: {image: gcc:13}\n  build_script: ./configure && make\n";
    let azure = "pool: {vmImage: ubuntu-22.04}\nsteps:\n- script: make\n  displayName: Build\njobs:\n- job: win\n  pool: {vmImage: windows-2022}\n  steps:\n  - bash: x\n";
    let all = [
        (".travis.yml", travis),
        (".circleci/config.yml", circle),
        (".cirrus.yml", cirrus),
        ("azure-pipelines.yml", azure),
    ];
    let text: Vec<String> = all.iter().map(|(path, text)| shown(path, text)).collect();
    insta::assert_snapshot!(text.join("\n--\n"), @"
    2: tool python 3.10
    2: tool python 3.8
    3: needs libxml2-dev
    4: service redis-server redis-server [] {}
    5: [] pip install . (travis / install) Linux
    7: [] pytest (travis / script) Linux
    8: [] make (travis / script) Linux
    --
    3: service postgres cimg/postgres:14 [] {}
    6: [] make (build) Linux
    10: [] make check (build / T) Linux
    --
    4: [] make (freebsd_task / test_script) Bsd
    6: tool gcc 13
    7: [] ./configure && make (linux_task / build_script) Linux
    --
    3: [] make (azure / Build) Linux
    9: [] x (win) Windows
    ");
}

/// A file of each system.
const FILES: [&str; 14] = [
    ".github/workflows/x.yml",
    ".github/actions/a/action.yml",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci/config.yml",
    ".cirrus.yml",
    "azure-pipelines.yml",
    "appveyor.yml",
    ".woodpecker.yml",
    ".drone.yml",
    ".build.yml",
    ".buildkite/pipeline.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
];

/// YAML whose aliases would grow to a billion nodes.
fn bomb() -> String {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for at in 1..12 {
        let alias = format!("*a{}", at - 1);
        let aliases = [alias.as_str(); 9].join(", ");
        bomb.push_str(&format!("a{at}: &a{at} [{aliases}]\n"));
    }
    bomb
}

#[test]
fn hostile_workflows_are_survived() {
    let texts = [
        "jobs: [1, 2]\n".to_owned(),
        "jobs:\n  a: &a\n    steps: *a\n".to_owned(),
        "jobs: {a: {steps: [{run: [x]}, {run: {a: b}}], strategy: {matrix: '${{ x }}'}}}"
            .to_owned(),
        "jobs: {a: {steps: 1}}\nsteps: {a: {commands: {b: c}}}\nscript: {a: [b]}\ntask: 1\n"
            .to_owned(),
        "\u{0}".to_owned(),
        "a: [".to_owned(),
        "- ".repeat(9999),
        bomb(),
        format!("script: {}", "x".repeat(400_000)),
        format!(
            "jobs: {{a: {{if: '{}', steps: [{{run: x}}]}}}}",
            "(".repeat(50_000)
        ),
        "stage('x') { ".repeat(20_000),
        "sh \"".to_owned(),
    ];
    for path in FILES {
        for text in &texts {
            graph(path, text);
        }
    }
}

#[test]
fn line_ends_marks_and_broken_ends_cost_nothing_else() {
    let text = "\u{feff}jobs:\r\n  a:\r\n    runs-on: ubuntu-latest\r\n    steps:\r\n      - run: |\r\n          make \\\r\n            all\r\n          make check\r\n  b:\r\n\tbroken: [\r\n";
    insta::assert_snapshot!(shown(".github/workflows/x.yml", text), @r"
    6: [] make \⏎  all (a) Linux
    8: [] make check (a) Linux
    ");
    // Bytes of another encoding.
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join(".travis.yml"),
        b"# caf\xe9\nscript: make \xff\n",
    )
    .unwrap();
    let options = crate::scan::ScanOptions::default();
    let graph = crate::graph::build(&crate::scan::scan(dir.path(), &options).unwrap());
    assert_eq!(graph.commands().count(), 1);
}

#[test]
fn a_matrix_of_many_axes_is_bounded() {
    let axes: String = (0..30)
        .map(|at| format!("        a{at}: [1, 2, 3]\n"))
        .collect();
    let text =
        format!("jobs:\n  a:\n    strategy:\n      matrix:\n{axes}    steps: [{{run: make}}]\n");
    assert_eq!(
        graph(".github/workflows/x.yml", &text).commands().count(),
        1
    );
}

#[test]
fn what_is_not_read_is_said() {
    let broken = graph(".gitlab-ci.yml", "a:\n  script: make\nb: [\n");
    assert_eq!(broken.commands().count(), 1);
    assert_eq!(broken.warnings().len(), 1, "{:?}", broken.warnings());
    let large = format!("script: make\n{}", "# x\n".repeat(200_000));
    assert_eq!(graph(".travis.yml", &large).warnings().len(), 1);
}
