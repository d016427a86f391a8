//! Module names → distribution names of Python.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    // A wrong table is a defect of the build, which a test finds; without it every name stands for itself.
    toml::from_str(include_str!("../../knowledge/python-modules.toml")).unwrap_or_default()
});

/// The requirement that provides `module` (dotted, as imported): from `knowledge/python-modules.toml` where the names
/// differ (`yaml` → `PyYAML`), else the top-level name itself. The longest dotted prefix that the table has wins, so that
/// `google.protobuf` and `google.cloud.storage` differ. `None` for what cannot be a distribution's name.
pub fn distribution_of(module: &str) -> Option<String> {
    let mut prefix = module;
    loop {
        if let Some(found) = TABLE.get(prefix) {
            return Some(found.clone()).filter(|name| !name.is_empty());
        }
        match prefix.rsplit_once('.') {
            Some((shorter, _)) => prefix = shorter,
            None => break,
        }
    }
    let plain = !prefix.is_empty()
        && !prefix.starts_with('_')
        && prefix.len() <= 80
        && prefix
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    plain.then(|| prefix.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses_and_its_values_are_requirements() {
        let table: BTreeMap<String, String> =
            toml::from_str(include_str!("../../knowledge/python-modules.toml")).unwrap();
        assert!(table.len() > 50);
        for (module, requirement) in &table {
            if requirement.is_empty() {
                continue;
            }
            let parsed: Result<pep508_rs::Requirement, _> = requirement.parse();
            assert!(parsed.is_ok(), "{module} = {requirement}");
        }
    }

    #[test]
    fn names_that_differ_and_names_that_do_not() {
        assert_eq!(distribution_of("yaml").as_deref(), Some("PyYAML"));
        assert_eq!(
            distribution_of("yaml.constructor").as_deref(),
            Some("PyYAML")
        );
        assert_eq!(
            distribution_of("pytest_cov.plugin").as_deref(),
            Some("pytest-cov")
        );
        assert_eq!(
            distribution_of("google.protobuf.message").as_deref(),
            Some("protobuf")
        );
        assert_eq!(distribution_of("tkinter"), None);
        assert_eq!(distribution_of("_ctypes"), None);
        assert_eq!(distribution_of("x; rm -rf /"), None);
    }
}
