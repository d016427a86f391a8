//! Lines of a distribution's `Contents` file → what they provide.
//!
//! Format (Debian repository format, "Contents indices"): a path without its leading slash, white space, then
//! comma-separated `area/section/package` names.

use std::borrow::Cow;

/// The kind of thing that a path provides. Each kind is a section of the index that is unpacked on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Header,
    PkgConfig,
    CMake,
    Library,
    Command,
    Macro,
    Python,
    SharedLibrary,
    Typelib,
    Perl,
    Ruby,
    Node,
}

impl Kind {
    pub const ALL: [Self; 12] = [
        Self::Header,
        Self::PkgConfig,
        Self::CMake,
        Self::Library,
        Self::Command,
        Self::Macro,
        Self::Python,
        Self::SharedLibrary,
        Self::Typelib,
        Self::Perl,
        Self::Ruby,
        Self::Node,
    ];

    /// Name of the section in the index file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::PkgConfig => "pc",
            Self::CMake => "cmake",
            Self::Library => "lib",
            Self::Command => "cmd",
            Self::Macro => "m4",
            Self::Python => "py",
            Self::SharedLibrary => "so",
            Self::Typelib => "gir",
            Self::Perl => "perl",
            Self::Ruby => "rb",
            Self::Node => "node",
        }
    }
}

/// Splits a line into its path and the packages that hold it. `None` for a header line or a blank one.
pub fn split_line(line: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let line = line.trim_end();
    let at = line.rfind(char::is_whitespace)?;
    let (path, owners) = (line.get(..at)?.trim_end(), line.get(at..)?.trim_start());
    if path.is_empty() || !owners.contains('/') {
        return None;
    }
    let names = owners
        .split(',')
        .filter_map(|owner| owner.rsplit('/').next())
        .filter(|name| !name.is_empty());
    Some((path, names))
}

/// Whether files of this package can serve a native build at all: cross compilers' own libraries, Windows
/// targets, kernel trees and detached debug symbols hold thousands of names that are never the answer.
pub fn is_useful_package(name: &str) -> bool {
    !(name.ends_with("-cross")
        || name.contains("mingw-w64")
        || name.starts_with("linux-headers-")
        || name.ends_with("-dbgsym")
        || name.ends_with("-dbg"))
}

const TRIPLET: &str = "x86_64-linux-gnu";

/// What a path provides, and the path the index keeps for it (a Python file stands for its module).
pub fn classify(path: &str) -> Option<(Kind, Cow<'_, str>)> {
    let path = path.strip_prefix("./").unwrap_or(path);
    if is_header(path) {
        return Some((Kind::Header, shorten(path)));
    }
    classify_file(path).map(|(kind, kept)| (kind, Cow::Borrowed(kept)))
}

fn classify_file(path: &str) -> Option<(Kind, &str)> {
    if let Some(kind) = classify_command(path) {
        return Some((kind, path));
    }
    let name = path.rsplit('/').next()?;
    if name.ends_with(".pc") && path.contains("/pkgconfig/") && is_native(path) {
        return Some((Kind::PkgConfig, path));
    }
    let config = name.ends_with("Config.cmake") || name.ends_with("-config.cmake");
    if config && path.starts_with("usr/") && is_native(path) {
        return Some((Kind::CMake, path));
    }
    if is_library(path, name) {
        return Some((Kind::Library, path));
    }
    if name.ends_with(".m4") && path.starts_with("usr/share/aclocal") {
        return Some((Kind::Macro, path));
    }
    python_module(path)
        .map(|module| (Kind::Python, module))
        .or_else(|| soname(path, name).map(|path| (Kind::SharedLibrary, path)))
        .or_else(|| other_language(path, name))
}

/// `libfoo.so.3` where the dynamic linker looks; file names with a longer version are behind the link.
fn soname<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let (dir, _) = path.rsplit_once('/')?;
    let dir = dir.strip_prefix("usr/").unwrap_or(dir);
    let (_, version) = name.split_once(".so.")?;
    let short = version.len() < 8 && version.split('.').count() <= 2 && version.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (name.starts_with("lib") && short && matches!(dir, "lib" | "lib/x86_64-linux-gnu")).then_some(path)
}

/// Typelibs, and modules of Perl, Ruby and Node.
fn other_language<'p>(path: &'p str, name: &str) -> Option<(Kind, &'p str)> {
    if name.ends_with(".typelib") && path.contains("/girepository-1.0/") && is_native(path) {
        return Some((Kind::Typelib, path));
    }
    if name.ends_with(".pm") {
        let inside = perl_inside(path)?;
        return (inside.matches('/').count() <= 3).then_some((Kind::Perl, path));
    }
    if let Some(inside) = path.strip_prefix("usr/lib/ruby/vendor_ruby/") {
        return (inside.ends_with(".rb") && inside.matches('/').count() == 0).then_some((Kind::Ruby, path));
    }
    let inside = path.strip_prefix("usr/share/nodejs/")?.strip_suffix("/package.json")?;
    let depth = inside.matches('/').count();
    let own = depth == 0 || depth == 1 && inside.starts_with('@');
    own.then(|| path.strip_suffix("/package.json").map(|module| (Kind::Node, module)))?
}

