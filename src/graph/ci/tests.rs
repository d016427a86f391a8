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

#[test]
fn hostile_workflows_are_survived() {
    for text in [
        "jobs: [1, 2]\n",
        "jobs:\n  a: &a\n    steps: *a\n",
        "jobs: {a: {steps: [{run: [x]}, {run: {a: b}}], strategy: {matrix: '${{ x }}'}}}",
        "\u{0}",
        "a: [",
        &"- ".repeat(9999),
    ] {
        graph(".github/workflows/x.yml", text);
        graph(".gitlab-ci.yml", text);
    }
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
