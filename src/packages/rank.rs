//! The order of candidates: general marks of a good one, added up. No package is named here.

use std::collections::HashMap;

use super::Capability;
use super::contents::below_include;
use super::index::{Index, Package};
use super::lookup::{Candidate, Found, is_exact_header};

/// Sources that build with a package, from which on its versioned name is its usual name.
const USUAL: u32 = 20;

/// Weighs the finds and gives one candidate a package, best first. Ties go to the shorter path, then by name.
pub(super) fn order(index: &Index, capability: &Capability, found: Vec<Found>) -> Vec<Candidate> {
    let mut best: HashMap<String, Candidate> = HashMap::new();
    for each in found {
        let place = place_score(capability, &each.hit.path);
        for package in each.hit.packages.iter().filter_map(|id| index.package(*id)) {
            let candidate = weigh(capability, &each, package, place);
            let better = best
                .get(&candidate.package)
                .is_none_or(|known| order_key(&candidate) < order_key(known));
            if better {
                best.insert(candidate.package.clone(), candidate);
            }
        }
    }
    let mut out: Vec<Candidate> = best.into_values().collect();
    out.sort_by(|a, b| order_key(a).cmp(&order_key(b)));
    out
}

fn order_key(candidate: &Candidate) -> (i32, usize, &str, &str) {
    (
        -candidate.score,
        candidate.path.len(),
        &candidate.package,
        &candidate.path,
    )
}

fn weigh(capability: &Capability, found: &Found, package: &Package, place: i32) -> Candidate {
    let mut score = 100 + found.bonus + place + kind_score(capability, &package.name);
    score += similarity(&found.subject, &package.name) * 3 / 10;
    // Four more for each doubling: 200 sources or 210 are nearly the same, 5 or 500 are not.
    score += (4.0 * f64::from(package.usage + 1).log2()).round() as i32;
    let mut why = found.why.clone();
    let name = if package.default.is_empty() {
        // `libgtk-3-dev` is what everyone uses; `llvm-15-dev` stands beside the default.
        if is_versioned(&package.name) && package.usage < USUAL {
            score -= 10;
        }
        package.name.clone()
    } else {
        why = format!("stands for {}, which {why}", package.name);
        package.default.clone()
    };
    Candidate {
        package: name,
        score,
        path: found.hit.path.clone(),
        why,
    }
}

/// How directly the file is found by a compiler, linker or shell.
fn place_score(capability: &Capability, path: &str) -> i32 {
    match capability {
        Capability::Header(name) => {
            if is_exact_header(path, name) {
                return 60;
            }
            let extra =
                below_include(path).matches('/').count() as i32 - name.matches('/').count() as i32;
            let outside = if path.starts_with("usr/include/") {
                0
            } else {
                10
            };
            -(12 * extra.max(1)) - outside
        }
        Capability::Library(_) => {
            let rest = path.trim_start_matches("usr/").trim_start_matches("lib/");
            let deep = rest
                .trim_start_matches("x86_64-linux-gnu/")
                .matches('/')
                .count() as i32;
            let usual = i32::from(path.contains("x86_64-linux-gnu/")) * 5;
            usual - 20 * deep
        }
        Capability::Command(_) => -10 * i32::from(path.starts_with("usr/games/")),
        _ => 0,
    }
}

/// Development files belong to `-dev` packages, commands do not.
fn kind_score(capability: &Capability, package: &str) -> i32 {
    let dev = package.ends_with("-dev") || package.contains("-dev-");
    let wants_dev = matches!(
        capability,
        Capability::Header(_)
            | Capability::PkgConfig(_)
            | Capability::CMake(_)
            | Capability::Library(_)
    );
    let mut score = match (wants_dev, dev) {
        (true, true) => 20,
        (true, false) => -20,
        (false, true) => -5,
        (false, false) => 0,
    };
    let aside = ["-doc", "-examples", "-tests", "-test", "-demos", "-udeb"];
    if aside.iter().any(|end| package.ends_with(end)) {
        score -= 60;
    }
    let foreign = [
        "-i386",
        "-x32",
        "-amd64-i386",
        "-cross",
        "-musl",
        "musl-",
        "dietlibc",
        "-gcc-",
    ];
    if foreign.iter().any(|mark| package.contains(mark)) {
        score -= 40;
    }
    score
}

/// `libfoo-14-dev`, `gcc-11`: a version as a word of its own.
fn is_versioned(package: &str) -> bool {
    package
        .split('-')
        .skip(1)
        .any(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// How far two names are the same, 0 to 100, without `lib`, `-dev`, versions and punctuation.
pub(crate) fn similarity(subject: &str, package: &str) -> i32 {
    let subject = subject.rsplit_once('.').map_or(subject, |(stem, ext)| {
        if matches!(ext, "h" | "hpp" | "hh" | "hxx") {
            stem
        } else {
            subject
        }
    });
    let package = package.strip_suffix("-dev").unwrap_or(package);
    let (a, b) = (
        core(subject.rsplit('/').next().unwrap_or(subject)),
        core(package),
    );
    let first = core(subject.split('/').next().unwrap_or(subject));
    score_of(&a, &b).max(score_of(&first, &b))
}

fn score_of(a: &str, b: &str) -> i32 {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    if a == b {
        return 100;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let part = (40 * short.len() / long.len()) as i32;
    if short.len() >= 2 && long.starts_with(short) {
        60 + part
    } else if short.len() >= 3 && long.contains(short) {
        40 + part
    } else {
        0
    }
}

fn core(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let bare = lower
        .strip_prefix("lib")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(&lower);
    let letters: String = bare.chars().filter(char::is_ascii_alphabetic).collect();
    if letters.is_empty() {
        bare.to_owned()
    } else {
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_thing_are_similar() {
        assert_eq!(similarity("png.h", "libpng-dev"), 100);
        assert_eq!(similarity("SDL.h", "libsdl2-dev"), 100);
        assert!(similarity("zlib.h", "zlib1g-dev") > 60);
        assert!(similarity("curl/curl.h", "libcurl4-openssl-dev") >= 60);
        assert_eq!(similarity("png.h", "libtiff-dev"), 0);
    }

    #[test]
    fn a_version_is_a_word() {
        assert!(is_versioned("llvm-14-dev"));
        assert!(is_versioned("gcc-11"));
        assert!(!is_versioned("libsdl2-dev"));
    }
}
