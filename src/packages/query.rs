//! `envc which`: from a word as people and error messages write it to capabilities, and the answer with its reasons.

use std::fmt;

use serde::Serialize;

use super::{Candidate, Capability, Index, Manager, is_standard_header, native_requirement};

/// Runners-up that are shown.
const RUNNERS_UP: usize = 4;

/// What is known of one word.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// As asked.
    pub what: String,
    /// Comes with every C or C++ compiler.
    pub standard: bool,
    /// Ways to read the word for which a package was found, the likeliest first.
    pub found: Vec<Reading>,
    /// Nothing was found: names that are close.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub close: Vec<String>,
    /// The name is usually another tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// For a Python module, what provides it on PyPI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pypi: Option<String>,
    /// Code name of the release that the data is of, and whether it is another one than was asked for.
    pub release: String,
    pub approximate: bool,
    /// The command that installs the first answer.
    pub install: Option<String>,
}

/// One way to read a word.
#[derive(Debug, Clone, Serialize)]
pub struct Reading {
    pub capability: Capability,
    pub candidates: Vec<Candidate>,
}

/// The answer for one word, with the install line for `manager`.
pub fn answer(index: &Index, what: &str, manager: Manager) -> Answer {
    let readings = readings(what);
    let standard = readings
        .iter()
        .any(|each| matches!(each, Capability::Header(name) if is_standard_header(name)));
    let found: Vec<Reading> = readings
        .iter()
        .map(|capability| Reading {
            capability: capability.clone(),
            candidates: index.providers(capability),
        })
        .filter(|reading| !reading.candidates.is_empty())
        .collect();
    let close = if found.is_empty() && !standard {
        super::close::names(index, &readings)
    } else {
        Vec::new()
    };
    Answer {
        what: what.to_owned(),
        standard,
        warning: warning(what, &found),
        pypi: pypi(&readings, &found),
        install: found.first().and_then(|reading| install(reading, manager)),
        found,
        close,
        release: index.release().to_owned(),
        approximate: index.is_approximate(),
    }
}

/// What the packages are where the name makes one think of another tool.
fn warning(what: &str, found: &[Reading]) -> Option<String> {
    let name = what.rsplit(':').next().unwrap_or(what);
    let known = super::homonym(name)?;
    let best = found.first()?.candidates.first()?;
    known
        .packages
        .contains(&best.package)
        .then(|| format!("{} is {}, not {}", best.package, known.is, known.meant))
}

/// The distribution on PyPI of a Python module: by name where one is known to differ, and for modules that a package
/// holds. A bare word that is a command first is not taken for a module.
fn pypi(readings: &[Capability], found: &[Reading]) -> Option<String> {
    let module = readings.iter().find_map(|each| match each {
        Capability::Python(name) => Some(name),
        _ => None,
    })?;
    let asked = readings.len() == 1;
    let first = found
        .first()
        .is_some_and(|reading| matches!(reading.capability, Capability::Python(_)));
    let table = crate::repair::distribution_of(module)?;
    (asked || first || (found.is_empty() && table != *module)).then_some(table)
}

fn install(reading: &Reading, manager: Manager) -> Option<String> {
    let first = reading.candidates.first()?;
    let word = match manager {
        Manager::Apt => first.package.clone(),
        other => native_requirement(&reading.capability, other)?,
    };
    let words = crate::needs::install_words(manager).join(" ");
    Some(format!("{words} {}", shlex::try_quote(&word).ok()?))
}

