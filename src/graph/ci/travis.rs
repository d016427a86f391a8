//! Travis CI (`.travis.yml`), at a thin level: phases, APT packages, versions and services.

use crate::graph::Os;
use crate::graph::yaml::Yaml;

use super::{Emit, Script, os_of_label};

/// In the order in which they run.
const PHASES: &[&str] = &["before_install", "install", "before_script", "script"];

/// Languages whose key lists versions.
const VERSIONED: &[&str] = &["python", "rust", "node_js", "go", "ruby", "php"];

pub(super) fn build(yaml: &Yaml, emit: &mut Emit) {
    let systems: Vec<Os> = yaml
        .list_at(&["os"])
        .iter()
        .filter_map(Yaml::text)
        .filter_map(os_of_label)
        .collect();
    let os = match systems.first() {
        None => Os::Linux,
        Some(_) if systems.contains(&Os::Linux) => Os::Linux,
        Some(first) => *first,
    };
    declared(yaml, emit);
    phases(yaml, "travis", os, emit);
    for job in yaml
        .list_at(&["jobs", "include"])
        .iter()
        .chain(yaml.list_at(&["matrix", "include"]))
    {
        let own = job.text_at(&["os"]).and_then(os_of_label).unwrap_or(os);
        phases(job, job.text_at(&["name"]).unwrap_or("travis"), own, emit);
    }
}

/// Versions, APT packages and services.
fn declared(yaml: &Yaml, emit: &mut Emit) {
    for language in VERSIONED {
        for version in yaml.list_at(&[language]) {
            if let Some(text) = version.text() {
                emit.tool(
                    if *language == "node_js" {
                        "node"
                    } else {
                        language
                    },
                    Some(text),
                    version.line,
                );
            }
        }
    }
    for keys in [
        &["addons", "apt", "packages"][..],
        &["addons", "apt_packages"],
    ] {
        for package in yaml.list_at(keys) {
            emit.package(package.text().unwrap_or_default(), package.line);
        }
    }
    for service in yaml.list_at(&["services"]) {
        if let Some(name) = service
            .text()
            .filter(|name| *name != "docker" && *name != "xvfb")
        {
            emit.service(name, name, Vec::new(), Default::default(), service.line);
        }
    }
}

fn phases(yaml: &Yaml, context: &str, os: Os, emit: &mut Emit) {
    for phase in PHASES {
        if let Some(lines) = yaml.get(phase) {
            let mut script = Script {
                os: Some(os),
                context: format!("{context} / {phase}"),
                ..Script::default()
            };
            script.extend(lines);
            emit.script(&script);
        }
    }
}
