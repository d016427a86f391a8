//! The packages of a workspace as projects of their own (The Cargo Book, "Workspaces").

use crate::graph::manifests::Reading;
use crate::graph::manifests::toml_doc::{Doc, Value};
use crate::graph::manifests::tree::{join, parent};

/// Tables whose entries may name other packages of the workspace.
const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Adds a package of a workspace: what it needs of others is collected at the root, which is what is built.
pub(super) fn member(reading: &mut Reading<'_>, root: &Doc<'_>, doc: &Doc<'_>, path: &str) {
    let dir = parent(path);
    let Some(table) = doc.get(&["package"]).filter(|_| dir != reading.dir) else {
        return;
    };
    let wanted: Vec<String> = TABLES
        .iter()
        .filter_map(|name| doc.get(&[name]))
        .flat_map(Value::entries)
        .filter_map(|(key, value)| sibling(root, reading.dir, dir, key, value))
        .collect();
    let home = reading.dir.to_owned();
    let draft = reading.drafts.project("cargo", dir);
    draft.manifest(path, reading.format);
    if let Some((name, place)) = table
        .get("name")
        .and_then(|name| Some((name.str()?, name.place())))
    {
        draft.name(name, &place);
    }
    let shown = if home.is_empty() { "." } else { &home };
    draft.attr("workspace-root", shown, table.place());
    draft.need(&home);
    for dir in wanted {
        draft.need(&dir);
    }
}

/// The directory of a dependency that stands in the repository, named here or by the workspace.
fn sibling(
    root: &Doc<'_>,
    home: &str,
    dir: &str,
    key: &str,
    value: Value<'_, '_>,
) -> Option<String> {
    let inherits = value.get("workspace").and_then(Value::bool) == Some(true);
    let (from, source) = match inherits {
        true => (home, root.get(&["workspace", "dependencies", key])?),
        false => (dir, value),
    };
    join(from, source.get("path").and_then(Value::str)?)
}