/// The capabilities that a word may mean, the likeliest first.
pub fn readings(what: &str) -> Vec<Capability> {
    let what = what.trim().trim_matches(['<', '>', '"']);
    if let Ok(capability) = what.parse() {
        return vec![capability];
    }
    if let Some(name) = what.strip_prefix("-l").filter(|name| !name.is_empty()) {
        return vec![Capability::Library(name.to_owned())];
    }
    let base = what.rsplit('/').next().unwrap_or(what);
    let extension = base.rsplit_once('.').map_or("", |(_, extension)| extension);
    if matches!(extension, "h" | "hh" | "hpp" | "hxx" | "H" | "inc" | "ipp") {
        return vec![Capability::Header(what.trim_start_matches('/').to_owned())];
    }
    if let Some(name) = base.strip_suffix(".pc") {
        return vec![Capability::PkgConfig(name.to_owned())];
    }
    if extension == "m4" {
        return vec![Capability::Macro(
            base.trim_end_matches(".m4").to_ascii_uppercase(),
        )];
    }
    if let Some(name) = base
        .strip_suffix("Config.cmake")
        .or_else(|| base.strip_suffix("-config.cmake"))
    {
        return vec![Capability::CMake(name.to_owned())];
    }
    if let Some(name) = base
        .strip_suffix(".cmake")
        .and_then(|name| name.strip_prefix("Find"))
    {
        return vec![Capability::CMake(name.to_owned())];
    }
    if base.contains("::") {
        return vec![Capability::Perl(base.to_owned())];
    }
    if extension == "typelib" {
        return vec![Capability::Typelib(
            base.trim_end_matches(".typelib").to_owned(),
        )];
    }
    if base.starts_with("lib") && base.contains(".so.") {
        // What a program asks for when it starts, and what one links with.
        let shared = Capability::SharedLibrary(base.to_owned());
        return library(base).map_or(vec![shared.clone()], |name| {
            vec![shared, Capability::Library(name.to_owned())]
        });
    }
    if let Some(name) = library(base) {
        return vec![Capability::Library(name.to_owned())];
    }
    plain(what)
}

/// `libfoo.so`, `libfoo.so.3`, `libfoo.a` → `foo`.
fn library(base: &str) -> Option<&str> {
    let rest = base.strip_prefix("lib")?;
    let name = rest
        .strip_suffix(".a")
        .or_else(|| rest.split_once(".so").map(|(name, _)| name))?;
    (!name.is_empty()).then_some(name)
}

/// A bare word: a macro where it looks like one, else a command, a CMake package, a pkg-config module, a Python
/// module, a library.
fn plain(word: &str) -> Vec<Capability> {
    let name = word.to_owned();
    let is_macro = word.contains('_')
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if is_macro {
        return vec![Capability::Macro(name.clone()), Capability::CMake(name)];
    }
    let upper = word.starts_with(|c: char| c.is_ascii_uppercase());
    let mut all = vec![
        Capability::Command(name.clone()),
        Capability::PkgConfig(name.clone()),
        Capability::Python(name.clone()),
        Capability::CMake(name.clone()),
        Capability::Library(name.clone()),
        Capability::Typelib(name.clone()),
        Capability::Ruby(name.clone()),
        Capability::Node(name),
    ];
    if upper {
        all.rotate_left(3);
    }
    all
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.standard {
            return writeln!(
                f,
                "{}: comes with every C or C++ compiler (libc6-dev, libstdc++)",
                self.what
            );
        }
        let Some((first, others)) = self.found.split_first() else {
            writeln!(
                f,
                "{}: no package of {} is known to provide it",
                self.what, self.release
            )?;
            if !self.close.is_empty() {
                writeln!(f, "  close names: {}", self.close.join(", "))?;
            }
            return self.on_pypi(f);
        };
        reading(f, &self.what, first)?;
        if let Some(warning) = &self.warning {
            writeln!(f, "  warning: {warning}")?;
        }
        for other in others {
            if let Some(best) = other.candidates.first() {
                writeln!(
                    f,
                    "  as {}: {} ({})",
                    other.capability, best.package, best.why
                )?;
            }
        }
        if self.approximate {
            writeln!(
                f,
                "  (by the data of {}; the package manager has the last word)",
                self.release
            )?;
        }
        if let Some(line) = &self.install {
            writeln!(f, "  {line}")?;
        }
        self.on_pypi(f)
    }
}

