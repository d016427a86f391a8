//! `*.sln` and `*.slnx`: the project files of a solution.

use crate::evidence::Place;

use super::super::tree::{base, join, parent};
use super::super::xml_doc::Element;
use super::super::{Reader, Reading};
use super::is_project;

pub const READER: Reader = Reader {
    format: "dotnet-solution",
    matches: |path| path.ends_with(".sln") || path.ends_with(".slnx"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let mut paths: Vec<(String, u32)> = Vec::new();
    if reading.path.ends_with(".slnx") {
        let root = Element::parse(reading.text).unwrap_or_default();
        for element in root
            .walk()
            .into_iter()
            .filter(|element| element.name == "Project")
        {
            let path = element.attribute("Path").unwrap_or_default();
            paths.push((path.to_owned(), element.line));
        }
    } else {
        for (number, line) in (1..).zip(reading.text.lines()) {
            if line.trim_start().starts_with("Project(") {
                let texts = line.split('"').skip(1).step_by(2);
                paths.extend(
                    texts
                        .filter(|text| is_project(text))
                        .map(|text| (text.to_owned(), number)),
                );
            }
        }
    }
    let projects: Vec<(String, u32)> = paths
        .into_iter()
        .map(|(path, line)| (path.replace('\\', "/"), line))
        .filter(|(path, _)| is_project(path))
        .filter_map(|(path, line)| Some((join(reading.dir, &path)?, line)))
        .filter(|(path, _)| reading.tree.has(path))
        .collect();
    // A solution of C++ alone is Visual Studio's.
    if projects.is_empty() {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let others = reading
        .tree
        .below(reading.dir)
        .filter(|entry| parent(&entry.path) == reading.dir && (READER.matches)(&entry.path))
        .count();
    let name = base(reading.path);
    let draft = reading.drafts.project("dotnet", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    draft.attr("solution", reading.path, Place::file(reading.path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    draft.name(stem, &Place::file(reading.path));
    for (path, line) in projects {
        if parent(&path) != reading.dir {
            draft.attr("member", parent(&path), Place::new(reading.path, line));
        }
    }
    let target = shlex::try_quote(name).map_or_else(|_| String::new(), |word| word.into_owned());
    let target = if others > 1 { target.as_str() } else { "" };
    super::commands(draft, Place::file(reading.path), target);
}
