//! Toolchain templates: `templates/script/<name>.sh.hbs`, each with a head that says what it needs and gives.
//!
//! The head is a Handlebars comment that holds TOML ([`Head`]). A new toolchain is one new file.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::ScriptError;

/// Everything under `templates/`.
pub(super) static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// What a toolchain's template declares.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Capability and Debian package of what the template's own lines need.
    #[serde(default)]
    pub packages: Vec<(String, String)>,
    /// Directories to put before `PATH`, first wins. Placeholders as in `env`.
    #[serde(default)]
    pub path: Vec<String>,
    /// Values that a step may leave out.
    #[serde(default)]
    pub defaults: BTreeMap<String, String>,
    /// Variables a command needs to use the toolchain. `{home}` is the user's home, `{envc}` the directory of this
    /// environment, another `{name}` a value of the step; a variable whose value is not there is left out.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// A toolchain's template: its head and the Handlebars text below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    pub head: Head,
    pub body: String,
}

/// The template of this name.
///
/// # Errors
/// [`ScriptError::Template`] where there is none, or its head is not what [`Head`] says.
pub fn toolchain(name: &str) -> Result<Toolchain, ScriptError> {
    let bad = |why: String| ScriptError::Template {
        name: name.to_owned(),
        why,
    };
    let text = TEMPLATES
        .get_file(format!("script/{name}.sh.hbs"))
        .and_then(|file| file.contents_utf8())
        .ok_or_else(|| bad(format!("there is none; known are {}", names().join(", "))))?;
    let (head, body) = text
        .strip_prefix("{{!--")
        .and_then(|rest| rest.split_once("--}}\n"))
        .ok_or_else(|| bad("it does not start with a {{!-- head --}}".to_owned()))?;
    let head = toml::from_str(head).map_err(|error| bad(error.to_string()))?;
    Ok(Toolchain {
        head,
        body: body.to_owned(),
    })
}

/// Names of all toolchain templates.
pub fn names() -> Vec<&'static str> {
    let Some(dir) = TEMPLATES.get_dir("script") else {
        return Vec::new();
    };
    let mut names: Vec<_> = dir
        .files()
        .filter_map(|file| file.path().file_name()?.to_str()?.strip_suffix(".sh.hbs"))
        .filter(|name| *name != "setup")
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_a_head() {
        assert!(names().len() >= 3);
        for name in names() {
            let toolchain = toolchain(name).expect(name);
            assert!(!toolchain.body.trim().is_empty(), "{name}");
            for (capability, _) in &toolchain.head.packages {
                capability
                    .parse::<crate::packages::Capability>()
                    .expect(name);
            }
        }
    }

    #[test]
    fn an_unknown_one_is_an_error_that_names_the_known() {
        let error = toolchain("../setup").expect_err("no such").to_string();
        assert!(error.contains("python-uv"), "{error}");
    }
}
