//! Julia's `Project.toml` (Pkg manual).
//!
//! Attributes of a `julia` project: those that all ecosystems share (see `mod.rs`). Tool `julia`: `compat.julia`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::toml_doc::{Doc, Value};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "julia",
    matches: |path| matches!(base(path), "Project.toml" | "JuliaProject.toml"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    let named = doc.get(&["name"]).and_then(Value::str).is_some() && doc.get(&["uuid"]).is_some();
    let sources = reading
        .tree
        .below(reading.dir)
        .any(|entry| entry.path.ends_with(".jl") && !entry.vendored);
    if !(named || doc.get(&["deps"]).is_some()) || !sources {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let tree = reading.tree;
    let tests = join(reading.dir, "test/runtests.jl").filter(|path| tree.has(path));
    let lock = join(reading.dir, "Manifest.toml").filter(|path| tree.has(path));
    let draft = reading.drafts.project("julia", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if let Some(name) = doc.get(&["name"]) {
        draft.name(name.str().unwrap_or_default(), &name.place());
    }
    if let Some(version) = doc.get(&["compat", "julia"]) {
        draft.tool(
            "julia",
            version.str().map(str::to_owned),
            Trust::Manifest,
            version.place(),
        );
    }
    for (name, value) in doc.get(&["deps"]).into_iter().flat_map(Value::entries) {
        let compat = doc
            .get(&["compat", name])
            .and_then(Value::str)
            .unwrap_or_default();
        let spec = format!("{name} {compat}");
        draft.package("julia", name, spec.trim(), Scope::Runtime, value.place());
    }
    let place = Place::file(reading.path);
    if let Some(lock) = lock {
        draft.attr("lock", &lock, Place::file(&lock));
    }
    draft.command(
        "install",
        "julia --project=. -e 'using Pkg; Pkg.instantiate()'",
        place.clone(),
    );
    draft.command(
        "build",
        "julia --project=. -e 'using Pkg; Pkg.precompile()'",
        place,
    );
    if let Some(path) = tests {
        draft.suite("julia", Place::file(&path));
        draft.command(
            "test",
            "julia --project=. -e 'using Pkg; Pkg.test()'",
            Place::file(path),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_package() {
        let graph = repo(&[
            (
                "Project.toml",
                "name = \"Thing\"\nuuid = \"1\"\n[deps]\nJSON = \"2\"\n[compat]\njulia = \"1.6\"\nJSON = \"0.21\"\n",
            ),
            ("src/Thing.jl", ""),
            ("test/runtests.jl", ""),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        julia "" Thing (Project.toml:1)
          build-command = julia --project=. -e 'using Pkg; Pkg.precompile()' (Project.toml)
          install-command = julia --project=. -e 'using Pkg; Pkg.instantiate()' (Project.toml)
          test-command = julia --project=. -e 'using Pkg; Pkg.test()' (test/runtests.jl)
          tool julia 1.6 Manifest (Project.toml:6)
          julia JSON 0.21 [runtime] (Project.toml:4)
          suite julia (test/runtests.jl)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z:= ,\n()]|Package: a\n|Version: 1\n|Depends:|name: x\n|deps|é){0,40}") {
            repo(&[("Project.toml", &text), ("a.jl", "")]);
        }
    }
}
