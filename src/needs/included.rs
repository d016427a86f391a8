//! What the sources of one project ask for.

use crate::evidence::{Because, Trust};
use crate::packages::{Capability, is_exact_header, similarity};

use super::aside::{is_sample, is_test};
use super::collect::{Ask, Collection};
use super::includes::Wanted;
use super::model::Group;

/// Sources of the distribution that build with a package, below which its header has to be named after it.
const RARE: u32 = 8;
const ABOUT: i32 = 60;

/// The same, from which on a conditional include of a header below some directory is taken for its own.
const USUAL: u32 = 30;

/// What the sources of one project include.
///
/// `probes`: the build system looks for what it may use; then a conditional include that it never looked for is left out.
pub fn included(wanted: &[Wanted], probes: bool, out: &mut Collection<'_>) {
    for wanted in wanted {
        let Some((group, package, instead)) = judge(wanted, probes, out) else {
            continue;
        };
        let ask = Ask {
            capability: Capability::Header(wanted.header.clone()),
            group,
            option: None,
            because: Because::at(
                wanted.place.clone(),
                Trust::Source,
                format!("#include <{}>", wanted.header),
            ),
        };
        out.take(&package, ask, instead);
    }
}

/// Whether a header of the sources asks for a package, which one, and how much.
fn judge(
    wanted: &Wanted,
    probes: bool,
    out: &Collection<'_>,
) -> Option<(Group, String, Vec<String>)> {
    let candidates = out.foreign(
        out.index
            .providers(&Capability::Header(wanted.header.clone())),
    );
    let (first, others) = candidates.split_first()?;
    let instead = || {
        others
            .iter()
            .take(3)
            .map(|other| other.package.clone())
            .collect()
    };
    // Replacements for another system's C library, which only a build that asks for them by name finds.
    if first.path.contains("/include/bsd/") && !wanted.header.starts_with("bsd/") {
        return None;
    }
    if out.has(&first.package) {
        // The build files have said how much it is needed.
        let group = if wanted.product {
            Group::Optional
        } else {
            Group::Test
        };
        return Some((group, first.package.clone(), instead()));
    }
    // One of several packages that the build files ask for already.
    if others.iter().any(|other| out.has(&other.package)) {
        return None;
    }
    let exact = is_exact_header(&first.path, &wanted.header);
    if !wanted.system && !exact {
        return None;
    }
    // Hardly anything builds with the package, and it is not what the header is named after: a coincidence.
    let usage = candidates
        .iter()
        .map(|each| out.index.usage(&each.package))
        .max()
        .unwrap_or(0);
    if usage < RARE && similarity(&wanted.header, &first.package) < ABOUT {
        return None;
    }
    let test = is_test(&wanted.place.path) && !is_sample(&wanted.place.path);
    let group = match (wanted.product, wanted.sure) {
        (true, true) => Group::Required,
        // Annotations for a debugger, which a default build leaves out.
        _ if first.package == "valgrind" => return None,
        (true, false) if !probes && (exact || usage >= USUAL) => Group::Optional,
        (false, true) if exact && test => Group::Test,
        _ => return None,
    };
    Some((group, first.package.clone(), instead()))
}
