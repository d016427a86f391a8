//! Build systems whose files are programs, to the level of running them: SCons, waf, Premake, xmake, GN, Bazel and
//! autosetup. What their calls for libraries, headers and modules name in quotes is looked for; nothing is run.

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::scan::{FileKind, Repository, read_text};

use super::aside::{is_aside, is_test};
use super::collect::{Ask, Collection};
use super::model::Group;

const MAX_FILE: u64 = 1 << 20;
/// Bytes after a call's name in which its arguments are looked for.
const MAX_ARGUMENTS: usize = 600;

/// What the quoted words of a call are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Library,
    Header,
    Module,
    /// A shell line with `pkg-config`.
    Line,
    /// Flags of the linker.
    Flags,
}

/// A call, what its words are, and how many of them count.
type Call = (&'static str, Kind, usize);

/// Ends of file names, and the calls that look for something there.
const CALLS: &[(&str, &[Call])] = &[
    (
        "SConstruct",
        &[
            ("CheckLib(", Kind::Library, 1),
            ("CheckLibWithHeader(", Kind::Library, 1),
            ("CheckHeader(", Kind::Header, 9),
            ("CheckCHeader(", Kind::Header, 9),
            ("CheckCXXHeader(", Kind::Header, 9),
            ("ParseConfig(", Kind::Line, 1),
            ("LIBS=[", Kind::Library, 20),
            ("LIBS = [", Kind::Library, 20),
        ],
    ),
    (
        "wscript",
        &[
            ("package='", Kind::Module, 1),
            ("package=\"", Kind::Module, 1),
            ("package = '", Kind::Module, 1),
            ("header_name='", Kind::Header, 1),
            ("header_name=\"", Kind::Header, 1),
            ("lib='", Kind::Library, 1),
            ("lib=\"", Kind::Library, 1),
            ("CHECK_HEADERS(", Kind::Header, 1),
        ],
    ),
    (
        "premake5.lua",
        &[
            ("links {", Kind::Library, 20),
            ("links{", Kind::Library, 20),
            ("links(", Kind::Library, 20),
        ],
    ),
    (
        "xmake.lua",
        &[
            ("add_requires(", Kind::Module, 9),
            ("add_syslinks(", Kind::Library, 9),
            ("add_links(", Kind::Library, 9),
        ],
    ),
    (
        "BUILD.gn",
        &[
            ("packages = [", Kind::Module, 9),
            ("libs = [", Kind::Library, 9),
        ],
    ),
    ("BUILD", &[("linkopts = [", Kind::Flags, 9)]),
    ("BUILD.bazel", &[("linkopts = [", Kind::Flags, 9)]),
];

/// Adds what such files look for. A build that goes on without it cannot be told from one that does not: optional.
pub fn add(repository: &Repository, out: &mut Collection<'_>) {
    for entry in &repository.files {
        let path = entry.path.as_str();
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = match name {
            "SConscript" => "SConstruct",
            "premake4.lua" => "premake5.lua",
            name => name,
        };
        let calls = CALLS.iter().find(|(known, _)| *known == name);
        if entry.kind != FileKind::Text
            || entry.size > MAX_FILE
            || entry.vendored
            || is_aside(path)
            || is_test(path)
            || calls.is_none() && name != "auto.def"
        {
            continue;
        }
        let Some(text) = read_text(repository, path) else {
            continue;
        };
        for (line, number) in text.lines().zip(1_u32..) {
            let place = Place::new(path, number);
            match calls {
                Some((_, calls)) => {
                    let at = (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
                    scan(&text, at, line, calls, &place, out);
                }
                None => autosetup(line, &place, out),
            }
        }
    }
}

fn scan(
    text: &str,
    at: usize,
    line: &str,
    calls: &[(&str, Kind, usize)],
    place: &Place,
    out: &mut Collection<'_>,
) {
    if matches!(line.trim_start().chars().next(), Some('#')) || line.trim_start().starts_with("--")
    {
        return;
    }
    for (call, kind, most) in calls {
        let Some(found) = line.find(call) else {
            continue;
        };
        // `lib='z'` holds the opening quote itself.
        let skip = call.len() - usize::from(call.ends_with(['\'', '"']));
        let start = at + found + skip;
        let mut end = (start + MAX_ARGUMENTS).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let rest = text.get(start..end).unwrap_or_default();
        let rest = rest.split([')', ']', '}']).next().unwrap_or_default();
        for word in quoted(rest).into_iter().take(*most) {
            word_needs(word, *kind, place, out);
        }
    }
}

/// Texts between quotes of one kind.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = rest.get(at..at + 1).unwrap_or("'");
        let inner = rest.get(at + 1..).unwrap_or_default();
        let Some((word, after)) = inner.split_once(quote) else {
            break;
        };
        found.push(word);
        rest = after;
    }
    found
}

