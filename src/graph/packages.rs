//! Distribution packages that some text installs with apt: the names of the project's needs, from its authors.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::{Place, Trust};
use crate::packages::Capability;
use crate::scan::{FileKind, Repository, read_text};

use super::shell::TEMPLATE;
use super::{CommandSource, DependencyFacts, EdgeKind, Facts, KnowledgeGraph, NodeId, Os, Scope};

/// Package names as Debian policy 5.6.1 has them, with an architecture or version after them.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([a-z0-9][a-z0-9+.-]+)(:[a-z0-9]+)?([=/][^\s]*)?$").expect("a literal pattern")
});

/// Packages of one file that are kept.
const MAX_PACKAGES: usize = 500;

/// Bytes of a script that is looked at.
const MAX_SCRIPT: u64 = 256 * 1024;

/// Names that `apt-get install` is given in a shell text, with the row of each.
pub(super) fn installed(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut state = State::Outside;
    // What a CI system fills in is one word, and no name.
    let text = TEMPLATE.replace_all(text, "$$x");
    for (row, line) in (0..).zip(text.lines()) {
        let line = line.trim_end();
        let (content, continued) = match line.strip_suffix('\\') {
            Some(content) => (content, true),
            None => (line, false),
        };
        for word in words(content) {
            state = match (state, word.as_str()) {
                (_, "&&" | "||" | ";" | "|" | "&") => State::Outside,
                (_, word) if word.starts_with('#') => break,
                (_, "apt-get" | "apt" | "aptitude" | "apt-fast") => State::Apt,
                (State::Apt, "install") => State::Install,
                (State::Install, option) if option.starts_with(['-', '$', '>', '<']) => {
                    State::Install
                }
                (State::Install, word) => {
                    if let Some(name) = NAME.captures(word).and_then(|parts| parts.get(1))
                        && found.len() < MAX_PACKAGES
                    {
                        found.push((row, name.as_str().to_owned()));
                    }
                    State::Install
                }
                (state, _) => state,
            };
        }
        if !continued {
            state = State::Outside;
        }
    }
    found
}

#[derive(Clone, Copy)]
enum State {
    Outside,
    Apt,
    Install,
}

/// Words of a line, with `;` and quotes taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        let bare = word
            .trim_end_matches([';', ')'])
            .trim_matches(['"', '\'', '(']);
        if !bare.is_empty() {
            words.push(bare.to_owned());
        }
        if word.ends_with([';', ')']) {
            words.push(";".to_owned());
        }
    }
    words
}

/// Adds a package that a file asks for, once a file.
pub(super) fn add_one(
    graph: &mut KnowledgeGraph,
    file: NodeId,
    place: Place,
    name: &str,
    trust: Trust,
) {
    let Some(name) = NAME
        .captures(name)
        .and_then(|parts| parts.get(1))
        .map(|name| name.as_str().to_owned())
    else {
        return;
    };
    let known = graph.out(file, EdgeKind::Declares);
    if known.len() >= MAX_PACKAGES || known.iter().any(|node| node.name == name) {
        return;
    }
    let facts = DependencyFacts {
        ecosystem: "system".to_owned(),
        spec: name.clone(),
        scope: Scope::Build,
        capability: Some(Capability::Package(name.clone())),
        required: false,
        trust,
    };
    let node = graph.add(name, Some(place), Facts::Dependency(facts));
    graph.link(file, node, EdgeKind::Declares);
}

/// Collects from every command found so far, and from shell scripts.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let mut found: Vec<(Place, String, Trust)> = Vec::new();
    for (node, facts) in graph.commands() {
        let (Some(place), None | Some(Os::Linux)) = (&node.place, facts.os) else {
            continue;
        };
        let trust = match facts.source {
            CommandSource::Ci => Trust::Ci,
            CommandSource::TaskRunner => Trust::TaskRunner,
            CommandSource::Dockerfile => Trust::Manifest,
            _ => Trust::Document,
        };
        for (row, name) in installed(&facts.text) {
            found.push((
                Place::new(place.path.clone(), place.line + row),
                name,
                trust,
            ));
        }
    }
    for entry in &repository.files {
        let shell = entry.language.as_deref() == Some("bash") && entry.kind == FileKind::Text;
        if !shell || entry.vendored || entry.size > MAX_SCRIPT {
            continue;
        }
        let text = read_text(repository, &entry.path).unwrap_or_default();
        for (row, name) in installed(&text) {
            found.push((
                Place::new(entry.path.clone(), row + 1),
                name,
                Trust::Document,
            ));
        }
    }
    for (place, name, trust) in found {
        if let Some(file) = graph.file(&place.path) {
            add_one(graph, file, place, &name, trust);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_options_and_other_commands() {
        for (text, expected) in [
            (
                "sudo apt-get install -y --no-install-recommends libpng-dev zlib1g-dev:i386",
                "0 libpng-dev, 0 zlib1g-dev",
            ),
            (
                "apt-get update && apt install -qq cmake=3.2 g++; make install foo",
                "0 cmake, 0 g++",
            ),
            (
                "DEBIAN_FRONTEND=x apt-get -y install \\\n  a1 \\\n  b2 # both\nc3",
                "1 a1, 2 b2",
            ),
            (
                "apt-get install -y $PKGS ./local.deb \"${X}\" 'quoted-dev'",
                "0 quoted-dev",
            ),
            ("pip install apt-thing", ""),
            ("apt-get install ${{ matrix.pkgs }} gcc", "0 gcc"),
            ("(apt-get install x11 ) ; echo install y1", "0 x11"),
        ] {
            let found: Vec<String> = installed(text)
                .iter()
                .map(|(row, name)| format!("{row} {name}"))
                .collect();
            assert_eq!(found.join(", "), expected, "{text}");
        }
    }
}
