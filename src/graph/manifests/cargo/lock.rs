//! `Cargo.lock`, and the system libraries behind the crates it names.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::Place;
use crate::graph::Scope;

use super::super::Reading;
use super::super::drafts::Draft;
use super::super::toml_doc::{Doc, Value};
use super::super::tree::join;
use super::sys_crates::{self, SysCrate};
use super::{Direct, Wanted};

/// Lock file formats and the first Cargo that reads them (Cargo's change log).
const FORMATS: [(&str, &str); 2] = [("3", "1.53"), ("4", "1.78")];

pub fn read(reading: &mut Reading<'_>, wanted: &Wanted) {
    let path = join(reading.dir, "Cargo.lock").unwrap_or_default();
    let text = reading.tree.read(&path);
    let draft = reading.drafts.project("cargo", reading.dir);
    let Some(text) = text else {
        for direct in &wanted.direct {
            for known in sys_crates::brought_by(&direct.crate_name) {
                needs(draft, known, (&direct.scope, true), &direct.place, wanted);
            }
        }
        return;
    };
    draft.manifest(&path, "cargo");
    draft.attr("lock", &path, Place::file(&path));
    let doc = Doc::parse(&text, &path);
    version(draft, &doc);
    let graph = Packages::new(&doc);
    for Reached { scope, names, sure } in graph.reach(wanted) {
        for name in names {
            let (Some(known), Some(place)) = (sys_crates::named(name), graph.places.get(name))
            else {
                continue;
            };
            needs(draft, known, (&scope, sure), place, wanted);
        }
    }
}

fn version(draft: &mut Draft, doc: &Doc<'_>) {
    let Some(value) = doc.get(&["version"]) else {
        return;
    };
    let Some(number) = value.integer() else {
        return;
    };
    draft.attr("lock-version", number, value.place());
    if let Some((_, cargo)) = FORMATS.iter().find(|(format, _)| *format == number) {
        draft.attr("lock-rust", *cargo, value.place());
    }
}

/// The packages of a lock file by name (versions of one crate need the same libraries).
struct Packages<'d> {
    edges: BTreeMap<&'d str, Vec<&'d str>>,
    places: BTreeMap<&'d str, Place>,
}

impl<'d> Packages<'d> {
    fn new(doc: &'d Doc<'_>) -> Self {
        let mut packages = Self {
            edges: BTreeMap::new(),
            places: BTreeMap::new(),
        };
        for package in doc.get(&["package"]).into_iter().flat_map(Value::array) {
            let Some(name) = package.get("name") else {
                continue;
            };
            let place = name.place();
            let Some(name) = name.str() else {
                continue;
            };
            packages.places.entry(name).or_insert(place);
            // `name`, `name version` or `name version (source)`.
            let to = package
                .get("dependencies")
                .into_iter()
                .flat_map(Value::array)
                .filter_map(Value::str);
            let to = to.filter_map(|item| item.split(' ').next());
            packages.edges.entry(name).or_default().extend(to);
        }
        packages
    }

    /// Crates reached from the direct dependencies, by the strongest scope that reaches them; those that only a
    /// feature nobody names brings stand in the second set.
    fn reach(&self, wanted: &Wanted) -> Vec<Reached<'_>> {
        let rank = |scope: &Scope| match scope {
            Scope::Optional(name) => (2, name.clone()),
            Scope::Test | Scope::Dev => (1, String::new()),
            Scope::Build | Scope::Runtime => (0, String::new()),
        };
        let mut order: Vec<&Direct> = wanted.direct.iter().collect();
        order.sort_by_key(|direct| rank(&direct.scope));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut groups: Vec<Reached<'_>> = Vec::new();
        let mut gated: Vec<(Scope, &str)> = Vec::new();
        for direct in order {
            let scope = match &direct.scope {
                Scope::Runtime => Scope::Build,
                other => other.clone(),
            };
            let start = self.edges.get_key_value(direct.crate_name.as_str());
            let start: Vec<&str> = start.map(|(name, _)| *name).into_iter().collect();
            let mut behind = Vec::new();
            let names = self.walk(start, wanted, &mut seen, &mut behind);
            gated.extend(behind.into_iter().map(|name| (scope.clone(), name)));
            groups.push(Reached {
                scope,
                names,
                sure: true,
            });
        }
        for (scope, name) in gated {
            let names = self.walk(vec![name], wanted, &mut seen, &mut Vec::new());
            groups.push(Reached {
                scope,
                names,
                sure: false,
            });
        }
        groups
    }

    /// Everything below `queue` that was not seen; edges behind a feature that is off go to `behind`.
    fn walk<'s>(
        &'s self,
        mut queue: Vec<&'s str>,
        wanted: &Wanted,
        seen: &mut BTreeSet<&'s str>,
        behind: &mut Vec<&'s str>,
    ) -> BTreeSet<&'s str> {
        let mut found = BTreeSet::new();
        while let Some(name) = queue.pop() {
            if !seen.insert(name) {
                continue;
            }
            found.insert(name);
            let gates = sys_crates::named(name).map(|known| &known.gated);
            for to in self.edges.get(name).into_iter().flatten() {
                let gate = gates.and_then(|gates| gates.get(*to));
                match gate {
                    Some(features) if !features.iter().any(|one| wanted.features.contains(one)) => {
                        behind.push(to);
                    }
                    _ => queue.push(to),
                }
            }
        }
        found
    }
}

/// Crates that one direct dependency brings.
struct Reached<'d> {
    scope: Scope,
    names: BTreeSet<&'d str>,
    sure: bool,
}

/// Writes down what one crate needs.
fn needs(
    draft: &mut Draft,
    known: &SysCrate,
    (scope, sure): (&Scope, bool),
    place: &Place,
    wanted: &Wanted,
) {
    let required = sure && !matches!(scope, Scope::Optional(_));
    let scope = match scope {
        Scope::Runtime => &Scope::Build,
        other => other,
    };
    let own_copy = known
        .unless
        .iter()
        .any(|feature| wanted.features.contains(feature));
    let list = if own_copy { &known.then } else { &known.needs };
    for capability in list {
        draft.system(capability.clone(), scope.clone(), required, place.clone());
    }
    for capability in &known.uses {
        draft.system(capability.clone(), scope.clone(), false, place.clone());
    }
    for language in known.languages.iter().filter(|_| required) {
        draft.attr("language", language, place.clone());
    }
}