impl Answer {
    fn on_pypi(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pypi {
            Some(name) => writeln!(f, "  on PyPI: {name}"),
            None => Ok(()),
        }
    }
}

fn reading(f: &mut fmt::Formatter<'_>, what: &str, reading: &Reading) -> fmt::Result {
    let Some((best, others)) = reading.candidates.split_first() else {
        return Ok(());
    };
    writeln!(f, "{what}: {} (as {})", best.package, reading.capability)?;
    writeln!(f, "  because it {}", best.why.trim_start_matches("it "))?;
    for other in others.iter().take(RUNNERS_UP) {
        writeln!(
            f,
            "  then {} ({}; {} points to {})",
            other.package, other.why, other.score, best.score
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_people_write_them() {
        for (word, expected) in [
            ("zlib.h", "header:zlib.h"),
            ("<SDL2/SDL.h>", "header:SDL2/SDL.h"),
            ("libpng.pc", "pc:libpng"),
            ("-lssl", "lib:ssl"),
            ("libfoo.so.3", "so:libfoo.so.3"),
            ("libfoo.so", "lib:foo"),
            ("Foo::Bar", "perl:Foo::Bar"),
            ("Gtk-3.0.typelib", "gir:Gtk-3.0"),
            ("libz.a", "lib:z"),
            ("AM_PATH_X", "m4:AM_PATH_X"),
            ("Qt5Config.cmake", "cmake:Qt5"),
            ("FindZLIB.cmake", "cmake:ZLIB"),
            ("Qt5", "cmake:Qt5"),
            ("protoc", "cmd:protoc"),
            ("pc:x", "pc:x"),
        ] {
            assert_eq!(
                readings(word).first().map(ToString::to_string).as_deref(),
                Some(expected),
                "{word}"
            );
        }
    }

    #[test]
    fn answers_name_package_and_install_line() {
        let index = Index::embedded();
        for (word, package) in [
            ("zlib.h", "zlib1g-dev"),
            ("png.h", "libpng-dev"),
            ("libpng.pc", "libpng-dev"),
            ("-lssl", "libssl-dev"),
            ("Qt5", "qtbase5-dev"),
            ("protoc", "protobuf-compiler"),
            ("cv2", "python3-opencv"),
            ("libz.so.1", "zlib1g"),
            ("YAML::XS", "libyaml-libyaml-perl"),
            ("Gtk-3.0.typelib", "gir1.2-gtk-3.0"),
            ("node:semver", "node-semver"),
        ] {
            let line = answer(&index, word, Manager::Apt)
                .install
                .unwrap_or_default();
            assert!(line.ends_with(&format!(" {package}")), "{word}: {line}");
        }
    }

    #[test]
    fn a_python_module_has_its_name_on_pypi_too() {
        let index = Index::embedded();
        let of = |word: &str| answer(&index, word, Manager::Apt).pypi;
        assert_eq!(of("cv2").as_deref(), Some("opencv-python-headless"));
        assert_eq!(of("py:yaml").as_deref(), Some("PyYAML"));
        assert_eq!(of("zlib.h"), None);
        assert_eq!(of("protoc"), None);
    }

    #[test]
    fn a_name_that_two_programs_share_is_said() {
        let index = Index::embedded();
        let of = |word: &str| answer(&index, word, Manager::Apt).to_string();
        assert!(of("yarn").contains("warning: cmdtest is"), "{}", of("yarn"));
        assert!(of("cmd:swift").contains("warning"));
        assert!(of("uv").contains("warning"));
        assert!(!of("npm").contains("warning"));
    }

    #[test]
    fn what_exists_nowhere_gives_close_names() {
        let answer = answer(&Index::embedded(), "zlibb.h", Manager::Apt);
        assert!(answer.found.is_empty());
        assert!(
            answer.close.iter().any(|name| name == "zlib.h"),
            "{:?}",
            answer.close
        );
    }
}
