//! Projects that a package's build script builds.

use super::super::drafts::Drafts;
use super::super::tree::{parent, relative};

/// C projects below a package that links a native library and has a build script: the script builds them.
pub fn drop_built_by_scripts(drafts: &mut Drafts) {
    let cargo = drafts
        .all()
        .filter(|draft| draft.facts.ecosystem == "cargo" && draft.has_attr("links"));
    let packages: Vec<String> = cargo
        .flat_map(|draft| draft.facts.all("build-script"))
        .map(|attr| parent(&attr.value).to_owned())
        .collect();
    let native = ["cmake", "meson", "autotools", "make"];
    let below: Vec<(String, String)> = drafts
        .all()
        .filter(|draft| native.contains(&draft.facts.ecosystem.as_str()))
        .filter(|draft| {
            let dir = &draft.facts.dir;
            packages
                .iter()
                .any(|package| relative(dir, package).is_some_and(|rest| !rest.is_empty()))
        })
        .map(|draft| (draft.facts.ecosystem.clone(), draft.facts.dir.clone()))
        .collect();
    for (ecosystem, dir) in below {
        drafts.remove(&ecosystem, &dir);
    }
}
