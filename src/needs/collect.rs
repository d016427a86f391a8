//! Needs by package: each with the strongest statement that asks for it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::evidence::Because;
use crate::packages::{Candidate, Capability, Index, is_standard_header};

use super::model::{Group, Need, Unresolved};
use super::programs::PROGRAMS;

static ALTERNATIVES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    #[derive(serde::Deserialize)]
    struct File {
        rows: Vec<Vec<String>>,
    }
    toml::from_str::<File>(include_str!("../../knowledge/packages/alternatives.toml"))
        .expect("embedded data is checked by a test")
        .rows
});

/// Reasons of one package that are kept.
const MAX_REASONS: usize = 5;

/// One statement that something is needed.
pub struct Ask {
    pub capability: Capability,
    pub group: Group,
    pub option: Option<String>,
    pub because: Because,
}

/// Packages by name, in the order in which they were asked for.
pub struct Collection<'i> {
    pub index: &'i Index,
    /// Names of the projects: a build does not need the package that is made of it.
    own: Vec<String>,
    order: Vec<String>,
    needs: BTreeMap<String, Need>,
    pub unresolved: Vec<Unresolved>,
}

impl<'i> Collection<'i> {
    pub fn new(index: &'i Index) -> Self {
        Self {
            index,
            own: Vec::new(),
            order: Vec::new(),
            needs: BTreeMap::new(),
            unresolved: Vec::new(),
        }
    }

    /// Names a project that is read.
    pub fn own(&mut self, name: &str) {
        let name = name.trim().to_owned();
        if name.len() > 1 && !self.own.contains(&name) {
            self.own.push(name);
        }
    }

    /// The candidates without those that are made of the projects themselves.
    pub fn foreign(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let is_own = |package: &str| {
            let kind = package.ends_with("-dev") || self.own.iter().any(|name| name == package);
            kind && self.own.iter().any(|name| core(name) == core(package))
        };
        candidates
            .into_iter()
            .filter(|each| !is_own(&each.package))
            .collect()
    }

    /// Takes the best provider; what nothing provides is unresolved.
    pub fn ask(&mut self, ask: Ask) {
        if is_given(&ask.capability) {
            return;
        }
        let all = self.index.providers(&ask.capability);
        let nothing = all.is_empty();
        let candidates = self.foreign(all);
        let Some((first, others)) = candidates.split_first() else {
            if !nothing {
                return;
            }
            let known = self
                .unresolved
                .iter()
                .any(|each| each.capability == ask.capability);
            if !known && ask.option.is_none() {
                self.unresolved.push(Unresolved {
                    capability: ask.capability,
                    group: ask.group,
                    because: ask.because,
                });
            }
            return;
        };
        let instead = others
            .iter()
            .take(3)
            .map(|other| other.package.clone())
            .collect();
        self.take(&first.package, ask, instead);
    }

    /// Takes the best provider, where there is one.
    pub fn ask_if_known(&mut self, ask: Ask) {
        if !self.index.providers(&ask.capability).is_empty() {
            self.ask(ask);
        }
    }

    /// Takes a package by name.
    pub fn take(&mut self, package: &str, mut ask: Ask, instead: Vec<String>) {
        if PROGRAMS.test_packages.contains(package) {
            ask.group = Group::Test;
        }
        let Some(need) = self.needs.get_mut(package) else {
            self.order.push(package.to_owned());
            let need = Need {
                package: package.to_owned(),
                group: ask.group,
                option: ask.option,
                capabilities: vec![ask.capability],
                because: vec![ask.because],
                instead,
            };
            self.needs.insert(package.to_owned(), need);
            return;
        };
        // What some part of the build takes without an option is wanted without it.
        let stronger = (ask.option.is_some(), ask.group) < (need.option.is_some(), need.group);
        if stronger {
            need.group = ask.group;
            need.option = ask.option;
        }
        if !need.capabilities.contains(&ask.capability) {
            need.capabilities.push(ask.capability);
        }
        if !need.because.contains(&ask.because) {
            let at = if stronger { 0 } else { need.because.len() };
            need.because.insert(at, ask.because);
            need.because.truncate(MAX_REASONS);
        }
    }

    pub fn has(&self, package: &str) -> bool {
        self.needs.contains_key(package)
    }

    /// Leaves out what a need of the same row of `alternatives.toml` already stands for.
    fn drop_alternatives(&mut self) {
        for row in ALTERNATIVES.iter() {
            let mut taken = false;
            for package in row {
                let Some(need) = self.needs.get(package) else {
                    continue;
                };
                if taken && need.option.is_none() && need.group == Group::Optional {
                    self.needs.remove(package);
                }
                taken |= self
                    .needs
                    .get(package)
                    .is_some_and(|need| need.option.is_none() && need.group != Group::Test);
            }
        }
    }

    pub fn into_list(mut self) -> (Vec<Need>, Vec<Unresolved>) {
        self.drop_alternatives();
        let mut list: Vec<Need> = self
            .order
            .iter()
            .filter_map(|name| self.needs.remove(name))
            .collect();
        list.sort_by_key(|need| (need.option.is_some(), need.group));
        (list, self.unresolved)
    }
}

/// Comes with the compiler.
fn is_given(capability: &Capability) -> bool {
    matches!(capability, Capability::Header(name) if is_standard_header(name))
}

/// What a project and the package made of it have in common: no `lib`, no `-dev`, no version at the end.
fn core(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_suffix("-dev").unwrap_or(&lower);
    let bare = bare
        .strip_prefix("lib")
        .filter(|rest| rest.len() > 1)
        .unwrap_or(bare);
    let bare = bare.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    bare.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(capability: &str, group: Group) -> Ask {
        Ask {
            capability: capability.parse().unwrap(),
            group,
            option: None,
            because: Because::no_place(crate::evidence::Trust::Source, capability),
        }
    }

    #[test]
    fn of_alternatives_the_usual_one_stays() {
        assert!(ALTERNATIVES.iter().all(|row| row.len() > 1));
        let index = Index::embedded();
        let mut out = Collection::new(&index);
        out.ask(ask("header:pcre.h", Group::Optional));
        out.ask(ask("header:pcre2.h", Group::Optional));
        out.ask(ask("header:editline/readline.h", Group::Required));
        out.ask(ask("header:readline/readline.h", Group::Optional));
        let names: Vec<String> = out
            .into_list()
            .0
            .into_iter()
            .map(|need| need.package)
            .collect();
        assert_eq!(names, ["libedit-dev", "libpcre2-dev", "libreadline-dev"]);
    }

    #[test]
    fn a_project_and_its_package_have_one_core() {
        assert_eq!(core("sqlite3"), core("libsqlite3-dev"));
        assert_eq!(core("libfcgi"), core("libfcgi-dev"));
        assert_ne!(core("x11-utils"), core("xutils-dev"));
        assert_ne!(core("openssl-tool"), core("libssl-dev"));
    }
}
