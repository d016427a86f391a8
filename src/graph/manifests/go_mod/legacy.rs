//! Go before modules: the lock files of `dep`, `glide`, `godep` and `govendor`.

use crate::evidence::Place;

use super::super::tree::{base, join, parent};
use super::super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "go-legacy",
    matches: |path| {
        matches!(base(path), "Gopkg.toml" | "glide.yaml") || path.ends_with("Godeps/Godeps.json")
    },
    read,
};

fn read(reading: &mut Reading<'_>) {
    let (dir, manager, install) = match base(reading.path) {
        "Gopkg.toml" => (reading.dir, "dep", "dep ensure"),
        "glide.yaml" => (reading.dir, "glide", "glide install"),
        _ => (parent(reading.dir), "godep", "godep restore"),
    };
    let module = join(dir, "go.mod").is_some_and(|path| reading.tree.has(&path));
    if module {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let vendored = join(dir, "vendor").is_some_and(|path| reading.tree.has_dir(&path));
    let place = Place::file(reading.path);
    let draft = reading.drafts.project("go", dir);
    draft.product = true;
    draft.manifest(reading.path, reading.format);
    draft.attr("legacy", manager, place.clone());
    if !vendored {
        draft.command("install", install, place.clone());
    }
    draft.command("build", "go build ./...", place.clone());
    draft.command("test", "go test ./...", place);
}
