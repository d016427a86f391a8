//! What a build needs, in words that no distribution owns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A requirement such as `header:zlib.h`, `pc:libpng`, `cmd:meson`; a distribution package provides it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// `header:png.h`: a path as an `#include` writes it.
    Header(String),
    /// `pc:libpng`: a pkg-config module.
    PkgConfig(String),
    /// `cmake:ZLIB`: a CMake package, as `find_package` names it.
    CMake(String),
    /// `lib:ssl`: what `-lssl` links.
    Library(String),
    /// `cmd:flex`: a program on `PATH`.
    Command(String),
    /// `m4:AX_CXX_COMPILE_STDCXX`: an autoconf macro.
    Macro(String),
    /// `py:tkinter`: a module of the distribution's own Python.
    Python(String),
    /// `so:libfoo.so.3`: a shared library by the name that programs are linked with.
    SharedLibrary(String),
    /// `gir:Gtk-3.0`: a GObject typelib.
    Typelib(String),
    /// `perl:Foo::Bar`: a Perl module of the distribution.
    Perl(String),
    /// `rb:foo`: a Ruby library of the distribution.
    Ruby(String),
    /// `node:foo`: a Node module of the distribution.
    Node(String),
    /// `pkg:libfoo-dev`: a package by the name the repository itself gives (for apt).
    Package(String),
}

impl Capability {
    /// Prefix and subject of the text form.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Header(x) => ("header", x),
            Self::PkgConfig(x) => ("pc", x),
            Self::CMake(x) => ("cmake", x),
            Self::Library(x) => ("lib", x),
            Self::Command(x) => ("cmd", x),
            Self::Macro(x) => ("m4", x),
            Self::Python(x) => ("py", x),
            Self::SharedLibrary(x) => ("so", x),
            Self::Typelib(x) => ("gir", x),
            Self::Perl(x) => ("perl", x),
            Self::Ruby(x) => ("rb", x),
            Self::Node(x) => ("node", x),
            Self::Package(x) => ("pkg", x),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, subject) = self.parts();
        write!(f, "{prefix}:{subject}")
    }
}

/// The text is not `prefix:subject` with a known prefix and a subject.
#[derive(Debug, thiserror::Error)]
#[error(
    "not a capability: {0:?} (expected header:, pc:, cmake:, lib:, cmd:, m4:, py:, so:, gir:, perl:, rb:, node: or pkg: and a name)"
)]
pub struct ParseCapabilityError(String);

impl FromStr for Capability {
    type Err = ParseCapabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseCapabilityError(text.to_owned());
        let (prefix, subject) = text.split_once(':').ok_or_else(bad)?;
        if subject.is_empty() {
            return Err(bad());
        }
        let subject = subject.to_owned();
        Ok(match prefix {
            "header" => Self::Header(subject),
            "pc" => Self::PkgConfig(subject),
            "cmake" => Self::CMake(subject),
            "lib" => Self::Library(subject),
            "cmd" => Self::Command(subject),
            "m4" => Self::Macro(subject),
            "py" => Self::Python(subject),
            "so" => Self::SharedLibrary(subject),
            "gir" => Self::Typelib(subject),
            "perl" => Self::Perl(subject),
            "rb" => Self::Ruby(subject),
            "node" => Self::Node(subject),
            "pkg" => Self::Package(subject),
            _ => return Err(bad()),
        })
    }
}

impl Serialize for Capability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
