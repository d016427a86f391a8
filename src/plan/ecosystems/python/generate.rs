//! C sources that a checkout lacks because Cython makes them (a published archive has them).

use crate::evidence::{Because, Place, Trust};
use crate::graph::{NodeId, ProjectFacts};
use crate::plan::ecosystems::{Context, step_id};
use crate::plan::model::{Layer, Step};

use super::{run, words};

/// One step that translates each `cython-source` with the version of Cython that the repository asks for, in an
/// environment of its own.
pub fn steps(ctx: &Context<'_>, project: NodeId, facts: &ProjectFacts) -> Option<Step> {
    let sources = facts.all("cython-source");
    let first = sources.first()?;
    let declared = ctx
        .graph
        .dependencies(project)
        .into_iter()
        .find(|(node, dep)| dep.ecosystem == "pypi" && node.name.eq_ignore_ascii_case("cython"));
    let mut why = vec![Because::at(
        first.place.clone(),
        Trust::Manifest,
        format!("made by Cython from {}", first.value),
    )];
    let mut argv = words("uv tool run");
    match declared {
        Some((node, dep)) => {
            argv.extend(["--from".to_owned(), dep.spec.clone(), "cython".to_owned()]);
            let place = node.place.clone().unwrap_or_else(|| Place::file(""));
            why.push(Because::at(place, dep.trust, dep.spec.clone()));
        }
        None => argv.push("cython".to_owned()),
    }
    if facts
        .all("cython-language")
        .iter()
        .any(|a| a.value == "CXX")
    {
        argv.push("--cplus".to_owned());
    }
    argv.extend(sources.iter().map(|attr| attr.value.clone()));
    let id = step_id(&facts.dir, "cython");
    Some(run(id, Layer::Project, &facts.dir, argv, why))
}
