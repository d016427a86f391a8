//! Compose files (Compose specification): services that are images of others, and what they are told.

use crate::evidence::{Place, Trust};
use crate::graph::yaml::{Mark, Value, Yaml};
use crate::graph::{EdgeKind, Facts, KnowledgeGraph};
use crate::scan::Repository;

use super::images;

/// Services of one file.
const MAX_SERVICES: usize = 100;

/// A service that the repository itself is built into is no service to it; an image of its toolchain mounts its code.
pub(super) fn read(_: &Repository, graph: &mut KnowledgeGraph, path: &str, text: &str) {
    let (found, broken) = Yaml::documents_or_break(text, 0);
    if let Some(why) = broken {
        graph.warn(path, why);
    }
    let (Some(file), Some(yaml)) = (graph.file(path), found.into_iter().next()) else {
        return;
    };
    let mut put = |name: &str, mark: Mark, facts: Facts| {
        let known = graph.out(file, EdgeKind::Declares);
        if !known
            .iter()
            .any(|node| node.name == name && node.facts == facts)
        {
            let node = graph.add(name, Some(Place::new(path, mark.line)), facts);
            graph.link(file, node, EdgeKind::Declares);
        }
    };
    for (name, service) in yaml.map_at(&["services"]).iter().take(MAX_SERVICES) {
        let Some(image) = service.text_at(&["image"]) else {
            continue;
        };
        let image = with_defaults(image);
        if service.get("build").is_some() || image.contains('$') {
            continue;
        }
        let mark = service
            .get("image")
            .map_or(service.mark, |image| image.mark);
        let tools = images::tools(&image);
        if !tools.is_empty() {
            for (tool, requirement) in tools {
                let trust = Trust::Document;
                put(&tool, mark, Facts::Tool { requirement, trust });
            }
            continue;
        }
        let facts = Facts::Service {
            image,
            ports: service
                .list_at(&["ports"])
                .iter()
                .filter_map(port)
                .collect(),
            env: environment(service.get("environment")),
        };
        put(name, service.mark, facts);
    }
}

/// `8080:80`, or the long form of the same.
fn port(yaml: &Yaml) -> Option<String> {
    if let Some(text) = yaml.text() {
        return Some(with_defaults(text));
    }
    let target = yaml.text_at(&["target"])?;
    Some(match yaml.text_at(&["published"]) {
        Some(published) => format!("{}:{target}", with_defaults(published)),
        None => target.to_owned(),
    })
}

fn environment(yaml: Option<&Yaml>) -> std::collections::BTreeMap<String, String> {
    let Some(yaml) = yaml else {
        return Default::default();
    };
    let pairs: Vec<(String, String)> = match &yaml.value {
        Value::List(items) => items
            .iter()
            .filter_map(Yaml::text)
            .filter_map(|text| text.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        _ => yaml
            .map()
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.text()?.to_owned())))
            .collect(),
    };
    pairs
        .into_iter()
        .map(|(name, value)| (name, with_defaults(&value)))
        .filter(|(_, value)| !value.contains("${"))
        .collect()
}

/// `${NAME:-default}` and `${NAME-default}` as they are where nobody sets the variable.
fn with_defaults(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        result.push_str(before);
        let Some((inner, next)) = after.split_once('}') else {
            result.push_str("${");
            rest = after;
            continue;
        };
        match inner.split_once(":-").or_else(|| inner.split_once('-')) {
            Some((_, default)) => result.push_str(default),
            None => {
                result.push_str("${");
                result.push_str(inner);
                result.push('}');
            }
        }
        rest = next;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::super::dockerfile::testing::shown;

    #[test]
    fn services() {
        let text = "services:\n  app:\n    build: .\n    depends_on: [db]\n  db:\n    image: postgres:${PG:-16}\n    ports: ['5432:5432', {target: 80, published: 8080}]\n    environment:\n      POSTGRES_PASSWORD: ${PW-x}\n      OTHER: ${UNSET}\n  cache:\n    image: redis\n    environment: [A=b]\n  web:\n    image: node:18\n  odd: {image: '${X}'}\n";
        insta::assert_snapshot!(shown("docker-compose.yml", text), @r#"
        6: service db postgres:16 ["5432:5432", "8080:80"] {"POSTGRES_PASSWORD": "x"}
        12: service cache redis [] {"A": "b"}
        15: tool node 18
        "#);
    }
}
