//! Conda: `environment.yml` ("Managing environments") and recipes' `meta.yaml` (conda-build, "Defining metadata").

use super::{Format, Reading, base};
use crate::graph::Scope;
use crate::graph::yaml::Yaml;

pub(super) const FORMAT: Format = Format {
    matches: |path| is_environment(path) || base(path) == "meta.yaml",
    read,
    pins: false,
};

fn is_environment(path: &str) -> bool {
    let name = base(path);
    let stem = name
        .strip_suffix(".yml")
        .or_else(|| name.strip_suffix(".yaml"));
    // A GitHub or Kubernetes file of this name has no list of dependencies.
    stem.is_some_and(|stem| {
        stem.starts_with("environment")
            || stem.ends_with("environment")
            || stem.starts_with("conda")
    })
}

/// Packages that are toolchains or build tools rather than libraries.
const TOOLS: &[&str] = &[
    "python",
    "nodejs",
    "rust",
    "go",
    "openjdk",
    "ruby",
    "php",
    "r-base",
    "julia",
    "perl",
    "cmake",
    "meson",
    "ninja",
    "maven",
    "gradle",
    "dotnet-sdk",
    "yarn",
    "pnpm",
    "poetry",
    "bazel",
    "make",
];

fn read(reading: &mut Reading) {
    if base(reading.path) == "meta.yaml" {
        return recipe(reading);
    }
    let (found, broken) = Yaml::documents_or_break(reading.text, 0);
    reading.warnings.extend(broken);
    let Some(yaml) = found.into_iter().next() else {
        return;
    };
    for item in yaml.list_at(&["dependencies"]) {
        match item.text() {
            Some(spec) => package(reading, item.mark.line, spec, Scope::Dev),
            None => {
                for entry in item.list_at(&["pip"]) {
                    let spec = entry.text().unwrap_or_default();
                    let name = name(spec);
                    if !name.is_empty() && !spec.starts_with('-') {
                        reading.dependency(entry.mark.line, "pypi", name, spec, Scope::Dev);
                    }
                }
            }
        }
    }
    for (name, value) in yaml.map_at(&["variables"]) {
        reading.variable(value.mark.line, name, value.text());
    }
}

/// The characters of a package's name at the start of a spec, after a channel.
fn name(spec: &str) -> &str {
    let spec = spec.rsplit("::").next().unwrap_or(spec).trim();
    let end = spec.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
    spec.get(..end.unwrap_or(spec.len())).unwrap_or(spec)
}

/// `python=3.10`, `numpy >=1.20,<2`, `conda-forge::gcc 12.*`.
fn package(reading: &mut Reading, line: u32, spec: &str, scope: Scope) {
    let name = name(spec);
    if name.is_empty() {
        return;
    }
    if TOOLS.contains(&name) {
        let rest = spec.rsplit("::").next().unwrap_or(spec).trim();
        let version = rest.get(name.len()..).unwrap_or_default().trim();
        // One `=` is a prefix, and what follows a second is a build.
        let version = if version.starts_with("==") {
            version.trim_start_matches('=')
        } else {
            version.strip_prefix('=').map_or(version, |rest| {
                rest.split(['=', ' ']).next().unwrap_or(rest)
            })
        };
        let version = version.trim().trim_end_matches(".*");
        let version = Some(version).filter(|text| text.contains(|c: char| c.is_ascii_digit()));
        return reading.tool(line, name, version);
    }
    reading.dependency(line, "conda", name, spec, scope);
}

/// A recipe is a Jinja template of YAML; what the template computes is not known.
fn recipe(reading: &mut Reading) {
    let plain: Vec<String> = reading
        .text
        .lines()
        .map(|line| {
            let whole = line.trim_start().starts_with("{%");
            let line = if whole { "" } else { line };
            // A selector is a comment to YAML; one for another system takes its line away.
            let other = ["[win", "[osx", "[not linux"]
                .iter()
                .any(|mark| line.contains(mark));
            let line = if other { "" } else { line };
            line.replace("{{", "__")
                .replace("}}", "__")
                .replace('|', "_")
        })
        .collect();
    let Some(yaml) = Yaml::parse(&plain.join("\n")) else {
        return;
    };
    let lists: [(&[&str], Scope); 4] = [
        (&["requirements", "build"], Scope::Build),
        (&["requirements", "host"], Scope::Build),
        (&["requirements", "run"], Scope::Runtime),
        (&["test", "requires"], Scope::Test),
    ];
    for (keys, scope) in lists {
        for item in yaml.list_at(keys) {
            let spec = item.text().unwrap_or_default();
            if !spec.starts_with("__") {
                let known = spec.split("__").next().unwrap_or(spec).trim();
                package(reading, item.mark.line, known, scope.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn an_environment() {
        let text = "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.10\n  - conda-forge::numpy>=1.20\n  - cmake >=3.20\n  - nodejs=18.*\n  - pip\n  - pip:\n    - requests==2.0\n    - -r more.txt\nvariables:\n  A: b\n";
        insta::assert_snapshot!(found("environment.yml", text), @r#"
        4: tool python 3.10
        5: conda conda-forge::numpy>=1.20
        6: tool cmake >=3.20
        7: tool node 18
        8: conda pip
        10: pypi requests==2.0
        13: variable A=Some("b")
        "#);
        assert_eq!(found("environment-dev.yml", "apiVersion: v1\n"), "");
    }

    #[test]
    fn a_recipe() {
        let text = "{% set version = \"1\" %}\npackage:\n  name: x\n  version: {{ version }}\nrequirements:\n  build:\n    - {{ compiler('c') }}\n    - m2-make  # [win]\n    - make  # [unix]\n  host:\n    - python\n    - numpy {{ numpy }}\n  run:\n    - python >=3.8\ntest:\n  requires:\n    - pytest\n";
        insta::assert_snapshot!(found("recipe/meta.yaml", text), @"
        9: tool make *
        11: tool python *
        12: conda numpy
        14: tool python >=3.8
        17: conda pytest
        ");
    }
}
