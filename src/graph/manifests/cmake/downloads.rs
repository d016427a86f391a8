//! What a build downloads, and what it takes from the machine instead where it is there.

use crate::evidence::Place;

use super::commands::word;
use super::finds;
use super::machine::Machine;

type Words = Vec<(String, u32)>;

/// `FetchContent_Declare(NAME …)`, `ExternalProject_Add(NAME …)`: downloaded, unless (`FIND_PACKAGE_ARGS`, CMake 3.24)
/// the machine has it.
pub fn download(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = word(words, 0);
    if let Some(at) = words
        .iter()
        .position(|(word, _)| word == "FIND_PACKAGE_ARGS")
    {
        let rest = words.get(at + 1..).unwrap_or_default();
        let named = rest.iter().position(|(word, _)| word == "NAMES");
        let looked_for = named.map_or(name.clone(), |at| word(&rest.to_vec(), at + 1));
        finds::instead_of_download(machine, &looked_for, line);
    }
    note_download(machine, name, line);
}

/// `CPMAddPackage(NAME x …)` and its short form `CPMAddPackage("gh:owner/name#tag")`.
pub fn cpm_add(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = cpm_name(words);
    note_download(machine, name, line);
}

/// `CPMFindPackage(NAME x …)`: the machine's own where it is there, else a download.
pub fn cpm_find(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let name = cpm_name(words);
    finds::instead_of_download(machine, &name, line);
    note_download(machine, name, line);
}

fn cpm_name(words: &Words) -> String {
    if let Some(at) = words.iter().position(|(word, _)| word == "NAME") {
        return word(words, at + 1);
    }
    let short = word(words, 0);
    let path = short.split(['#', '@']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn note_download(machine: &mut Machine<'_, '_>, name: String, line: u32) {
    let standing = machine.standing();
    let place: Place = machine.place(line);
    match standing.value {
        Some(true) => machine.draft().attr("network", name, place),
        _ => machine.draft().attr(
            "network-optional",
            format!("{name} if {}", standing.condition),
            place,
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::manifests::testing::{repo, summary};

    #[test]
    fn downloads_and_what_stands_in_their_place() {
        let graph = repo(&[(
            "CMakeLists.txt",
            "project(a C)\ninclude(CPM)\nCPMAddPackage(\"gh:fmtlib/fmt#9.1.0\")\nCPMAddPackage(NAME one VERSION 1)\nCPMFindPackage(NAME ZLIB GITHUB_REPOSITORY x/y)\nFetchContent_Declare(two URL x FIND_PACKAGE_ARGS NAMES EXPAT)\nFetchContent_Declare(three URL x)\n",
        )]);
        let text = summary(&graph);
        for line in [
            "network = fmt ",
            "network = one ",
            "network = ZLIB ",
            "network = two ",
            "network = three ",
            "cmake:ZLIB",
            "cmake:EXPAT",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("cmake:three"), "{text}");
    }
}
