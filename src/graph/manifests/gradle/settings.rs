//! `settings.gradle(.kts)`: the root's name and its included projects.

use crate::evidence::Place;

use super::super::tokens::{CURLY, Kind, Token, literal_after, starts, tokens};
use super::super::tree::{base, join};
use super::super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "gradle-settings",
    matches: |path| matches!(base(path), "settings.gradle" | "settings.gradle.kts"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    let all = tokens(reading.text, &CURLY);
    let mut included: Vec<(String, u32)> = Vec::new();
    let mut moved: Vec<(String, String)> = Vec::new();
    let mut builds: Vec<String> = Vec::new();
    let draft = reading.drafts.project("gradle", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    for (at, token) in all.iter().enumerate() {
        match token.word() {
            Some("rootProject") if starts(&all, at + 1, &[".", "name"]) => {
                if let Some(name) = literal_after(&all, at + 2) {
                    draft.name(&name.text, &Place::new(reading.path, name.line));
                }
            }
            Some("include") => included.extend(arguments(&all, at)),
            Some("includeBuild") => {
                builds.extend(arguments(&all, at).into_iter().map(|(text, _)| text))
            }
            Some("projectDir") => moved.extend(moved_to(&all, at)),
            _ => {}
        }
    }
    for (path, line) in included {
        let name = path.trim_start_matches(':');
        let to = moved
            .iter()
            .find(|(known, _)| known.trim_start_matches(':') == name);
        let inside = to.map_or_else(|| name.replace(':', "/"), |(_, dir)| dir.clone());
        if let Some(dir) = join(reading.dir, &inside).filter(|dir| reading.tree.has_dir(dir)) {
            draft.attr("member", dir, Place::new(reading.path, line));
        }
    }
    // Included builds bring plugins; Gradle builds them when it builds the root.
    let tree = reading.tree;
    let builds: Vec<String> = builds
        .iter()
        .filter_map(|dir| join(reading.dir, dir))
        .filter(|dir| !dir.is_empty() && dir != reading.dir && tree.has_dir(dir))
        .collect();
    for dir in &builds {
        draft.attr("member", dir, Place::file(reading.path));
    }
    for dir in &builds {
        super::conventions(reading, reading.dir, dir);
    }
    let listed = reading.drafts.workspace_of("gradle", reading.dir).is_some();
    // The root may have no build script of its own.
    let scripts = ["build.gradle", "build.gradle.kts"];
    let script = scripts
        .iter()
        .filter_map(|file| join(reading.dir, file))
        .any(|path| reading.tree.has(&path));
    if !script && !listed {
        super::commands(reading);
    }
}

/// Literals of a call with or without brackets, over several lines.
fn arguments(all: &[Token], at: usize) -> Vec<(String, u32)> {
    let rest = all.get(at + 1..).unwrap_or_default().iter();
    rest.take_while(|token| {
        token.kind == Kind::Text || matches!(token.text.as_str(), "," | "(" | ")" | "[" | "]")
    })
    .filter(|token| token.kind == Kind::Text)
    .map(|token| (token.text.clone(), token.line))
    .collect()
}

/// `project(':x').projectDir = file('y')`, `new File(settingsDir, 'y')`.
fn moved_to(all: &[Token], at: usize) -> Option<(String, String)> {
    let before = all.get(at.checked_sub(5)?..at)?;
    let name = before.iter().find(|token| token.kind == Kind::Text)?;
    let rest = all.get(at + 1..)?.iter().take(10);
    let dir = rest
        .take_while(|token| token.line == name.line)
        .find(|token| token.kind == Kind::Text)?;
    let dir = dir
        .text
        .trim_start_matches("$rootDir/")
        .trim_start_matches("${rootDir}/");
    Some((name.text.clone(), dir.to_owned()))
}