fn word_needs(word: &str, kind: Kind, place: &Place, out: &mut Collection<'_>) {
    let plain = |name: &str| {
        !name.is_empty()
            && name.len() < 80
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/'))
    };
    let found: Vec<Capability> = match kind {
        Kind::Library => vec![Capability::Library(word.to_owned())],
        Kind::Header => word
            .split_whitespace()
            .map(|name| Capability::Header(name.to_owned()))
            .collect(),
        Kind::Module => word
            .split_whitespace()
            .take(1)
            .map(|name| Capability::PkgConfig(name.to_owned()))
            .collect(),
        Kind::Line => modules(word),
        Kind::Flags => word
            .strip_prefix("-l")
            .map(|name| Capability::Library(name.to_owned()))
            .into_iter()
            .collect(),
    };
    for capability in found {
        if plain(capability.parts().1) {
            out.ask_if_known(Ask {
                because: Because::at(place.clone(), Trust::Manifest, capability.to_string()),
                capability,
                group: Group::Optional,
                option: None,
            });
        }
    }
}

/// The modules of `pkg-config --cflags --libs a b`.
fn modules(line: &str) -> Vec<Capability> {
    let mut words = line.split_whitespace();
    let is_config = |word: &str| word.ends_with("pkg-config") || word.contains("PKG_CONFIG");
    if !words.by_ref().any(is_config) {
        return Vec::new();
    }
    words
        .filter(|word| !word.starts_with('-') && !word.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|word| !matches!(*word, ">=" | "<=" | "=" | ">" | "<"))
        .map(|word| Capability::PkgConfig(word.to_owned()))
        .collect()
}

/// Lines of `auto.def` (Tcl): `cc-check-includes a.h b.h`, `cc-check-function-in-lib f {a b}`, `pkg-config a`.
fn autosetup(line: &str, place: &Place, out: &mut Collection<'_>) {
    let line = line
        .trim_start()
        .trim_start_matches("if ")
        .trim_start_matches(['{', '[', '!', ' ']);
    let mut words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | '"'))
        .filter(|word| !word.is_empty());
    let (kind, skip, most) = match words.next() {
        Some("cc-check-includes" | "cc-with") => (Kind::Header, 0, 9),
        Some("cc-check-function-in-lib") => (Kind::Library, 1, 4),
        Some("pkg-config" | "pkg-config-check") => (Kind::Module, 0, 1),
        _ => return,
    };
    for word in words
        .skip(skip)
        .take(most)
        .filter(|word| !word.starts_with(['$', '-']))
    {
        if kind != Kind::Header || word.ends_with(".h") {
            word_needs(word, kind, place, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    fn of(path: &str, text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(path), text).unwrap();
        let repository = crate::scan::scan(dir.path(), &Default::default()).unwrap();
        let index = Index::embedded();
        let mut out = Collection::new(&index);
        add(&repository, &mut out);
        let mut names: Vec<String> = out
            .into_list()
            .0
            .into_iter()
            .map(|need| need.package)
            .collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn calls_of_each_system() {
        assert_eq!(
            of(
                "SConstruct",
                "# CheckLib('ssl')\nconf.CheckLib('z')\nenv.ParseConfig('pkg-config --cflags --libs libpng >= 1.2')\nconf.CheckCHeader(['stdio.h',\n 'expat.h'])\n"
            ),
            "libexpat1-dev libpng-dev zlib1g-dev"
        );
        assert_eq!(
            of(
                "wscript",
                "conf.check_cfg(package='libpng', mandatory=False)\nconf.check(lib=\"z\")\n"
            ),
            "libpng-dev zlib1g-dev"
        );
        assert_eq!(
            of(
                "premake5.lua",
                "links { \"z\",\n \"expat\" }\n-- links { \"ssl\" }\n"
            ),
            "libexpat1-dev zlib1g-dev"
        );
        assert_eq!(
            of(
                "xmake.lua",
                "add_requires(\"libpng >1.6\")\nadd_syslinks('z')\n"
            ),
            "libpng-dev zlib1g-dev"
        );
        assert_eq!(
            of("BUILD.gn", "packages = [ \"libpng\" ]\nlibs = [ \"z\" ]\n"),
            "libpng-dev zlib1g-dev"
        );
        assert_eq!(
            of("BUILD", "linkopts = [\"-lz\", \"-Wl,-x\"],\n"),
            "zlib1g-dev"
        );
        assert_eq!(
            of(
                "auto.def",
                "cc-check-includes zlib.h stdio.h\nif {![cc-check-function-in-lib XML_Parse expat]} {\n}\n"
            ),
            "libexpat1-dev zlib1g-dev"
        );
    }

    #[test]
    fn what_is_odd_is_left_alone() {
        assert_eq!(
            of(
                "SConstruct",
                "CheckLib('\nCheckLib(name)\nCheckLib('$(id)')\nLIBS=['"
            ),
            ""
        );
        assert_eq!(of("auto.def", "cc-check-includes $headers -x {\n"), "");
    }
}
