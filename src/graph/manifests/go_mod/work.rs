//! `go.work`: modules that are built together.

use crate::evidence::{Place, Trust};

use super::super::tree::{base, join};
use super::super::{Reader, Reading};
use super::directives;

pub const READER: Reader = Reader {
    format: "go-work",
    matches: |path| base(path) == "go.work",
    read,
};

/// The modules are read before: each learns where its workspace stands. The workspace itself is nothing to build.
fn read(reading: &mut Reading<'_>) {
    let all = directives(reading.text);
    let root = if reading.dir.is_empty() {
        "."
    } else {
        reading.dir
    };
    let used: Vec<(String, u32)> = all
        .iter()
        .filter(|directive| directive.verb == "use")
        .filter_map(|directive| {
            let dir = join(reading.dir, directive.words.first()?)?;
            reading.drafts.get("go", &dir)?;
            Some((dir, directive.line))
        })
        .collect();
    let go = all.iter().find(|directive| directive.verb == "go");
    for (dir, line) in &used {
        let draft = reading.drafts.project("go", dir);
        draft.attr("workspace-root", root, Place::new(reading.path, *line));
        draft.manifest(reading.path, reading.format);
        if let Some((go, version)) = go.and_then(|go| Some((go, go.words.first()?))) {
            let place = Place::new(reading.path, go.line);
            draft.tool("go", Some(format!(">={version}")), Trust::Manifest, place);
        }
    }
    if used.is_empty() {
        reading.drafts.manifest_only(reading.path, reading.format);
    }
}
