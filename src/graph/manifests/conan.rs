//! Package managers of C and C++ beside a build system: `conanfile.txt`, `conanfile.py`, `vcpkg.json`. What they
//! name becomes dependencies of the project that stands there.
//!
//! Attribute of that project: `package-manager` = `conan` or `vcpkg`.

use crate::evidence::Place;
use crate::graph::Scope;

use super::json_doc::{Doc, Item};
use super::tree::base;
use super::{Reader, Reading, python_ast};

pub const READER: Reader = Reader {
    format: "conan",
    matches: |path| matches!(base(path), "conanfile.txt" | "conanfile.py"),
    read: conan,
};

pub const VCPKG: Reader = Reader {
    format: "vcpkg",
    matches: |path| base(path) == "vcpkg.json",
    read: vcpkg,
};

const NATIVE: [&str; 7] = [
    "cmake",
    "meson",
    "autotools",
    "make",
    "bazel",
    "xmake",
    "premake",
];

fn conan(reading: &mut Reading<'_>) {
    let mut found: Vec<(String, Scope, u32)> = Vec::new();
    if reading.path.ends_with(".txt") {
        let mut section = "";
        for (number, line) in (1..).zip(reading.text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                section = name;
            } else if !line.is_empty() {
                match section {
                    "requires" => found.push((line.to_owned(), Scope::Runtime, number)),
                    "tool_requires" | "build_requires" => {
                        found.push((line.to_owned(), Scope::Build, number))
                    }
                    "test_requires" => found.push((line.to_owned(), Scope::Test, number)),
                    _ => {}
                }
            }
        }
    } else {
        let module = python_ast::parse(reading.text);
        for call in module.calls.iter().filter(|call| call.object == "self") {
            let scope = match call.name.as_str() {
                "requires" => Scope::Runtime,
                "tool_requires" | "build_requires" => Scope::Build,
                "test_requires" => Scope::Test,
                _ => continue,
            };
            let texts = call.args.iter().flat_map(python_ast::Value::texts);
            found.extend(texts.map(|(text, line)| (text.to_owned(), scope.clone(), line)));
        }
        // `requires = "zlib/1.3", "fmt/10"`: assignments hold their references as plain strings.
        for (number, line) in (1..).zip(reading.text.lines()) {
            let assigned = line
                .trim_start()
                .split_once('=')
                .filter(|(name, _)| name.trim() == "requires");
            let texts = assigned
                .into_iter()
                .flat_map(|(_, value)| value.split(['"', '\'']).skip(1).step_by(2));
            found.extend(texts.map(|text| (text.to_owned(), Scope::Runtime, number)));
        }
    }
    attach(reading, "conan", found);
}

fn vcpkg(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    let mut found: Vec<(String, Scope, u32)> = Vec::new();
    let mut take = |list: Option<Item<'_, '_>>, scope: &Scope| {
        for item in list.into_iter().flat_map(Item::array) {
            let name = item.str().or_else(|| item.get("name")?.str());
            let host = item.get("host").and_then(Item::bool) == Some(true);
            let scope = if host { Scope::Build } else { scope.clone() };
            if let Some(name) = name {
                found.push((name.to_owned(), scope, item.place().line));
            }
        }
    };
    take(doc.get(&["dependencies"]), &Scope::Runtime);
    for (name, feature) in doc.get(&["features"]).into_iter().flat_map(Item::entries) {
        take(
            feature.get("dependencies"),
            &Scope::Optional(name.to_owned()),
        );
    }
    attach(reading, "vcpkg", found);
}

fn attach(reading: &mut Reading<'_>, ecosystem: &str, found: Vec<(String, Scope, u32)>) {
    let native = NATIVE
        .iter()
        .find(|name| reading.drafts.get(name, reading.dir).is_some());
    let Some(native) = native else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let draft = reading.drafts.project(native, reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.attr("package-manager", ecosystem, Place::file(reading.path));
    for (spec, scope, line) in found {
        let name = spec
            .split(['/', '[', '@'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        if !name.is_empty() && name.len() < 200 {
            draft.package(
                ecosystem,
                &name,
                &spec,
                scope,
                Place::new(reading.path, line),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::repo;
    use crate::graph::Facts;

    #[test]
    fn dependencies_join_the_build() {
        let graph = repo(&[
            ("CMakeLists.txt", "project(a C)\nadd_library(a a.c)\n"),
            ("a.c", ""),
            (
                "conanfile.txt",
                "[requires]\nzlib/1.3 # c\n[tool_requires]\ncmake/3.27\n[options]\nx=y\n",
            ),
            (
                "conanfile.py",
                "class A(ConanFile):\n    requires = \"fmt/10.0\", 'spdlog/1.0'\n    def requirements(self):\n        self.requires('openssl/3.0')\n",
            ),
            (
                "vcpkg.json",
                "{\"dependencies\": [\"curl\", {\"name\": \"vcpkg-cmake\", \"host\": true}],\n\"features\": {\"x\": {\"dependencies\": [\"png\"]}}}",
            ),
            ("other/vcpkg.json", "{\"dependencies\": [\"curl\"]}"),
        ]);
        let mut found: Vec<String> = graph
            .nodes()
            .filter_map(|node| match &node.facts {
                Facts::Dependency(facts) if facts.ecosystem != "system" => Some(format!(
                    "{} {} {:?} {}",
                    facts.ecosystem,
                    facts.spec,
                    facts.scope,
                    node.place.as_ref()?
                )),
                _ => None,
            })
            .collect();
        found.sort();
        insta::assert_snapshot!(found.join("\n"), @r#"
        conan cmake/3.27 Build conanfile.txt:4
        conan fmt/10.0 Runtime conanfile.py:2
        conan openssl/3.0 Runtime conanfile.py:4
        conan spdlog/1.0 Runtime conanfile.py:2
        conan zlib/1.3 Runtime conanfile.txt:2
        vcpkg curl Runtime vcpkg.json:1
        vcpkg png Optional("x") vcpkg.json:2
        vcpkg vcpkg-cmake Build vcpkg.json:1
        "#);
    }
}
