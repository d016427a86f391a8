//! What is known of the bases (distribution releases) a plan can stand on. One file each in `knowledge/bases/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/knowledge/bases");

/// The system package managers that a script has an adapter for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manager {
    Apt,
    Apk,
    Dnf,
    Zypper,
    Pacman,
}

impl Manager {
    pub const ALL: [Self; 5] = [Self::Apt, Self::Apk, Self::Dnf, Self::Zypper, Self::Pacman];

    /// The command's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apt => "apt",
            Self::Apk => "apk",
            Self::Dnf => "dnf",
            Self::Zypper => "zypper",
            Self::Pacman => "pacman",
        }
    }
}

/// Facts of one base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseFacts {
    /// Stem of the file under `knowledge/bases/`.
    #[serde(default)]
    pub id: String,
    /// `debian:bookworm`.
    pub image: String,
    /// `ID` of its os-release.
    pub distro: String,
    /// Code name of the release.
    pub release: String,
    /// `VERSION_ID` of its os-release.
    pub version: String,
    pub manager: Manager,
    /// `YYYY-MM-DD` of the first stable release.
    pub released: String,
    /// Version that the distribution's default package of each tool has. Versions are text: 3.10 is not 3.1.
    pub tools: BTreeMap<String, String>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// Text of an os-release that must lead to this base, and one that must not.
    #[serde(default, skip_serializing)]
    pub example: Example,
}

/// Each base's own test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Example {
    pub is: String,
    pub is_not: String,
}

/// All known bases, oldest first.
pub fn bases() -> &'static [BaseFacts] {
    static BASES: LazyLock<Vec<BaseFacts>> = LazyLock::new(|| {
        let mut bases: Vec<BaseFacts> = FILES
            .files()
            .filter(|file| file.path().extension().is_some_and(|e| e == "toml"))
            .filter_map(|file| {
                let mut base: BaseFacts = toml::from_str(file.contents_utf8()?).ok()?;
                base.id = file.path().file_stem()?.to_str()?.to_owned();
                Some(base)
            })
            .collect();
        bases.sort_by(|a, b| a.released.cmp(&b.released));
        bases
    });
    &BASES
}

/// The base with this id, e.g. `debian-bookworm`.
pub fn base_by_id(id: &str) -> Option<&'static BaseFacts> {
    bases().iter().find(|base| base.id == id)
}

/// Fields of an os-release file (os-release(5)): the last assignment wins, quotes are taken off.
fn fields(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| {
            let (key, value) = line.trim().split_once('=')?;
            let value = match shlex::split(value) {
                Some(words) => words.join(" "),
                None => value.to_owned(),
            };
            (!key.starts_with('#')).then(|| (key.to_owned(), value))
        })
        .collect()
}

/// The base that an `/etc/os-release` describes. A derivative that is not known by itself (its `ID_LIKE` names a
/// distribution that is) gets the facts of the newest release of that distribution that is not newer than itself,
/// with a note that says so; anything else gives `None`.
pub fn base_of_os_release(text: &str) -> Option<BaseFacts> {
    let fields = fields(text);
    let get = |key: &str| fields.get(key).map_or("", String::as_str);
    let own = bases().iter().filter(|base| base.distro == get("ID"));
    for base in own {
        if base.version == get("VERSION_ID") || base.release == get("VERSION_CODENAME") {
            return Some(base.clone());
        }
    }
    let mut like: Vec<&str> = get("ID_LIKE").split_whitespace().collect();
    like.push(get("ID"));
    let kin: Vec<&BaseFacts> = bases()
        .iter()
        .filter(|base| like.contains(&base.distro.as_str()))
        .collect();
    let exact = kin
        .iter()
        .find(|base| fields.values().any(|value| *value == base.release));
    let nearest = exact.or_else(|| {
        kin.iter()
            .rev()
            .find(|base| base.released.get(..4) <= year(get("VERSION_ID")))
    });
    let chosen = nearest.or(kin.last())?;
    let mut base = (*chosen).clone();
    let name = if get("PRETTY_NAME").is_empty() {
        get("ID")
    } else {
        get("PRETTY_NAME")
    };
    base.notes.insert(
        0,
        format!(
            "{name} is not a known base: package names and tool versions are those of {} and may differ",
            base.image
        ),
    );
    Some(base)
}

/// The year in a version such as `22.04` (Ubuntu's and others' scheme).
fn year(version: &str) -> Option<&str> {
    static YEARS: [&str; 15] = [
        "2016", "2017", "2018", "2019", "2020", "2021", "2022", "2023", "2024", "2025", "2026",
        "2027", "2028", "2029", "2030",
    ];
    let (year, _) = version.split_once('.')?;
    YEARS
        .iter()
        .copied()
        .find(|full| full.get(2..) == Some(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_base_with_a_true_example() {
        assert_eq!(bases().len(), FILES.files().count(), "a file was not read");
        for base in bases() {
            assert_eq!(
                base_of_os_release(&base.example.is).map(|b| b.id),
                Some(base.id.clone())
            );
            assert_ne!(
                base_of_os_release(&base.example.is_not).map(|b| b.id),
                Some(base.id.clone())
            );
            assert!(
                base.released.parse::<jiff::civil::Date>().is_ok(),
                "{}",
                base.id
            );
            for tool in [
                "python", "gcc", "g++", "cmake", "meson", "ninja", "rustc", "cargo", "git", "go",
                "node", "jdk",
            ] {
                assert!(base.tools.contains_key(tool), "{}: {tool}", base.id);
            }
        }
    }

    #[test]
    fn known_versions() {
        let of = |id: &str, tool: &str| base_by_id(id).unwrap().tools[tool].clone();
        assert!(of("debian-bullseye", "python").starts_with("3.9"));
        assert!(of("debian-bookworm", "python").starts_with("3.11"));
        assert!(of("debian-trixie", "python").starts_with("3.13"));
        assert!(of("debian-bookworm", "gcc").starts_with("12."));
        assert!(of("debian-trixie", "gcc").starts_with("14."));
        assert!(of("debian-bookworm", "cmake").starts_with("3.25"));
        assert!(of("debian-bookworm", "rustc").starts_with("1.63"));
    }

    #[test]
    fn a_derivative_gets_the_nearest_debian_and_a_note() {
        let jammy = "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 22.04.4 LTS\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\nVERSION_CODENAME=jammy\n";
        let base = base_of_os_release(jammy).unwrap();
        assert_eq!(base.id, "debian-bullseye");
        assert!(base.notes[0].contains("Ubuntu 22.04.4 LTS is not a known base"));
        let lmde = "ID=linuxmint\nID_LIKE=debian\nVERSION_ID=6\nDEBIAN_CODENAME=bookworm\n";
        assert_eq!(base_of_os_release(lmde).unwrap().id, "debian-bookworm");
        let testing = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux forky/sid\"\n";
        assert_eq!(base_of_os_release(testing).unwrap().id, "debian-trixie");
    }

    #[test]
    fn another_family_is_no_base() {
        assert_eq!(base_of_os_release("ID=fedora\nVERSION_ID=40\n"), None);
        assert_eq!(base_of_os_release("ID=alpine\n"), None);
        assert_eq!(base_of_os_release(""), None);
    }
}
