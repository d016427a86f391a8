//! What the user, or a repair that asked for a new plan, has fixed beforehand.

use serde::{Deserialize, Serialize};

use crate::pyramid::Level;

/// Conditions a plan has to keep to. The default leaves everything to the evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraints {
    /// Stem of a file under `knowledge/bases/`.
    pub base: Option<String>,
    /// A version of a toolchain by its name, with the reason it was asked for: `("python", "3.9", "…")`.
    pub toolchains: Vec<(String, String, String)>,
    /// A build system, where a directory has several: `("", "meson")`.
    pub build_systems: Vec<(String, String)>,
    /// `YYYY-MM-DD` to resolve versions as of; overrides the commit's date.
    pub as_of: Option<String>,
    /// The highest level that is of interest: commands above it are not run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub level: Option<Level>,
}

impl Constraints {
    /// These constraints and one more, as [`crate::repair::Operation::Replan`] words it. `None`: unknown topic.
    pub fn with(&self, topic: &str, value: &str, why: &str) -> Option<Self> {
        let mut more = self.clone();
        match topic {
            "base" => more.base = Some(value.to_owned()),
            "build-system" => more.build_systems.push((String::new(), value.to_owned())),
            "python" | "rust" | "cmake" | "meson" => {
                more.toolchains.retain(|(name, _, _)| name != topic);
                more.toolchains
                    .push((topic.to_owned(), value.to_owned(), why.to_owned()));
            }
            "as-of" => more.as_of = Some(value.to_owned()),
            _ => return None,
        }
        (more != *self).then_some(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_constraint_again_is_no_new_plan() {
        let none = Constraints::default();
        let one = none.with("python", "3.9", "distutils is gone").unwrap();
        assert_eq!(one.toolchains.len(), 1);
        assert!(one.with("python", "3.9", "distutils is gone").is_none());
        assert!(none.with("weather", "fine", "").is_none());
    }
}
