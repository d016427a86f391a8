//! Header names that say too little to install something for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::index::Index;
use super::lookup::{Found, is_exact_header};
use super::rank::similarity;

/// `knowledge/packages/headers.toml`.
#[derive(Debug, Deserialize)]
struct Names {
    /// Made by the project's own build or kept beside its sources, whatever some package ships.
    local: Vec<String>,
    /// Of another operating system; a file of that name in a package is not what the source means.
    foreign: Vec<String>,
    foreign_directories: Vec<String>,
    /// First directories that projects name their own trees by.
    local_directories: Vec<String>,
    /// Directories that packages give as a symbolic link, whose contents a `Contents` file does not list.
    links: BTreeMap<String, String>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    toml::from_str(include_str!("../../knowledge/packages/headers.toml"))
        .expect("embedded data is checked by a test")
});

/// Distinct packages with a file of a bare name, beyond which the name is no evidence (measured on bookworm:
/// `version.h` 329, `list.h` 84, `io.h` 47; `zlib.h` 6, `jpeglib.h` 2).
const MANY_PACKAGES: usize = 12;

/// From this similarity on, a package is about the thing that the header is named after (see [`similarity`]).
const ABOUT: i32 = 72;

pub(super) fn is_foreign_or_local(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is = |list: &[String]| list.iter().any(|known| known.eq_ignore_ascii_case(&lower));
    let first = name.split_once('/').map(|(dir, _)| dir);
    is(&NAMES.local)
        || is(&NAMES.foreign)
        || first.is_some_and(|dir| NAMES.foreign_directories.iter().any(|known| known == dir))
}

/// `src/util.h`, `foo/config.h`: a path inside somebody's own tree, unless a package has exactly that.
fn is_local_path(name: &str) -> bool {
    let Some((dir, rest)) = name.split_once('/') else {
        return false;
    };
    let base = rest.rsplit('/').next().unwrap_or(rest);
    NAMES.local.iter().any(|known| known == base)
        || NAMES.local_directories.iter().any(|known| known == dir)
}

/// The name with its first directory replaced by what it is a link to.
pub(super) fn follow_link(name: &str) -> Option<String> {
    let (first, rest) = name.split_once('/')?;
    Some(format!("{}/{rest}", NAMES.links.get(first)?))
}

/// Drops finds that the name alone does not support: a file somewhere below a package's own directory, where many
/// packages have one of that name or the package is about something else.
pub(super) fn keep_telling(index: &Index, name: &str, found: Vec<Found>) -> Vec<Found> {
    let packages: BTreeSet<u32> = found
        .iter()
        .flat_map(|f| f.hit.packages.iter().copied())
        .collect();
    let many = packages.len() > MANY_PACKAGES;
    let local = is_local_path(name);
    found
        .into_iter()
        .filter(|each| {
            let exact = is_exact_header(&each.hit.path, name);
            let mut owners = each.hit.packages.iter().filter_map(|id| index.package(*id));
            if exact && (!many || owners.any(|p| super::standard::is_toolchain_package(&p.name))) {
                return true;
            }
            if local && !exact {
                return false;
            }
            let about = each
                .hit
                .packages
                .iter()
                .filter_map(|id| index.package(*id))
                .any(|package| similarity(subject_word(name), &package.name) >= ABOUT);
            about
                || (exact && name.contains('/'))
                || (!many && packages.len() <= 4 && is_plain_find(each, name))
        })
        .collect()
}

/// `png.h` → `png`, `SDL2/SDL.h` → `SDL2`.
pub(super) fn subject_word(name: &str) -> &str {
    let word = name.split('/').next().unwrap_or(name);
    word.split('.').next().unwrap_or(word)
}

/// One directory below an include directory, as a library's own `-I` would name it.
fn is_plain_find(found: &Found, name: &str) -> bool {
    let below = super::contents::below_include(&found.hit.path);
    let extra = below
        .matches('/')
        .count()
        .saturating_sub(name.matches('/').count());
    // Qt's classes stand below a directory of the version and one of the module.
    let class = name.starts_with('Q') && !name.contains('.') && name.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase());
    extra <= 1 || class && extra <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_read() {
        assert!(is_foreign_or_local("windows.h"));
        assert!(is_foreign_or_local("Windows.h"));
        assert!(is_foreign_or_local("config.h"));
        assert!(is_foreign_or_local("CoreFoundation/CoreFoundation.h"));
        assert!(!is_foreign_or_local("zlib.h"));
    }

    #[test]
    fn the_subject_of_a_header() {
        assert_eq!(subject_word("SDL2/SDL.h"), "SDL2");
        assert_eq!(subject_word("png.h"), "png");
    }
}