/// A Perl module's path below the directory that Perl searches.
pub fn perl_inside(path: &str) -> Option<&str> {
    if let Some(inside) = path.strip_prefix("usr/share/perl5/") {
        return Some(inside);
    }
    let versioned = ["usr/lib/x86_64-linux-gnu/perl5/", "usr/lib/x86_64-linux-gnu/perl/", "usr/share/perl/"];
    let rest = versioned.iter().find_map(|dir| path.strip_prefix(dir))?;
    rest.split_once('/').map(|(_version, inside)| inside)
}

fn classify_command(path: &str) -> Option<Kind> {
    const DIRS: [&str; 5] = ["usr/bin/", "usr/sbin/", "bin/", "sbin/", "usr/games/"];
    let name = DIRS.iter().find_map(|dir| path.strip_prefix(dir))?;
    (!name.is_empty() && !name.contains('/')).then_some(Kind::Command)
}

/// Not below the directory of another architecture's files.
fn is_native(path: &str) -> bool {
    path.split('/').all(|part| {
        part == TRIPLET
            || !(part.contains("-linux-")
                || part.contains("-w64-")
                || part == "mingw"
                || part == "emscripten")
    })
}

/// Components below an include directory that are kept as they are.
const KEPT_DEPTH: usize = 2;

/// The name that stands for all headers of a deep directory.
pub const ANY: &str = "*";

/// A header deep inside a library's own tree is kept as its directory: a third of all headers are such files, and
/// whoever includes one by its long path is served as well by the directory.
fn shorten(path: &str) -> Cow<'_, str> {
    match (
        below_include(path).matches('/').count(),
        path.rsplit_once('/'),
    ) {
        (depth, Some((dir, _))) if depth > KEPT_DEPTH => Cow::Owned(format!("{dir}/{ANY}")),
        _ => Cow::Borrowed(path),
    }
}

/// The part of a header's path below its last directory named `include` (and below the architecture's).
pub fn below_include(path: &str) -> &str {
    let rest = match path.strip_prefix("usr/include/") {
        Some(rest) => rest,
        None => path.rsplit_once("/include/").map_or(path, |(_, rest)| rest),
    };
    rest.strip_prefix("x86_64-linux-gnu/").unwrap_or(rest)
}

fn is_header(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let inside = if path.starts_with("usr/include/") {
        true
    } else if let Some(rest) = path.strip_prefix("usr/lib/") {
        rest.contains("/include/") && !is_private(rest)
    } else {
        false
    };
    if !inside || !is_native(path) || path.contains("/windows/") {
        return false;
    }
    match name.rsplit_once('.') {
        // Qt, Eigen and the C++ library have headers without an extension.
        None => path.starts_with("usr/include/"),
        Some((_, extension)) => matches!(
            extension.to_ascii_lowercase().as_str(),
            "h" | "hh"
                | "hpp"
                | "hxx"
                | "h++"
                | "inc"
                | "inl"
                | "ipp"
                | "tcc"
                | "tpp"
                | "def"
                | "cuh"
        ),
    }
}

/// Include directories that only one tool reads: a compiler's own, a language's or another machine's.
fn is_private(below_lib: &str) -> bool {
    const PRIVATE: [&str; 12] = [
        "gcc/",
        "gcc-cross/",
        "R/",
        "python3/",
        "avr/",
        "picolibc/",
        "klibc/",
        "emboss/",
        "lazarus/",
        "ldc/",
        "xtensa-lx106-elf/",
        "debug/",
    ];
    let other_machine = below_lib
        .split('/')
        .next()
        .is_some_and(|first| first.ends_with("-elf") || first.ends_with("-eabi"));
    other_machine
        || PRIVATE.iter().any(|dir| below_lib.starts_with(dir))
        || below_lib.contains("/lib/clang/")
}

fn is_library(path: &str, name: &str) -> bool {
    if !name.starts_with("lib") || !(name.ends_with(".so") || name.ends_with(".a")) {
        return false;
    }
    let rest = path.strip_prefix("usr/").unwrap_or(path);
    let Some(rest) = rest.strip_prefix("lib/") else {
        return false;
    };
    let rest = rest
        .strip_prefix(TRIPLET)
        .map_or(rest, |r| r.trim_start_matches('/'));
    // One directory below the linker's own (`lapack/liblapack.so`); deeper ones are plug-ins.
    !rest.starts_with("debug/")
        && (rest.matches('/').count() <= 1 || rest.starts_with("llvm-"))
        && is_native(path)
}

