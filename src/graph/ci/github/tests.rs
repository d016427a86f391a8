use crate::graph::ci::testing::{shown, shown_of};

#[test]
fn a_matrix_fills_the_best_row_and_names_the_others() {
    let text = r#"on: [push]
jobs:
  test:
    name: ${{ matrix.os }} ${{ matrix.toxenv }}
    runs-on: ${{ matrix.os }}
    container: python:${{ matrix.python }}
    strategy:
      matrix:
        include:
          - {os: ubuntu-latest, python: "3.9", toxenv: py39}
          - {os: ubuntu-latest, python: "3.12", toxenv: py312}
          - {os: macos-latest, python: "3.12", toxenv: py312}
          - {os: ubuntu-latest, python: "3.12", toxenv: lint, extra: "1"}
    defaults: {run: {shell: "bash -l {0}", working-directory: sub}}
    env: {TOX: "${{ matrix.toxenv }}"}
    steps:
      - run: |
          echo "LEVEL=3" >> $GITHUB_ENV
          tox -e ${{ matrix.toxenv }}
      - run: make V=$LEVEL
      - {if: matrix.extra, run: only-lint}
      - {if: failure(), run: collect}
      - {shell: "python {0}", run: "import x"}
"#;
    insta::assert_snapshot!(shown(".github/workflows/ci.yml", text), @r#"
    6: tool python 3.9
    6: tool python 3.12
    18: [sub] echo "LEVEL=3" >> $GITHUB_ENV (ubuntu-latest py312) Linux TOX=py312 @os=ubuntu-latest @python=3.12 @toxenv=py312
    19: [sub] tox -e py312 (ubuntu-latest py312) Linux TOX=py312 @os=ubuntu-latest @python=3.12 @toxenv=py312 or tox -e py39|tox -e lint
    20: [sub] make V=$LEVEL (ubuntu-latest py312) Linux LEVEL=3 TOX=py312 @os=ubuntu-latest @python=3.12 @toxenv=py312
    23: [sub] import x (ubuntu-latest py312) Linux <python> LEVEL=3 TOX=py312 @os=ubuntu-latest @python=3.12 @toxenv=py312
    "#);
}

#[test]
fn version_files_are_read() {
    let workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/setup-go@v5\n        with: {go-version-file: go.mod}\n      - uses: actions/setup-node@v4\n        with:\n          node-version-file: './.nvmrc'\n      - uses: actions/setup-python@v5\n      - uses: ruby/setup-ruby@v1\n      - uses: actions/setup-java@v4\n        with: {java-version: '17', distribution: temurin}\n      - uses: actions/setup-go@v5\n        with: {go-version-file: missing}\n";
    let shown = shown_of(&[
        (".github/workflows/ci.yml", workflow),
        ("go.mod", "module x\n\ngo 1.21\n"),
        (".nvmrc", "v20.1\n"),
        (".python-version", "3.12\n"),
        (".ruby-version", "3.2.1\n"),
    ]);
    insta::assert_snapshot!(shown, @"
    go.mod:3: tool go >=1.21
    .github/workflows/ci.yml:7: tool go 1.21
    .github/workflows/ci.yml:10: tool node 20.1
    .github/workflows/ci.yml:11: tool python 3.12
    .github/workflows/ci.yml:12: tool ruby 3.2.1
    .github/workflows/ci.yml:14: tool java 17
    .github/workflows/ci.yml:15: tool go *
    .nvmrc:1: tool node 20.1
    .python-version:1: tool python 3.12
    .ruby-version:1: tool ruby 3.2.1
    ");
}

#[test]
fn actions_and_workflows_of_the_repository_are_followed() {
    let caller = "on: push\njobs:\n  unit:\n    uses: ./.github/workflows/run.yml\n    with: {python: '3.11', command: make check}\n  direct:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ./.github/actions/setup\n        with: {node: '20'}\n      - run: npm test\n";
    let called = "on:\n  workflow_call:\n    inputs:\n      python: {type: string}\n      command: {type: string}\n      verbose: {type: boolean}\njobs:\n  go:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/setup-python@v5\n        with: {python-version: '${{ inputs.python }}'}\n      - run: ${{ inputs.command }} ${{ inputs.verbose && '-v' || '' }} ${{ inputs.unknown }}\n";
    let action = "name: Set up\ninputs:\n  node: {default: '18'}\n  cache: {default: 'no'}\nruns:\n  using: composite\n  steps:\n    - uses: actions/setup-node@v4\n      with: {node-version: '${{ inputs.node }}'}\n    - {shell: bash, run: npm ci, if: \"inputs.cache == 'no'\"}\n    - {shell: bash, run: never, if: \"inputs.cache == 'yes'\"}\n    - {shell: bash, run: 'bash ${{ github.action_path }}/x.sh'}\n";
    let unused = "on: workflow_call\njobs: {a: {runs-on: macos-13, steps: [{run: alone}]}}\n";
    let shown = shown_of(&[
        (".github/workflows/ci.yml", caller),
        (".github/workflows/run.yml", called),
        (".github/workflows/unused.yml", unused),
        (".github/actions/setup/action.yml", action),
    ]);
    insta::assert_snapshot!(shown, @"
    .github/workflows/run.yml:12: tool python 3.11
    .github/workflows/run.yml:13: [] make check  ${{ inputs.unknown }} (unit: go) Linux ?${{ inputs.unknown }}
    .github/actions/setup/action.yml:9: tool node 20
    .github/actions/setup/action.yml:10: [] npm ci (direct) Linux
    .github/actions/setup/action.yml:12: [] bash .github/actions/setup/x.sh (direct) Linux
    .github/workflows/ci.yml:11: [] npm test (direct) Linux
    .github/workflows/unused.yml:2: [] alone (a) Macos
    ");
}

#[test]
fn calls_in_a_circle_end() {
    let workflow = "on: {workflow_call: {}, push: {}}\njobs: {a: {uses: ./.github/workflows/a.yml}, b: {runs-on: ubuntu-latest, steps: [{uses: ./x}]}}\n";
    let action =
        "runs: {using: composite, steps: [{uses: ./x}, {shell: bash, run: make}, {uses: ./x}]}\n";
    let shown = shown_of(&[
        (".github/workflows/a.yml", workflow),
        ("x/action.yml", action),
    ]);
    assert_eq!(shown.matches("make").count(), 1, "{shown}");
}

#[test]
fn a_value_of_several_lines_keeps_the_place_of_its_row() {
    let text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy: {matrix: {pre: [\"one\\ntwo\"]}}\n    steps:\n      - run: |\n          ${{ matrix.pre }}\n          three ${{ github.sha }}\n";
    insta::assert_snapshot!(shown(".github/workflows/ci.yml", text), @"
    8: [] one (a) Linux @pre=one
    two
    8: [] two (a) Linux @pre=one
    two
    9: [] three ${{ github.sha }} (a) Linux @pre=one
    two ?${{ github.sha }}
    ");
}
