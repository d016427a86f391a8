//! `#include` lines of C and C++ sources with the conditions around them, judged for a build on Linux with GCC.
//!
//! No macro is expanded and nothing is included: a condition is true, false or not known (what a `configure` decides).
//! Work is linear in the text; nesting is kept to [`MAX_DEPTH`] levels.

use std::collections::HashSet;

/// One `#include` that a build on this platform may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    pub target: String,
    /// `<…>` rather than `"…"`.
    pub system: bool,
    pub line: u32,
    /// False where a condition that is not known stands around it.
    pub sure: bool,
    /// The innermost condition that is not known.
    pub guard: String,
}

const MAX_DEPTH: usize = 200;

/// A level of `#if … #endif`.
struct Level {
    value: Option<bool>,
    /// An earlier branch is taken (`Some(true)`), none is, or that is not known.
    earlier: Option<bool>,
    text: String,
}

/// Macros that GCC on Linux defines, and those of other systems and compilers.
const DEFINED: &[&str] = &[
    "__linux__",
    "__linux",
    "linux",
    "__unix__",
    "__unix",
    "unix",
    "__GNUC__",
    "__gnu_linux__",
    "__GLIBC__",
    "__ELF__",
    "__STDC__",
    "__x86_64__",
    "__amd64__",
    "__LP64__",
    "_LP64",
    "__OPTIMIZE__",
    "__GNUC_MINOR__",
    "__VERSION__",
    "__LITTLE_ENDIAN__",
    "__SSE__",
    "__SSE2__",
    "__CHAR_BIT__",
    "_REENTRANT",
    "__STDC_VERSION__",
    "Q_OS_LINUX",
    "Q_OS_UNIX",
    "__WXGTK__",
    "Q_WS_X11",
    "__UNIX__",
    "BOOST_OS_LINUX",
    "OS_LINUX",
];
const UNDEFINED: &[&str] = &[
    "_WIN32",
    "WIN32",
    "_WIN64",
    "WIN64",
    "__WIN32__",
    "__WIN32",
    "_WINDOWS",
    "_MSC_VER",
    "__MINGW32__",
    "__MINGW64__",
    "__CYGWIN__",
    "__CYGWIN32__",
    "__APPLE__",
    "__APPLE_CC__",
    "__MACH__",
    "__FreeBSD__",
    "__NetBSD__",
    "__OpenBSD__",
    "__DragonFly__",
    "__FreeBSD_kernel__",
    "__sun",
    "sun",
    "__sun__",
    "__SVR4",
    "__svr4__",
    "_AIX",
    "__hpux",
    "hpux",
    "__hpux__",
    "__sgi",
    "sgi",
    "__ANDROID__",
    "ANDROID",
    "__EMSCRIPTEN__",
    "EMSCRIPTEN",
    "__HAIKU__",
    "__BEOS__",
    "BEOS",
    "__QNX__",
    "__QNXNTO__",
    "__OS2__",
    "OS2",
    "__EMX__",
    "MSDOS",
    "__MSDOS__",
    "DOS",
    "__DJGPP__",
    "DJGPP",
    "__GO32__",
    "__WATCOMC__",
    "__BORLANDC__",
    "__TURBOC__",
    "VMS",
    "__VMS",
    "__vms",
    "AMIGA",
    "__amigaos__",
    "__AMIGA__",
    "MACOSX",
    "__MACOSX__",
    "macintosh",
    "__MORPHOS__",
    "__osf__",
    "__ultrix",
    "ultrix",
    "_SCO_DS",
    "__minix",
    "__riscos__",
    "__riscos",
    "WINCE",
    "_WIN32_WCE",
    "UNDER_CE",
    "__SYMBIAN32__",
    "__GNU__",
    "__KLIBC__",
    "__VXWORKS__",
    "__ZEPHYR__",
    "ARDUINO",
    "ESP_PLATFORM",
    "__AVR__",
    "__arm__",
    "__aarch64__",
    "__ARM_NEON",
    "__ARM_NEON__",
    "__powerpc__",
    "__PPC__",
    "__ppc__",
    "__sparc__",
    "__mips__",
    "__s390__",
    "__riscv",
    "__ia64__",
    "__alpha__",
    "__i386__",
    "i386",
    "__clang__",
    "__INTEL_COMPILER",
    "__ICC",
    "__SUNPRO_C",
    "__SUNPRO_CC",
    "__TINYC__",
    "__PGI",
    "__xlC__",
    "__IBMC__",
    "NeXT",
    "__NeXT__",
    "PLAN9",
    "_XENIX",
    "M_XENIX",
    "__DECC",
    "__MVS__",
    "__SWITCH__",
    "__PSP__",
    "__PS3__",
    "VITA",
    "_EE",
    "GEKKO",
    "__wii__",
    "__3DS__",
    "__vita__",
    "_XBOX",
    "TARGET_OS_IPHONE",
    "TARGET_OS_MAC",
    "Q_OS_WIN",
    "Q_OS_WIN32",
    "Q_OS_MAC",
    "Q_OS_MACX",
    "Q_OS_MACOS",
    "Q_OS_DARWIN",
    "Q_OS_ANDROID",
    "Q_OS_IOS",
    "Q_OS_FREEBSD",
    "Q_WS_WIN",
    "Q_WS_MAC",
    "Q_CC_MSVC",
    "G_OS_WIN32",
    "__WXMSW__",
    "__WXMAC__",
    "__WXOSX__",
    "__WINDOWS__",
    "__OSX__",
    "PLATFORM_WINDOWS",
    "OS_WIN",
    "OS_MACOSX",
    "__SNC__",
    "__CUDACC__",
    "__NVCC__",
    "__HIPCC__",
    "SWIG",
    "_MANAGED",
    "__STRICT_ANSI__",
    "lint",
    "__lint__",
    "RC_INVOKED",
    "__CPPCHECK__",
    "__DOXYGEN__",
    "DOXYGEN",
    "UEFI",
    "__KERNEL__",
    "_KERNEL",
    "GENERATING_DOCUMENTATION",
    "Q_MOC_RUN",
    "__wasm__",
    "__wasi__",
    "__redox__",
    "__illumos__",
    "__managarm__",
    "__serenity__",
    "PSP",
    "WII",
    "DREAMCAST",
    "__DREAMCAST__",
    "_arch_dreamcast",
    "__bsdi__",
    "__INTERIX",
    "__TOS__",
    "__atarist__",
    "THINK_C",
    "__MWERKS__",
    "applec",
    "_CRAY",
    "__convex__",
    "apollo",
    "_SEQUENT_",
];

