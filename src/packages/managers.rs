//! Names for package managers other than apt, which resolve a capability by themselves, and base tools for all.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Capability, Manager};

type Roles = BTreeMap<String, BTreeMap<Manager, Vec<String>>>;

static ROLES: LazyLock<Roles> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/packages/managers.toml"))
        .expect("embedded data is checked by a test")
});

/// Packages of a base tool or role (`cc`, `ninja`, `python3-dev`; `knowledge/packages/managers.toml` has them all).
/// `None` where the role is not known or this manager has no package for it.
pub fn package_for(role: &str, manager: Manager) -> Option<&'static [String]> {
    Some(ROLES.get(role)?.get(&manager)?.as_slice())
}

/// All known roles, in order of their names.
pub fn roles() -> impl Iterator<Item = &'static str> {
    ROLES.keys().map(String::as_str)
}

/// What to ask `manager` for, where it resolves capabilities itself: rpm's provides and file paths (dnf, zypper),
/// apk's `pc:`, `cmd:` and `so:` provides. `None` where the manager has no word for it (apt and pacman always,
/// which know package names only) and for a name that a shell or the manager could misread.
pub fn native_requirement(capability: &Capability, manager: Manager) -> Option<String> {
    let subject = capability.parts().1;
    if !is_plain(subject) {
        return None;
    }
    match manager {
        Manager::Apt | Manager::Pacman => command_role(capability, manager),
        Manager::Dnf | Manager::Zypper => {
            command_role(capability, manager).or_else(|| rpm(capability))
        }
        Manager::Apk => command_role(capability, manager).or_else(|| apk(capability)),
    }
}

/// Commands that are base tools have a name in the table for every manager.
fn command_role(capability: &Capability, manager: Manager) -> Option<String> {
    let Capability::Command(name) = capability else {
        return None;
    };
    let role = match name.as_str() {
        "gcc" | "cc" => "cc",
        "g++" | "c++" => "c++",
        "node" | "nodejs" => "node",
        "javac" => "jdk",
        "gfortran" => "fortran",
        "libtoolize" => "libtool",
        "autoreconf" => "autoconf",
        "aclocal" => "automake",
        other => other,
    };
    match package_for(role, manager)? {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn rpm(capability: &Capability) -> Option<String> {
    Some(match capability {
        Capability::PkgConfig(name) => format!("pkgconfig({name})"),
        Capability::CMake(name) => format!("cmake({name})"),
        Capability::Header(name) => format!("/usr/include/{name}"),
        Capability::Command(name) => format!("/usr/bin/{name}"),
        // dnf and zypper accept a path; 64-bit libraries live in lib64 there.
        Capability::Library(name) => format!("/usr/lib64/lib{name}.so"),
        Capability::Macro(name) => format!("/usr/share/aclocal/{}.m4", name.to_ascii_lowercase()),
        Capability::Python(name) => format!("python3dist({})", name.to_ascii_lowercase()),
        Capability::SharedLibrary(name) => format!("/usr/lib64/{name}"),
        Capability::Perl(name) => format!("perl({name})"),
        Capability::Typelib(name) => format!("/usr/lib64/girepository-1.0/{name}.typelib"),
        Capability::Ruby(name) => format!("rubygem({name})"),
        Capability::Node(name) => format!("npm({name})"),
        Capability::Package(_) => return None,
    })
}

fn apk(capability: &Capability) -> Option<String> {
    match capability {
        Capability::PkgConfig(name) => Some(format!("pc:{name}")),
        Capability::Command(name) => Some(format!("cmd:{name}")),
        Capability::SharedLibrary(name) => Some(format!("so:{name}")),
        _ => None,
    }
}

fn is_plain(subject: &str) -> bool {
    !subject.is_empty()
        && !subject.starts_with(['-', '/'])
        && !subject.contains("..")
        && subject
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_' | b'/' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(capability: &str, manager: Manager) -> Option<String> {
        native_requirement(&capability.parse().unwrap(), manager)
    }

    #[test]
    fn managers_are_asked_in_their_own_words() {
        assert_eq!(
            ask("pc:libpng", Manager::Dnf).as_deref(),
            Some("pkgconfig(libpng)")
        );
        assert_eq!(
            ask("pc:libpng", Manager::Zypper).as_deref(),
            Some("pkgconfig(libpng)")
        );
        assert_eq!(ask("pc:libpng", Manager::Apk).as_deref(), Some("pc:libpng"));
        assert_eq!(
            ask("header:zlib.h", Manager::Dnf).as_deref(),
            Some("/usr/include/zlib.h")
        );
        assert_eq!(ask("cmd:flex", Manager::Apk).as_deref(), Some("cmd:flex"));
        assert_eq!(ask("cmd:ninja", Manager::Apk).as_deref(), Some("samurai"));
        assert_eq!(ask("header:zlib.h", Manager::Apt), None);
        assert_eq!(ask("header:zlib.h", Manager::Apk), None);
    }

    #[test]
    fn an_odd_name_asks_for_nothing() {
        for name in [
            "header:../../etc/passwd",
            "pc:$(id)",
            "cmd:-y",
            "pc:a b",
            "cmd:x;y",
            "header:/etc/shadow",
        ] {
            for manager in Manager::ALL {
                assert_eq!(ask(name, manager), None, "{name}");
            }
        }
    }

    #[test]
    fn every_manager_has_the_tools_that_builds_start_from() {
        for role in [
            "cc",
            "c++",
            "make",
            "cmake",
            "ninja",
            "meson",
            "pkg-config",
            "autoconf",
            "automake",
            "libtool",
            "git",
            "curl",
            "ca-certificates",
            "python3",
            "python3-venv",
            "python3-dev",
            "cargo",
            "rustc",
            "perl",
            "patch",
        ] {
            for manager in Manager::ALL {
                assert!(
                    package_for(role, manager).is_some_and(|p| !p.is_empty()),
                    "{role} {manager:?}"
                );
            }
        }
        assert!(package_for("no such role", Manager::Apt).is_none());
    }

    #[test]
    fn the_names_for_apt_are_names_that_bookworm_has() {
        let index = super::super::Index::embedded();
        // They have no file that the index keeps.
        let metapackages = [
            "pkg-config",
            "ca-certificates",
            "python3-venv",
            "default-jdk-headless",
            "python3-dev",
        ];
        for role in roles() {
            for name in package_for(role, Manager::Apt).unwrap_or_default() {
                assert!(
                    index.knows_package(name) || metapackages.contains(&name.as_str()),
                    "{role}: {name}"
                );
            }
        }
    }
}
