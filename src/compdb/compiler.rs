//! Which words are a compilation of a source, and of which.

use std::sync::LazyLock;

use regex::Regex;

use super::Entry;

/// Compilers of C and its relatives, with a target before the name and a version behind it.
static COMPILER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^([\w.]+-)*(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|icx|icpx|icc|icpc|tcc|pcc|c89|c99|nvcc|hipcc|mpicc|mpicxx|mpic\+\+|gfortran)(-[\d.]+)?$").ok()
});

/// What may stand before the compiler and changes nothing of what is compiled.
const WRAPPERS: [&str; 14] = [
    "if", "then", "do", "else", "!", "exec", "time", "env", "nice", "ccache", "sccache", "distcc",
    "gomacc", "command",
];

/// Extensions of what is compiled.
const SOURCES: [&str; 16] = [
    "c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "m", "mm", "M", "cu", "hip", "S", "s", "sx",
];

/// Options whose value is the next word (gcc(1), clang(1)).
const WITH_VALUE: [&str; 24] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-arch",
    "-target",
];

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a program is a compiler, by its name.
pub fn is_compiler(program: &str) -> bool {
    COMPILER
        .as_ref()
        .is_some_and(|regex| regex.is_match(base_name(program)))
}

/// The entries of one command, an entry for each source that it compiles; none where it compiles nothing.
pub fn entries(words: &[String], directory: &str) -> Vec<Entry> {
    let Some(at) = words.iter().position(|word| is_compiler(word)) else {
        return Vec::new();
    };
    let (before, arguments) = words.split_at(at);
    if !before.iter().all(|word| is_wrapper(word)) {
        return Vec::new();
    }
    let (sources, output) = sources(arguments);
    sources
        .into_iter()
        .map(|file| Entry {
            directory: directory.to_owned(),
            file,
            arguments: arguments.to_vec(),
            command: None,
            output: output.clone(),
        })
        .collect()
}

fn is_wrapper(word: &str) -> bool {
    let name = base_name(word);
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    // libtool(1) takes options and then the compiler's own command.
    assignment
        || WRAPPERS.contains(&name)
        || name == "libtool"
        || name.ends_with("-libtool")
        || matches!(name, "sh" | "bash" | "dash")
        || word.starts_with("--tag=")
        || matches!(
            word,
            "--mode=compile" | "--mode=link" | "--silent" | "--quiet" | "--verbose"
        )
}

/// The sources among a compiler's arguments, and the file that is made. A preprocessor's run (`-E`), a dependency list
/// (`-M`) and a question (`-###`, `--version`) compile nothing.
fn sources(arguments: &[String]) -> (Vec<String>, Option<String>) {
    let (mut sources, mut output) = (Vec::new(), None);
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if matches!(
            word.as_str(),
            "-E" | "-M" | "-MM" | "-###" | "--version" | "-dumpversion"
        ) {
            return (Vec::new(), None);
        }
        if WITH_VALUE.contains(&word.as_str()) {
            let value = words.next();
            if word == "-o" {
                output = value.cloned();
            }
        } else if !word.starts_with('-') {
            let extension = base_name(word)
                .rsplit_once('.')
                .map(|(_, extension)| extension);
            if extension.is_some_and(|extension| SOURCES.contains(&extension)) {
                sources.push(word.clone());
            }
        }
    }
    (sources, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Vec<(String, Option<String>)> {
        let words = shlex::split(command).unwrap();
        let made = entries(&words, "/repo");
        made.into_iter()
            .map(|entry| (entry.file, entry.output))
            .collect()
    }

    #[test]
    fn compilations_are_found() {
        let one = |file: &str, output: &str| vec![(file.to_owned(), Some(output.to_owned()))];
        assert_eq!(of("gcc -c -o a.o a.c"), one("a.c", "a.o"));
        assert_eq!(
            of("x86_64-linux-gnu-g++-12 -std=c++17 -c ../a.cc -o a.o"),
            one("../a.cc", "a.o")
        );
        assert_eq!(
            of("/bin/bash ../libtool --tag=CC --mode=compile gcc -I. -c -o a.lo a.c"),
            one("a.c", "a.lo")
        );
        assert_eq!(
            of("CPATH=x ccache clang -include pre.c -c b.c -o b.o"),
            one("b.c", "b.o")
        );
        assert_eq!(of("cc a.c b.c -lz").len(), 2);
    }

    #[test]
    fn what_compiles_nothing_is_none() {
        for command in [
            "gcc -o demo a.o b.o",
            "gcc -E a.c",
            "gcc -M a.c",
            "echo gcc -c a.c",
            "rm -f a.c",
            "gcc --version a.c",
            "gcc -MF a.c -o x y.o",
            "ar cru libx.a a.o",
        ] {
            assert_eq!(of(command), Vec::new(), "{command}");
        }
    }
}