/// The `#include`s of one file. `cpp`: it is compiled as C++.
pub fn includes(text: &str, cpp: bool) -> Vec<Include> {
    let mut state = State {
        levels: Vec::new(),
        defined: HashSet::new(),
        undefined: HashSet::new(),
        cpp,
        first: true,
    };
    let mut found = Vec::new();
    for (line, number) in Directives::new(text) {
        state.directive(&line, number, &mut found);
        if found.len() > 2000 {
            break;
        }
    }
    found
}

struct State {
    levels: Vec<Level>,
    defined: HashSet<String>,
    undefined: HashSet<String>,
    cpp: bool,
    first: bool,
}

impl State {
    fn directive(&mut self, text: &str, line: u32, found: &mut Vec<Include>) {
        let word_end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(word_end);
        let rest = rest.trim();
        let first = std::mem::replace(&mut self.first, false);
        match word {
            "if" => self.open(self.evaluate(rest), rest),
            "ifdef" => self.open(self.is_defined(name(rest)), rest),
            "ifndef" => {
                // The guard of the file against being included twice.
                let value = match self.is_defined(name(rest)) {
                    _ if first || name(rest).to_ascii_lowercase().ends_with("_h") => Some(true),
                    value => value.map(|value| !value),
                };
                self.open(value, &format!("!{rest}"));
            }
            "elif" => self.branch(|state| state.evaluate(rest), rest),
            "elifdef" => self.branch(|state| state.is_defined(name(rest)), rest),
            "else" => self.branch(|_| Some(true), ""),
            "endif" => {
                self.levels.pop();
            }
            "define" if self.value() == Some(true) => {
                self.defined.insert(name(rest).to_owned());
            }
            "undef" if self.value() == Some(true) => {
                self.undefined.insert(name(rest).to_owned());
            }
            "include" | "import" => self.include(rest, line, found),
            _ => {}
        }
    }

    fn include(&self, rest: &str, line: u32, found: &mut Vec<Include>) {
        let value = self.value();
        let parsed = match rest.chars().next() {
            Some('<') => rest
                .get(1..)
                .and_then(|rest| rest.split_once('>'))
                .map(|(name, _)| (name, true)),
            Some('"') => rest
                .get(1..)
                .and_then(|rest| rest.split_once('"'))
                .map(|(name, _)| (name, false)),
            _ => None,
        };
        let Some((target, system)) =
            parsed.filter(|(name, _)| !name.is_empty() && name.len() < 200)
        else {
            return;
        };
        if value == Some(false) {
            return;
        }
        let unknown = self.levels.iter().rev().find(|level| level.value.is_none());
        found.push(Include {
            target: target.trim().to_owned(),
            system,
            line,
            sure: value == Some(true),
            guard: unknown.map_or(String::new(), |level| level.text.clone()),
        });
    }

