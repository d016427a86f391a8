//! What a kept state was made over, to tell whether it still fits: layers over a base that changed mean nothing.

use std::fs;
use std::path::Path;

use super::contract::{Base, SandboxFacts};

/// Files that change whenever a package of the base does, relative to its root.
const TELLING: [&str; 5] = [
    "etc/os-release",
    "var/lib/dpkg/status",
    "lib/apk/db/installed",
    "var/lib/rpm/rpmdb.sqlite",
    "var/lib/pacman/local/ALPM_DB_VERSION",
];

/// A word that is the same for the same base: its digest where it has one, else what its packages are.
pub fn fingerprint(base: &Base, facts: &SandboxFacts) -> String {
    if let Some(digest) = &facts.digest {
        return digest.clone();
    }
    let root = match base {
        Base::Rootfs(path) => path.as_path(),
        _ => Path::new("/"),
    };
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(root.to_string_lossy().as_bytes());
    for name in TELLING {
        hasher.update(&fs::read(root.join(name)).unwrap_or_default());
        hasher.update(&[0]);
    }
    format!("packages:{:032x}", hasher.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_package_is_another_base() {
        let root = tempfile::tempdir().unwrap();
        let base = Base::Rootfs(root.path().into());
        let mut facts = super::super::os_release::facts("overlay", "rootfs", root.path(), None);
        let before = fingerprint(&base, &facts);
        assert_eq!(fingerprint(&base, &facts), before);
        fs::create_dir_all(root.path().join("var/lib/dpkg")).unwrap();
        fs::write(root.path().join("var/lib/dpkg/status"), "Package: x\n").unwrap();
        assert_ne!(fingerprint(&base, &facts), before);
        facts.digest = Some("sha256:1".into());
        assert_eq!(fingerprint(&base, &facts), "sha256:1");
    }
}
