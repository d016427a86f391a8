//! Dart's `pubspec.yaml`.
//!
//! Attributes of a `dart` project: those that all ecosystems share (see `mod.rs`), and `flutter`.
//! Tools `dart` and `flutter`: `environment`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;
use crate::graph::yaml::Yaml;

use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "dart",
    matches: |path| base(path) == "pubspec.yaml",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let yaml = Yaml::parse(reading.text);
    let Some(yaml) = yaml.filter(|yaml| yaml.get("name").is_some()) else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let tree = reading.tree;
    let place = |line: u32| Place::new(reading.path, line);
    let tests = join(reading.dir, "test").filter(|dir| tree.has_dir(dir));
    let main = ["bin/main.dart", "lib/main.dart"]
        .iter()
        .filter_map(|path| join(reading.dir, path))
        .find(|path| tree.has(path));
    let draft = reading.drafts.project("dart", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if let Some(name) = yaml.get("name") {
        draft.name(name.text().unwrap_or_default(), &place(name.mark.line));
    }
    for (key, tool) in [("sdk", "dart"), ("flutter", "flutter")] {
        if let Some(version) = yaml.at(&["environment", key]) {
            draft.tool(
                tool,
                version.text().map(str::to_owned),
                Trust::Manifest,
                place(version.mark.line),
            );
        }
    }
    let mut flutter = yaml.get("flutter").map(|at| at.mark.line);
    for (key, scope) in [
        ("dependencies", Scope::Runtime),
        ("dev_dependencies", Scope::Dev),
    ] {
        for (name, value) in yaml.get(key).map_or(Default::default(), Yaml::map) {
            if value.text_at(&["sdk"]) == Some("flutter") {
                flutter = flutter.or(Some(value.mark.line));
            } else if let Some(dir) = value
                .text_at(&["path"])
                .and_then(|path| join(reading.dir, path))
            {
                draft.need(&dir);
            } else {
                let spec = format!("{name} {}", value.text().unwrap_or_default());
                draft.package(
                    "pub",
                    name,
                    spec.trim(),
                    scope.clone(),
                    place(value.mark.line),
                );
            }
        }
    }
    let at = Place::file(reading.path);
    let tool = if let Some(line) = flutter {
        draft.attr("flutter", "flutter", place(line));
        "flutter"
    } else {
        "dart"
    };
    draft.command("install", format!("{tool} pub get"), at);
    if let Some(dir) = tests {
        draft.suite(tool, Place::file(&dir));
        draft.command("test", format!("{tool} test"), Place::file(dir));
    }
    if let Some(path) = main.filter(|_| flutter.is_none()) {
        draft.command("run", "dart run", Place::file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn packages() {
        let graph = repo(&[
            (
                "d/pubspec.yaml",
                "name: thing\nenvironment:\n  sdk: '>=3.0.0 <4.0.0'\ndependencies:\n  path: ^1.8.0\n  other:\n    path: ../other\ndev_dependencies:\n  test: any\n",
            ),
            ("d/test/a_test.dart", ""),
            (
                "f/pubspec.yaml",
                "name: app\ndependencies:\n  flutter:\n    sdk: flutter\n",
            ),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        dart "d" thing (d/pubspec.yaml:1)
          install-command = dart pub get (d/pubspec.yaml)
          test-command = dart test (d/test)
          tool dart >=3.0.0 <4.0.0 Manifest (d/pubspec.yaml:3)
          pub path ^1.8.0 [runtime] (d/pubspec.yaml:5)
          pub test any [dev] (d/pubspec.yaml:9)
          suite dart (d/test)
        dart "f" app (f/pubspec.yaml:1)
          flutter = flutter (f/pubspec.yaml:4)
          install-command = flutter pub get (f/pubspec.yaml)
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([a-z:= ,\n()]|Package: a\n|Version: 1\n|Depends:|name: x\n|deps|é){0,40}") {
            repo(&[("pubspec.yaml", &text)]);
        }
    }
}
