//! Ant's `build.xml` (Apache Ant Manual), where no other build of the directory is declared.
//!
//! Attributes of an `ant` project, besides those that all ecosystems share: `target`.

use crate::evidence::{Place, Trust};

use super::jvm::feature_release;
use super::tree::base;
use super::xml_doc::Element;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "ant",
    matches: |path| base(path) == "build.xml",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let other = ["maven", "gradle", "sbt", "php"];
    let claimed = other
        .iter()
        .any(|name| reading.drafts.covers(name, reading.dir));
    let root = Element::parse(reading.text)
        .filter(|root| root.name == "project" && root.child("target").is_some());
    let java = reading
        .tree
        .below(reading.dir)
        .any(|entry| entry.path.ends_with(".java"));
    let Some(root) =
        root.filter(|_| !claimed && java && !reading.drafts.covers("ant", reading.dir))
    else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let at = |element: &Element| Place::new(reading.path, element.line);
    let draft = reading.drafts.project("ant", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    draft.name(root.attribute("name").unwrap_or_default(), &at(&root));
    draft.command("build", "ant", at(&root));
    for target in root.all("target") {
        let Some(name) = target.attribute("name") else {
            continue;
        };
        draft.attr("target", name, at(target));
        if matches!(
            name,
            "test" | "check" | "junit" | "tests" | "run-tests" | "unit-test"
        ) {
            draft.command("test", format!("ant {name}"), at(target));
            draft.suite("ant", at(target));
        }
        if matches!(name, "run" | "start") {
            draft.command("run", format!("ant {name}"), at(target));
        }
    }
    let property = |text: &str| {
        let name = text.strip_prefix("${")?.strip_suffix('}')?;
        let found = root
            .all("property")
            .find(|at| at.attribute("name") == Some(name))?;
        found.attribute("value").map(str::to_owned)
    };
    for javac in root
        .walk()
        .into_iter()
        .filter(|element| element.name == "javac")
    {
        for key in ["release", "source", "target"] {
            let text = javac
                .attribute(key)
                .map(|text| property(text).unwrap_or_else(|| text.to_owned()));
            if let Some(version) = text.and_then(|text| feature_release(&text)) {
                draft.tool(
                    "java",
                    Some(format!(">={version}")),
                    Trust::Manifest,
                    at(javac),
                );
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn targets_and_release() {
        let graph = repo(&[
            (
                "build.xml",
                "<project name=\"a\" default=\"jar\">\n<property name=\"lvl\" value=\"1.8\"/>\n<target name=\"jar\"><javac source=\"${lvl}\"/></target>\n<target name=\"test\"/>\n</project>",
            ),
            ("src/A.java", ""),
            ("docs2/build.xml", "<page/>"),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        ant "" a (build.xml:1)
          build-command = ant (build.xml:1)
          target = jar (build.xml:3)
          target = test (build.xml:4)
          test-command = ant test (build.xml:4)
          tool java >=8 Manifest (build.xml:3)
          suite ant (build.xml:4)
        "#);
    }
}