/// The file or directory of a top-level module (second level below a namespace package is kept as well).
fn python_module(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("usr/lib/python3")?;
    let inside = match rest.strip_prefix("/dist-packages/") {
        Some(inside) => inside,
        None => {
            let (_version, inside) = rest.strip_prefix('.')?.split_once('/')?;
            let inside = inside.strip_prefix("dist-packages/").unwrap_or(inside);
            if inside.starts_with("test/") || inside.starts_with("config-") {
                return None;
            }
            inside.strip_prefix("lib-dynload/").unwrap_or(inside)
        }
    };
    let is_code = path.ends_with(".py") || path.ends_with(".so");
    let mut parts = inside.split('/');
    let first = parts.next()?;
    // The interpreter's tag of an extension module has a hyphen, a module's name has none.
    let name = first.split('.').next().unwrap_or(first);
    if !is_code || name.contains('-') {
        return None;
    }
    let prefix = path.len() - inside.len();
    let depth = match (parts.next(), parts.next()) {
        (Some("__init__.py"), None) | (None, _) => first.len(),
        (Some(second), None) => first.len() + 1 + second.len(),
        (Some(second), Some("__init__.py")) => first.len() + 1 + second.len(),
        _ => return None,
    };
    path.get(..prefix + depth)
}

/// `usr/include/SDL2/SDL.h` → `SDL.h/SDL2/include/usr`: all paths that end in the same components are neighbours.
pub fn reverse(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for part in path.trim_matches('/').rsplit('/') {
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str) -> Option<Kind> {
        classify(path).map(|(kind, _)| kind)
    }

    #[test]
    fn lines_are_split_at_the_last_white_space() {
        let (path, names) = split_line("usr/share/a b.txt   admin/one,contrib/net/two\n").unwrap();
        assert_eq!(path, "usr/share/a b.txt");
        assert_eq!(names.collect::<Vec<_>>(), ["one", "two"]);
        assert!(split_line("FILE    LOCATION").is_none());
        assert!(split_line("").is_none());
    }

    #[test]
    fn each_kind_is_recognised() {
        assert_eq!(kind("usr/include/zlib.h"), Some(Kind::Header));
        assert_eq!(kind("usr/include/eigen3/Eigen/Dense"), Some(Kind::Header));
        assert_eq!(
            kind("usr/lib/x86_64-linux-gnu/glib-2.0/include/glibconfig.h"),
            Some(Kind::Header)
        );
        assert_eq!(
            kind("usr/lib/x86_64-linux-gnu/pkgconfig/libpng.pc"),
            Some(Kind::PkgConfig)
        );
        assert_eq!(
            kind("usr/lib/x86_64-linux-gnu/cmake/fmt/fmt-config.cmake"),
            Some(Kind::CMake)
        );
        assert_eq!(
            kind("usr/lib/x86_64-linux-gnu/libz.so"),
            Some(Kind::Library)
        );
        assert_eq!(
            kind("usr/lib/x86_64-linux-gnu/lapack/liblapack.so"),
            Some(Kind::Library)
        );
        assert_eq!(kind("bin/bash"), Some(Kind::Command));
        assert_eq!(kind("usr/share/aclocal/pkg.m4"), Some(Kind::Macro));
    }

    #[test]
    fn what_only_a_compiler_or_another_machine_reads_is_left_out() {
        for path in [
            "usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
            "usr/lib/gcc-cross/arm-linux-gnueabi/12/include/arm_acle.h",
            "usr/include/wine/wine/windows/windows.h",
            "usr/include/arm-linux-gnueabihf/foo.h",
            "usr/lib/llvm-14/lib/clang/14.0.6/include/arm_neon.h",
            "usr/lib/x86_64-linux-gnu/libz.so.1.2.13",
            "usr/share/doc/zlib1g-dev/zlib.h",
        ] {
            assert_eq!(kind(path), None, "{path}");
        }
        assert!(!is_useful_package("libc6-dev-arm64-cross"));
        assert!(is_useful_package("libc6-dev"));
    }

    #[test]
    fn python_files_stand_for_their_modules() {
        let module = |path: &'static str| classify_file(path).map(|(_, kept)| kept);
        assert_eq!(
            module("usr/lib/python3.11/tkinter/__init__.py"),
            Some("usr/lib/python3.11/tkinter")
        );
        assert_eq!(
            module("usr/lib/python3/dist-packages/six.py"),
            Some("usr/lib/python3/dist-packages/six.py")
        );
        assert_eq!(module("usr/lib/python3.11/test/foo.py"), None);
    }

    #[test]
    fn reversed_paths_keep_every_component() {
        assert_eq!(reverse("usr/include/SDL2/SDL.h"), "SDL.h/SDL2/include/usr");
        assert_eq!(reverse("x"), "x");
    }
}
