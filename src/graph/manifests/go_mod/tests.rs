use super::super::testing::{repo, summary};

#[test]
fn a_module_with_commands_and_cgo() {
    let graph = repo(&[
        (
            "go.mod",
            "module example.org/x/tool/v2\n\ngo 1.21.0\ntoolchain go1.22.1\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tgithub.com/c/d v0.1.0 // indirect\n)\nreplace github.com/a/b => ./b\n",
        ),
        ("go.sum", ""),
        ("b/go.mod", "module github.com/a/b\n"),
        ("cmd/tool/main.go", "package main\n\nfunc main() {}\n"),
        ("cmd/tool/main_test.go", "package main\n"),
        ("hack/x.go", "//go:build ignore\n\npackage main\n"),
        (
            "db/db.go",
            "package db\n\n// #cgo linux pkg-config: libpq\n// #cgo windows LDFLAGS: -lws2_32\n/*\n#cgo LDFLAGS: -lz -lm\n#include <zlib.h>\n#include <stdio.h>\n*/\nimport \"C\"\n",
        ),
        (
            "db/db_extra.go",
            "//go:build extra\n\npackage db\n\n// #cgo LDFLAGS: -lssh2\nimport \"C\"\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    go "" example.org/x/tool/v2 (go.mod:1)
      build-command = go build ./... (go.mod)
      cgo = db/db.go (db/db.go:10)
      install-command = go mod download (go.mod)
      language = C (db/db.go:10)
      lock = go.sum (go.sum)
      main = cmd/tool (cmd/tool/main.go)
      module = example.org/x/tool/v2 (go.mod:1)
      replace = github.com/a/b (go.mod:10)
      run-command = go run ./cmd/tool (cmd/tool/main.go)
      test-command = go test ./... (go.mod)
      tool go >=1.21.0 Manifest (go.mod:3)
      tool go 1.22.1 Lock (go.mod:4)
      go github.com/a/b@v1.2.3 [runtime] (go.mod:7)
      system cmd:pkg-config [build] (db/db.go:3)
      system pc:libpq [build] (db/db.go:3)
      system lib:z [build] (db/db.go:6)
      system header:zlib.h [build] (db/db.go:7)
      system lib:ssh2 [optional://go:build extra] if-present (db/db_extra.go:5)
      project go "b" (b/go.mod:1)
      entry Command tool (cmd/tool/main.go)
      suite go (cmd/tool/main_test.go)
    go "b" github.com/a/b (b/go.mod:1)
      build-command = go build ./... (b/go.mod)
      module = github.com/a/b (b/go.mod:1)
      test-command = go test ./... (b/go.mod)
    "#);
}

#[test]
fn a_workspace_of_modules() {
    let graph = repo(&[
        ("go.work", "go 1.22\n\nuse (\n\t./a\n\t./b\n)\n"),
        ("a/go.mod", "module m/a\nrequire m/b v0.0.0\n"),
        ("b/go.mod", "module m/b\n"),
        ("b/vendor/modules.txt", "# x\n"),
        ("old/Gopkg.toml", ""),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    go "a" m/a (a/go.mod:1)
      build-command = go build ./... (a/go.mod)
      install-command = go mod download (a/go.mod)
      module = m/a (a/go.mod:1)
      test-command = go test ./... (a/go.mod)
      workspace-root = . (go.work:4)
      go m/b@v0.0.0 [runtime] (a/go.mod:2)
      tool go >=1.22 Manifest (go.work:1)
      project go "b" (b/go.mod:1)
    go "b" m/b (b/go.mod:1)
      build-command = go build ./... (b/go.mod)
      module = m/b (b/go.mod:1)
      test-command = go test ./... (b/go.mod)
      vendor = b/vendor (b/vendor/modules.txt)
      workspace-root = . (go.work:5)
      tool go >=1.22 Manifest (go.work:1)
    go "old" old (old/Gopkg.toml)
      build-command = go build ./... (old/Gopkg.toml)
      install-command = dep ensure (old/Gopkg.toml)
      legacy = dep (old/Gopkg.toml)
      test-command = go test ./... (old/Gopkg.toml)
    "#);
}

#[test]
fn hostile_manifests_are_survived() {
    for text in [
        "module",
        "module (\n",
        "require (\nx\n",
        ")\n(\n",
        "replace a => ../../..\nmodule \"$(x)\"\r\n",
    ] {
        repo(&[
            ("go.mod", text),
            ("go.work", text),
            ("é.go", "import \"C\"\n#cgo é: \n"),
        ]);
    }
}
