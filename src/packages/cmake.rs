//! `find_package(NAME)`: config files first, then what CMake's own Find modules look for, then the name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Capability;
use super::contents::Kind;
use super::index::Index;
use super::lookup::Found;
use super::rank::similarity;

/// `knowledge/packages/cmake-find.toml`: the capabilities that a Find module looks for.
static MODULES: LazyLock<BTreeMap<String, Vec<Capability>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/packages/cmake-find.toml"))
        .expect("embedded data is checked by a test")
});

/// What the Find module of this name (CMake's own, or one that many projects carry) looks for, the telling one
/// first; `None` where it is not known, empty where it needs nothing that a package gives.
pub fn cmake_find_module(name: &str) -> Option<&'static [Capability]> {
    MODULES.get(name).map(Vec::as_slice)
}

pub(super) fn find(index: &Index, name: &str) -> Vec<Found> {
    if name.contains(['/', '*']) {
        return Vec::new();
    }
    // cmake-packages(7): the two names that `find_package` accepts.
    let files = [
        format!("{name}Config.cmake"),
        format!("{}-config.cmake", name.to_ascii_lowercase()),
    ];
    let mut found: Vec<Found> = files
        .iter()
        .flat_map(|file| index.find(Kind::CMake, file, name))
        .collect();
    // In module mode, the default, CMake's own module goes before a config file.
    let from_module = MODULES
        .get(name)
        .map(|wanted| first_of(index, name, wanted));
    match from_module {
        Some(module) if !module.is_empty() => found = module,
        // A module that needs nothing (`Threads`): a file of that name belongs to something else.
        Some(_) if MODULES.get(name).is_some_and(Vec::is_empty) => return Vec::new(),
        _ => {}
    }
    if found.is_empty() {
        found = by_name(index, name);
    }
    found
}

fn first_of(index: &Index, name: &str, wanted: &[Capability]) -> Vec<Found> {
    for capability in wanted {
        let mut found = look(index, capability);
        if !found.is_empty() {
            for each in &mut found {
                each.why = format!("Find{name} looks for {capability}; {}", each.why);
            }
            return found;
        }
    }
    Vec::new()
}

fn look(index: &Index, capability: &Capability) -> Vec<Found> {
    match capability {
        Capability::Header(x) => index.find_header(x),
        Capability::PkgConfig(x) => index.find(Kind::PkgConfig, &format!("{x}.pc"), x),
        Capability::Library(x) => index.find_library(x),
        Capability::Command(x) => index.find(Kind::Command, x, x),
        _ => Vec::new(),
    }
}

/// Least [`similarity`] of a guessed name and the package that it leads to.
const LIKE: i32 = 40;

/// A project's own Find module mostly looks for a pkg-config module, a library or a header of the same name.
fn by_name(index: &Index, name: &str) -> Vec<Found> {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_prefix("lib").unwrap_or(&lower);
    let guesses = [
        Capability::PkgConfig(name.to_owned()),
        Capability::PkgConfig(lower.clone()),
        Capability::PkgConfig(format!("lib{bare}")),
        Capability::Library(bare.to_owned()),
        Capability::Library(name.to_owned()),
        Capability::Header(format!("{lower}.h")),
        Capability::Header(format!("{lower}/{lower}.h")),
    ];
    for guess in guesses {
        let mut found = look(index, &guess);
        // A guess holds only where the package is about that name and meant for building with it.
        found.retain(|each| {
            each.hit
                .packages
                .iter()
                .filter_map(|id| index.package(*id))
                .any(|package| {
                    let development =
                        package.name.ends_with("-dev") || matches!(guess, Capability::PkgConfig(_));
                    development && similarity(bare, &package.name) >= LIKE
                })
        });
        if !found.is_empty() {
            for each in &mut found {
                each.bonus -= 20;
                each.why = format!(
                    "no CMake config file is called {name}; by its name, {guess}: {}",
                    each.why
                );
            }
            return found;
        }
    }
    Vec::new()
}
