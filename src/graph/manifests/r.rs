//! R's `DESCRIPTION` (Writing R Extensions, 1.1.1).
//!
//! Attributes of an `r` project: those that all ecosystems share (see `mod.rs`), and `system-requirements` (in words) and
//! `native` (the directory of compiled code). Tool `r`: the requirement among `Depends`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "r",
    matches: |path| base(path) == "DESCRIPTION",
    read,
};

/// Fields of a Debian control file, which R's `DESCRIPTION` is.
fn control(text: &str) -> Vec<(String, String, u32)> {
    let mut found: Vec<(String, String, u32)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value, _)) = found.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            found.push((name.to_owned(), value.trim().to_owned(), number));
        }
    }
    found
}

/// `digest (>= 0.6), R (>= 3.5)` → name, requirement.
fn packages(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split(',').filter_map(|item| {
        let (name, rest) = item
            .trim()
            .split_once(['(', ' '])
            .unwrap_or((item.trim(), ""));
        let requirement = rest.trim().trim_matches(['(', ')']).trim();
        (!name.is_empty()).then_some((name.trim(), requirement))
    })
}

fn read(reading: &mut Reading<'_>) {
    let fields = control(reading.text);
    let field = |wanted: &str| fields.iter().find(|(name, ..)| name == wanted);
    let (Some(package), Some(_)) = (field("Package"), field("Version")) else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let tree = reading.tree;
    let native = join(reading.dir, "src").filter(|dir| tree.has_dir(dir));
    let tests = ["tests/testthat.R", "tests/tinytest.R", "tests"]
        .iter()
        .filter_map(|path| join(reading.dir, path))
        .find(|path| tree.has(path) || tree.has_dir(path));
    let lock = join(reading.dir, "renv.lock").filter(|path| tree.has(path));
    let draft = reading.drafts.project("r", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    draft.name(&package.1, &Place::new(reading.path, package.2));
    let tables = [
        ("Depends", Scope::Runtime),
        ("Imports", Scope::Runtime),
        ("LinkingTo", Scope::Build),
        ("Suggests", Scope::Test),
    ];
    for (key, scope) in tables {
        let Some((_, list, line)) = field(key) else {
            continue;
        };
        for (name, requirement) in packages(list) {
            let place = Place::new(reading.path, *line);
            if name == "R" {
                draft.tool("r", Some(requirement.to_owned()), Trust::Manifest, place);
            } else {
                let spec = format!("{name} {requirement}");
                draft.package("cran", name, spec.trim(), scope.clone(), place);
            }
        }
    }
    if let Some((_, text, line)) = field("SystemRequirements") {
        draft.attr("system-requirements", text, Place::new(reading.path, *line));
    }
    if let Some(dir) = native {
        draft.attr("native", &dir, Place::file(dir.clone()));
    }
    let place = Place::file(reading.path);
    match lock {
        Some(lock) => {
            draft.attr("lock", &lock, Place::file(&lock));
            draft.command("install", "Rscript -e 'renv::restore()'", Place::file(lock));
        }
        None => draft.command(
            "install",
            "Rscript -e 'remotes::install_deps(dependencies = TRUE)'",
            place.clone(),
        ),
    }
    draft.command("build", "R CMD INSTALL .", place.clone());
    if let Some(path) = tests {
        let testthat = path.ends_with("testthat.R");
        let suite = if testthat { "testthat" } else { "r" };
        draft.suite(suite, Place::file(&path));
        let test = if testthat {
            "Rscript -e 'testthat::test_local()'"
        } else {
            "Rscript -e 'tools::testInstalledPackage(read.dcf(\"DESCRIPTION\")[1, \"Package\"], types = \"tests\")'"
        };
        draft.command("test", test, Place::file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_package() {
        let graph = repo(&[
            (
                "r/DESCRIPTION",
                "Package: thing\nVersion: 1.0\nDepends: R (>= 3.5)\nImports:\n    digest (>= 0.6),\n    rlang\nSuggests: testthat\nSystemRequirements: libcurl: libcurl-devel\n",
            ),
            ("r/tests/testthat.R", ""),
            ("r/src/a.c", ""),
            ("x/DESCRIPTION", "A text about: something\n"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        r "r" thing (r/DESCRIPTION:1)
          build-command = R CMD INSTALL . (r/DESCRIPTION)
          install-command = Rscript -e 'remotes::install_deps(dependencies = TRUE)' (r/DESCRIPTION)
          native = r/src (r/src)
          system-requirements = libcurl: libcurl-devel (r/DESCRIPTION:8)
          test-command = Rscript -e 'testthat::test_local()' (r/tests/testthat.R)
          tool r >= 3.5 Manifest (r/DESCRIPTION:3)
          cran digest >= 0.6 [runtime] (r/DESCRIPTION:4)
          cran rlang [runtime] (r/DESCRIPTION:4)
          cran testthat [test] (r/DESCRIPTION:7)
          suite testthat (r/tests/testthat.R)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z:= ,\n()]|Package: a\n|Version: 1\n|Depends:|name: x\n|deps|é){0,40}") {
            repo(&[("DESCRIPTION", &text)]);
        }
    }
}
