//! Capability → candidates: where to look, and in which order the finds are given.

use super::contents::{self, ANY, Kind, below_include};
use super::index::{Hit, Index};
use super::{Capability, cmake, generic, macros, preferred, rank};

/// A package that provides a capability.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Candidate {
    pub package: String,
    /// Higher is better; meaningful only among the candidates of one capability.
    pub score: i32,
    /// The file that makes it a candidate, without the leading slash.
    pub path: String,
    /// In a few words, for a person.
    pub why: String,
}

/// How a path was found, before it is weighed.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub hit: Hit,
    /// The word that a package's name is compared with.
    pub subject: String,
    /// Added to the score: less for a find that took a guess.
    pub bonus: i32,
    pub why: String,
}

impl Index {
    /// [`Self::providers`] by name, each with its reason, as repairs ask for them.
    pub fn named_providers(&self, capability: &Capability) -> Vec<(String, String)> {
        self.providers(capability)
            .into_iter()
            .map(|candidate| (candidate.package, candidate.why))
            .collect()
    }

    /// Packages that provide `capability`, best first. Empty where nothing does, or where the name alone says too
    /// little (`config.h`, `version.h`).
    pub fn providers(&self, capability: &Capability) -> Vec<Candidate> {
        let subject = capability.parts().1;
        if subject.is_empty() || subject.len() > 512 || subject.contains(['\0', '\n']) {
            return Vec::new();
        }
        let found = match capability {
            Capability::Header(name) => self.find_header(name),
            Capability::PkgConfig(name) => {
                let file = format!("{}.pc", name.trim_end_matches(".pc"));
                self.find(Kind::PkgConfig, &file, name)
            }
            Capability::CMake(name) => cmake::find(self, name),
            Capability::Library(name) => self.find_library(name),
            Capability::Command(name) => {
                let name = name.rsplit('/').next().unwrap_or(name);
                self.find(Kind::Command, name, name)
            }
            Capability::Macro(name) => macros::find(self, name),
            Capability::Python(name) => self.find_python(name),
            Capability::SharedLibrary(name) => self.find(Kind::SharedLibrary, name, name),
            Capability::Typelib(name) => self.find(
                Kind::Typelib,
                &format!("{}.typelib", name.trim_end_matches(".typelib")),
                name,
            ),
            Capability::Perl(name) => self.find_perl(name),
            Capability::Ruby(name) => self.find(
                Kind::Ruby,
                &format!("{}.rb", name.split('/').next().unwrap_or(name)),
                name,
            ),
            Capability::Node(name) => self.find(Kind::Node, &format!("nodejs/{name}"), name),
            Capability::Package(name) => return self.named(name),
        };
        let mut candidates = rank::order(self, capability, found);
        preferred::apply(capability, &mut candidates);
        candidates
    }

    /// The package to install for `capability`; see [`Index::providers`].
    pub fn best(&self, capability: &Capability) -> Option<Candidate> {
        self.providers(capability).into_iter().next()
    }

    /// All paths that end in `file`.
    pub(super) fn find(&self, kind: Kind, file: &str, subject: &str) -> Vec<Found> {
        self.ending_in(kind, file)
            .into_iter()
            .map(|hit| Found {
                why: format!("has /{}", hit.path),
                subject: subject.to_owned(),
                bonus: 0,
                hit,
            })
            .collect()
    }

    pub(super) fn find_header(&self, name: &str) -> Vec<Found> {
        let name = name.trim_start_matches("./").trim_matches('/');
        if name.is_empty() || name.contains("..") || generic::is_foreign_or_local(name) {
            return Vec::new();
        }
        let mut found = self.find(Kind::Header, name, name);
        let depth = name.matches('/').count();
        if found.is_empty()
            && depth > 0
            && let Some((dir, _)) = name.rsplit_once('/')
        {
            found = self.find(Kind::Header, &format!("{dir}/{ANY}"), name);
            for each in &mut found {
                each.why = format!(
                    "has the directory /{}",
                    each.hit.path.trim_end_matches("/*")
                );
            }
        }
        let found = generic::keep_telling(self, name, found);
        match generic::follow_link(name) {
            Some(target) if found.is_empty() => self.find(Kind::Header, &target, name),
            _ => found,
        }
    }

    pub(super) fn find_library(&self, name: &str) -> Vec<Found> {
        let bare = name.trim_end_matches(".so").trim_end_matches(".a");
        let bare = if bare.len() < name.len() {
            bare.strip_prefix("lib").unwrap_or(bare)
        } else {
            bare
        };
        let mut found = self.find(Kind::Library, &format!("lib{bare}.so"), bare);
        if found.is_empty() {
            found = self.find(Kind::Library, &format!("lib{bare}.a"), bare);
        }
        // Below the linker's own directory a file of a run-time package is a plug-in.
        found.retain(|each| {
            let mut owners = each.hit.packages.iter().filter_map(|id| self.package(*id));
            is_linker_path(&each.hit.path) || owners.any(|p| p.name.contains("-dev"))
        });
        found
    }

    /// A module is `six.py`, a directory, or an extension module with the interpreter's tag.
    fn find_python(&self, name: &str) -> Vec<Found> {
        let path = name.replace('.', "/");
        let first = path.split('/').next().unwrap_or(&path);
        let mut found = Vec::new();
        for module in [path.as_str(), first] {
            found.extend(self.find(Kind::Python, module, first));
            found.extend(self.find(Kind::Python, &format!("{module}.py"), first));
            if !module.contains('/') {
                for hit in self.starting_with(Kind::Python, &format!("{module}.cpython-"), 16) {
                    found.push(Found {
                        why: format!("has /{}", hit.path),
                        subject: first.to_owned(),
                        bonus: 0,
                        hit,
                    });
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        found.retain(|each| {
            let rest = each.hit.path.trim_start_matches("usr/lib/");
            let below = rest.split_once('/').map_or("", |(_, below)| below);
            let below = below.strip_prefix("dist-packages/").unwrap_or(below);
            below.split(['/', '.']).next() == Some(first)
        });
        found
    }

    /// `Foo::Bar` is `Foo/Bar.pm` in a directory that Perl searches.
    fn find_perl(&self, name: &str) -> Vec<Found> {
        let path = format!("{}.pm", name.replace("::", "/"));
        let mut found = self.find(Kind::Perl, &path, name);
        found.retain(|each| contents::perl_inside(&each.hit.path) == Some(path.as_str()));
        found
    }

    /// A name that the repository itself gives is taken as it is; that the index has it is said.
    fn named(&self, name: &str) -> Vec<Candidate> {
        let sane = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        if !name.bytes().all(sane) || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Vec::new();
        }
        let known = self.knows_package(name);
        vec![Candidate {
            package: name.to_owned(),
            score: if known { 100 } else { 10 },
            path: String::new(),
            why: if known {
                format!("the repository names it, and {} has it", self.release())
            } else {
                "the repository names it".to_owned()
            },
        }]
    }
}

/// True for a file of a directory that the linker searches by itself.
fn is_linker_path(path: &str) -> bool {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let dir = dir.strip_prefix("usr/").unwrap_or(dir);
    matches!(dir, "lib" | "lib/x86_64-linux-gnu")
}

/// True where the compiler finds the header without any further `-I`.
pub(crate) fn is_exact_header(path: &str, name: &str) -> bool {
    if !path.starts_with("usr/include/") {
        return false;
    }
    let below = below_include(path);
    let directory = |dir: &str| name.rsplit_once('/').is_some_and(|(own, _)| own == dir);
    below == name || below.strip_suffix("/*").is_some_and(directory)
}
