//! Adapters over package managers: `templates/script/managers/<name>.toml`. A new manager is one new file.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::toolchain::TEMPLATES;

/// How to talk to one package manager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manager {
    /// Stem of its file.
    #[serde(default)]
    pub name: String,
    /// The program that tells that it is here.
    pub probe: String,
    /// Place in the order of asking.
    pub order: u32,
    /// Bash lines that define `have NAME` (it is installed) and `add NAME…` (install these).
    pub lines: Vec<String>,
}

static MANAGERS: LazyLock<Vec<Manager>> = LazyLock::new(|| {
    let files = TEMPLATES
        .get_dir("script/managers")
        .map(|dir| dir.files())
        .into_iter()
        .flatten();
    let mut managers: Vec<Manager> = files
        .filter_map(|file| {
            let name = file.path().file_stem()?.to_str()?.to_owned();
            // Embedded data: a test reads every one.
            let manager: Manager = toml::from_str(file.contents_utf8()?).ok()?;
            Some(Manager { name, ..manager })
        })
        .collect();
    managers.sort_by_key(|manager| manager.order);
    managers
});

/// All adapters, in the order of asking; the first is apt, whose names the plan holds.
pub fn managers() -> &'static [Manager] {
    &MANAGERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_an_adapter() {
        let files = TEMPLATES
            .get_dir("script/managers")
            .expect("embedded")
            .files()
            .count();
        assert_eq!(managers().len(), files);
        assert_eq!(managers().first().map(|m| m.name.as_str()), Some("apt"));
        for manager in managers() {
            let text = manager.lines.join("\n");
            assert!(
                text.contains("have() {") && text.contains("add() {"),
                "{}",
                manager.name
            );
        }
    }
}
