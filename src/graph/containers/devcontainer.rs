//! `devcontainer.json` (Development Containers specification): image, features, commands, variables.

use std::collections::BTreeMap;

use crate::evidence::{Place, Trust};
use crate::graph::shell::{Start, split};
use crate::graph::yaml::{Mark, Value, Yaml};
use crate::graph::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, Os};
use crate::scan::Repository;

use super::{images, jsonc};

/// Commands of the container's life, in the order in which they run.
const COMMANDS: [&str; 5] = [
    "onCreateCommand",
    "updateContentCommand",
    "postCreateCommand",
    "postStartCommand",
    "postAttachCommand",
];

/// Features whose name is not that of a tool.
const OTHER_FEATURES: [&str; 12] = [
    "common-utils",
    "docker-in-docker",
    "docker-outside-of-docker",
    "git",
    "git-lfs",
    "github-cli",
    "sshd",
    "desktop-lite",
    "apt-packages",
    "apt-get-packages",
    "aws-cli",
    "azure-cli",
];

struct Reader<'a> {
    repository: &'a Repository,
    graph: &'a mut KnowledgeGraph,
    path: &'a str,
    file: NodeId,
}

pub(super) fn read(repository: &Repository, graph: &mut KnowledgeGraph, path: &str, text: &str) {
    let yaml = Yaml::parse(&jsonc::without_comments(text));
    let (Some(file), Some(yaml)) = (graph.file(path), yaml) else {
        return;
    };
    let mut reader = Reader {
        repository,
        graph,
        path,
        file,
    };
    if let Some(image) = yaml.get("image") {
        for (tool, version) in images::tools(image.text().unwrap_or_default()) {
            reader.tool(&tool, version, image.mark);
        }
    }
    for (id, feature) in yaml.map_at(&["features"]) {
        reader.feature(id, feature);
    }
    let mut env = BTreeMap::new();
    for key in ["containerEnv", "remoteEnv"] {
        for (name, value) in yaml.map_at(&[key]) {
            let value_text = value.text().filter(|text| !text.contains("${"));
            env.extend(value_text.map(|text| (name.clone(), text.to_owned())));
            let facts = Facts::Variable {
                value: value_text.map(str::to_owned),
            };
            reader.declare(name, value.mark, facts);
        }
    }
    for key in COMMANDS {
        if let Some(command) = yaml.get(key) {
            reader.command(key, command, &env);
        }
    }
}

impl Reader<'_> {
    fn declare(&mut self, name: &str, mark: Mark, facts: Facts) {
        let known = self.graph.out(self.file, EdgeKind::Declares);
        if !known
            .iter()
            .any(|node| node.name == name && node.facts == facts)
        {
            let place = Place::new(self.path, mark.line);
            let node = self.graph.add(name, Some(place), facts);
            self.graph.link(self.file, node, EdgeKind::Declares);
        }
    }

    fn tool(&mut self, name: &str, requirement: Option<String>, mark: Mark) {
        let trust = Trust::Document;
        self.declare(name, mark, Facts::Tool { requirement, trust });
    }

    /// `ghcr.io/devcontainers/features/node:1` with `{"version": "18"}`.
    fn feature(&mut self, id: &str, options: &Yaml) {
        let name = id.rsplit('/').next().unwrap_or(id);
        let name = name.split([':', '@']).next().unwrap_or(name);
        if OTHER_FEATURES.contains(&name) {
            let packages = options.text_at(&["packages"]).unwrap_or_default();
            for package in packages.split([',', ' ']).filter(|word| !word.is_empty()) {
                let place = Place::new(self.path, options.mark.line);
                let trust = Trust::Document;
                crate::graph::packages::add_one(self.graph, self.file, place, package, trust);
            }
            return;
        }
        let version = options.text_at(&["version"]).or_else(|| options.text());
        let version = version.filter(|text| text.contains(|c: char| c.is_ascii_digit()));
        let version = version.map(|text| crate::graph::environments::version(name, text));
        self.tool(name, version, options.mark);
        for (key, tool) in [("installMaven", "maven"), ("installGradle", "gradle")] {
            if options.text_at(&[key]) == Some("true") {
                self.tool(tool, None, options.mark);
            }
        }
    }

    /// A text for a shell, a list of arguments, or several of either by name, run side by side.
    fn command(&mut self, context: &str, command: &Yaml, env: &BTreeMap<String, String>) {
        let text = match &command.value {
            Value::Map(entries) => {
                for (name, command) in entries {
                    if !matches!(command.value, Value::Map(_)) {
                        self.command(&format!("{context} / {name}"), command, env);
                    }
                }
                return;
            }
            Value::List(words) => {
                shlex::try_join(words.iter().filter_map(Yaml::text)).unwrap_or_default()
            }
            _ => command.text().unwrap_or_default().to_owned(),
        };
        let start = Start {
            repository: self.repository,
            dir: "",
        };
        for found in split(&text, &start) {
            let mut env = env.clone();
            env.extend(found.env);
            let facts = CommandFacts {
                dir: found.dir,
                env,
                os: Some(Os::Linux),
                context: context.to_owned(),
                ..CommandFacts::new(found.text.clone(), CommandSource::Dockerfile)
            };
            let place = Place::new(self.path, command.mark.line);
            let node = self
                .graph
                .add(found.text, Some(place), Facts::Command(facts));
            self.graph.link(self.file, node, EdgeKind::Contains);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dockerfile::testing::shown;

    #[test]
    fn a_container() {
        let text = "// x\n{\n  \"image\": \"mcr.microsoft.com/devcontainers/python:1-3.11\",\n  \"features\": {\n    \"ghcr.io/devcontainers/features/node:1\": {\"version\": \"18\"},\n    \"ghcr.io/devcontainers/features/java:1\": {\"version\": \"17\", \"installMaven\": true},\n    \"ghcr.io/devcontainers/features/git:1\": {},\n    \"ghcr.io/rocker-org/devcontainer-features/apt-packages:1\": {\"packages\": \"libpq-dev,gdal-bin\"},\n  },\n  \"remoteEnv\": {\"A\": \"b\", \"C\": \"${localEnv:C}\"},\n  \"forwardPorts\": [8000],\n  \"postCreateCommand\": {\"deps\": [\"pip\", \"install\", \"-r\", \"a b.txt\"], \"build\": \"make && make check\"}, /* end */\n}\n";
        insta::assert_snapshot!(shown(".devcontainer/devcontainer.json", text), @r#"
        3: tool python 3.11
        5: tool node 18
        6: tool java 17
        6: tool maven *
        8: needs libpq-dev
        8: needs gdal-bin
        10: variable A=Some("b")
        10: variable C=None
        12: [] pip install -r 'a b.txt' (postCreateCommand / deps) A=b
        12: [] make && make check (postCreateCommand / build) A=b
        "#);
    }
}
