use std::path::Path;

use crate::graph::{KnowledgeGraph, build};
use crate::scan::{ScanOptions, scan};

fn graph(files: &[(&str, &str)]) -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join("thing").join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        std::fs::write(path, text).unwrap();
    }
    build(&scan(&dir.path().join("thing"), &ScanOptions::default()).unwrap())
}

/// `place dir | text | context os` of every command.
fn shown(files: &[(&str, &str)]) -> String {
    let graph = graph(files);
    let lines = graph.commands().map(|(node, facts)| {
        let place = node
            .place
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let env: String = facts
            .env
            .iter()
            .map(|(key, value)| format!(" {key}={value}"))
            .collect();
        let os = facts.os.map(|os| format!(" {os:?}")).unwrap_or_default();
        format!(
            "{place} [{}] {} ({}){env}{os}",
            facts.dir,
            facts.text.replace('\n', "⏎"),
            facts.context
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn markdown() {
    let text = r#"# Thing

```sh
git clone https://host.example/thing.git
cd thing
make -j4 # quickly
```

## macOS
```console
$ brew install foo
==> Downloading
$ make test \
    V=1
ok
```

Build on Linux
--------------

    mkdir build
    cd build
    cmake ..
    make

- list

```python
import os
```

```
make sure that you have the compiler
cd sub
make check
for i in 1 2; do
  echo $i
done
```
"#;
    insta::assert_snapshot!(shown(&[("README.md", text), ("sub/a.c", "")]), @r"
    README.md:4 [] git clone https://host.example/thing.git (Thing)
    README.md:6 [] make -j4 (Thing)
    README.md:11 [] brew install foo (macOS) Macos
    README.md:13 [] make test \⏎    V=1 (macOS) Macos
    README.md:21 [] mkdir build⏎cd build⏎cmake ..⏎make (Build on Linux) Linux
    README.md:35 [sub] make check (Build on Linux) Linux
    README.md:36 [sub] for i in 1 2; do⏎  echo $i⏎done (Build on Linux) Linux
    ");
}

#[test]
fn restructured_text() {
    let text = "=====\nTitle\n=====\n\nWindows\n-------\n\n.. code-block:: bash\n   :linenos:\n\n   nmake\n\nTests\n-----\nRun::\n\n    $ export A=b\n    $ tox -e py\n    GLOB ok\n\nand more::\n\n  not a command\n";
    insta::assert_snapshot!(shown(&[("README.rst", text)]), @r"
    README.rst:11 [] nmake (Windows) Windows
    README.rst:18 [] tox -e py (Tests) A=b
    ");
}

#[test]
fn asciidoc_and_plain_text() {
    let adoc = "= Title\n\n== Build\n\n[source,bash]\n----\n./autogen.sh && ./configure\ncat > x <<END\nmake\nEND\n----\n";
    let plain = "Installing\n**********\n\n  1. Type\n\n     ./configure\n     make\n\n  make sure the thing is there\n";
    insta::assert_snapshot!(shown(&[("docs/INSTALL.adoc", adoc), ("INSTALL", plain)]), @r"
    INSTALL:6 [] ./configure (Installing)
    INSTALL:7 [] make (Installing)
    docs/INSTALL.adoc:7 [] ./autogen.sh && ./configure (Build)
    docs/INSTALL.adoc:8 [] cat > x <<END⏎make⏎END (Build)
    ");
}

#[test]
fn hostile_documents_are_survived() {
    let long = format!(
        "```sh\n{}\n```\n{}",
        "(".repeat(20_000),
        "# a\n".repeat(3000)
    );
    let odd = "```\n\u{0}\u{7f}é$(rm -rf ~)`\n~~~\n";
    let graph = graph(&[
        ("README.md", &long),
        ("docs/README.md", odd),
        ("x/README.rst", "é\n=\n::\n\n é\n"),
    ]);
    assert!((2000..3000).contains(&graph.node_count()));
}

#[test]
fn steps_in_sentences_share_their_shell() {
    let text = "# Thing\n\nFor the tests run `make check`.\n\n## Compiling\n\n1. Install Meson\n2. Run `mkdir build && cd build` to make a directory\n3. Run `meson setup ..`\n\n4. Run `ninja` to compile\n\nThat is all, run `nothing special` now.\n";
    insta::assert_snapshot!(shown(&[("README.md", text)]), @"
    README.md:3 [] make check (Thing)
    README.md:8 [] mkdir build && cd build⏎meson setup ..⏎ninja (Compiling)
    ");
}

#[test]
fn what_looks_like_a_heading() {
    let text = "# Install\n\n**Ubuntu:**\n\n```\n# apt-get install x\n# make install\n```\n\n**macOS**\n\n    > make\n    > make check\n\n=== \"Windows\"\n\n    ```console\n    C:\\src> nmake\n    done\n    ```\n\n=== \"Linux\"\n\n    ```sh\n    make linux\n    ```\n\nAfter the tabs:\n\n```sh\nmake all\n```\n\n<details>\n<summary><b>Fedora</b></summary>\n\n```sh\ndnf install y\n```\n\n</details>\n\n```\n# just a comment\nmake x\n```\n";
    insta::assert_snapshot!(shown(&[("README.md", text)]), @"
    README.md:6 [] apt-get install x (Ubuntu) Linux
    README.md:7 [] make install (Ubuntu) Linux
    README.md:12 [] make (macOS) Macos
    README.md:13 [] make check (macOS) Macos
    README.md:18 [] nmake (Windows) Windows
    README.md:25 [] make linux (Linux) Linux
    README.md:31 [] make all (macOS) Macos
    README.md:38 [] dnf install y (Fedora) Linux
    README.md:45 [] make x (macOS) Macos
    ");
    let text = "Install\n=======\n\n.. tabs::\n\n   .. group-tab:: Linux\n\n      .. code-block:: text\n\n         $ make\n\n   .. group-tab:: Windows\n\n      .. code-block:: text\n\n         > py -m venv .venv\n\n.. code-block:: sh\n\n   make all\n\nTo test, run ``tox -e py``.\n";
    insta::assert_snapshot!(shown(&[("README.rst", text)]), @"
    README.rst:10 [] make (Linux) Linux
    README.rst:16 [] py -m venv .venv (Windows) Windows
    README.rst:20 [] make all (Install)
    README.rst:22 [] tox -e py (Install)
    ");
}

#[test]
fn line_ends_and_marks_of_other_systems() {
    let text = "\u{feff}# T\r\n\r\n```sh\r\nmake a \\\r\n  b\r\nmake c\r\n```\r\n";
    insta::assert_snapshot!(shown(&[("README.md", text)]), @r"
    README.md:4 [] make a \⏎  b (T)
    README.md:6 [] make c (T)
    ");
}

#[test]
fn several_commands_of_one_line_and_the_clone_of_the_repository() {
    let text = "# T\n\n1. Run `npm run lint`, `npm run b` and `make`.\n2. Then run `make c`\n";
    let sub = "```sh\ngit clone https://host.example/thing\ncd thing\nmake\n```\n";
    insta::assert_snapshot!(shown(&[("README.md", text), ("doc/README.md", sub), ("doc/Makefile", "")]), @"
    README.md:3 [] npm run lint (T)
    README.md:3 [] npm run b (T)
    README.md:3 [] make (T)
    README.md:4 [] make c (T)
    doc/README.md:2 [doc] git clone https://host.example/thing ()
    doc/README.md:4 [] make ()
    ");
}
