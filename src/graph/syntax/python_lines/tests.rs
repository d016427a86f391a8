//! Statements, suites, tests and the main line.

use super::*;

fn found(text: &str) -> String {
    let want = Want {
        imports: true,
        own: true,
        definitions: false,
    };
    let reading = read("python", text, want);
    let mut lines: Vec<String> = reading
        .imports
        .iter()
        .map(|(line, import)| format!("{line} {} [{}]", import.target, import.guard))
        .collect();
    lines.extend(reading.main.map(|line| format!("main {line}")));
    lines.extend(
        reading
            .first_test
            .map(|(line, name)| format!("{} tests, first {name} on {line}", reading.tests)),
    );
    lines.join("\n")
}

#[test]
fn statements_on_one_line_and_over_several() {
    let text = "import a; import b.c as d, e\nfrom x \\\n  import (y,\n z)\ntry: import f\nexcept ImportError: import g\n\
                if x: import h\nelse: import i\nx = [\n'import no', # import no\n\"\"\"\nimport no\n\"\"\"]\n\
                def f(a: int = {1: 2}, *b): import j\nclass A: import k\nfrom.import l\nimport m, \\\n n\nlambda: 0; import o\n\
     from importlib import p\nfrom a.import_helper import q\n";
    insta::assert_snapshot!(found(text), @"
    1 a []
    1 b.c []
    1 e []
    2 x []
    5 f [try]
    6 g [except]
    7 h [if x]
    8 i [else of if x]
    14 j [def f]
    15 k []
    16 . []
    17 m []
    18 n []
    19 o []
    20 importlib []
    21 a.import_helper []
    ");
}

#[test]
fn suites_end_by_their_columns() {
    let text = "try:\n    try:\n        import a\n    except ValueError:\n        import b\n    else:\n        import c\n\
                except (OSError, ImportError):\n\timport d\nfinally:\n    import e\nimport f\nwith suppress(ImportError):\n    import g\n\
                async def run():\n    async with x:\n        if y == (\n1):\n            import h\n    import i\nfor x in y:\n    import j\n";
    insta::assert_snapshot!(found(text), @"
    3 a [try]
    5 b [try]
    7 c [try]
    9 d [except]
    11 e []
    12 f []
    14 g [try]
    19 h [def run && if y == ( 1)]
    20 i [def run]
    22 j []
    ");
}

#[test]
fn tests_and_the_main_line_are_counted() {
    let text = "class T:\n  def test_a(self): pass\n  async def testB(self): pass\n  def testing(self): pass\n\
                if __name__ == '__main__':\n  import z\nx = importlib.import_module('late.b')\ny = import_module(name)\n";
    insta::assert_snapshot!(found(text), @r"
    6 z [if __name__ == '__main__']
    7 late.b []
    main 5
    2 tests, first test_a on 2
    ");
}

#[test]
fn a_bracket_that_is_never_closed_takes_no_more_than_its_statement() {
    insta::assert_snapshot!(found("x = (1,\nimport a\ndef f():\n    import b\n"), @"
    2 a []
    4 b [def f]
    ");
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "([#\"'\\\\\n\t :;()a\\[é.]|import |from |try:\n|if x:|def test|\"\"\"|except){0,60}") {
        found(&text);
    }
}
