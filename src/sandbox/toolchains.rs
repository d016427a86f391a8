//! Toolchains of the user that a sandbox over this machine may use: homes are not visible there, so a compiler that a
//! version manager put into one is lent read-only. Nothing else of a home is.

use std::path::{Path, PathBuf};

/// A toolchain to lend: its name below `/run/envc/toolchains` and its directory, which has a `bin`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    pub name: &'static str,
    pub dir: PathBuf,
}

/// Toolchains outside of the system's directories, and directories inside of those that `PATH` usually lacks.
pub fn found() -> (Vec<Toolchain>, Vec<&'static str>) {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let rustup = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| home.map(|home| home.join(".rustup")));
    let rust = rustup.and_then(|dir| rust(&dir));
    let system = ["/usr/local/go/bin"]
        .into_iter()
        .filter(|dir| Path::new(dir).is_dir())
        .collect();
    (rust.into_iter().collect(), system)
}

/// The default toolchain of rustup's `settings.toml`.
fn rust(rustup: &Path) -> Option<Toolchain> {
    let text = std::fs::read_to_string(rustup.join("settings.toml")).ok()?;
    let settings: toml::Table = text.parse().ok()?;
    let name = settings.get("default_toolchain")?.as_str()?;
    // A name is one directory; anything else is not a name.
    if name.contains('/') || name.starts_with('.') {
        return None;
    }
    let dir = std::fs::canonicalize(rustup.join("toolchains").join(name)).ok()?;
    dir.join("bin")
        .is_dir()
        .then_some(Toolchain { name: "rust", dir })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_toolchain_is_lent() {
        let rustup = tempfile::tempdir().unwrap();
        let set = |name: &str| {
            let text = format!("version = \"12\"\ndefault_toolchain = \"{name}\"\n");
            std::fs::write(rustup.path().join("settings.toml"), text).unwrap();
        };
        std::fs::create_dir_all(rustup.path().join("toolchains/stable/bin")).unwrap();
        set("stable");
        assert_eq!(rust(rustup.path()).unwrap().name, "rust");
        set("nightly");
        assert_eq!(rust(rustup.path()), None);
        set("../toolchains/stable");
        assert_eq!(rust(rustup.path()), None);
        std::fs::write(rustup.path().join("settings.toml"), "not toml = = ").unwrap();
        assert_eq!(rust(rustup.path()), None);
    }
}
