//! Grammars come with scanners in C, and some read out of bounds on text that no person writes. Each is given
//! mutations of its examples in a process of its own, so that a crash is told with what caused it; a language that
//! cannot take text outside of ASCII says `ascii = true` in its `language.toml`.
//!
//! A short round belongs to the tests; `ENVC_FUZZ=20000` in the environment makes longer ones.

use std::process::{Command, Stdio};

use super::grammar::grammar;
use super::reading::{Want, read_source};
use crate::scan::languages::GRAMMARS;

/// Xorshift: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// What confuses scanners: quotes, brackets, marks of raw strings and here-documents, wide characters, controls.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "${",
    "#{",
    "$(",
    "<<",
    "<<-EOF\n",
    "<<~A",
    "<?php",
    "?>",
    "%w[",
    "%q(",
    "R\"x(",
    ")x\"",
    "/*",
    "*/",
    "//",
    "#",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{1}",
    "é",
    "\u{1F600}",
    "\u{feff}",
    "\u{2028}",
    "日本",
    "\u{e0041}",
    "\u{fffd}",
    "    ",
    "@",
    "$",
    "%",
    "|",
    "=begin\n",
    "=end",
    "__END__\n",
    "--[==[",
    "]==]",
    "~H\"\"\"",
    "\\\\",
    "#!/",
    "0x",
    "1e",
    "..",
    "->",
    "=>",
    "::",
    ";;",
    "&&",
    "let ",
    "where",
    "do",
    "end",
    "if ",
    "else",
    "\u{b}",
    "\u{85}",
    "ß",
];

fn mutated(text: &str, numbers: &mut Numbers) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + numbers.below(12) {
        let at = numbers.below(chars.len() + 1);
        let end = (at + numbers.below(30)).min(chars.len());
        match numbers.below(5) {
            0 => {
                chars.drain(at..end);
            }
            1 => {
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = numbers.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            2 => chars.truncate(at.max(1)),
            3 => {
                let piece = PIECES[numbers.below(PIECES.len())].repeat(1 + numbers.below(3));
                chars.splice(at..at, piece.chars());
            }
            _ => {
                let odd = char::from_u32(numbers.below(0x3_0000) as u32).unwrap_or('\u{fffd}');
                chars.insert(at, odd);
            }
        }
    }
    chars.truncate(20_000);
    chars.into_iter().collect()
}

/// The child: parses for the language that the environment names. Does nothing as a test of its own.
#[test]
fn child() {
    let Ok(task) = std::env::var("ENVC_FUZZ_CHILD") else {
        return;
    };
    let (name, rounds) = task.split_once(':').unwrap();
    let want = Want {
        imports: true,
        own: true,
        definitions: true,
    };
    let examples = GRAMMARS.get_dir(format!("{name}/examples")).unwrap();
    let seeds: Vec<&str> = examples
        .files()
        .filter_map(|file| file.contents_utf8())
        .collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let file = std::env::var("ENVC_FUZZ_INPUT").unwrap();
    for _ in 0..rounds.parse::<usize>().unwrap() {
        let text = mutated(seeds[numbers.below(seeds.len())], &mut numbers);
        std::fs::write(&file, &text).unwrap();
        read_source(grammar(name).unwrap(), &text, want);
    }
}

#[test]
fn every_grammar_survives_mutations_of_its_examples() {
    let rounds = std::env::var("ENVC_FUZZ").unwrap_or_else(|_| "150".to_owned());
    let dir = tempfile::tempdir().unwrap();
    let mut crashed = Vec::new();
    for name in GRAMMARS.dirs().filter_map(|dir| dir.path().to_str()) {
        let input = dir.path().join(name);
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "graph::syntax::fuzz::child", "--test-threads=1"])
            .env("ENVC_FUZZ_CHILD", format!("{name}:{rounds}"))
            .env("ENVC_FUZZ_INPUT", &input)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        if !status.success() {
            let text = std::fs::read_to_string(&input).unwrap_or_default();
            crashed.push(format!("{name}: {status} on {text:?}"));
        }
    }
    assert!(crashed.is_empty(), "{}", crashed.join("\n\n"));
}
