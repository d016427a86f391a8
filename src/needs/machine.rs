//! What this machine has already.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::packages::Capability;

use super::model::{Need, Needs};

/// Drops the needs that this machine meets.
pub fn keep_missing(needs: &mut Needs) {
    let machine = Machine::here();
    needs.needs.retain(|need| !machine.has(need));
}

/// The parts of a file system that tell what is installed.
struct Machine {
    root: PathBuf,
    /// Installed packages of dpkg; empty where there is no dpkg.
    packages: HashSet<String>,
}

impl Machine {
    fn here() -> Self {
        Self::at(Path::new("/"))
    }

    fn at(root: &Path) -> Self {
        let status = std::fs::read(root.join("var/lib/dpkg/status")).unwrap_or_default();
        Self {
            root: root.to_owned(),
            packages: installed(&String::from_utf8_lossy(&status)),
        }
    }

    /// The package itself, a package that provides it, or the files of everything that it is needed for.
    fn has(&self, need: &Need) -> bool {
        self.packages.contains(&need.package)
            || need
                .capabilities
                .iter()
                .all(|capability| self.provides(capability))
    }

    fn provides(&self, capability: &Capability) -> bool {
        let any = |dirs: &[&str], name: &str| {
            dirs.iter()
                .any(|dir| self.root.join(dir).join(name).exists())
        };
        match capability {
            Capability::Header(name) => any(
                &[
                    "usr/include",
                    "usr/local/include",
                    "usr/include/x86_64-linux-gnu",
                ],
                name,
            ),
            Capability::PkgConfig(name) => any(PKG_CONFIG, &format!("{name}.pc")),
            Capability::Command(name) => any(
                &["usr/bin", "usr/local/bin", "usr/sbin", "bin", "sbin"],
                name,
            ),
            Capability::Library(name) => {
                any(LIBRARIES, &format!("lib{name}.so")) || any(LIBRARIES, &format!("lib{name}.a"))
            }
            _ => false,
        }
    }
}

const PKG_CONFIG: &[&str] = &[
    "usr/lib/x86_64-linux-gnu/pkgconfig",
    "usr/lib/aarch64-linux-gnu/pkgconfig",
    "usr/lib/pkgconfig",
    "usr/lib64/pkgconfig",
    "usr/share/pkgconfig",
    "usr/local/lib/pkgconfig",
    "usr/local/share/pkgconfig",
];
const LIBRARIES: &[&str] = &[
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib",
    "usr/lib64",
    "usr/local/lib",
    "lib",
];

/// Names of installed packages and of what they provide (dpkg(1), the status file).
fn installed(status: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    for paragraph in status.split("\n\n") {
        let field = |key: &str| {
            let mut lines = paragraph.lines();
            lines
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
                .unwrap_or_default()
        };
        if !field("Status").ends_with(" installed") {
            continue;
        }
        names.insert(field("Package").to_owned());
        for provided in field("Provides").split(',') {
            let name = provided.trim().split([' ', '(']).next().unwrap_or_default();
            if !name.is_empty() {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_packages_and_what_they_provide() {
        let status = "Package: a\nStatus: install ok installed\nProvides: b (= 1), c\n\nPackage: d\nStatus: deinstall ok config-files\n";
        let names = installed(status);
        let has = ["a", "b", "c", "d"].map(|name| names.contains(name));
        assert_eq!(has, [true, true, true, false]);
    }

    #[test]
    fn files_count_where_there_is_no_package_database() {
        let dir = tempfile::tempdir().unwrap();
        let include = dir.path().join("usr/include");
        std::fs::create_dir_all(&include).unwrap();
        std::fs::write(include.join("zlib.h"), "").unwrap();
        let machine = Machine::at(dir.path());
        assert!(machine.provides(&Capability::Header("zlib.h".to_owned())));
        assert!(!machine.provides(&Capability::Header("png.h".to_owned())));
    }
}
