//! Facts from `Packages` and `Sources` (deb822 paragraphs): which package stands for which, and how usual each is.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead};

/// What one binary package depends on.
#[derive(Debug, Clone)]
pub(super) struct Depends {
    pub package: String,
    pub depends: Vec<String>,
}

/// The package to ask for in place of a versioned one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Default {
    pub package: String,
}

/// Calls `field` with each field (continuation lines joined), and `None` at the end of a paragraph.
fn read_fields(
    mut reader: impl BufRead,
    mut field: impl FnMut(Option<(&str, &str)>),
) -> io::Result<()> {
    let (mut raw, mut name, mut value) = (Vec::new(), String::new(), String::new());
    loop {
        raw.clear();
        let read = reader.read_until(b'\n', &mut raw)?;
        let line = String::from_utf8_lossy(&raw);
        let line = line.trim_end();
        if read != 0 && line.starts_with([' ', '\t']) {
            value.push_str(line);
            continue;
        }
        if !name.is_empty() {
            field(Some((&name, &value)));
        }
        name.clear();
        value.clear();
        match line.split_once(':') {
            Some((key, rest)) => {
                name.push_str(key);
                value.push_str(rest.trim());
            }
            None => field(None),
        }
        if read == 0 {
            field(None);
            return Ok(());
        }
    }
}

/// Names in a dependency field, the first of each group of alternatives, without versions and qualifiers.
fn names(field: &str) -> impl Iterator<Item = &str> {
    field.split(',').filter_map(|group| {
        let first = group.split('|').next()?.trim();
        let end = first
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '<' | ':'))
            .unwrap_or(first.len());
        first.get(..end).filter(|name| !name.is_empty())
    })
}

pub(super) fn read_depends(reader: impl BufRead) -> io::Result<Vec<Depends>> {
    let (mut out, mut package, mut depends) = (Vec::new(), String::new(), Vec::new());
    read_fields(reader, |field| match field {
        Some(("Package", value)) => value.clone_into(&mut package),
        Some(("Depends", value)) => depends = names(value).map(str::to_owned).collect(),
        Some(_) => {}
        None => {
            let depends = std::mem::take(&mut depends);
            if !package.is_empty() {
                out.push(Depends {
                    package: std::mem::take(&mut package),
                    depends,
                });
            }
        }
    })?;
    Ok(out)
}

/// How many source packages name each package in a `Build-Depends*` field.
pub(super) fn count_build_depends(reader: impl BufRead) -> io::Result<HashMap<String, u32>> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    read_fields(reader, |field| match field {
        Some(("Build-Depends" | "Build-Depends-Arch" | "Build-Depends-Indep", value)) => {
            seen.extend(names(value).map(str::to_owned));
        }
        Some(_) => {}
        None => {
            for name in std::mem::take(&mut seen) {
                *counts.entry(name).or_default() += 1;
            }
        }
    })?;
    Ok(counts)
}

/// The name without version numbers: `libboost1.74-dev` and `libboost-dev` → `libboost-dev`.
fn family(name: &str) -> String {
    let mut out = String::new();
    for part in name.split('-') {
        let bare = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if bare.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(bare);
    }
    out
}

fn digits(name: &str) -> usize {
    name.bytes().filter(u8::is_ascii_digit).count()
}

/// For a package that another one exists to stand for, that other one: it has the same name with fewer version
/// digits and depends on it (`llvm-dev` for `llvm-14-dev`), or it depends on hardly anything else, begins alike
/// and is what most sources ask for (`libjpeg-dev` for `libjpeg62-turbo-dev`).
pub(super) fn defaults(
    depends: &[Depends],
    usage: &HashMap<String, u32>,
) -> HashMap<String, Default> {
    let used = |name: &str| usage.get(name).copied().unwrap_or(0);
    let mut out: HashMap<String, Default> = HashMap::new();
    for meta in depends {
        for target in &meta.depends {
            let versionless =
                family(&meta.package) == family(target) && digits(&meta.package) < digits(target);
            let stem = |name: &str| name.trim_end_matches("-dev").to_owned();
            let usual = meta.depends.len() <= 2
                && meta.package.ends_with("-dev")
                && target.ends_with("-dev")
                && target.starts_with(&stem(&meta.package))
                && digits(&meta.package) < digits(target)
                && used(&meta.package) > 4 * used(target).max(5);
            if !(versionless || usual) || meta.package == *target {
                continue;
            }
            let better = out
                .get(target)
                .is_none_or(|known| used(&meta.package) > used(&known.package));
            if better {
                out.insert(
                    target.clone(),
                    Default {
                        package: meta.package.clone(),
                    },
                );
            }
        }
    }
    follow(out)
}

/// `libpython3.11-dev` → `libpython3-dev` → …: the end of each chain, in at most three steps.
fn follow(direct: HashMap<String, Default>) -> HashMap<String, Default> {
    direct
        .iter()
        .map(|(name, first)| {
            let mut last = first;
            for _ in 0..2 {
                match direct.get(&last.package) {
                    Some(next) if next.package != *name => last = next,
                    _ => break,
                }
            }
            (name.clone(), last.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_not_part_of_a_family() {
        assert_eq!(family("libboost1.74-dev"), "libboost-dev");
        assert_eq!(family("llvm-14-dev"), "llvm-dev");
        assert_eq!(family("python3-dev"), "python-dev");
        assert_ne!(family("libpng-dev"), family("libpng-tools"));
    }

    #[test]
    fn a_dependency_field_gives_names_only() {
        let field =
            "debhelper-compat (= 13), libfoo-dev:native | libbar-dev, cmake [amd64] <!nocheck>";
        assert_eq!(
            names(field).collect::<Vec<_>>(),
            ["debhelper-compat", "libfoo-dev", "cmake"]
        );
    }

    #[test]
    fn the_unversioned_package_stands_for_the_versioned_one() {
        let packages = "Package: llvm-dev\nDepends: llvm (>= 1:14), llvm-14-dev (>= 14~)\n\n\
                        Package: llvm-15-dev\nDepends: llvm-15\n\n\
                        Package: libjpeg-dev\nDepends: libjpeg62-turbo-dev (>= 1:2)\n";
        let depends = read_depends(packages.as_bytes()).unwrap();
        let usage = HashMap::from([
            ("libjpeg-dev".to_owned(), 400),
            ("libjpeg62-turbo-dev".to_owned(), 10),
        ]);
        let found = defaults(&depends, &usage);
        assert_eq!(found["llvm-14-dev"].package, "llvm-dev");
        assert_eq!(found["libjpeg62-turbo-dev"].package, "libjpeg-dev");
        assert!(!found.contains_key("llvm-15-dev"));
    }

    #[test]
    fn each_source_counts_once() {
        let sources = "Package: a\nBuild-Depends: zlib1g-dev,\n cmake\nBuild-Depends-Indep: cmake\n\nPackage: b\nBuild-Depends: cmake\n";
        let counts = count_build_depends(sources.as_bytes()).unwrap();
        assert_eq!(counts["cmake"], 2);
        assert_eq!(counts["zlib1g-dev"], 1);
    }
}
