//! What a repository needs of a distribution, grouped.

use serde::{Deserialize, Serialize};

use crate::evidence::{Because, Place};
use crate::packages::Capability;

/// Version of the JSON form of [`Needs`].
pub const SCHEMA: &str = "envc.needs/1";

/// What a need is for, strongest first: a package stands in the first group that asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The build fails without it.
    Required,
    /// Programs that the build runs.
    Tools,
    /// Used where it is there.
    Optional,
    /// For the project's own tests only.
    Test,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Required, Self::Tools, Self::Optional, Self::Test];

    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Tools => "tools",
            Self::Optional => "optional",
            Self::Test => "test",
        }
    }
}

/// One package, with everything that asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// The name that the base's distribution has for it.
    pub package: String,
    pub group: Group,
    /// An option of the build that is off by default and alone asks for it: then it is listed and not installed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub option: Option<String>,
    pub capabilities: Vec<Capability>,
    pub because: Vec<Because>,
    /// Other packages that would do, best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub instead: Vec<String>,
}

/// Something that no package of the base provides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unresolved {
    pub capability: Capability,
    pub group: Group,
    pub because: Because,
}

/// A project that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectName {
    pub ecosystem: String,
    /// Empty for the root.
    pub dir: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    pub schema: String,
    pub name: String,
    /// Code name of the release whose packages these are.
    pub release: String,
    pub projects: Vec<ProjectName>,
    pub needs: Vec<Need>,
    pub unresolved: Vec<Unresolved>,
    /// Downloads of the build itself, which no package replaces.
    pub network: Vec<Download>,
    /// What could not be known without running the build.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Download {
    pub what: String,
    pub place: Place,
}

/// Which needs are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Features {
    /// What the build takes by default, with its tests.
    Default,
    /// Only what it cannot do without.
    Minimal,
    /// Everything that some option asks for.
    All,
    /// The default and what this option asks for.
    Named(String),
}

impl Needs {
    /// Whether some need waits for an option of this name.
    pub fn has_option(&self, name: &str) -> bool {
        let mut options = self.needs.iter().filter_map(|need| need.option.as_ref());
        options.any(|option| is_option(option, name))
    }

    /// The needs to install for `features`.
    pub fn wanted<'a>(&'a self, features: &'a Features) -> impl Iterator<Item = &'a Need> {
        self.needs
            .iter()
            .filter(move |need| match (features, &need.option) {
                (Features::All, _) | (Features::Default, None) => true,
                (Features::Minimal, None) => matches!(need.group, Group::Required | Group::Tools),
                (Features::Named(name), option) => {
                    option.as_ref().is_none_or(|option| is_option(option, name))
                }
                (Features::Default | Features::Minimal, Some(_)) => false,
            })
    }
}

/// Whether an option answers to the name that a user gives: `with-ssl`, `ssl` and `WITH_SSL` are one.
fn is_option(option: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        let text = text.to_ascii_lowercase().replace('_', "-");
        let bare = ["with-", "enable-", "use-", "build-"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix));
        bare.unwrap_or(&text).to_owned()
    };
    plain(option) == plain(name)
}