    fn value(&self) -> Option<bool> {
        if self.levels.iter().any(|level| level.value == Some(false)) {
            return Some(false);
        }
        self.levels
            .iter()
            .all(|level| level.value == Some(true))
            .then_some(true)
    }

    fn open(&mut self, value: Option<bool>, text: &str) {
        if self.levels.len() < MAX_DEPTH {
            self.levels.push(Level {
                value,
                earlier: value,
                text: text.chars().take(120).collect(),
            });
        }
    }

    fn branch(&mut self, condition: impl FnOnce(&Self) -> Option<bool>, text: &str) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        let own = condition(self);
        let value = match (level.earlier, own) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), own) => own,
            (None, _) => None,
        };
        let earlier = match (level.earlier, own) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let text = if text.is_empty() {
            format!("not {}", level.text)
        } else {
            text.to_owned()
        };
        self.levels.push(Level {
            value,
            earlier,
            text: text.chars().take(120).collect(),
        });
    }

    fn is_defined(&self, name: &str) -> Option<bool> {
        if self.undefined.contains(name) {
            return None;
        }
        if name == "__cplusplus" {
            return Some(self.cpp);
        }
        if DEFINED.contains(&name) || self.defined.contains(name) {
            return Some(true);
        }
        if UNDEFINED.contains(&name) || is_foreign(name) {
            return Some(false);
        }
        None
    }

    fn evaluate(&self, text: &str) -> Option<bool> {
        let mut parser = Parser {
            state: self,
            text,
            depth: 0,
        };
        parser.or()
    }
}

/// `USE_WIN32_THREADS`, `PLATFORM_MACOS`: a word of the name is another system.
fn is_foreign(name: &str) -> bool {
    name.split('_').any(|word| {
        matches!(
            word.to_ascii_uppercase().as_str(),
            "WIN32"
                | "WIN64"
                | "WINDOWS"
                | "MSVC"
                | "MINGW"
                | "MINGW32"
                | "CYGWIN"
                | "MACOSX"
                | "MACOS"
                | "OSX"
                | "DARWIN"
                | "SOLARIS"
                | "HPUX"
                | "AIX"
                | "IRIX"
                | "FREEBSD"
                | "OPENBSD"
                | "NETBSD"
                | "ANDROID"
                | "IOS"
                | "IPHONE"
                | "MSDOS"
                | "OS2"
                | "VMS"
                | "COCOA"
                | "EMSCRIPTEN"
                | "AMIGA"
                | "BEOS"
                | "HAIKU"
        )
    })
}

fn name(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Conditions as far as `defined`, `!`, `&&`, `||`, parentheses, numbers and comparisons go.
struct Parser<'a> {
    state: &'a State,
    text: &'a str,
    depth: u8,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> Option<bool> {
        let mut value = self.and();
        while self.eat("||") {
            value = match (value, self.and()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        value
    }

    fn and(&mut self) -> Option<bool> {
        let mut value = self.comparison();
        while self.eat("&&") {
            value = match (value, self.comparison()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        value
    }

    fn comparison(&mut self) -> Option<bool> {
        let value = self.unary();
        self.skip();
        let operator = ["==", "!=", ">=", "<=", ">", "<"]
            .iter()
            .find(|op| self.text.starts_with(**op));
        let Some(operator) = operator else {
            return value;
        };
        self.text = self.text.get(operator.len()..).unwrap_or_default();
        self.unary();
        // A version of something that this platform does not have is no version.
        match (value, *operator) {
            (Some(false), ">=" | ">") => Some(false),
            _ => None,
        }
    }

    fn unary(&mut self) -> Option<bool> {
        self.skip();
        if !self.text.starts_with("!=") && self.eat("!") {
            return self.deeper(Self::unary).map(|value| !value);
        }
        if self.eat("(") {
            let value = self.deeper(Self::or);
            self.eat(")");
            return value;
        }
        let word = name(self.text);
        let word_len = word.len();
        let (word, rest) = (
            word.to_owned(),
            self.text.get(word_len..).unwrap_or_default(),
        );
        if word.is_empty() {
            let skip = self.text.chars().next().map_or(0, char::len_utf8);
            self.text = self.text.get(skip..).unwrap_or_default();
            return None;
        }
        self.text = rest;
        if word == "defined" {
            let paren = self.eat("(");
            self.skip();
            let inner = name(self.text).to_owned();
            self.text = self.text.get(inner.len()..).unwrap_or_default();
            if paren {
                self.eat(")");
            }
            return self.state.is_defined(&inner);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(word.trim_end_matches(['L', 'l', 'U', 'u']) != "0");
        }
        self.skip();
        if self.text.starts_with('(') {
            // A macro with arguments, as `GTK_CHECK_VERSION(3,0,0)`.
            self.arguments();
            return None;
        }
        match word.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            // A name that is not defined is 0; one that is may be.
            _ => self.state.is_defined(&word).filter(|defined| !defined),
        }
    }

    fn arguments(&mut self) {
        let mut depth = 0_u32;
        for (at, c) in self.text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.text = self.text.get(at + 1..).unwrap_or_default();
                return;
            }
        }
        self.text = "";
    }

    fn deeper(&mut self, parse: fn(&mut Self) -> Option<bool>) -> Option<bool> {
        if self.depth >= 40 {
            self.text = "";
            return None;
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }
}

/// Preprocessor lines without their `#`, comments taken out and continuations joined.
struct Directives<'t> {
    lines: std::iter::Zip<std::str::Lines<'t>, std::ops::RangeFrom<u32>>,
    in_comment: bool,
}

impl<'t> Directives<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            lines: text.lines().zip(1..),
            in_comment: false,
        }
    }
}

