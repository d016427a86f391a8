//! Names of the index that are close to one that it does not have.

use super::contents::Kind;
use super::{Capability, Index};

/// Names that are shown.
const MOST: usize = 5;

/// The closest names of the kinds that a word may be of.
pub(super) fn names(index: &Index, readings: &[Capability]) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for capability in readings {
        let (kind, wanted) = match capability {
            Capability::Header(x) => (Kind::Header, x.rsplit('/').next().unwrap_or(x).to_owned()),
            Capability::PkgConfig(x) => (Kind::PkgConfig, format!("{x}.pc")),
            Capability::CMake(x) => (Kind::CMake, format!("{x}Config.cmake")),
            Capability::Library(x) => (Kind::Library, format!("lib{x}.so")),
            Capability::Command(x) => (Kind::Command, x.clone()),
            Capability::Macro(x) => (Kind::Macro, format!("{}.m4", x.to_ascii_lowercase())),
            Capability::Python(x) => (Kind::Python, x.clone()),
            Capability::SharedLibrary(x) => (Kind::SharedLibrary, x.clone()),
            Capability::Typelib(x) => (Kind::Typelib, format!("{x}.typelib")),
            Capability::Perl(x) => (Kind::Perl, format!("{}.pm", x.rsplit("::").next().unwrap_or(x))),
            Capability::Ruby(x) => (Kind::Ruby, format!("{x}.rb")),
            Capability::Node(x) => (Kind::Node, x.clone()),
            Capability::Package(_) => continue,
        };
        if wanted.len() > 100 {
            continue;
        }
        let most = 1 + wanted.len() / 5;
        for name in index.similar(kind, &wanted, most.min(3)) {
            let distance = distance(&wanted.to_ascii_lowercase(), &name.to_ascii_lowercase());
            if distance <= most && !found.iter().any(|(_, known)| *known == name) {
                found.push((distance, name));
            }
        }
    }
    found.sort();
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Insertions, deletions and substitutions between two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        let mut last = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX - 1);
            let next = (corner + usize::from(x != *y)).min(above + 1).min(last + 1);
            corner = above;
            if let Some(cell) = row.get_mut(j) {
                *cell = last;
            }
            last = next;
        }
        if let Some(cell) = row.last_mut() {
            *cell = last;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("zlib.h", "zlib.h"), 0);
        assert_eq!(distance("zlibb.h", "zlib.h"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