impl Iterator for Directives<'_> {
    type Item = (String, u32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, number) = self.lines.next()?;
            if !self.in_comment && !line.contains('#') && !line.contains("/*") {
                continue;
            }
            let mut text = strip_comments(line, &mut self.in_comment);
            let Some(directive) = text.trim_start().strip_prefix('#') else {
                continue;
            };
            text = directive.trim().to_owned();
            while text.ends_with('\\') && text.len() < 10_000 {
                text.pop();
                let Some((next, _)) = self.lines.next() else {
                    break;
                };
                text.push(' ');
                text.push_str(strip_comments(next, &mut self.in_comment).trim());
            }
            return Some((text, number));
        }
    }
}

fn strip_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            match rest.split_once("*/") {
                Some((_, after)) => {
                    *in_comment = false;
                    rest = after;
                    out.push(' ');
                }
                None => return out,
            }
        }
        let start = rest.find("/*");
        let line_comment = rest.find("//");
        match (start, line_comment) {
            // `<sys//x.h>` and URLs in strings are no concern of a directive.
            (at, Some(end)) if at.is_none_or(|at| end < at) => {
                out.push_str(rest.get(..end).unwrap_or_default());
                return out;
            }
            (Some(at), _) => {
                out.push_str(rest.get(..at).unwrap_or_default());
                rest = rest.get(at + 2..).unwrap_or_default();
                *in_comment = true;
            }
            (None, _) => {
                out.push_str(rest);
                return out;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        includes(text, false)
            .into_iter()
            .map(|each| {
                let guard = if each.sure {
                    String::new()
                } else {
                    format!(" ?{}", each.guard)
                };
                format!("{}:{}{guard}", each.line, each.target)
            })
            .collect()
    }

    #[test]
    fn conditions_of_the_platform_are_judged_and_others_kept() {
        let text = "#ifndef A_H\n#define A_H\n#include <a.h>\n#ifdef _WIN32\n# include <windows.h>\n#elif defined(__APPLE__) && X\n#include <mac.h>\n#else /* unix */\n#include <b.h>\n#endif\n#if HAVE_Z // z\n#include <zlib.h>\n#endif\n#if 0\n#include <never.h>\n#endif\n/* #include <comment.h>\n#include <too.h> */\n#include \"own.h\"\n#if defined(WIN32) || !defined(__linux__)\n#include <no.h>\n#endif\n#ifdef __cplusplus\n#include <vector>\n#endif\n#endif\n";
        assert_eq!(
            shown(text),
            ["3:a.h", "9:b.h", "12:zlib.h ?HAVE_Z", "19:own.h"]
        );
    }

    #[test]
    fn versions_and_unknown_macros() {
        assert_eq!(
            shown("#if _MSC_VER >= 1400\n#include <x.h>\n#else\n#include <y.h>\n#endif\n"),
            ["4:y.h"]
        );
        assert_eq!(
            shown("#if GTK_CHECK_VERSION(3,0,0)\n#include <x.h>\n#endif\n"),
            ["2:x.h ?GTK_CHECK_VERSION(3,0,0)"]
        );
        assert_eq!(
            shown("#define USE_X 1\n#ifdef USE_X\n#include <x.h>\n#endif\n"),
            ["3:x.h"]
        );
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(#if |#el|#endif\n|defined|[()!&|<>\"/*\\\\ \n]|\\PC){0,120}") {
            includes(&text, true);
        }
    }
}
